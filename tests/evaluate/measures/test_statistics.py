"""Intervals and tests against published values and scipy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from rag_app.errors import UsageError
from rag_app.evaluate.measures.statistics import (
    Interval,
    bootstrap,
    distinguishable,
    paired_difference,
    proportion,
    share_interval,
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
@settings(deadline=None)
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
@settings(deadline=None)
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
@settings(deadline=None, max_examples=30)
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


def test_questions_of_one_group_are_one_piece_of_evidence() -> None:
    """A hundred questions about five groups of documents are known no better than five groups are."""
    values = [float(group < 3) for group in range(5) for _ in range(20)]
    groups = [group for group in range(5) for _ in range(20)]
    alone, clustered = bootstrap(values), bootstrap(values, groups=groups)
    five = bootstrap([float(group < 3) for group in range(5)])
    assert alone.width < 0.2 < 0.7 < clustered.width
    assert (clustered.low, clustered.high) == pytest.approx((five.low, five.high), abs=0.01)
    assert share_interval([0.0] * 100, groups=groups) == proportion(0, 5)
    assert bootstrap(values, groups=["one"] * 100) == alone  # a single group cannot be resampled


def test_groups_that_are_all_alike_are_no_certainty() -> None:
    """Where every group has the same share, the interval says how little so many groups are."""
    assert share_interval([1.0], [2.0]) == Interval(0.0, 1.0)
    assert share_interval([0.5, 0.5], groups="ab") == proportion(1, 2)
    assert share_interval([0.0] * 7) == proportion(0, 7)
    assert share_interval([1.0] * 7) == proportion(7, 7)


def test_a_ratio_is_over_its_sums() -> None:
    """One of ten and none of two is one in twelve, within its interval."""
    found = share_interval([1.0, 0.0, 0.0], [10.0, 2.0, 4.0])
    assert 0 <= found.low <= 1 / 16 <= found.high <= 1 / 10 + 1e-9


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40))
@settings(deadline=None, max_examples=30)
def test_paired_difference_turns_with_its_sides(pairs: list[tuple[float, float]]) -> None:
    """B - A is minus A - B, within its interval, and chance is as likely."""
    a, b = zip(*pairs, strict=True)
    forth, back = paired_difference(a, b), paired_difference(b, a)
    assert forth.difference == pytest.approx(-back.difference)
    assert forth.interval.low - 1e-9 <= forth.difference <= forth.interval.high + 1e-9
    assert forth.p == pytest.approx(back.p, abs=0.03)


def test_pairing_narrows() -> None:
    """Two runs that fail on the same questions are compared more sharply than two shares alone could be."""
    found = paired_difference([0.0] * 40 + [1.0] * 60, [0.0] * 36 + [1.0] * 64)
    assert found.difference == pytest.approx(0.04)
    assert found.interval.width < 0.1 < proportion(60, 100).width


def test_unpaired() -> None:
    """Runs over different numbers of questions are not compared in pairs."""
    with pytest.raises(UsageError, match="same questions"):
        paired_difference([1.0], [1.0, 0.0])


@pytest.mark.parametrize(("lost", "won"), [(0, 0), (0, 4), (1, 9), (7, 7), (3, 20)])
def test_signs_of_flips_are_mcnemars(lost: int, won: int) -> None:
    """Where questions are right or wrong, the test of signs is McNemar's exact one; its sides may be changed."""
    differences = [-1.0] * lost + [1.0] * won + [0.0] * 30
    assert sign_flip(differences) == pytest.approx(binomtest(won, won + lost).pvalue if won + lost else 1.0)
    assert sign_flip([-one for one in differences]) == sign_flip(differences)


def test_mcnemar_by_hand() -> None:
    """One lost and nine won: twice (1 + 10) / 1024."""
    assert sign_flip([-1.0] + [1.0] * 9) == pytest.approx(22 / 1024)


def test_flips_of_one_group_are_one_flip() -> None:
    """Ten questions won about one document are one lucky document."""
    won = [1.0] * 10 + [0.0] * 10
    assert sign_flip(won) < 0.01
    assert sign_flip(won, ["one"] * 10 + [str(number) for number in range(10)]) == 1.0


def test_signs_of_amounts() -> None:
    """All choices of signs are counted where they are few; of many, drawn ones come near, the same each time."""
    assert sign_flip([1, 2, 4]) == 2 / 8
    assert sign_flip([1, 2, -4]) == 1.0
    ups = [float(number) for number in range(1, 21)]
    assert sign_flip(ups) < 0.001
    mixed = [number * (-1) ** index for index, number in enumerate(ups)]
    assert 0.5 < sign_flip(mixed) == sign_flip(mixed) <= 1
    assert sign_flip([]) == sign_flip([0.0, 0.0]) == 1.0


@pytest.mark.parametrize(
    ("lost", "won", "words"),
    [(1, 9, "B is better"), (9, 1, "B is worse"), (4, 6, "Not distinguishable"), (0, 4, "so few changes"),
     (0, 0, "no question changed")],
)  # fmt: skip
def test_sentence(lost: int, won: int, words: str) -> None:
    """The sentence says which is better, or that chance explains it, or that so few changes cannot tell; and on how
    many questions about how many groups of documents it rests."""
    found = paired_difference([0.0] * won + [1.0] * (100 - won), [1.0] * (100 - lost) + [0.0] * lost)
    said = distinguishable(lost, won, found)
    assert words in said
    assert "100 questions about 100 groups" in said
