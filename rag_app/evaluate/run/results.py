"""A result of a suite: rows with everything that they rest on; see `run_folder` for its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.groups import groups_of_documents
from rag_app.evaluate.run.row import Row
from rag_app.evaluate.run.run_folder import ROWS, Key, description_in, keys_of, read_description, read_lines

RANKED = 20
"""Passages of each ranking that a frozen row keeps; the figures of retrieval were measured on all before."""


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
    passages: Mapping[str, Mapping[str, str]]
    """Text, title and section of passages that a report shows, by `Place.name`."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def runs(self) -> int:
        return self.config["runs"]

    @cached_property
    def groups(self) -> dict[str, str]:
        """The group of documents that each case is about; see `rag_app.evaluate.cases.groups`."""
        documents = {case_id: case["expected_documents"] for case_id, case in self.cases.items()}
        derived = groups_of_documents(documents)
        return {case_id: case.get("group") or derived[case_id] for case_id, case in self.cases.items()}

    @cached_property
    def missing(self) -> tuple[Key, ...]:
        """Case and run of every row that is not there, because asking was interrupted."""
        there = {row.key for row in self.rows}
        return tuple(key for key in keys_of(self.cases, self.runs) if key not in there)

    @cached_property
    def failed(self) -> tuple[Row, ...]:
        """Rows of questions that ended in an error."""
        return tuple(row for row in self.rows if row.failed)

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


def load_result(folder: str | Path) -> Result:
    """A frozen result, or one that is not finished yet.

    Raises:
        DefinitionError: the folder holds no result, or one that is damaged.
    """
    folder = Path(folder)
    content = read_description(description_in(folder), partial(_check_cases, folder))
    rows = {row.key: row for row in read_lines(folder / ROWS, Row.from_dict, "row")}
    ordered = tuple(rows[key] for key in keys_of(content["cases"], content["config"]["runs"]) if key in rows)
    return Result(
        folder, content["config"], content["cases"], ordered, content.get("measured", {}), content.get("passages", {})
    )


def _check_cases(folder: Path, content: Mapping[str, Any]) -> None:
    if "judge" in content["config"]:
        raise DefinitionError(f"{folder} is a result of `rag-app uplift`: compare such with `rag-app uplift-table`.")
    for case in content["cases"].values():
        _ = case["answerable"], case["expected_documents"], case["also_right"], case["facts"], case["wrong_facts"]
