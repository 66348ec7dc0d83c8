"""Questions of suites, asked with nothing declined: the features of each best statement, and what came of it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from evals.fit_offline.models import Answering
from evals.fit_offline.quoted import Quoted, load_quoted
from rag_app import build_index
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import load_suite
from rag_app.evaluate.fit.calibrate import judged_parts
from rag_app.evaluate.run.asking import Asker, principals_of
from rag_app.evaluate.run.row import Row
from rag_app.opened import OpenIndex, open_index
from rag_app.principal import Principal
from rag_app.settings import Component

WITH_CROSS_ENCODER = {"logit": 1, "passage": 1, "unknown": -1, "passages": -1}
"""What is fitted, and in which direction each may speak."""
WITHOUT_CROSS_ENCODER = {"passage": 1, "lead": 1, "unknown": -1}

Log = Callable[[str], None]


def observe(
    folder: Path, questions: Path, *, split: str | None, only: str, reads_pairs: bool, log: Log
) -> list[Answering]:
    """One observation per part of the questions about the index in `folder`, which is built where it is not.

    Args:
        questions: a questions.jsonl of a suite, or one whose answers are quotes (see `quoted`).
        split: only questions of a suite's split; None: of all but stress questions, which nothing is fitted to.
        only: of a suite, questions whose id holds this text; "": all.
        reads_pairs: whether a cross-encoder reads.
    """
    build_index(folder)
    index = open_index(folder) if reads_pairs else open_index(folder, cross_encoder="none")
    everything_open = {
        "gate_threshold": -1.0,
        "decline_threshold": 0.0,
        "without": index.settings.without | {Component.CALIBRATION},
        "on_low_confidence": "refuse",
    }
    asked = OpenIndex(index.reader, index.settings.model_copy(update=everything_open), index.embedder)
    names = WITH_CROSS_ENCODER if reads_pairs else WITHOUT_CROSS_ENCODER
    name = folder.parent.name if folder.name == "documents" else folder.name
    found: list[Answering] = []
    for case_id, judged, row in _asked(asked, questions, split, only, log):
        if row.outcome == "error" or row.degraded:
            log(f"{case_id} is left out: {row.error or ' '.join(row.warnings)}")
            continue
        for part, is_right in judged.items():
            features = {feature: row.numbers[f"decline.{feature}.{part}"] for feature in names}
            found.append(Answering(name, features, is_right))
    log(f"{name}: {len(found)} parts of questions, of which {sum(one.is_right for one in found)} found something right")
    return found


def _asked(
    index: OpenIndex, questions: Path, split: str | None, only: str, log: Log
) -> Iterator[tuple[str, dict[int, bool], Row]]:
    """Id, whether each part was answered right (by its number, from 1), and what was recorded."""
    with index.reader.snapshot() as view:
        documents = view.documents(frozenset(view.rules()))
    if _has_quotes(questions):
        paths = {document.document_id: document.path or document.source for document in documents}
        asker = _asker(index, {})
        for one in load_quoted(questions):
            row = asker.ask(Case(one.id, one.question), 1)
            yield one.id, _judged(one, row, paths), row
        return
    suite = load_suite(questions)
    asker = _asker(index, principals_of(suite, index))
    for case in with_sources(suite.cases, documents):
        if case.split == (split or case.split) != "stress" and only in case.id:
            row = asker.ask(case, 1)
            yield case.id, judged_parts(case, row), row


def _asker(index: OpenIndex, principals: Mapping[str, Principal]) -> Asker:
    return Asker(index, principals, lambda case, run: None, date.today())


def _judged(one: Quoted, row: Row, paths: Mapping[str, str]) -> dict[int, bool]:
    judged: dict[int, bool] = {}
    for part in sorted({quote.part for quote in row.quotes}):
        shown: dict[str, list[str]] = {}
        for quote in row.quotes:
            if quote.part == part:
                shown.setdefault(paths[quote.document_id], []).append(quote.text)
        judged[part + 1] = one.is_right(shown)
    return judged


def _has_quotes(questions: Path) -> bool:
    with questions.open(encoding="utf-8") as lines:
        return "answers" in json.loads(next(lines))


def save(file: Path, observed: Sequence[Answering]) -> None:
    """Keeps observations as JSON lines: asking takes minutes, fitting a second."""
    file.write_text("".join(json.dumps(asdict(one)) + "\n" for one in observed), encoding="utf-8")


def load(file: Path) -> list[Answering]:
    """Observations that `save` kept."""
    return [Answering(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]
