"""Whether one arm is better than another, over the same questions, by more than chance; and at what price."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rag_app.evaluate.measures.statistics import LEVEL, Difference, paired_difference
from rag_app.evaluate.uplift.uplift_row import RIGHT, ArmRow, UpliftRow

UpliftVerdict = Literal["helped", "harmed", "made no measurable difference", "cannot be told"]

FEWEST = 10
"""Questions with a mark in both arms, under which nothing is said."""
MOST_MISSING = 0.2
"""Share of questions without a mark in one of the arms, above which nothing is said: they are not a random sample."""


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Arm `b` against arm `a`, question by question."""

    a: str
    b: str
    questions: int
    pairs: int
    """Questions that have a mark in both; all others are in no figure here."""
    score: Difference | None
    """Marks, 0 to 10. None without a pair."""
    accuracy: Difference | None
    """Shares that are right, 0 to 1. None without a pair."""
    won: tuple[str, ...]
    """Ids of questions that only `b` has right."""
    lost: tuple[str, ...]
    """Ids of questions that only `a` has right."""
    won_from: Mapping[str, int]
    """What `a` did with the won ones: how many it had wrong, how many it abstained from."""
    lost_by: Mapping[str, int]
    """What `b` did with the lost ones."""
    extra_tokens: int
    """Tokens that `b` used more than `a` over the pairs, in and out."""
    extra_cost: float | None
    """The same at stated prices; None where none is stated."""
    verdict: UpliftVerdict

    @property
    def missing(self) -> int:
        """Questions that lack a mark in one of the two."""
        return self.questions - self.pairs

    @property
    def points(self) -> float:
        """Points of mark that `b` has more than `a`, over all pairs."""
        return self.score.difference * self.pairs if self.score else 0.0

    @property
    def price_per_point(self) -> float | None:
        """What a point of mark cost that `b` has more; None where no gain was measured or no price is stated."""
        return None if self.extra_cost is None or self.verdict != "helped" else self.extra_cost / self.points


def compare_arms(
    rows: Sequence[UpliftRow],
    a: str,
    b: str,
    seed: int = 0,
    *,
    groups: Mapping[str, str] | None = None,
    price: Mapping[str, float] | None = None,
) -> ArmComparison:
    """Compares two arms. A question without a mark in one of them is left out of both, and counted.

    The verdict rests on the marks: their paired interval must exclude 0, and so must chance by the sign-flip test,
    without which a handful of lucky questions among many ties would pass for an effect.

    Args:
        groups: of the documents that each case is about; left out, each case is one.
        price: of a million tokens, `input` and `output`.
    """
    marks = [(row, row.arms[a].score, row.arms[b].score) for row in rows]
    pairs = [(row, before, after) for row, before, after in marks if before is not None and after is not None]
    won = [row for row, x, y in pairs if x < RIGHT <= y]
    lost = [row for row, x, y in pairs if y < RIGHT <= x]
    score = accuracy = None
    if pairs:
        about = [row.case_id if groups is None else groups[row.case_id] for row, *_ in pairs]
        before, after = [x for _, x, _ in pairs], [y for *_, y in pairs]
        score = paired_difference(before, after, about, seed, "mark")
        right = [[float(mark >= RIGHT) for mark in side] for side in (before, after)]
        accuracy = paired_difference(right[0], right[1], about, seed, "accuracy")
    spent = [[_tokens(row.arms[arm]) for row, *_ in pairs] for arm in (a, b)]
    extra = [sum(after[side] - before[side] for before, after in zip(*spent, strict=True)) for side in (0, 1)]
    return ArmComparison(
        a=a,
        b=b,
        questions=len(rows),
        pairs=len(pairs),
        score=score,
        accuracy=accuracy,
        won=tuple(row.case_id for row in won),
        lost=tuple(row.case_id for row in lost),
        won_from=dict(Counter(row.arms[a].kind for row in won)),
        lost_by=dict(Counter(row.arms[b].kind for row in lost)),
        extra_tokens=sum(extra),
        extra_cost=None if price is None else (extra[0] * price["input"] + extra[1] * price["output"]) / 1_000_000,
        verdict=_verdict(len(rows), len(pairs), score),
    )


def in_words(found: ArmComparison, names: tuple[str, str], currency: str = "") -> str:
    """A few sentences for people; `names` are what `a` and `b` are called."""
    a, b = names
    score = found.score
    if score is None or found.verdict == "cannot be told":
        return (
            f"Whether {b} helped cannot be told: only {found.pairs} of {found.questions} questions have a mark both "
            f"with it and for {a}."
        )
    between = f"{a}: the mean mark went from {score.a:.1f} to {score.b:.1f} of 10"
    marks = (
        f"({score.difference:+.1f}, {LEVEL:.0%} interval {score.interval.low:+.1f} to {score.interval.high:+.1f}, "
        f"p = {score.p:.3f}, {found.pairs} questions about {score.groups} groups of documents)"
    )
    verb = "made no measurable difference to" if found.verdict == "made no measurable difference" else found.verdict
    said = [
        f"{b[:1].upper()}{b[1:]} {verb} {between} {marks}; questions won: {len(found.won)}"
        f"{_how(found.won_from, 'had been')}, lost: {len(found.lost)}{_how(found.lost_by, 'are')}."
    ]
    if found.missing:
        said.append(f"{found.missing} of {found.questions} questions have no mark in one of the two.")
    if found.verdict == "helped":
        price = f"{found.extra_tokens / found.points:,.0f} tokens"
        if found.price_per_point is not None:
            price += f", {found.price_per_point:.4f} {currency}"
        said.append(f"A point of mark cost {price}.")
    return " ".join(said)


def _how(kinds: Mapping[str, int], verb: str) -> str:
    wrong, abstained = kinds.get("wrong", 0), kinds.get("abstained", 0)
    return f" ({wrong} {verb} wrong, {abstained} {verb} abstained from)" if wrong or abstained else ""


def _tokens(arm: ArmRow) -> tuple[int, int]:
    return arm.input_tokens, arm.output_tokens


def _verdict(questions: int, pairs: int, score: Difference | None) -> UpliftVerdict:
    if score is None or pairs < FEWEST or questions - pairs > MOST_MISSING * questions:
        return "cannot be told"
    if not score.is_clear:
        return "made no measurable difference"
    return "helped" if score.difference > 0 else "harmed"
