"""The measures of a row, and a figure with its interval from the rows of many questions.

A measure has one name in code, tables and reports. A question counts once, however often it was asked: its runs are
averaged first, and the band over runs is given beside.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag_app.evaluate.measures.statistics import Interval, bootstrap, proportion
from rag_app.evaluate.run.row import Row


@dataclass(frozen=True, slots=True)
class Measure:
    """A number between 0 and 1 that a row has, or has not."""

    name: str
    sentence: str
    """What it says, for tables."""
    of: Callable[[Row], float | None]
    """None where the measure does not apply to the row."""
    is_good: bool = True
    """Whether more is better."""


def _right_not_quoted(row: Row) -> float | None:
    if row.right_retrieved is None or row.score is None:
        return None
    return float(row.right_retrieved and not row.score.quoted_right)


def _optional(value: bool | None) -> float | None:
    return None if value is None else float(value)


PUBLISHED = Measure("Published", "right document cited, or rightly refused", lambda row: float(row.published))
STRICT = Measure("Strict", "besides: every fact, no wrong one, nothing else cited", lambda row: float(row.strict))
MEASURES = (
    PUBLISHED,
    STRICT,
    Measure("RightRetrieved", "expected documents among those found", lambda row: _optional(row.right_retrieved)),
    Measure("EvidenceDelivered", "every fact reached the evidence", lambda row: _optional(row.evidence_delivered)),
    Measure("RightNotQuoted", "expected documents found and not quoted", _right_not_quoted, is_good=False),
    Measure("Refused", "refused", lambda row: float(row.outcome == "refused"), is_good=False),
    Measure("Degraded", "a model or a leg was missing", lambda row: float(row.degraded), is_good=False),
    Measure("Forbidden", "named what the asker may not read", lambda row: float(bool(row.forbidden)), is_good=False),
    Measure("Errors", "ended in an error", lambda row: float(row.outcome == "error"), is_good=False),
)
"""An error is neither right nor a refusal; it counts against both rules."""
QUOTES_OUTSIDE = "QuotesOutside"
"""Quotes of documents that are neither expected nor also right, as a share of all quotes."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions."""

    value: float
    interval: Interval
    questions: int
    by_run: tuple[float, ...]
    """The same of each run; the band is from the least to the greatest."""

    @property
    def band(self) -> tuple[float, float] | None:
        """None of a single run."""
        return (min(self.by_run), max(self.by_run)) if len(self.by_run) > 1 else None


def by_question(rows: Iterable[Row], of: Callable[[Row], float | None]) -> dict[str, float]:
    """The mean over its runs for each question to which the measure applies, in the order of the rows."""
    values: dict[str, list[float]] = {}
    for row in rows:
        value = of(row)
        if value is not None:
            values.setdefault(row.case_id, []).append(value)
    return {case_id: sum(found) / len(found) for case_id, found in values.items()}


def figure(rows: Sequence[Row], measure: Measure, seed: int = 0) -> Figure | None:
    """The mean of a measure; None where it applies to no row.

    The interval is Wilson's, or a bootstrap over questions where several runs of a question differ.
    """
    values = list(by_question(rows, measure.of).values())
    if not values:
        return None
    runs = sorted({row.run for row in rows})
    whole = all(value in (0.0, 1.0) for value in values)
    interval = proportion(round(sum(values)), len(values)) if whole else bootstrap(values, seed)
    by_run = (by_question((row for row in rows if row.run == run), measure.of).values() for run in runs)
    return Figure(_mean(values), interval, len(values), tuple(_mean(of_run) for of_run in by_run if of_run))


def quotes_outside(rows: Sequence[Row], seed: int = 0) -> Figure | None:
    """Quotes outside the right documents as a share of all; None where nothing was quoted.

    A question's quotes stand or fall together, so that the interval is over questions: the bootstrap of the linearised
    ratio (Cochran, Sampling Techniques, 1977, chapter 6), or Wilson's of the questions where all are alike.
    """
    totals = _quotes(rows)
    quoted, outside = sum(q for q, _ in totals.values()), sum(o for _, o in totals.values())
    if not quoted:
        return None
    ratio, mean = outside / quoted, quoted / len(totals)
    if outside in (0, quoted):  # resampling sees no other; see `bootstrap`
        interval = proportion(len(totals) if outside else 0, len(totals))
    else:
        interval = bootstrap([ratio + (out - ratio * quotes) / mean for quotes, out in totals.values()], seed)
    runs = (_quotes([row for row in rows if row.run == run]).values() for run in sorted({row.run for row in rows}))
    by_run = (sum(o for _, o in found) / (sum(q for q, _ in found) or 1) for found in runs)
    return Figure(ratio, Interval(max(0.0, interval.low), min(1.0, interval.high)), len(totals), tuple(by_run))


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Every measure that applies to some row, by name."""
    found = {measure.name: figure(rows, measure) for measure in MEASURES}
    found[QUOTES_OUTSIDE] = quotes_outside(rows)
    return {name: of for name, of in found.items() if of is not None}


def by_category(rows: Sequence[Row]) -> Mapping[str, dict[str, Figure]]:
    """`figures` of each category, in the order in which they occur."""
    names = dict.fromkeys(row.category for row in rows)
    return {name: figures([row for row in rows if row.category == name]) for name in names}


def _quotes(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Quotes and those outside of each question that quoted something, over its runs."""
    totals: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row.score and row.score.quotes:
            quotes, outside = totals.get(row.case_id, (0, 0))
            totals[row.case_id] = quotes + row.score.quotes, outside + row.score.quotes_outside
    return totals


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)
