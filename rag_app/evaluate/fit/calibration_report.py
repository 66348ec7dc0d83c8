"""What a calibration found, from what, and how it differs from what is in force."""

from dataclasses import asdict, dataclass
from typing import Any

from rag_app.evaluate.fit.forecast import CurvePoint, Forecast
from rag_app.evaluate.fit.thresholds import Fitted
from rag_app.index.calibration import Calibration, Decline


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What was fitted, from what, and how it differs from what is in force."""

    index: str
    questions: str
    split: str
    asked: int
    groups: int
    wrong_cost: float
    gate: Fitted
    gate_now: float
    decline: Fitted
    decline_now: Decline
    calibration: Calibration | None
    """What would be put in force; None where there were too few questions for anything."""
    in_force: Calibration | None
    notes: tuple[str, ...]
    forecast: Forecast
    curve: tuple[CurvePoint, ...]

    @property
    def would_change(self) -> bool:
        """Whether applying it changes anything."""
        return self.calibration is not None and self.calibration != self.in_force

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "would_change": self.would_change}

    def __str__(self) -> str:
        lines = [
            f"{self.index}: {self.asked}{f' {self.split}' if self.split else ''} questions of {self.questions}, in "
            f"{self.groups} groups of documents.",
            "",
            f"{self.forecast}{' ' + self._verdict if self._verdict else ''}",
            "",
            *_curve(self),
            "",
            "In detail",
            *_lines("Confidence gate (cosine)", self.gate, _number(self.gate_now), _gate(self)),
            *_lines("Decline without a language model", self.decline, _rule(self.decline_now), _decline(self)),
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        """Why nothing would change; "" where something would."""
        if self.calibration is None:
            return f"Nothing would change: {self.decline.reason or self.gate.reason}."
        return "" if self.would_change else "Nothing would change: this is in force already."


def _curve(report: CalibrationReport) -> list[str]:
    """What each `wrong_cost` would bring, in words and as a table."""
    lines = [
        "wrong_cost says how many refusals of a right answer one wrong answer is worth to you: at cost c an answer is "
        "shown where it is right with a probability of at least c / (1 + c). Of these questions:",
        "  wrong_cost  shown from  answered, right  answered, wrong  refused though answerable",
    ]
    for point in report.curve:
        mark = "  <- in force" if point.wrong_cost == report.wrong_cost else ""
        lines.append(
            f"  {point.wrong_cost:>10g}  {point.threshold:>10.2f}  {point.right:>15}  {point.wrong:>15}  "
            f"{point.refused:>25}{mark}"
        )
    return lines


def _lines(what: str, fitted: Fitted, now: str, then: str) -> list[str]:
    lines = [f"{what}: {now} -> {then}" if fitted.reason is None else f"{what}: {now}, unchanged: {fitted.reason}."]
    after = fitted.after
    for name, before, later in (
        ("open though there is no right answer", fitted.before.false_open, after and after.false_open),
        ("closed though there is one", fitted.before.false_close, after and after.false_close),
    ):
        lines.append(f"  {name}: {before}" + (f" -> {later}" if later else ""))
    if fitted.loss_after is not None:
        before = f"{fitted.loss_before:.3f} -> " if fitted.loss_before is not None else ""
        lines.append(f"  surprise at what came (log loss; a coin has 0.693): {before}{fitted.loss_after:.3f}")
        lines.extend(f"  stated {bin.stated:.2f}, found {bin.found}" for bin in fitted.table)
    return lines


def _number(value: float) -> str:
    return f"{value:.4g}"


def _gate(report: CalibrationReport) -> str:
    return "" if report.gate.threshold is None else _number(report.gate.threshold)


def _rule(decline: Decline) -> str:
    return f"from {decline.threshold:.2f} on, with slope {decline.slope:.3g} and middle {decline.middle:.4g}"


def _decline(report: CalibrationReport) -> str:
    calibrated = report.calibration and report.calibration.decline
    return _rule(calibrated) if calibrated else ""
