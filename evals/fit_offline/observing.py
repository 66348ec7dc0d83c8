"""Questions of a suite, asked with nothing declined: the features of each best statement, and what came of it."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from evals.fit_offline.models import Answering
from rag_app.evaluate.cases.schema import with_sources
from rag_app.evaluate.cases.suite import load_suite
from rag_app.evaluate.fit.calibrate import judged_parts
from rag_app.evaluate.run.asking import Asker, principals_of
from rag_app.opened import OpenIndex, open_index
from rag_app.settings import Component

FEATURES = {"logit": 1, "passage": 1, "unknown": -1}
"""What is fitted, and in which direction each may speak."""


def observe(folder: Path, split: str | None, log: Callable[[str], None] = print) -> list[Answering]:
    """One observation per part of the questions of the index in `folder`, which has its questions.jsonl beside it.

    Args:
        split: only questions of that split; None: of all.
    """
    index = open_index(folder)
    everything_open = {
        "gate_threshold": -1.0,
        "decline_threshold": 0.0,
        "without": index.settings.without | {Component.CALIBRATION},
        "on_low_confidence": "refuse",
    }
    asked = OpenIndex(index.reader, index.settings.model_copy(update=everything_open), index.embedder)
    suite = load_suite(folder)
    with asked.reader.snapshot() as view:
        documents = view.documents(frozenset(view.rules()))
    cases = with_sources(suite.cases, documents)
    asker = Asker(asked, principals_of(suite, asked), lambda case, run: None, date.today())
    found: list[Answering] = []
    for case in cases:
        if split and case.split != split:
            continue
        row = asker.ask(case, 1)
        if row.outcome == "error" or row.degraded:
            log(f"{case.id} is left out: {row.error or ' '.join(row.warnings)}")
            continue
        for part, is_right in judged_parts(case, row).items():
            features = {name: row.numbers[f"decline.{name}.{part}"] for name in FEATURES}
            found.append(Answering(suite.name, features, is_right))
    return found
