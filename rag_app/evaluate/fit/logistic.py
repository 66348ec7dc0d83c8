"""A logistic regression with two parameters, cross-validated by groups: how likely something is good, by one number."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.evaluate.measures.statistics import Interval, Rate

FOLDS = 5
_RIDGE = 1.0
"""L2 penalty on the slope, in units of the number's standard deviation: a prior that no slope is steep, which also
holds it where a threshold parts all good from all bad."""
_BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Observation:
    """One number, and whether what it speaks for was good."""

    group: str
    """Observations of one group stand or fall together, and are never on both sides of a fold."""
    value: float
    is_good: bool


@dataclass(frozen=True, slots=True)
class Logistic:
    """P(good) = 1 / (1 + exp(slope * (middle - value)))."""

    slope: float
    middle: float
    slope_interval: Interval
    """From the curvature of the penalised likelihood."""

    def __call__(self, value: float) -> float:
        return 1 / (1 + math.exp(max(-700.0, min(700.0, self.slope * (self.middle - value)))))

    def inverse(self, probability: float) -> float:
        """The value with that probability, 0 and 1 excluded."""
        return self.middle + math.log(probability / (1 - probability)) / self.slope


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of about the same size, against what came of them."""

    stated: float
    """Mean of the predicted probabilities."""
    found: Rate


def fit_logistic(observations: Sequence[Observation], prior: tuple[float, float] | None = None) -> Logistic:
    """The maximum of the penalised likelihood; the same for the same observations.

    Args:
        prior: slope and middle that few observations hardly move (both normal around them, with a deviation of 1 in
            log odds); left out, the slope is held towards 0 alone, and there must be good ones and bad ones, of more
            than one value.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    values = np.array([o.value for o in observations], dtype=float)
    good = np.array([o.is_good for o in observations])
    mean, deviation = values.mean(), values.std() or 1.0
    design = np.column_stack([(values - mean) / deviation, np.ones(len(values))])
    penalty = np.diag([_RIDGE, _RIDGE if prior else 1e-6])
    centre = np.array([prior[0] * deviation, prior[0] * (mean - prior[1])] if prior else [0.0, 0.0])

    def loss(weights: np.ndarray) -> float:
        surprise = np.logaddexp(0, np.where(good, -1, 1) * (design @ weights))
        return float(surprise.sum() + (weights - centre) @ penalty @ (weights - centre) / 2)

    def slope_of(weights: np.ndarray) -> np.ndarray:
        return design.T @ (expit(design @ weights) - good) + penalty @ (weights - centre)

    def curvature(weights: np.ndarray) -> np.ndarray:
        predicted = expit(design @ weights)
        return (design.T * (predicted * (1 - predicted))) @ design + penalty

    weights = minimize(loss, centre, jac=slope_of, hess=curvature, method="trust-exact", tol=1e-10).x
    slope, shift = float(weights[0] / deviation), float(weights[1])
    error = 1.96 * math.sqrt(float(np.linalg.inv(curvature(weights))[0, 0])) / float(deviation)
    middle = float(mean) - shift / slope if abs(slope) > 1e-12 else float(mean)
    return Logistic(slope, middle, Interval(slope - error, slope + error))


def cross_validated(
    observations: Sequence[Observation],
    make: Callable[[Logistic], Callable[[float], float]] = lambda fitted: fitted,
    prior: tuple[float, float] | None = None,
) -> list[float]:
    """For each observation what the model says that was fitted without its fold; folds are whole groups.

    Args:
        make: turns a fitted model into what is asked, in the place of its probability.
        prior: as of `fit_logistic`.
    """
    sizes: dict[str, int] = {}
    for observation in observations:
        sizes[observation.group] = sizes.get(observation.group, 0) + 1
    filled, fold_of = [0] * FOLDS, dict[str, int]()
    for group in sorted(sizes, key=lambda name: (-sizes[name], name)):  # large ones first, each into the emptiest
        fold_of[group] = filled.index(min(filled))
        filled[fold_of[group]] += sizes[group]
    models = []
    for fold in range(FOLDS):
        others = [o for o in observations if fold_of[o.group] != fold]
        models.append(make(fit_logistic(others, prior)))
    return [models[fold_of[o.group]](o.value) for o in observations]


def log_loss(predicted: Sequence[float], observations: Sequence[Observation]) -> float:
    """Mean surprise at what came, in nats; a coin has 0.693."""
    clipped = [min(max(p, 1e-6), 1 - 1e-6) for p in predicted]
    pairs = zip(clipped, observations, strict=True)
    return -sum(math.log(p if o.is_good else 1 - p) for p, o in pairs) / len(observations)


def reliability(predicted: Sequence[float], observations: Sequence[Observation]) -> tuple[Bin, ...]:
    """Predictions in five bins of equal width, against the share of good ones; bins without any are left out."""
    bins = []
    for low, high in pairwise(_BINS):
        inside = [
            (p, o.is_good)
            for p, o in zip(predicted, observations, strict=True)
            if low <= p < high or (p == high == _BINS[-1])
        ]
        if inside:
            good = sum(is_good for _, is_good in inside)
            bins.append(Bin(sum(p for p, _ in inside) / len(inside), Rate(good, len(inside))))
    return tuple(bins)
