"""What a calibration would change for those who ask, and what each `wrong_cost` would bring."""

from collections.abc import Sequence
from dataclasses import dataclass

from rag_app.evaluate.measures.statistics import Difference, Rate, paired_difference

COSTS = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 9.0)
"""Costs of a wrong answer that the curve shows, besides the one in force."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with everything that could be shown for it."""

    group: str
    """Questions of one group stand or fall together."""
    answerable: bool
    drafts: tuple[tuple[float, bool], ...]
    """Of each part that is drafted: the stated probability that it is right, and whether it is; none behind a closed
    gate."""

    def outcome(self, threshold: float) -> bool | None:
        """Whether what is shown from this probability on is right; None where nothing is shown."""
        shown = [is_right for probability, is_right in self.drafts if probability >= threshold]
        return all(shown) if shown else None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What one cost of a wrong answer brings."""

    wrong_cost: float
    threshold: float
    """Probability from which on an answer is shown."""
    right: int
    """Questions answered with nothing wrong."""
    wrong: int
    refused: int
    """Questions refused though the documents answer them."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Answers to the same questions, now and calibrated."""

    questions: int
    answered_now: Rate
    wrong_now: Rate
    answered_then: Rate
    wrong_then: Rate
    answered: Difference
    """Share of all questions that would be answered in addition, with its interval."""
    wrong: Difference

    def __str__(self) -> str:
        """One paragraph."""
        return (
            f"Of these {self.questions} questions {self.answered_now.k} are answered today, {self.wrong_now.k} of them "
            f"wrongly. Calibrated, {self.answered_then.k} would be, {self.wrong_then.k} of them wrongly: of 100 such "
            f"questions {_of_100(self.answered)} answered and {_of_100(self.wrong)} wrong (in brackets: 95 % "
            "intervals). Each question is judged by a fit to the others."
        )


def forecast(now: Sequence[Asked], threshold_now: float, then: Sequence[Asked], threshold_then: float) -> Forecast:
    """Compares what is shown now with what would be; both are the same questions in the same order."""
    before = [asked.outcome(threshold_now) for asked in now]
    after = [asked.outcome(threshold_then) for asked in then]
    groups, count = [asked.group for asked in now], len(now)
    return Forecast(
        questions=count,
        answered_now=Rate(sum(one is not None for one in before), count),
        wrong_now=Rate(before.count(False), count),
        answered_then=Rate(sum(one is not None for one in after), count),
        wrong_then=Rate(after.count(False), count),
        answered=paired_difference([one is not None for one in before], [one is not None for one in after], groups),
        wrong=paired_difference([one is False for one in before], [one is False for one in after], groups),
    )


def curve(asked: Sequence[Asked], in_force: float) -> tuple[CurvePoint, ...]:
    """What each cost of a wrong answer would bring, the cheapest first; `in_force` is among them."""
    points = []
    for cost in sorted({*COSTS, in_force}):
        threshold = cost / (1 + cost)
        outcomes = [one.outcome(threshold) for one in asked]
        refused = sum(outcome is None and one.answerable for outcome, one in zip(outcomes, asked, strict=True))
        points.append(CurvePoint(cost, threshold, outcomes.count(True), outcomes.count(False), refused))
    return tuple(points)


def _of_100(of: Difference) -> str:
    more = round(100 * of.difference)
    low, high = 100 * of.interval.low, 100 * of.interval.high
    return f"{abs(more)} {'fewer' if more < 0 else 'more'} ({low:+.0f} to {high:+.0f})"
