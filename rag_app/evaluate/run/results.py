"""A result: rows with everything that they rest on, frozen in a folder of its own.

While questions are asked, the folder holds `unfinished.json` (what is being asked) and `rows.jsonl`, one line a row as
they finish. At the end come `results.json`, `report.md` and `report.html`, and `unfinished.json` goes.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rag_app.errors import DefinitionError
from rag_app.evaluate.run.row import Row

T = TypeVar("T")

RANKED = 20
"""Passages of each ranking that a frozen row keeps; the figures of retrieval were measured on all before."""
ROWS, UNFINISHED, RESULTS = "rows.jsonl", "unfinished.json", "results.json"
_SAYS_NOTHING_OF_THE_ANSWERS = ("command", "started", "machine", "packages", "price", "retried_from")


class HasJson(Protocol):
    """A row of any kind of run."""

    def as_json(self) -> str: ...


@dataclass(frozen=True)
class Result:
    """What became of the questions of a suite."""

    folder: Path
    config: Mapping[str, Any]
    """Suite, index, settings, models, prompts, code, packages, seed, command."""
    cases: Mapping[str, Mapping[str, Any]]
    """By id, what a right answer must hold; see `rag_app.evaluate.run.suite_run.describe_case`."""
    rows: tuple[Row, ...]
    """In the order of the suite, the runs of a question side by side."""
    measured: Mapping[str, Any]
    """What needs the index to be measured: retrieval."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def runs(self) -> int:
        return self.config["runs"]

    @cached_property
    def missing(self) -> tuple[tuple[str, int], ...]:
        """Case and run of every row that is not there, because asking was interrupted."""
        there = {row.key for row in self.rows}
        return tuple(key for key in keys_of(self.cases, self.runs) if key not in there)

    @cached_property
    def failed(self) -> tuple[Row, ...]:
        """Rows of questions that ended in an error."""
        return tuple(row for row in self.rows if row.outcome == "error")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """See `rag_app.evaluate.measures.run_summary`."""
        from rag_app.evaluate.measures.run_summary import summarise

        return summarise(self)

    def __repr__(self) -> str:
        return f"<Result {self.name}: {len(self.rows)} rows of {len(self.cases)} questions>"

    def _repr_html_(self) -> str:
        from rag_app.evaluate.report.result_page import as_fragment

        return as_fragment(self)


def keys_of(case_ids: Iterable[str], runs: int) -> list[tuple[str, int]]:
    """Case and run of every row that belongs to a result, in order."""
    return [(case_id, run) for case_id in case_ids for run in range(1, runs + 1)]


def identity(config: Mapping[str, Any]) -> str:
    """The same for two runs whose answers belong together: of everything that can change an answer."""
    facts = {key: value for key, value in config.items() if key not in _SAYS_NOTHING_OF_THE_ANSWERS}
    code = dict(facts.get("code", {}))
    facts["code"] = code.get("sha256")  # a commit that touches no code changes no answer
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def load_result(folder: str | Path) -> Result:
    """A frozen result, or one that is not finished yet.

    Raises:
        DefinitionError: the folder holds no result, or one that is damaged.
    """
    folder = Path(folder)
    file = next((folder / name for name in (RESULTS, UNFINISHED) if (folder / name).is_file()), None)
    if file is None:
        raise DefinitionError(f"{folder} holds no result: give a folder that `rag-app eval` made.", path=str(folder))
    content = read_description(file)
    rows = {row.key: row for row in read_rows(folder / ROWS)}  # a row that was asked again comes later
    ordered = tuple(rows[key] for key in keys_of(content["cases"], content["config"]["runs"]) if key in rows)
    return Result(folder, content["config"], content["cases"], ordered, content.get("measured", {}))


def read_description(file: Path) -> dict[str, Any]:
    """What a results.json or an unfinished.json says: at least its config and its cases.

    Raises:
        DefinitionError: it is damaged.
    """
    try:
        content = json.loads(file.read_text("utf-8"))
        keys_of(content["cases"], content["config"]["runs"])
        identity(content["config"])
        for case in content["cases"].values():
            _ = case["answerable"], case["expected_documents"], case["also_right"], case["facts"], case["wrong_facts"]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise DefinitionError(
            f"{file} is damaged ({why}): restore it, or remove its folder.", path=str(file)
        ) from error
    return content


def read_rows(file: Path) -> list[Row]:
    """The rows of a file; see `read_lines`."""
    return read_lines(file, Row.from_dict, "row")


def read_lines(file: Path, made: Callable[[Any], T], what: str) -> list[T]:
    """What the lines of a JSONL file hold, in its order. A last line that was torn when its writer was killed is none.

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
                f"{file}, line {number}, is no {what}: {error}", path=str(file), line=number
            ) from error
    return found


def write_rows(file: Path, rows: Sequence[HasJson]) -> None:
    """All rows at once: whoever reads sees the old file or the new one."""
    write_text(file, "".join(f"{row.as_json()}\n" for row in rows))


def write_json(file: Path, content: Mapping[str, Any]) -> None:
    """JSON that reads well in a review."""
    write_text(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def write_text(file: Path, text: str) -> None:
    """All or nothing."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8", newline="\n")
    os.replace(new, file)
