"""Which scale and threshold decide about a decline."""

from typing import Any

import pytest

from rag_app.answer import Trace
from rag_app.index.calibration import Calibration, Decline, Declining
from rag_app.settings import load_settings

DEFAULT = Decline(0.5, 10.0, 0.4, with_cross_encoder=True)
FITTED = Decline(0.2, 13.0, 0.6, with_cross_encoder=True)


def _calibration(decline: Decline | None, cross_encoder: str = "minilm-l12") -> Calibration:
    return Calibration(None, decline, cross_encoder, "2/110/0", 1.75, "abc", "dev", 100)


@pytest.mark.parametrize(
    ("calibration", "settings", "rule", "is_calibrated"),
    [
        (None, {}, DEFAULT, False),
        (_calibration(None), {}, DEFAULT, False),
        (_calibration(FITTED), {}, FITTED, True),
        (_calibration(FITTED), {"decline_threshold": 0.9}, Decline(0.2, 13.0, 0.9, True), True),
        (None, {"decline_threshold": 0.0}, Decline(0.5, 10.0, 0.0, True), False),
    ],
)
def test_order(calibration: Calibration | None, settings: dict[str, Any], rule: Decline, is_calibrated: bool) -> None:
    """A calibration overrides the default, and a threshold that is set overrides both; the trace shows them."""
    trace = Trace()
    assert Declining.of(calibration, load_settings(**settings)).rule(DEFAULT, trace) == rule
    assert trace.numbers == {"decline.threshold": rule.threshold, "decline.calibrated": float(is_calibrated)}
    assert trace.warnings == []


def test_another_cross_encoder() -> None:
    """A calibration made with another cross-encoder does not hold, and the trace says so."""
    trace = Trace()
    declining = Declining.of(_calibration(FITTED, "minilm-l6"), load_settings())
    assert declining.rule(DEFAULT, trace) == DEFAULT
    assert "made with the cross-encoder minilm-l6, not with minilm-l12" in trace.warnings[0]


def test_a_cross_encoder_that_is_missing() -> None:
    """Where no cross-encoder read this question, what was fitted with one does not hold, and the trace says so."""
    trace, without = Trace(), Decline(0.3, 30.0, 0.4, with_cross_encoder=False)
    assert Declining.of(_calibration(FITTED), load_settings()).rule(without, trace) == without
    assert "left out" in trace.warnings[0]
    assert trace.numbers["decline.calibrated"] == 0.0


def test_probability() -> None:
    """At the middle a draft is as likely right as wrong; far from it the chance is 0 or 1, not an overflow."""
    assert FITTED.probability(13.0) == 0.5
    assert FITTED.probability(-1e6) == pytest.approx(0)
    assert FITTED.probability(1e6) == 1.0
