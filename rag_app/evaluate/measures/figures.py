"""The measures of a row, and a figure with its interval from the rows of many questions.

A measure has one name in code, tables and reports. A question counts once, however often it was asked: its runs are
averaged first, and the band over runs is given beside. Intervals are over groups of documents; see `statistics`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag_app.evaluate.measures.statistics import Interval, share_interval
from rag_app.evaluate.run.row import Row


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a row has, or has not, as a share of something the row also has: by default, of itself."""

    name: str
    sentence: str
    """What it says, for tables."""
    of: Callable[[Row], float | None]
    """None where the measure does not apply to the row."""
    per: Callable[[Row], float] = lambda row: 1.0
    """What it is a share of, such as the row's quotes; rows with 0 of it are left out."""
    is_good: bool = True
    """Whether more is better."""


def _right_not_quoted(row: Row) -> float | None:
    if row.right_retrieved is None or row.score is None:
        return None
    return float(row.right_retrieved and not row.score.quoted_right)


def _optional(value: bool | None) -> float | None:
    return None if value is None else float(value)


def _quotes(row: Row) -> float:
    return float(row.score.quotes) if row.score else 0.0


def _labelled(*labels: str) -> Callable[[Row], float | None]:
    return lambda row: float(row.score.statements(*labels)) if row.score and row.score.labels else None


PUBLISHED = Measure("Published", "right document cited, or rightly refused", lambda row: float(row.published))
STRICT = Measure("Strict", "besides: every fact, no wrong one, nothing else cited", lambda row: float(row.strict))
MEASURES = (
    PUBLISHED,
    STRICT,
    Measure("RightRetrieved", "expected documents among those found", lambda row: _optional(row.right_retrieved)),
    Measure("EvidenceDelivered", "every fact reached the evidence", lambda row: _optional(row.evidence_delivered)),
    Measure("RightNotQuoted", "expected documents found and not quoted", _right_not_quoted, is_good=False),
    Measure("Refused", "refused", lambda row: float(row.outcome == "refused"), is_good=False),
    Measure("Degraded", "a model or an index was missing", lambda row: float(row.degraded), is_good=False),
    Measure("Forbidden", "named what the asker may not read", lambda row: float(bool(row.forbidden)), is_good=False),
    Measure("Errors", "ended in an error", lambda row: float(row.outcome == "error"), is_good=False),
    Measure(
        "QuotesOutside",
        "quotes of other documents, of all quotes",
        lambda row: float(row.score.quotes_outside) if row.score else None,
        _quotes,
        is_good=False,
    ),
    Measure("StatementsRight", "quotes labelled needed or right, of all quotes", _labelled("needed", "right"), _quotes),
    Measure(
        "FactsNeeded",
        "facts shown in a statement labelled needed, of all facts",
        lambda row: float(row.score.facts_needed) if row.score and row.score.labels else None,
        lambda row: float(row.score.facts) if row.score else 0.0,
    ),
    Measure("Superfluous", "quotes that nobody needs, of all quotes", _labelled("superfluous"), _quotes, is_good=False),
    Measure(
        "Contradicting", "quotes that say otherwise, of all quotes", _labelled("contradicting"), _quotes, is_good=False
    ),
)
"""A row that ended in an error is neither right nor a refusal; in the figures of one result it counts against both
rules, and `Errors` says how many there are. Comparisons leave it out; see `rag_app.evaluate.compare`."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A share over questions."""

    value: float
    interval: Interval
    questions: int
    rows: int
    """Rows behind it: more than the questions where each was asked several times."""
    groups: int
    """Groups of documents that the questions are about; see `cases.groups`."""
    by_run: tuple[float, ...]
    """The same of each run; the band is from the least to the greatest."""

    @property
    def band(self) -> tuple[float, float] | None:
        """None of a single run."""
        return (min(self.by_run), max(self.by_run)) if len(self.by_run) > 1 else None


def by_question(rows: Iterable[Row], measure: Measure) -> dict[str, tuple[float, float]]:
    """Means over its runs of what is counted and of what it is a share of, for each question to which the measure
    applies, in the order of the rows."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        value, size = measure.of(row), measure.per(row)
        if value is not None and size:
            found.setdefault(row.case_id, []).append((value, size))
    return {
        case_id: (sum(value for value, _ in pairs) / len(pairs), sum(size for _, size in pairs) / len(pairs))
        for case_id, pairs in found.items()
    }


def figure(rows: Sequence[Row], measure: Measure, groups: Mapping[str, str] | None = None) -> Figure | None:
    """The share; None where the measure applies to no row.

    Args:
        groups: of each question, by the id of its case; left out, each is a group of its own.
    """
    values = by_question(rows, measure)
    if not values:
        return None
    names = [case_id if groups is None else groups[case_id] for case_id in values]
    amounts, sizes = [value for value, _ in values.values()], [size for _, size in values.values()]
    runs = [by_question((row for row in rows if row.run == run), measure) for run in sorted({row.run for row in rows})]
    return Figure(
        value=sum(amounts) / sum(sizes),
        interval=share_interval(amounts, sizes, names),
        questions=len(values),
        rows=sum(measure.of(row) is not None and measure.per(row) > 0 for row in rows),
        groups=len(set(names)),
        by_run=tuple(
            sum(value for value, _ in run.values()) / sum(size for _, size in run.values()) for run in runs if run
        ),
    )


def figures(rows: Sequence[Row], groups: Mapping[str, str] | None = None) -> dict[str, Figure]:
    """Every measure that applies to some row, by name."""
    found = {measure.name: figure(rows, measure, groups) for measure in MEASURES}
    return {name: of for name, of in found.items() if of is not None}


def by_category(rows: Sequence[Row], groups: Mapping[str, str] | None = None) -> Mapping[str, dict[str, Figure]]:
    """`figures` of each category, in the order in which they occur."""
    names = dict.fromkeys(row.category for row in rows)
    return {name: figures([row for row in rows if row.category == name], groups) for name in names}
