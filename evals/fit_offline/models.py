"""The two models that are fitted: which statement ranks first, and whether what is shown is right."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

Features = Mapping[str, float]
_RIDGE = 0.02
"""L2 penalty per observation, on features scaled to a standard deviation of 1."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The statements of one part of a question."""

    suite: str
    statements: Sequence[Features]
    right: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Answering:
    """The best statement of one part, and whether what would be shown with it is right."""

    suite: str
    features: Features
    is_right: bool


def fit_ranking(observed: Sequence[Ranking], names: Sequence[str]) -> dict[str, float]:
    """Weights of a conditional logit model (McFadden, 1974): one of the right statements is the one chosen.

    Parts without a right statement, or with nothing else, say nothing and are left out.
    """
    tables = [
        (np.array([[one[name] for name in names] for one in part.statements]), np.array(part.right))
        for part in observed
        if any(part.right) and not all(part.right)
    ]
    scale = np.concatenate([table for table, _ in tables]).std(axis=0)
    scale[scale == 0] = 1.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros_like(weights)
        for table, right in tables:
            scores = table / scale @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            chosen = shares * right / shares[right].sum()
            total -= float(np.log(shares[right].sum()))
            slope += (table / scale).T @ (shares - chosen)
        penalty = _RIDGE * len(tables)
        return total + penalty / 2 * float(weights @ weights), slope + penalty * weights

    fitted = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x / scale
    return dict(zip(names, map(float, fitted), strict=True))


def fit_answering(observed: Sequence[Answering], signs: Mapping[str, int]) -> dict[str, float]:
    """Weights of a logistic regression, with a constant; each suite counts as much as any other.

    Args:
        signs: features, and in which direction each may speak: 1 for an answer, -1 against it. A few hundred questions
            are too few to let them speak in any.
    """
    names = list(signs)
    table = np.array([[one.features[name] for name in names] for one in observed])
    right = np.array([one.is_right for one in observed], dtype=float)
    sizes = {one.suite: sum(other.suite == one.suite for other in observed) for one in observed}
    share = np.array([len(observed) / len(sizes) / sizes[one.suite] for one in observed])
    mean, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1.0
    design = np.column_stack([(table - mean) / scale, np.ones(len(table))])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = design @ weights
        total = float((share * (np.logaddexp(0, scores) - right * scores)).sum())
        slope = design.T @ (share * (1 / (1 + np.exp(-scores)) - right))
        held = np.append(weights[:-1], 0.0) * _RIDGE * len(table)
        return total + float(held @ weights) / 2, slope + held

    bounds = [(0, None) if sign > 0 else (None, 0) for sign in signs.values()]
    weights = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]).x
    slopes = weights[:-1] / scale
    return {"constant": float(weights[-1] - slopes @ mean), **dict(zip(names, map(float, slopes), strict=True))}


def calibration_error(stated: Sequence[float], right: Sequence[bool], bins: int = 5) -> float:
    """Expected calibration error: how far stated probabilities are from shares of right ones, in bins of equal count
    (Naeini, Cooper and Hauskrecht, 2015)."""
    order = np.argsort(stated)
    parts = [part for part in np.array_split(order, bins) if len(part)]
    values, outcomes = np.array(stated), np.array(right, dtype=float)
    return float(sum(len(p) * abs(values[p].mean() - outcomes[p].mean()) for p in parts) / len(order))


def chance_error(stated: Sequence[float], draws: int = 300) -> float:
    """The expected calibration error that probabilities have although each comes true: the mean over outcomes drawn by
    them, since in bins of a few questions shares differ by chance."""
    values, rng = np.array(stated), np.random.default_rng(0)
    outcomes = (rng.random(len(values)) < values for _ in range(draws))
    return float(np.mean([calibration_error(stated, outcome.tolist()) for outcome in outcomes]))


def rank_area(stated: Sequence[float], right: Sequence[bool]) -> float:
    """How often a right one is stated likelier than one that is not (the area under the ROC curve); .5 by chance."""
    values, outcomes = np.array(stated), np.array(right)
    good, bad = values[outcomes], values[~outcomes]
    if not len(good) or not len(bad):
        return math.nan
    return float(((good[:, None] > bad[None, :]) + 0.5 * (good[:, None] == bad[None, :])).mean())
