"""Fits the two thresholds of an index to observations, and says how well they do, or why there are too few."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from rag_app.evaluate.fit.logistic import (
    FOLDS,
    Bin,
    Logistic,
    Observation,
    cross_validated,
    fit_logistic,
    log_loss,
    reliability,
)
from rag_app.evaluate.measures.statistics import Rate
from rag_app.index.calibration import Decline

WIDEST = 0.25
"""Width of the interval of a share from which on it says too little to set a gate by."""
LEAST_DRAFTS = 20
"""Drafts from which on the scale of the decline is fitted; few move it little from the one in force."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The two ways in which a threshold is wrong."""

    false_open: Rate
    """Of what was not good, the share let through."""
    false_close: Rate
    """Of what was good, the share kept back."""

    @property
    def number(self) -> int:
        return self.false_open.k + self.false_close.k

    @classmethod
    def of(cls, is_open: Sequence[bool], observations: Sequence[Observation]) -> "Errors":
        pairs = list(zip(is_open, observations, strict=True))
        good = sum(o.is_good for o in observations)
        return cls(
            Rate(sum(opened and not o.is_good for opened, o in pairs), len(pairs) - good),
            Rate(sum(not opened and o.is_good for opened, o in pairs), good),
        )


@dataclass(frozen=True, slots=True)
class Fitted:
    """One threshold, before and after."""

    model: Logistic | None
    """None where nothing was fitted."""
    threshold: float | None
    """None where nothing is changed, for `reason`."""
    reason: str | None
    before: Errors
    after: Errors | None
    """Cross-validated: each group of documents judged by what the others say."""
    loss_before: float | None
    """Mean surprise (log loss) of the probabilities stated now; None where none are."""
    loss_after: float | None
    """The same, cross-validated, of those that would be stated."""
    table: tuple[Bin, ...]
    """Stated against found, cross-validated."""
    predicted: tuple[float, ...] = ()
    """For each observation the probability by a fit to the other groups; empty where nothing was fitted."""


def odds(cost: float) -> float:
    """The probability from which on a chance of being right outweighs what being wrong costs."""
    return cost / (1 + cost)


def fit_decline(observations: Sequence[Observation], wrong_cost: float, in_force: Decline, default: Decline) -> Fitted:
    """When to decline a draft: where its chance of being right does not outweigh `wrong_cost`.

    The default scale is the prior, so that few questions move it little. A new one is taken only if, cross-validated,
    it surprises less than the default.

    Args:
        observations: scores of drafts, and whether the draft was right.
        in_force: the scale and threshold by which drafts are shown now.
        default: those of an index that was never calibrated.
    """
    now = [in_force.probability(o.value) for o in observations]
    before = Errors.of([p >= in_force.threshold for p in now], observations)
    threshold = odds(wrong_cost)
    groups = len({o.group for o in observations})
    reason = None
    if len(observations) < LEAST_DRAFTS:
        reason = f"something was found for {len(observations)} parts of questions; at least {LEAST_DRAFTS} are needed"
    elif groups < FOLDS:
        reason = f"the questions are about {groups} groups of documents; at least {FOLDS} are needed"
    if reason:
        return Fitted(None, None, reason, before, None, None, None, ())
    prior = (default.slope, default.middle)
    predicted = cross_validated(observations, prior=prior)
    loss_before, loss_after = log_loss(now, observations), log_loss(predicted, observations)
    if loss_after >= log_loss([default.probability(o.value) for o in observations], observations):
        reason = "the default probabilities fit these questions as well as any that were fitted to them"
    after = Errors.of([p >= threshold for p in predicted], observations)
    return Fitted(
        fit_logistic(observations, prior), None if reason else threshold, reason, before, after,
        loss_before, loss_after, reliability(predicted, observations), tuple(predicted),
    )  # fmt: skip


def fit_gate(
    observations: Sequence[Observation],
    shown: Sequence[bool | None],
    wrong_cost: float,
    threshold_now: float,
    default: float,
) -> Fitted:
    """When to close the gate: where going on costs more than it brings.

    Behind an open gate a draft can still be declined. So an open gate brings the share of right answers that comes of
    evidence, and costs the share of wrong ones that comes of none. These shares are taken over all cosines, which is
    rough; so a gate is taken only if, on the questions asked, it is wrong less often than the default one and loses no
    more right answers than it saves wrong ones.

    Args:
        observations: best cosines, and whether the evidence reached the draft.
        shown: for each whether what would be shown behind an open gate is right; None where it would be declined.
        wrong_cost: how many refusals of a right answer one wrong answer costs.
        threshold_now: the cosine from which the gate is open now.
        default: that of an index that was never calibrated, so that a gate which is in force already is found again.
    """
    is_open_by_default = [o.value >= default for o in observations]
    is_open_now = [o.value >= threshold_now for o in observations]
    before = Errors.of(is_open_now, observations)
    if reason := _too_few(observations, "answerable"):
        return Fitted(None, None, reason, before, None, None, None, ())
    outcomes = list(zip(observations, shown, strict=True))
    gain = _share(right is True for o, right in outcomes if o.is_good)
    harm = _share(right is not None for o, right in outcomes if not o.is_good)
    least = odds(wrong_cost * harm / gain)

    def gate_of(fitted: Logistic) -> Callable[[float], float]:
        return lambda cosine: float(fitted.slope <= 0 or cosine >= _cosine(fitted, least))

    is_open = [bool(answer) for answer in cross_validated(observations, gate_of)]
    predicted = cross_validated(observations)
    model = fit_logistic(observations)
    fitted = _judged(
        model, _cosine(model, least) if model.slope > 0 else -1.0, before, Errors.of(is_open, observations), None,
        log_loss(predicted, observations), reliability(predicted, observations),
    )  # fmt: skip
    worth = {True: 1.0, False: -wrong_cost, None: 0.0}
    now, then = (
        sum(worth[right] for right, o in zip(shown, gate, strict=True) if o) for gate in (is_open_by_default, is_open)
    )
    reason = fitted.reason
    if reason is None and then < now:
        reason = f"a gate at {fitted.threshold:.3f} would lose more right answers than it saves wrong ones"
    elif (
        reason is None and Errors.of(is_open, observations).number >= Errors.of(is_open_by_default, observations).number
    ):
        reason = f"a gate at {fitted.threshold:.3f} would be wrong no less often"
    return replace(fitted, threshold=None if reason else fitted.threshold, reason=reason)


def _share(values: Iterable[bool]) -> float:
    """Of those that are true; as if two more were half true (Laplace), so that no share is 0."""
    counted = list(values)
    return (sum(counted) + 1) / (len(counted) + 2)


def _cosine(fitted: Logistic, probability: float) -> float:
    return max(-1.0, min(1.0, round(fitted.inverse(probability), 4)))


def _too_few(observations: Sequence[Observation], good: str) -> str | None:
    """Why nothing can be fitted at all."""
    groups = {o.group for o in observations}
    if len(groups) < 2 * FOLDS:
        return f"the questions are about {len(groups)} groups of documents; at least {2 * FOLDS} are needed"
    for fold_good in (True, False):
        of_kind = {o.group for o in observations if o.is_good is fold_good}
        if len(of_kind) < FOLDS:
            kind = good if fold_good else f"not {good}"
            return f"cases that are {kind} come from {len(of_kind)} groups of documents; at least {FOLDS} are needed"
    return None


def _judged(
    model: Logistic, threshold: float, before: Errors, after: Errors, loss_before: float | None, loss_after: float,
    table: tuple[Bin, ...],
) -> Fitted:  # fmt: skip
    reason = None
    for name, rate in (("wrongly open", after.false_open), ("wrongly closed", after.false_close)):
        if rate.interval.width > WIDEST:
            reason = (
                f"the share {name} would be known only as {rate}: an interval of {rate.interval.width:.2f}, and no "
                f"more than {WIDEST} says enough; about {_needed(rate)} such cases are needed"
            )
    if model.slope_interval.low <= 0:
        reason = "the number says nothing about these questions: good and bad ones have it alike"
    return Fitted(model, None if reason else threshold, reason, before, after, loss_before, loss_after, table)


def _needed(rate: Rate) -> int:
    """How many cases with the same share would have an interval that is narrow enough."""
    share = rate.share or 0.0
    n = max(1, rate.n)
    while Rate(round(share * n), n).interval.width > WIDEST:
        n += 1
    return n
