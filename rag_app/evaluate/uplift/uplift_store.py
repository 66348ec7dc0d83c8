"""The folder of an uplift run: what it depends on, and its rows as they come."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.run.results import read_lines
from rag_app.evaluate.uplift.uplift_row import UpliftRow
from rag_app.llm.recording import lock_file

_CONFIG = "config.json"
ROWS = "rows.jsonl"


def read_rows(file: Path) -> list[UpliftRow]:
    """The rows of a run; a last line that was cut off counts as not asked. Raises DefinitionError for other lines."""
    return read_lines(file, UpliftRow.from_dict, "row of an uplift run")


@contextmanager
def alone_in(folder: Path, config: Mapping[str, Any]) -> Iterator[None]:
    """The folder of a run, which nobody else writes to, and which holds no other run."""
    folder.mkdir(parents=True, exist_ok=True)
    written = json.dumps(config, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    try:
        with FileLock(lock_file(folder, "uplift"), timeout=0):
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
