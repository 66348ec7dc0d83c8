"""Intervals and tests against published values and scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rag_app.errors import UsageError
from rag_app.evaluate.measures.statistics import (
    bootstrap,
    distinguishable,
    mcnemar,
    paired_difference,
    proportion,
    sign_flip,
)

COUNTS = st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_published(k: int, n: int, low: float, high: float) -> None:
    """The examples of Newcombe (Statistics in Medicine 17, 1998, table I) come out to their four digits."""
    interval = proportion(k, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@given(COUNTS)
def test_wilson_is_scipys_and_holds_the_share(counts: tuple[int, int]) -> None:
    """The interval lies within 0 and 1, holds the share, and is the one of scipy."""
    k, n = counts
    interval = proportion(k, n)
    assert 0 <= interval.low <= interval.high <= 1
    if n:
        assert k / n in interval
        theirs = binomtest(k, n).proportion_ci(method="wilson")
        assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(COUNTS)
def test_more_of_the_same_narrows(counts: tuple[int, int]) -> None:
    """Ten times as many questions with the same share leave less room."""
    k, n = counts
    assert proportion(10 * k, 10 * n).width <= proportion(k, n).width


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 5)])
def test_no_share(k: int, n: int) -> None:
    """What is not some of all is refused."""
    with pytest.raises(UsageError):
        proportion(k, n)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_bootstrap_holds_the_mean(values: list[float]) -> None:
    """The interval holds the mean, lies within the values, and is the same each time."""
    interval = bootstrap(values, seed=3)
    assert sum(values) / len(values) == pytest.approx(min(max(sum(values) / len(values), interval.low), interval.high))
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
    assert bootstrap(values, seed=3) == interval


def test_bootstrap_agrees_with_wilson() -> None:
    """For a share of many questions resampling and Wilson's formula come to nearly the same."""
    ours, wilson = bootstrap([1.0] * 60 + [0.0] * 140), proportion(60, 200)
    assert (ours.low, ours.high) == pytest.approx((wilson.low, wilson.high), abs=0.012)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40))
def test_paired_difference_turns_with_its_sides(pairs: list[tuple[float, float]]) -> None:
    """B - A is minus A - B, within its interval."""
    a, b = zip(*pairs, strict=True)
    (forth, interval), (back, _) = paired_difference(a, b), paired_difference(b, a)
    assert forth == pytest.approx(-back)
    assert interval.low - 1e-9 <= forth <= interval.high + 1e-9


def test_pairing_narrows() -> None:
    """Two runs that fail on the same questions are compared more sharply than two shares alone could be."""
    a = [0.0] * 40 + [1.0] * 60
    b = [0.0] * 36 + [1.0] * 64
    difference, interval = paired_difference(a, b)
    assert difference == pytest.approx(0.04)
    assert interval.width < 0.1 < proportion(60, 100).width


def test_unpaired() -> None:
    """Runs over different numbers of questions are not compared in pairs."""
    with pytest.raises(UsageError, match="same questions"):
        paired_difference([1.0], [1.0, 0.0])


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(only_a: int, only_b: int) -> None:
    """The exact test is the two-sided binomial test of the questions that changed."""
    expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(expected)
    assert mcnemar(only_a, only_b) == mcnemar(only_b, only_a)


def test_mcnemar_by_hand() -> None:
    """One lost and nine won: twice (1 + 10) / 1024."""
    assert mcnemar(1, 9) == 22 / 1024


@pytest.mark.parametrize(
    ("only_a", "only_b", "words"),
    [(1, 9, "B is better"), (9, 1, "B is worse"), (4, 6, "Not distinguishable"), (0, 4, "could never tell"),
     (0, 0, "no question of 100 changed")],
)  # fmt: skip
def test_sentence(only_a: int, only_b: int, words: str) -> None:
    """The sentence says which is better, or that chance explains it, or that so few changes cannot tell."""
    assert words in distinguishable(only_a, only_b, 100)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=60))
def test_signs_of_flips_are_mcnemars(differences: list[float]) -> None:
    """Where questions are right or wrong, the test of signs is McNemar's; its sides may be changed."""
    none = [0.0] * len(differences)
    p = sign_flip(none, differences)
    assert p == mcnemar(differences.count(-1.0), differences.count(1.0))
    assert sign_flip(differences, none) == p


def test_signs_of_amounts() -> None:
    """All choices of signs are counted where they are few; of many, drawn ones come near, the same each time."""
    assert sign_flip([0, 0, 0], [1, 2, 4]) == 2 / 8
    assert sign_flip([0, 0, 0], [1, 2, -4]) == 1.0
    ups = [float(number) for number in range(1, 21)]
    assert sign_flip([0.0] * 20, ups) < 0.001
    mixed = [number * (-1) ** index for index, number in enumerate(ups)]
    assert 0.5 < sign_flip([0.0] * 20, mixed) == sign_flip([0.0] * 20, mixed) <= 1
    assert sign_flip([], []) == 1.0
