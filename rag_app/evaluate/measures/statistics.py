"""How sure a figure is: intervals for shares and means, and whether two runs differ by more than chance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from rag_app.errors import UsageError

LEVEL = 0.95
RESAMPLES = 10_000
"""Enough for two stable digits of a 95 % interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993)."""
_ALL_SIGNS = 12
"""Differences up to which every choice of signs is tried."""


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
    """The score interval of a share, `k` of `n` (Wilson, JASA 22, 1927); of nothing at all: 0 to 1.

    Unlike the textbook's p ± 1.96 s it stays within 0 and 1, and says something where k is 0 or n.

    Raises:
        UsageError: `k` is not between 0 and `n`.
    """
    if not 0 <= k <= n:
        raise UsageError(f"A share must be of some of all, not {k} of {n}.", k=k, n=n)
    if n == 0:
        return Interval(0.0, 1.0, level)
    z, p = _normal_quantile(level), k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Interval(0.0 if k == 0 else min(middle - half, p), 1.0 if k == n else max(middle + half, p), level)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with what it is a share of."""

    k: int
    n: int

    @property
    def share(self) -> float | None:
        """0 to 1; None of nothing."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        return proportion(self.k, self.n)

    def __str__(self) -> str:
        if self.share is None:
            return "none of 0"
        low, high = self.interval.low, self.interval.high
        return f"{self.k} of {self.n} ({self.share:.1%}, {low:.1%} to {high:.1%})"


def bootstrap(values: Sequence[float], seed: int = 0, level: float = LEVEL) -> Interval:
    """The percentile interval of a mean by resampling (Efron, Annals of Statistics 7, 1979). Same seed, same interval.

    Values that are all the same give an interval without width: resampling cannot see what it has no example of.

    Raises:
        UsageError: there are no values.
    """
    import numpy as np

    if not values:
        raise UsageError("No values: nothing can be said about their mean.")
    data = np.asarray(values, dtype=float)
    mean = float(data.mean())
    if (data == data[0]).all():
        return Interval(mean, mean, level)
    drawing = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    for first in range(0, RESAMPLES, 1000):  # a thousand at a time, to stay small in memory
        means[first : first + 1000] = data[drawing.integers(0, len(data), (1000, len(data)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(min(float(low), mean), max(float(high), mean), level)


def paired_difference(
    a: Sequence[float], b: Sequence[float], seed: int = 0, level: float = LEVEL
) -> tuple[float, Interval]:
    """How much more `b` is than `a` on average, over the same questions in the same order, and its interval.

    Give one value a question: average runs and groups of one question first, since they are no new evidence.

    Raises:
        UsageError: the two are of different length, or empty.
    """
    if len(a) != len(b):
        raise UsageError(f"Only the same questions can be compared in pairs, not {len(a)} with {len(b)}.")
    differences = [after - before for before, after in zip(a, b, strict=True)]
    interval = bootstrap(differences, seed, level)
    return sum(differences) / len(differences), interval


def sign_flip(a: Sequence[float], b: Sequence[float], seed: int = 0) -> float:
    """The two-sided p of the paired differences, if chance alone gave them their signs (Fisher, The Design of
    Experiments, 1935). Where all that differ do so by as much, as right and wrong do, this is McNemar's exact test.

    A bootstrap of a few differences that all point one way never sees another, and so would call one of them clear.
    All signs are tried where they are few, else `RESAMPLES` draws of them.
    """
    import numpy as np

    found = np.asarray(b, dtype=float) - np.asarray(a, dtype=float)
    found = found[found != 0]
    sizes = np.abs(found)
    if not len(found) or np.ptp(sizes) <= 1e-9 * sizes.max():
        return mcnemar(int((found < 0).sum()), int((found > 0).sum()))
    extreme = abs(found.sum()) - 1e-9 * sizes.sum()
    if len(found) <= _ALL_SIGNS:
        signs = np.array(list(product((-1, 1), repeat=len(found))))
        return float((np.abs(signs @ sizes) >= extreme).mean())
    drawing = np.random.default_rng(seed)
    hits = 0
    for _ in range(0, RESAMPLES, 1000):
        hits += int((np.abs(drawing.choice((-1, 1), (1000, len(found))) @ sizes) >= extreme).sum())
    return (hits + 1) / (RESAMPLES + 1)


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided p of McNemar's test (Psychometrika 12, 1947): were as many questions won as lost?

    Args:
        only_a: questions that A alone has right.
        only_b: questions that B alone has right.
    """
    if only_a < 0 or only_b < 0:
        raise UsageError(f"Numbers of questions cannot be negative: {only_a} and {only_b}.")
    n = only_a + only_b
    tail = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, 2 * tail / 2**n)


def distinguishable(only_a: int, only_b: int, questions: int, interval: Interval | None = None) -> str:
    """A sentence that says whether B differs from A by more than chance.

    Args:
        only_a: questions that A alone has right.
        only_b: questions that B alone has right.
        questions: how many both were asked.
        interval: of the paired difference B - A, as shares; left out, the sentence goes without.
    """
    flipped = only_a + only_b
    if flipped == 0:
        return f"Not distinguishable: no question of {questions} changed between right and wrong."
    p = mcnemar(only_a, only_b)
    span = f"; difference {_points(interval.low)} to {_points(interval.high)} points" if interval else ""
    evidence = f"{only_b} of {questions} questions were won and {only_a} lost (McNemar p = {p:.3f}{span})"
    if p < 1 - LEVEL:
        return f"Distinguishable from noise: B is {'better' if only_b > only_a else 'worse'}; {evidence}."
    if 2 / 2**flipped >= 1 - LEVEL:
        return f"Not distinguishable from noise: {evidence}; so few changes could never tell."
    return f"Not distinguishable from noise: {evidence}."


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _normal_quantile(level: float) -> float:
    """Half-width, in standard deviations, of the middle `level` of a normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)
