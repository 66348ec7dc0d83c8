"""Where a result lies, from the first row to the frozen report. What is frozen is never written again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from rag_app.errors import UsageError
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.retrieval import Retrieval, measures, relevant_passages
from rag_app.evaluate.run.results import (
    RANKED,
    RESULTS,
    ROWS,
    UNFINISHED,
    Result,
    identity,
    load_result,
    read_description,
    read_rows,
    write_json,
    write_rows,
    write_text,
)
from rag_app.evaluate.run.row import Row
from rag_app.opened import OpenIndex


def place_for(
    out: Path, name: str, config: Mapping[str, Any], cases: Sequence[Case], *, retry_errors: bool
) -> tuple[Path, list[Row]]:
    """The folder of a result, and the rows that are there already: of the same questions asked in the same way.

    That of an unfinished result, else a new one; to ask the errors of a frozen result again, its other rows go along.

    Raises:
        UsageError: errors are to be asked again, and there are none; or the folder cannot be made or written.
        DefinitionError: an unfinished result of that name is damaged.
    """
    same = identity(config)
    for state in _files(out, name, UNFINISHED):
        if identity(read_description(state)["config"]) == same:
            return state.parent, read_rows(state.with_name(ROWS))
    rows: list[Row] = []
    facts = dict(config)
    if retry_errors:
        earlier = _with_errors(out, name, same)
        if earlier is None:
            raise UsageError(f"There is no result {name} in {out} with errors to ask again.", name=name)
        rows, facts["retried_from"] = list(earlier.rows), earlier.name
    try:
        folder = _new_folder(out, name)
        write_json(folder / UNFINISHED, {"config": facts, "cases": {case.id: describe_case(case) for case in cases}})
    except OSError as error:
        raise UsageError(
            f"No result can be kept in {out}: {error.strerror}. Name another folder with --out."
        ) from error
    return folder, rows


def freeze(folder: Path, cases: Sequence[Case], index: OpenIndex) -> Result:
    """Writes what belongs to a finished result: rows in order, figures, reports."""
    rough = load_result(folder)
    rankings = {row.case_id: row.retrieved for row in reversed(rough.rows)}  # of the first run
    measured = rough.measured or {"retrieval": _plain(measures(cases, rankings, relevant_passages(cases, index)))}
    rows = tuple(replace(row, retrieved=row.retrieved[:RANKED]) for row in rough.rows)
    result = Result(folder, rough.config, rough.cases, rows, measured)
    content = {
        "config": result.config,
        "summary": result.summary,
        "measured": result.measured,
        "cases": result.cases,
    }
    write_reports(result)
    write_json(folder / RESULTS, content)
    write_rows(folder / ROWS, result.rows)  # after what was measured on longer rankings than these keep
    (folder / UNFINISHED).unlink()
    return result


def write_reports(result: Result) -> None:
    """Markdown and HTML beside the rows; of an unfinished result they say what is missing."""
    from rag_app.evaluate.report.result_page import as_html, as_markdown

    write_text(result.folder / "report.md", as_markdown(result))
    write_text(result.folder / "report.html", as_html(result))


def describe_case(case: Case) -> dict[str, Any]:
    """What a right answer must hold, as plain data for a report."""
    return {
        "category": case.category,
        "split": case.split,
        "answerable": case.answerable,
        "expected_documents": list(case.expected_documents),
        "also_right": list(case.also_right),
        "facts": [[pattern.pattern for pattern in fact] for fact in case.facts],
        "wrong_facts": [pattern.pattern for pattern in case.wrong_facts],
        "ground_truth": case.ground_truth,
        "note": case.note,
    }


def _plain(retrieval: Retrieval) -> dict[str, dict[str, Any]]:
    return {
        level: {name: asdict(measured) for name, measured in found.items()}
        for level, found in (("documents", retrieval.documents), ("passages", retrieval.passages))
    }


def _with_errors(out: Path, name: str, same: str) -> Result | None:
    for file in reversed(_files(out, name, RESULTS)):
        result = load_result(file.parent)
        if identity(result.config) == same and result.failed:
            return result
    return None


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
