"""Fits the confidence gate and the decline without a language model to the dev questions of one index."""

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from rag_app.answer import Trace
from rag_app.errors import UsageError
from rag_app.evaluate.cases.groups import document_groups
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import Selection, load_suite
from rag_app.evaluate.fit.calibration_report import CalibrationReport
from rag_app.evaluate.fit.forecast import Asked, curve, forecast
from rag_app.evaluate.fit.logistic import Observation
from rag_app.evaluate.fit.thresholds import Fitted, fit_decline, fit_gate
from rag_app.evaluate.measures.scoring import facts_found
from rag_app.evaluate.run.asking import Asker, principals_of
from rag_app.evaluate.run.row import Row
from rag_app.index.build.builder import cutting_of
from rag_app.index.build.document_source import Progress
from rag_app.index.calibration import Calibration, Decline, Declining, write_calibration
from rag_app.opened import OpenIndex
from rag_app.settings import Component
from rag_app.synthesize.offline.features import fitted_weights


def calibrate(
    index: OpenIndex, questions: str | Path | None = None, *, split: str = "dev", progress: Progress | None = None
) -> CalibrationReport:
    """Asks the questions of a split, with gate and decline open, and fits both. Changes nothing; see `apply`.

    Args:
        questions: a questions.jsonl, or a folder that holds one; left out, that of the index.
        split: which of them are asked; all of a file that has no splits.

    Raises:
        DefinitionError: the file is wrong.
        UsageError: the split has no questions, or one of them failed.
    """
    if split == "stress":
        raise UsageError("Nothing is fitted to stress questions, which ask in ways that few people do: name dev.")
    suite = load_suite(questions or index.reader.definition.path)
    with index.reader.snapshot() as view:
        documents = view.documents(frozenset(view.rules()))
    if not any(case.split for case in suite.cases):
        split = ""
    cases = with_sources(Selection(split=split or None).of(suite), documents)
    groups = document_groups(cases, {d.document_id: d.supersedes for d in documents})
    everything_open = {
        "gate_threshold": -1.0,
        "decline_threshold": 0.0,
        "without": index.settings.without | {Component.CALIBRATION},
        "on_low_confidence": "refuse",
    }
    asked = OpenIndex(index.reader, index.settings.model_copy(update=everything_open), index.embedder)
    asker = Asker(asked, principals_of(suite, asked), lambda case, run: None, date.today())
    rows = []
    for number, case in enumerate(cases):
        if progress:
            progress(number, len(cases), "asking")
        rows.append(_sound(asker.ask(case, 1)))
    drafts = [o for case, row in zip(cases, rows, strict=True) for o in _drafts(case, row, groups[case.id])]
    in_force, cost = index.calibration, index.settings.wrong_cost
    reads_pairs = index.settings.cross_encoder != "none"
    default = fitted_weights(reads_pairs=reads_pairs).default_decline
    now = Declining.of(in_force, index.settings).rule(default, Trace())
    decline = fit_decline(drafts, cost, now, default)
    rule = now if decline.model is None or decline.threshold is None else _rounded(decline, reads_pairs)
    uncalibrated = index.uncalibrated_gate_threshold
    gate = fit_gate(*_behind_the_gate(cases, rows, groups, rule), cost, index.gate_threshold, uncalibrated)
    stated = [now.probability(draft.value) for draft in drafts]
    today = _asked(cases, rows, groups, stated, index.gate_threshold)
    opening = uncalibrated if gate.threshold is None else gate.threshold
    fitted = stated if decline.threshold is None else decline.predicted
    then = _asked(cases, rows, groups, fitted, opening)
    calibration = None
    if gate.threshold is not None or decline.threshold is not None:
        calibration = Calibration(
            gate_threshold=gate.threshold,
            decline=None if decline.threshold is None else rule,
            cross_encoder=index.settings.cross_encoder,
            cutting=cutting_of(index.settings),
            wrong_cost=cost,
            questions=suite.fingerprint,
            split=split,
            asked=len(cases),
        )
    return CalibrationReport(
        index=index.reader.definition.name,
        questions=str(suite.path),
        split=split,
        asked=len(cases),
        groups=len(set(groups.values())),
        wrong_cost=cost,
        gate=gate,
        gate_now=index.gate_threshold,
        decline=decline,
        decline_now=now,
        calibration=calibration,
        in_force=in_force,
        notes=tuple(_notes(index, cases)),
        forecast=forecast(today, now.threshold, then, rule.threshold),
        curve=curve(then, cost),
    )


def apply(index: OpenIndex, calibration: Calibration | None) -> None:
    """Puts a calibration in force for every question from now on, or takes it out (None). Raises StoreError."""
    write_calibration(index.reader.definition.path, calibration)


def _sound(row: Row) -> Row:
    """Raises UsageError for a row that says nothing about the index: a failure, or an answer with a part missing."""
    if row.outcome == "error" or row.degraded:
        why = row.error or " ".join(row.warnings)
        raise UsageError(
            f"Nothing was fitted, since the question {row.case_id} did not go through: {why}", id=row.case_id
        )
    return row


def _drafts(case: Case, row: Row, group: str) -> list[Observation]:
    """For each part that was drafted: the score of its best statement, and whether what would be shown is right."""
    return [
        Observation(group, row.numbers[f"decline.score.{part}"], is_right)
        for part, is_right in judged_parts(case, row).items()
    ]


def judged_parts(case: Case, row: Row) -> dict[int, bool]:
    """By the number of each part that something is shown for, from 1: whether that is right.

    A part with nothing to show would be declined whatever its score, since what is asked for is not in it.
    """
    found: dict[int, bool] = {}
    for number in range(1, 1 + sum(name.startswith("decline.score.") for name in row.numbers)):
        quotes = [quote for quote in row.quotes if quote.part == number - 1]
        if not quotes:
            continue
        shown = "\n".join(quote.text for quote in quotes)
        right = case.answerable and not {*case.expected_documents}.isdisjoint(q.document_id for q in quotes)
        if case.facts:
            right = case.answerable and any(facts_found(case, shown))
        found[number] = right and not any(pattern.search(shown) for pattern in case.wrong_facts)
    return found


def _asked(
    cases: Sequence[Case], rows: Sequence[Row], groups: dict[str, str], stated: Sequence[float], gate: float
) -> list[Asked]:
    """The questions with what would be shown behind a gate; `stated` are the probabilities of all drafts in order."""
    found, place = [], 0
    for case, row in zip(cases, rows, strict=True):
        drafts = _drafts(case, row, "")
        of_case = tuple((p, d.is_good) for p, d in zip(stated[place : place + len(drafts)], drafts, strict=True))
        place += len(drafts)
        is_open = row.numbers.get("gate.best_cosine", -1.0) >= gate
        found.append(Asked(groups[case.id], case.answerable, of_case if is_open else ()))
    return found


def _behind_the_gate(
    cases: Sequence[Case], rows: Iterable[Row], groups: dict[str, str], rule: Decline
) -> tuple[list[Observation], list[bool | None]]:
    """Best cosines with whether the evidence reached the draft; and whether what is shown is right."""
    cosines, shown = [], []
    for case, row in zip(cases, rows, strict=True):
        if (cosine := row.numbers.get("gate.best_cosine")) is None:
            continue  # nothing was found, and no gate asked
        delivered = row.right_retrieved if row.evidence_delivered is None else row.evidence_delivered
        cosines.append(Observation(groups[case.id], cosine, bool(delivered)))
        drafts = [o for o in _drafts(case, row, "") if rule.probability(o.value) >= rule.threshold]
        shown.append(all(draft.is_good for draft in drafts) if drafts else None)
    return cosines, shown


def _rounded(fitted: Fitted, with_cross_encoder: bool) -> Decline:
    assert fitted.model is not None
    assert fitted.threshold is not None
    return Decline(
        round(fitted.model.slope, 4), round(fitted.model.middle, 4), round(fitted.threshold, 4), with_cross_encoder
    )


def _notes(index: OpenIndex, cases: Sequence[Case]) -> Iterable[str]:
    drafted = [case.drafted_by for case in cases if case.drafted_by]
    if drafted:
        yield (
            f"{len(drafted)} of {len(cases)} questions were drafted by {', '.join(sorted(set(drafted)))}, from the "
            "documents: people ask in other words, so expect fewer right answers than these figures say"
        )
    for name in ("gate_threshold", "decline_threshold"):
        if (value := getattr(index.settings, name)) is not None:
            yield f"the setting {name} is {value:g} and overrides what is calibrated"
