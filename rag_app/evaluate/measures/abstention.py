"""How well a system knows when not to answer: abstention as precision, recall and coverage, and risk by coverage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rag_app.errors import UsageError
from rag_app.evaluate.measures.statistics import Rate, rate


@dataclass(frozen=True, slots=True)
class Abstention:
    """Three shares that only mean something together: who refuses all has full recall, who answers all full coverage.

    An abstention is right where no answer is expected. An error is no abstention.
    """

    precision: Rate
    """Of the refusals, those where no answer was expected."""
    recall: Rate
    """Of the questions where no answer was expected, those refused."""
    coverage: Rate
    """Of all questions, those answered."""
    errors: int
    """Questions that failed: in the whole of recall and coverage, right in neither."""


def abstention(outcomes: Iterable[tuple[bool, str]], groups: Iterable[str] | None = None) -> Abstention:
    """Measures pairs of whether an answer was expected, and the outcome: answered, refused, ungrounded or error.

    Give each question once: another run of it is no new evidence. Words that rest on no document ("ungrounded") count
    as an answer.

    Args:
        groups: of the documents that each question is about, for the intervals; left out, each is one.
    """
    pairs = list(outcomes)
    about = list(range(len(pairs))) if groups is None else list(groups)
    asked = [(expected, outcome, group) for (expected, outcome), group in zip(pairs, about, strict=True)]
    refused = [(not expected, group) for expected, outcome, group in asked if outcome == "refused"]
    unexpected = [(outcome == "refused", group) for expected, outcome, group in asked if not expected]
    answered = [(outcome in ("answered", "ungrounded"), group) for _, outcome, group in asked]
    precision, recall, coverage = (
        rate([flag for flag, _ in found], [group for _, group in found]) for found in (refused, unexpected, answered)
    )
    return Abstention(precision, recall, coverage, errors=sum(outcome == "error" for _, outcome in pairs))


def confidence(numbers: Mapping[str, float]) -> float:
    """How sure an answer without a language model is, from the numbers of its trace: that of its surest part, 0 to 1.

    0 where nothing came as far as a draft: the gate was closed, or nothing was found.
    """
    return max((value for name, value in numbers.items() if name.startswith("decline.probability.")), default=0.0)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What comes of answering only from some confidence on."""

    confidence: float
    coverage: float
    """Share of the questions that are answered, 0 to 1."""
    risk: float
    """Share of these answers that are wrong, 0 to 1."""


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """Risk by coverage, as ever less sure answers are given."""

    points: tuple[CurvePoint, ...]
    """One for each confidence that occurs, surest first."""
    area: float
    """Mean risk over all coverages (Geifman and El-Yaniv, NIPS 2017: AURC); 0 is perfect. No order of answers brings
    it under `best`."""
    best: float
    """The area that the same answers would have, were all right ones surer than all wrong ones."""


def risk_coverage(points: Sequence[tuple[float, bool]]) -> RiskCoverage:
    """The curve of pairs of confidence and whether the answer is right.

    Answers that are equally sure come in together; within them the area takes the mean over their orders, so that it
    depends on nothing but the pairs.

    Raises:
        UsageError: there are no pairs.
    """
    if not points:
        raise UsageError("No answers: there is no risk to measure.")
    ordered = sorted(points, key=lambda point: -point[0])
    curve, answered, wrong, area = [], 0, 0.0, 0.0
    for sureness, group in groupby(ordered, key=lambda point: point[0]):
        alike = [is_right for _, is_right in group]
        share = sum(not is_right for is_right in alike) / len(alike)
        area += sum((wrong + j * share) / (answered + j) for j in range(1, len(alike) + 1))
        answered += len(alike)
        wrong += share * len(alike)
        curve.append(CurvePoint(sureness, answered / len(points), wrong / answered))
    errors = sum(not is_right for _, is_right in points)
    rights = len(points) - errors
    best = sum(j / (rights + j) for j in range(1, errors + 1)) / len(points)
    return RiskCoverage(tuple(curve), area / len(points), best)
