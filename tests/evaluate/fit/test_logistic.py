"""The logistic regression of calibration: against scipy, by its promises, and that no group judges itself."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rag_app.evaluate.fit.logistic import Observation, cross_validated, fit_logistic, log_loss, reliability

VALUES = st.lists(st.tuples(st.floats(-50, 50), st.booleans()), min_size=4, max_size=60).filter(
    lambda pairs: len({good for _, good in pairs}) == 2 and len({round(value, 3) for value, _ in pairs}) > 1
)


def drawn(slope: float, middle: float, count: int, seed: int = 0) -> list[Observation]:
    """Observations of a known law, twenty groups of them."""
    drawing = random.Random(seed)
    found = []
    for number in range(count):
        value = drawing.uniform(middle - 4 / slope, middle + 4 / slope)
        chance = 1 / (1 + math.exp(slope * (middle - value)))
        found.append(Observation(f"g{number % 20}", value, drawing.random() < chance))
    return found


def test_finds_the_law() -> None:
    """From many observations of a known slope and middle it finds both, and its interval holds the slope."""
    fitted = fit_logistic(drawn(0.5, 12.0, 4000))
    assert fitted.slope == pytest.approx(0.5, rel=0.1)
    assert fitted.middle == pytest.approx(12.0, abs=0.3)
    assert 0.5 in fitted.slope_interval


def test_agrees_with_scipy() -> None:
    """The fit is the minimum of the penalised surprise that scipy finds."""
    observations = drawn(1.0, 3.0, 60)
    values = np.array([o.value for o in observations])
    good = np.array([o.is_good for o in observations])
    scaled = (values - values.mean()) / values.std()

    def loss(weights: np.ndarray) -> float:
        linear = scaled * weights[0] + weights[1]
        return float(np.logaddexp(0, -linear)[good].sum() + np.logaddexp(0, linear)[~good].sum() + weights[0] ** 2 / 2)

    theirs = minimize(loss, np.zeros(2), tol=1e-12).x
    fitted = fit_logistic(observations)
    assert fitted.slope == pytest.approx(theirs[0] / values.std(), rel=1e-3)
    assert fitted.middle == pytest.approx(values.mean() - theirs[1] / theirs[0] * values.std(), rel=1e-3)


@settings(deadline=None)
@given(VALUES)
def test_always_ends_in_numbers(pairs: list[tuple[float, bool]]) -> None:
    """Whatever is observed, also what a threshold parts wholly, the fit is finite, the same again, and monotonic."""
    observations = [Observation("g", value, good) for value, good in pairs]
    fitted = fit_logistic(observations)
    assert fitted == fit_logistic(observations)
    assert math.isfinite(fitted.slope)
    assert math.isfinite(fitted.middle)
    stated = [fitted(value) for value in sorted({value for value, _ in pairs})]
    assert stated == sorted(stated, reverse=fitted.slope < 0)
    assert all(0 <= p <= 1 for p in stated)


def test_inverse() -> None:
    """The value of a probability has that probability."""
    fitted = fit_logistic(drawn(0.5, 12.0, 200))
    for probability in (0.1, 0.5, 0.9):
        assert fitted(fitted.inverse(probability)) == pytest.approx(probability)


def test_no_group_judges_itself() -> None:
    """What is predicted for a group does not change with what was good in it."""
    observations = drawn(0.5, 12.0, 200)
    turned = [Observation(o.group, o.value, not o.is_good) if o.group == "g3" else o for o in observations]
    before, after = cross_validated(observations), cross_validated(turned)
    of_group = [index for index, o in enumerate(observations) if o.group == "g3"]
    assert [before[index] for index in of_group] == [after[index] for index in of_group]
    assert before != after


def test_log_loss_by_hand() -> None:
    """Two halves are a coin's surprise; certainty that comes true is none, and that fails is finite."""
    pair = [Observation("g", 0, True), Observation("g", 0, False)]
    assert log_loss([0.5, 0.5], pair) == pytest.approx(math.log(2))
    assert log_loss([1.0, 0.0], pair) == pytest.approx(0, abs=1e-5)
    assert math.isfinite(log_loss([0.0, 1.0], pair))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_reliability_counts_everything_once(pairs: list[tuple[float, bool]]) -> None:
    """Every prediction, 0 and 1 included, is in one bin."""
    observations = [Observation("g", 0, good) for _, good in pairs]
    table = reliability([p for p, _ in pairs], observations)
    assert sum(bin.found.n for bin in table) == len(pairs)
    assert sum(bin.found.k for bin in table) == sum(good for _, good in pairs)
