"""The folder of a run, from its first row to the frozen report. What is frozen is never written again.

While questions are asked, it holds `unfinished.json` (what is being asked) and `rows.jsonl`, one line a row as they
finish. At the end come `results.json`, `report.md` and `report.html`, and `unfinished.json` goes.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Protocol, TypeVar

from filelock import FileLock, Timeout

from rag_app.errors import DefinitionError, UsageError

T = TypeVar("T")
Key = tuple[str, int]
"""The id of a case and the number of a run, from 1."""

ROWS, UNFINISHED, RESULTS = "rows.jsonl", "unfinished.json", "results.json"
_SAYS_NOTHING_OF_THE_ANSWERS = ("command", "started", "machine", "packages", "price", "judge_price", "retried_from")


class RunRow(Protocol):
    """A row of any kind of run."""

    @property
    def key(self) -> Key: ...
    @property
    def failed(self) -> bool: ...
    @property
    def question(self) -> str: ...
    def as_json(self) -> str: ...
    def as_retried(self) -> "RunRow": ...


R = TypeVar("R", bound=RunRow)


def keys_of(case_ids: Iterable[str], runs: int) -> list[Key]:
    """Case and run of every row that belongs to a result, in order."""
    return [(case_id, run) for case_id in case_ids for run in range(1, runs + 1)]


def identity(config: Mapping[str, Any]) -> str:
    """The same for two runs whose answers belong together: of everything that can change an answer."""
    facts = {key: value for key, value in config.items() if key not in _SAYS_NOTHING_OF_THE_ANSWERS}
    code = dict(facts.get("code", {}))
    facts["code"] = code.get("sha256")  # a commit that touches no code changes no answer
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def place_for(
    out: Path,
    name: str,
    config: Mapping[str, Any],
    cases: Mapping[str, Any],
    made: Callable[[Any], R],
    *,
    retry_errors: bool,
) -> tuple[Path, list[R]]:
    """The folder of a run, and the rows that are there already: of the same questions asked in the same way.

    That of an unfinished run, else a new one; to ask the errors of a frozen result again, its other rows go along.

    Args:
        made: makes a row of what its line holds.

    Raises:
        UsageError: errors are to be asked again, and there are none; or the folder cannot be made or written.
        DefinitionError: an unfinished run of that name is damaged.
    """
    same = identity(config)
    for state in _files(out, name, UNFINISHED):
        if identity(read_description(state)["config"]) == same:
            return state.parent, read_lines(state.with_name(ROWS), made, "row")
    rows: list[R] = []
    facts = dict(config)
    if retry_errors:
        for file in reversed(_files(out, name, RESULTS)):
            if identity(read_description(file)["config"]) == same:
                rows = read_lines(file.with_name(ROWS), made, "row")
                if any(row.failed for row in rows):
                    facts["retried_from"] = file.parent.name
                    break
        else:
            raise UsageError(f"There is no result {name} in {out} with errors to ask again.", name=name)
    try:
        folder = _new_folder(out, name)
        write_json(folder / UNFINISHED, {"config": facts, "cases": cases})
    except OSError as error:
        raise UsageError(
            f"No result can be kept in {out}: {error.strerror}. Name another folder with --out."
        ) from error
    return folder, rows


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Raises UsageError where another process writes to the same result."""
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"Another evaluation writes to {folder}: wait for it, or give this one a --name.") from None
    try:
        yield
    finally:
        lock.release()
        (folder / ".lock").unlink(missing_ok=True)


def description_in(folder: Path) -> Path:
    """The file that says what a run asked, or is asking. Raises DefinitionError where the folder holds no run."""
    file = next((folder / name for name in (RESULTS, UNFINISHED) if (folder / name).is_file()), None)
    if file is None:
        raise DefinitionError(f"{folder} holds no result: give a folder that an evaluation made.", path=str(folder))
    return file


def read_description(file: Path, check: Callable[[Any], object] = lambda _: None) -> dict[str, Any]:
    """What a results.json or an unfinished.json says: at least its config and its cases.

    Args:
        check: reads what else must be there, and fails where it is not.

    Raises:
        DefinitionError: it is damaged.
    """
    try:
        content = json.loads(file.read_text("utf-8"))
        keys_of(content["cases"], content["config"]["runs"])
        _ = [dict(case) for case in content["cases"].values()]
        identity(content["config"])
        check(content)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise DefinitionError(
            f"{file} is damaged ({why}): restore it, or remove its folder.", path=str(file)
        ) from error
    return content


def read_lines(file: Path, made: Callable[[Any], T], what: str) -> list[T]:
    """What the lines of a JSONL file hold, in order. A last line that was torn when its writer was killed is left out.

    Raises:
        DefinitionError: another line is damaged.
    """
    if not file.is_file():
        return []
    found = []
    lines = file.read_bytes().split(b"\n")  # a line may be torn within a character
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(made(json.loads(line.decode())))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if number == len(lines):
                break
            raise DefinitionError(
                f"{file}, line {number}, is not a valid {what}: {error}", path=str(file), line=number
            ) from error
    return found


def write_rows(file: Path, rows: Sequence[RunRow]) -> None:
    """All rows at once: a reader sees the old file or the new one."""
    write_text(file, "".join(f"{row.as_json()}\n" for row in rows))


def write_json(file: Path, content: Mapping[str, Any]) -> None:
    """JSON that reads well in a review."""
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def write_text(file: Path, text: str) -> None:
    """All or nothing."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8", newline="\n")
    os.replace(new, file)


def _files(out: Path, name: str, file: str) -> list[Path]:
    """That file of every result of that name, oldest first."""
    named = re.compile(rf"(\d{{4}}-\d\d-\d\d)-{re.escape(name)}(?:-(\d+))?")
    found = [(named.fullmatch(path.parent.name), path) for path in out.glob(f"*/{file}")]
    return [path for *_, path in sorted((match[1], int(match[2] or 1), path) for match, path in found if match)]


def _new_folder(out: Path, name: str) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = out / f"{date.today().isoformat()}-{name}{'' if number == 1 else f'-{number}'}"
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder
