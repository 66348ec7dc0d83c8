"""When a draft without a language model is declined: how likely its best statement is right, and from where on."""

from dataclasses import dataclass

from rag_app.answer import Trace
from rag_app.index.calibration import Calibration, Decline
from rag_app.settings import ENGLISH_CROSS_ENCODER, ENGLISH_EMBEDDER, Settings
from rag_app.synthesize.offline.fitted import Weights


@dataclass(frozen=True, slots=True)
class Declining:
    """What decides about a decline: the calibration of the index, else the defaults; a set threshold goes first."""

    calibrated: Decline | None = None
    threshold: float | None = None
    """Setting; None: the calibrated one, else the fitted one."""
    note: str | None = None
    """Why a calibration that there is does not hold."""
    reads_only_english: bool = False
    """Whether the embedder or the cross-encoder is one of those that come with the installation."""

    @classmethod
    def of(cls, calibration: Calibration | None, settings: Settings) -> "Declining":
        """A calibration holds for the cross-encoder that it was made with."""
        english = settings.embedding == ENGLISH_EMBEDDER or settings.cross_encoder == ENGLISH_CROSS_ENCODER
        if calibration is None or calibration.decline is None:
            return cls(threshold=settings.decline_threshold, reads_only_english=english)
        if calibration.cross_encoder != settings.cross_encoder:
            note = (
                f"The calibration of declines was left out: it was made with the cross-encoder "
                f"{calibration.cross_encoder}, not with {settings.cross_encoder}."
            )
            return cls(threshold=settings.decline_threshold, note=note, reads_only_english=english)
        return cls(calibration.decline, settings.decline_threshold, reads_only_english=english)

    def rule(self, default: Decline, trace: Trace) -> Decline:
        """Scale and threshold for drafts that `default` is made for; the trace says where a calibration is left out."""
        rule = self.calibrated or default
        if rule.with_cross_encoder != default.with_cross_encoder:
            trace.warn(
                "The calibration of declines was left out: it was made with"
                + (
                    " a cross-encoder, and none read"
                    if rule.with_cross_encoder
                    else "out a cross-encoder, and one read"
                )
                + " this question."
            )
            rule = default
        elif self.note:
            trace.warn(self.note)
        threshold = rule.threshold if self.threshold is None else self.threshold
        trace.numbers["decline.threshold"] = threshold
        trace.numbers["decline.calibrated"] = float(rule is self.calibrated)
        return Decline(rule.slope, rule.middle, threshold, rule.with_cross_encoder)


def default_decline(weights: Weights) -> Decline:
    """When drafts chosen by these weights are declined where nothing was calibrated: their score is in log odds."""
    return Decline(1.0, 0.0, weights.threshold, weights.reads_pairs)
