"""The folder of an uplift run: what it depends on, and its rows as they come."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.uplift_row import UpliftRow

_CONFIG = "config.json"
ROWS = "rows.jsonl"


def read_rows(file: Path) -> list[UpliftRow]:
    """The rows of a run. A last line that was cut off counts as not asked. Raises DefinitionError for other lines."""
    if not file.is_file():
        return []
    rows, lines = [], file.read_text("utf-8").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            rows.append(UpliftRow.from_dict(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines):
                break
            raise DefinitionError(f"{file}, line {number}, is no row of an uplift run.", path=str(file)) from error
    return rows


@contextmanager
def alone_in(folder: Path, config: Mapping[str, Any]) -> Iterator[None]:
    """The folder of a run, which nobody else writes to, and which holds no other run."""
    folder.mkdir(parents=True, exist_ok=True)
    written = json.dumps(config, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    try:
        with FileLock(_lock_file(folder), timeout=0):
            file = folder / _CONFIG
            if file.is_file() and json.loads(file.read_text("utf-8")) != json.loads(written):
                raise DefinitionError(
                    f"{folder} holds a run with other options, or of another state of the index: give this one another "
                    "--name, or delete the folder.",
                    path=str(folder),
                )
            file.write_text(written, "utf-8")
            yield
    except Timeout as error:
        raise UsageError(f"Another process is writing to {folder}: wait for it, or give another --name.") from error


def _lock_file(folder: Path) -> Path:
    """Outside the folder, whose files may be kept under version control."""
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rag_app-uplift-{name}.lock"


def write_rows(file: Path, rows: Sequence[UpliftRow]) -> None:
    """All or nothing."""
    whole = file.with_suffix(".new")
    whole.write_text("".join(row.as_json() + "\n" for row in rows), "utf-8")
    whole.replace(file)
