"""Questions about the papers of the small office, and rows made by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag_app import OpenIndex
from rag_app.building import build_index
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.measures.scoring import Score
from rag_app.evaluate.run.results import Result
from rag_app.evaluate.run.row import QuotedRow, Row
from rag_app.evaluate.run.suite_run import EvalOptions
from rag_app.testing import ScriptedLLM, TinyEmbedding
from tests.office import open_tiny, write_rules

QUESTIONS: list[dict[str, Any]] = [
    {"id": "canteen", "question": "When does the canteen serve lunch?", "as": "visitor", "split": "dev",
     "expected_documents": ["canteen"], "facts": [["11:30 to 14:00"]], "category": "factual"},
    {"id": "budget", "question": "What may a team manager spend on training?", "as": "mia", "split": "dev",
     "expected_documents": ["budget"], "facts": [["4000 euros"]], "category": "permission"},
    {"id": "budget-denied", "question": "What may a team manager spend on training?", "as": "visitor",
     "expected_documents": [], "category": "permission", "split": "test"},
    {"id": "dentist", "question": "Is the canteen's dentist open on Sundays?", "as": "visitor",
     "expected_documents": [], "category": "unanswerable", "split": "test"},
]  # fmt: skip
FIRST = '{"parts": [{"part": 1, "labels": ["1.1"]}]}'
NONE = '{"parts": [{"part": 1, "labels": []}]}'


def write_suite(folder: Path, questions: list[dict[str, Any]] | None = None) -> Suite:
    """A suite in the folder of an index."""
    lines = [json.dumps(question) + "\n" for question in (QUESTIONS if questions is None else questions)]
    (folder / "questions.jsonl").write_text("".join(lines), encoding="utf-8")
    return load_suite(folder)


def write_office(folder: Path) -> tuple[Suite, OpenIndex]:
    """A suite and its index, which has access rules."""
    write_rules(folder)
    build_index(folder, embedder=TinyEmbedding())
    return write_suite(folder), open_tiny(folder)


def chooser(reply: Callable[[str], str | Exception] = lambda _: FIRST) -> ScriptedLLM:
    """A model that says what `reply` makes of its prompt."""
    return ScriptedLLM(lambda messages: reply(messages[-1][1]), usage=(100, 10))


def options(tmp_path: Path, **fields: Any) -> EvalOptions:
    """Results go to a folder of the test; the model is asked."""
    return EvalOptions(**{"llm": chooser(), "out": tmp_path / "results", **fields})


def row(case_id: str, run: int = 1, *, strict: bool = True, quoted: int = 1, outside: int = 0, **fields: Any) -> Row:
    """A row of an answerable question that was answered."""
    score = Score(case_id, "factual", False, strict, strict, 1, 1, 0, quoted, outside, strict)
    values: dict[str, Any] = {
        "case_id": case_id, "category": "factual", "split": "dev", "question": f"What is {case_id}?",
        "as_name": None, "run": run, "outcome": "answered", "score": score, "right_retrieved": True,
        "evidence_delivered": True, "milliseconds": {"total": 10.0},
        "quotes": (QuotedRow("d", "D", 0, 4, "Text", 0),), "numbers": {"decline.probability.1": 0.9},
    }  # fmt: skip
    return Row(**{**values, **fields})


def error_row(case_id: str, run: int = 1) -> Row:
    """A row of a question that failed."""
    return row(
        case_id, run, outcome="error", error="ModelTimeout: No reply.", score=None, right_retrieved=None,
        evidence_delivered=None, quotes=(), numbers={},
    )  # fmt: skip


def result(*rows: Row, runs: int = 1, name: str = "one", ids: list[str] | None = None, **config: Any) -> Result:
    """A result in memory."""
    case = {
        "category": "factual", "split": "dev", "answerable": True, "expected_documents": ["d"], "also_right": [],
        "facts": [["fact"]], "wrong_facts": [], "ground_truth": "", "note": "",
    }  # fmt: skip
    settings = {
        "suite": {"name": "suite", "sha256": "abc", "questions": len(rows)},
        "selection": {"split": None, "only": [], "sample": None, "seed": 0},
        "index": {"name": "office", "state": "office, revision 1", "number_of_documents": 4},
        "settings": {"without": []}, "llm": "none", "mode": "live", "runs": runs, "as_of": "2026-01-01",
        "code": {"version": "0.1.0", "sha256": "f00", "commit": "0123456789abcdef", "dirty": False}, "price": None,
        "command": "rag-app eval suite",
    }  # fmt: skip
    cases = {key: {**case, "group": key} for key in ids or dict.fromkeys(row.case_id for row in rows)}
    return Result(Path(name), {**settings, **config}, cases, tuple(rows), {}, {})
