"""How sure a figure is: intervals for shares and means, and whether two runs differ by more than chance.

Questions about the same documents are not independent evidence: they share one retrieval, one wording, one fault. So
intervals and tests resample groups of questions (a cluster bootstrap, a cluster permutation test), not questions.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_app.errors import SetupError, UsageError

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np

LEVEL = 0.95
RESAMPLES = 10_000
"""Enough for two stable digits of a 95 % interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993)."""
_BATCH = 1000
"""Resamples held in memory at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value of a figure lies, with a stated confidence."""

    low: float
    high: float
    level: float = LEVEL
    """Share of such intervals that hold the true value, 0 to 1."""

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        return self.high - self.low


def proportion(k: int, n: int, level: float = LEVEL) -> Interval:
    """The score interval of a share, `k` of `n` (Wilson, JASA 22, 1927); of no cases at all: 0 to 1.

    Raises:
        UsageError: `k` is not between 0 and `n`.
        SetupError: scipy is not installed.
    """
    if not 0 <= k <= n:
        raise UsageError(f"A share must be between 0 and all of them, not {k} of {n}.", k=k, n=n)
    if n == 0:
        return Interval(0.0, 1.0, level)
    found = _scipy_stats().binomtest(k, n).proportion_ci(level, method="wilson")
    return Interval(min(float(found.low), k / n), max(float(found.high), k / n), level)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with what it is a share of."""

    k: int
    n: int
    over_groups: Interval | None = None
    """The interval by resampling groups; None where each of the `n` is evidence of its own."""

    @property
    def share(self) -> float | None:
        """0 to 1; None of no cases."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        return self.over_groups or proportion(self.k, self.n)

    def __str__(self) -> str:
        if self.share is None:
            return "none of 0"
        low, high = self.interval.low, self.interval.high
        return f"{self.k} of {self.n} ({self.share:.1%}, {low:.1%} to {high:.1%})"


def bootstrap(
    values: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
    level: float = LEVEL,
) -> Interval:
    """The percentile interval of a mean, or of a ratio of sums, by resampling (Efron, Annals of Statistics 7, 1979).

    Where every group has the same ratio, resampling sees no variation and the interval has no width. The same seed
    gives the same interval.

    Args:
        values: one number a question.
        weights: what the values are counts of, such as the quotes of a question; left out, 1 each.
        groups: the group of each question; whole groups are resampled. Left out, or with a single group, questions.

    Raises:
        UsageError: there are no values.
        SetupError: scipy is not installed.
    """
    if not values:
        raise UsageError("No values: nothing can be said about their mean.")
    sums, sizes = _by_group(values, weights or [1.0] * len(values), groups)
    ratio = float(sums.sum() / sizes.sum())
    if (abs(sums - ratio * sizes) <= 1e-12 * abs(sizes)).all():
        return Interval(ratio, ratio, level)
    found = (
        _scipy_stats()
        .bootstrap(
            (sums, sizes),
            lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
            n_resamples=RESAMPLES,
            batch=_BATCH,
            vectorized=True,
            paired=True,
            confidence_level=level,
            method="percentile",
            rng=seed,
        )
        .confidence_interval
    )
    return Interval(min(float(found.low), ratio), max(float(found.high), ratio), level)


def share_interval(
    values: Sequence[float], weights: Sequence[float] | None = None, groups: Sequence[Hashable] | None = None
) -> Interval:
    """The interval of a share, by `bootstrap` over groups, kept within 0 and 1.

    Where all groups have the same share, such as 0 or 1, no resample differs, although few groups are no certainty:
    then it is Wilson's interval of so many groups.
    """
    found = bootstrap(values, weights=weights, groups=groups)
    if found.width:
        return Interval(max(0.0, found.low), min(1.0, found.high), found.level)
    number = _number_of_groups(groups, len(values))
    right = round(found.low * number, 9)
    return Interval(proportion(math.floor(right), number).low, proportion(math.ceil(right), number).high)


def rate(flags: Sequence[bool], groups: Sequence[Hashable] | None = None) -> Rate:
    """The share that is true, with its interval over groups; see `share_interval`."""
    return Rate(sum(flags), len(flags), share_interval(list(map(float, flags)), groups=groups) if flags else None)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more B has of something than A, over the same questions."""

    a: float
    """The mean of A."""
    b: float
    difference: float
    """b - a."""
    interval: Interval
    """Of the difference, over groups of questions."""
    p: float
    """See `sign_flip`."""
    questions: int
    """Questions that both have a value for; all others are left out of every field here."""
    groups: int
    """Groups of documents that these questions are about."""
    measure: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0 and chance is an unlikely reason: an interval of few is too narrow."""
        return 0 not in self.interval and self.p < 1 - LEVEL


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
    measure: str = "",
) -> Difference:
    """Compares two runs over the same questions, in the same order.

    Give one value a question: average its runs first, since they are no new evidence.

    Raises:
        UsageError: the two are of different length, or empty.
    """
    if len(a) != len(b):
        raise UsageError(f"Only the same questions can be compared in pairs, not {len(a)} with {len(b)}.")
    differences = [after - before for before, after in zip(a, b, strict=True)]
    return Difference(
        a=sum(a) / max(1, len(a)),
        b=sum(b) / max(1, len(b)),
        difference=sum(differences) / max(1, len(differences)),
        interval=bootstrap(differences, groups=groups, seed=seed),
        p=sign_flip(differences, groups, seed),
        questions=len(a),
        groups=_number_of_groups(groups, len(a)),
        measure=measure,
    )


def sign_flip(differences: Sequence[float], groups: Sequence[Hashable] | None = None, seed: int = 0) -> float:
    """The two-sided p of paired differences, if chance alone gave each group its sign (Fisher, The Design of
    Experiments, 1935).

    Where all that differ do so by as much, as right and wrong do, this is McNemar's exact test (Psychometrika 12,
    1947). Otherwise all signs are tried where they are few, else `RESAMPLES` draws of them.
    """
    if not differences:
        return 1.0
    import numpy as np

    sums, _ = _by_group(differences, [1.0] * len(differences), groups)
    sums = sums[np.abs(sums) > 1e-12]
    if not len(sums):
        return 1.0
    stats = _scipy_stats()
    sizes = np.abs(sums)
    if np.ptp(sizes) <= 1e-9 * sizes.max():
        return float(stats.binomtest(int((sums > 0).sum()), len(sums)).pvalue)
    found = stats.permutation_test(
        (sums,),
        lambda data, axis: data.sum(axis=axis),
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        rng=seed,
    )
    return float(found.pvalue)


def distinguishable(lost: int, won: int, found: Difference) -> str:
    """A sentence that says whether B differs from A by more than chance.

    Args:
        lost: questions that A alone has right.
        won: questions that B alone has right.
        found: the paired difference of the shares right.
    """
    rests = f"{found.questions} questions about {found.groups} groups of documents"
    if won + lost == 0:
        return f"Not distinguishable: no question changed between right and wrong, of {rests}."
    evidence = (
        f"of {rests} {won} were won and {lost} lost (p = {found.p:.3f}; difference "
        f"{100 * found.interval.low:+.1f} to {100 * found.interval.high:+.1f} points)"
    )
    if found.p < 1 - LEVEL:
        return f"Distinguishable from noise: B is {'better' if found.difference > 0 else 'worse'}; {evidence}."
    if 2 / 2 ** (won + lost) >= 1 - LEVEL:
        return f"Not distinguishable from noise: {evidence}; so few changes cannot be told from chance."
    return f"Not distinguishable from noise: {evidence}."


def _by_group(
    values: Sequence[float], weights: Sequence[float], groups: Sequence[Hashable] | None
) -> "tuple[np.ndarray, np.ndarray]":
    """Sums of values and weights a group; a question each where there are fewer than two groups."""
    import numpy as np

    amounts, sizes = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    if groups is None or len(set(groups)) < 2:
        return amounts, sizes
    place: dict[Hashable, int] = {}
    index = [place.setdefault(group, len(place)) for group in groups]
    return np.bincount(index, amounts), np.bincount(index, sizes)


def _number_of_groups(groups: Sequence[Hashable] | None, questions: int) -> int:
    return questions if groups is None else len(set(groups))


def _scipy_stats() -> "ModuleType":
    try:
        import scipy.stats
    except ImportError as error:
        raise SetupError(
            'Evaluation needs an extra that is not installed: run `pip install "rag_app[eval]"`.'
        ) from error
    return scipy.stats
