"""Whether one arm is better than another, over the same questions, by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag_app.evaluate.measures.statistics import LEVEL, RESAMPLES, Interval, mcnemar, paired_difference
from rag_app.evaluate.uplift.uplift_row import RIGHT, UpliftRow

Verdict = Literal["helped", "harmed", "made no measurable difference", "cannot be told"]

FEWEST = 10
"""Questions with a mark in both arms, under which nothing is said."""
MOST_MISSING = 0.2
"""Share of questions without a mark in one of the arms, above which nothing is said: who is missing is no chance."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A figure in two arms over the same questions."""

    a: float
    b: float
    difference: float
    """b - a, on average over the questions."""
    interval: Interval
    """Of the difference."""
    p: float
    """How often chance alone would give so large a difference."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Arm `b` against arm `a`, question by question."""

    a: str
    b: str
    questions: int
    pairs: int
    """Questions that have a mark in both."""
    score: Paired | None
    """Marks, 0 to 10; p by the sign-flip test. None without a pair."""
    accuracy: Paired | None
    """Shares that are right, 0 to 1; p by McNemar's test. None without a pair."""
    won: tuple[str, ...]
    """Ids of questions that only `b` has right."""
    lost: tuple[str, ...]
    """Ids of questions that only `a` has right."""
    lost_refused: int
    """How many of the lost ones `b` refused."""
    verdict: Verdict

    @property
    def missing(self) -> int:
        """Questions that lack a mark in one of the two."""
        return self.questions - self.pairs


def compare_arms(rows: Sequence[UpliftRow], a: str, b: str, seed: int = 0) -> Comparison:
    """Compares two arms. A question without a mark in one of them is missing from both, and counted.

    The verdict rests on the marks: their paired interval must exclude 0, and so must chance by the sign-flip test,
    without which a handful of lucky questions among many ties would pass for an effect.
    """
    marks = [(row, row.arms[a].score, row.arms[b].score) for row in rows]
    pairs = [(row, before, after) for row, before, after in marks if before is not None and after is not None]
    if not pairs:
        return Comparison(a, b, len(rows), 0, None, None, (), (), 0, "cannot be told")
    won = tuple(row.case_id for row, x, y in pairs if x < RIGHT <= y)
    lost = tuple(row.case_id for row, x, y in pairs if y < RIGHT <= x)
    refused = {row.case_id for row in rows if row.arms[b].outcome == "refused"}
    before, after = [x for _, x, _ in pairs], [y for _, _, y in pairs]
    score = _paired(before, after, sign_flip([y - x for x, y in zip(before, after, strict=True)], seed), seed)
    right_before, right_after = ([float(mark >= RIGHT) for mark in side] for side in (before, after))
    accuracy = _paired(right_before, right_after, mcnemar(len(lost), len(won)), seed)
    verdict = _verdict(len(rows), len(pairs), score)
    return Comparison(
        a, b, len(rows), len(pairs), score, accuracy, won, lost, len(refused.intersection(lost)), verdict
    )  # fmt: skip


def _paired(before: Sequence[float], after: Sequence[float], p: float, seed: int) -> Paired:
    difference, interval = paired_difference(before, after, seed)
    return Paired(sum(before) / len(before), sum(after) / len(after), difference, interval, p)


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """The two-sided p of a mean of paired differences, if each might as well have had the other sign.

    By drawing signs (R. A. Fisher, The Design of Experiments, 1935, section 21); 1 where all differences are 0.
    """
    import numpy as np

    data = np.asarray([difference for difference in differences if difference], dtype=float)
    if not len(data):
        return 1.0
    drawing, found = np.random.default_rng(seed), abs(data.sum()) - 1e-9
    signs = drawing.choice((-1.0, 1.0), size=(RESAMPLES, len(data)))
    return float((1 + (np.abs(signs @ data) >= found).sum()) / (1 + RESAMPLES))


def in_words(found: Comparison, names: tuple[str, str]) -> str:
    """A sentence or two for people; `names` are what `a` and `b` are called."""
    a, b = names
    score = found.score
    if score is None or found.verdict == "cannot be told":
        return (
            f"Whether {b} helped cannot be told: only {found.pairs} of {found.questions} questions have a mark both "
            f"with it and for {a}."
        )
    marks = (
        f"the mean mark went from {score.a:.1f} to {score.b:.1f} of 10 ({score.difference:+.1f}, {LEVEL:.0%} interval "
        f"{score.interval.low:+.1f} to {score.interval.high:+.1f}, p = {score.p:.3f}, {found.pairs} questions)"
    )
    changed = f"{len(found.won)} questions were won and {len(found.lost)} lost"
    if found.lost_refused:
        changed += f", {found.lost_refused} of these by a refusal"
    missing = (
        f" {found.missing} of {found.questions} questions have no mark in one of the two." if found.missing else ""
    )
    if found.verdict == "made no measurable difference":
        return f"{_capital(b)} made no measurable difference to {a}: {marks}; {changed}.{missing}"
    return f"{_capital(b)} {found.verdict} {a}: {marks}; {changed}.{missing}"


def _verdict(questions: int, pairs: int, score: Paired) -> Verdict:
    if pairs < FEWEST or questions - pairs > MOST_MISSING * questions:
        return "cannot be told"
    if score.p < 1 - LEVEL and score.interval.low > 0:
        return "helped"
    if score.p < 1 - LEVEL and score.interval.high < 0:
        return "harmed"
    return "made no measurable difference"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
