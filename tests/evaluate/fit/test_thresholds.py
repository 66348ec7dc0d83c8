"""The two thresholds: where they come to lie, and when nothing is changed."""

import random
from collections.abc import Sequence

import pytest

from rag_app.evaluate.fit.logistic import Observation
from rag_app.evaluate.fit.thresholds import Errors, fit_decline, fit_gate, odds
from rag_app.index.calibration import Decline
from tests.evaluate.fit.test_logistic import drawn

OVERCONFIDENT = Decline(1.2, 11.0, 0.5, with_cross_encoder=False)
"""Of `drawn(0.5, 12.0, ...)`, whose slope is .5."""


def test_cost_by_hand() -> None:
    """Where both errors cost the same, a half is enough; where a wrong answer costs twice, two thirds are."""
    assert odds(1) == 0.5
    assert odds(2) == pytest.approx(2 / 3)


def test_errors_by_hand() -> None:
    """Of two bad ones one is let through, of three good ones two are kept back."""
    observations = [Observation("g", 0, good) for good in (False, False, True, True, True)]
    errors = Errors.of([True, False, True, False, False], observations)
    assert (errors.false_open.k, errors.false_open.n) == (1, 2)
    assert (errors.false_close.k, errors.false_close.n) == (2, 3)
    assert errors.number == 3


def test_decline_states_what_comes_true() -> None:
    """From enough questions the chance that is stated fits what comes, better than that of an overconfident scale."""
    fitted = fit_decline(drawn(0.5, 12.0, 600), 2.0, OVERCONFIDENT, OVERCONFIDENT)
    assert fitted.reason is None
    assert fitted.threshold == pytest.approx(2 / 3)
    assert fitted.loss_before is not None
    assert fitted.loss_after is not None
    assert fitted.loss_after < fitted.loss_before
    assert len(fitted.table) > 1
    assert all(bin.stated in bin.found.interval for bin in fitted.table)


def test_dearer_mistakes_are_fewer() -> None:
    """The dearer a wrong answer, the fewer are shown and the more right ones are declined."""
    after = [fit_decline(drawn(0.5, 12.0, 600), cost, OVERCONFIDENT, OVERCONFIDENT).after for cost in (0.5, 2.0, 8.0)]
    opened = [errors.false_open.k for errors in after if errors]
    closed = [errors.false_close.k for errors in after if errors]
    assert opened == sorted(opened, reverse=True)
    assert closed == sorted(closed)
    assert opened[0] > opened[-1]


@pytest.mark.parametrize(
    ("observations", "words"),
    [
        ([], "for 0 parts of questions; at least 20"),
        (drawn(0.5, 12.0, 19), "for 19 parts of questions"),
        ([Observation(f"g{n % 4}", n % 7, n % 3 > 0) for n in range(40)], "4 groups of documents; at least 5"),
        (drawn(1.2, 11.0, 200), "fit these questions as well"),
    ],
)
def test_too_little_to_say_anything(observations: Sequence[Observation], words: str) -> None:
    """Too few drafts or groups, or a scale that fits no better than the default: then nothing is changed."""
    fitted = fit_decline(observations, 2.0, OVERCONFIDENT, OVERCONFIDENT)
    assert fitted.threshold is None
    assert fitted.reason is not None
    assert words in fitted.reason


def test_forty_questions_move_the_scale() -> None:
    """Forty questions are enough to be surprised less than by an overconfident default; the fit stays between both."""
    fitted = fit_decline(drawn(0.5, 12.0, 40), 2.0, OVERCONFIDENT, OVERCONFIDENT)
    assert fitted.reason is None
    assert fitted.model is not None
    assert fitted.loss_after is not None
    assert fitted.loss_before is not None
    assert 0.5 < fitted.model.slope < OVERCONFIDENT.slope
    assert fitted.loss_after < fitted.loss_before


def _questions(off_topic: float, count: int = 200) -> tuple[list[Observation], list[bool | None]]:
    """Questions about the documents near .7, of which half are answered rightly, and others near `off_topic`."""
    drawing = random.Random(1)
    about = [Observation(f"a{n % 20}", drawing.gauss(0.7, 0.03), True) for n in range(count)]
    other = [Observation(f"b{n % 20}", drawing.gauss(off_topic, 0.03), False) for n in range(count)]
    return about + other, [True if n % 2 else None for n in range(count)] + [
        False if n % 5 else None for n in range(count)
    ]


def test_gate_comes_between() -> None:
    """Questions about something else are told from the others by their cosine: the gate comes to lie between both."""
    observations, shown = _questions(off_topic=0.5)
    fitted = fit_gate(observations, shown, 2.0, -1.0, -1.0)
    assert fitted.threshold is not None
    assert 0.5 < fitted.threshold < 0.7
    assert fitted.before.false_open.share == 1.0
    assert fitted.after is not None
    assert fitted.after.number < 10


def test_gate_that_is_no_better_is_not_taken() -> None:
    """Near misses have nearly the cosines of the others: a gate that turns away as many right questions as wrong ones
    is not taken, also where the decline would keep back both."""
    observations, _ = _questions(off_topic=0.685)
    fitted = fit_gate(observations, [None for _ in observations], 2.0, 0.68, 0.68)
    assert fitted.threshold is None
    assert fitted.reason is not None
    assert "wrong no less often" in fitted.reason


def test_gate_that_costs_right_answers_is_not_taken() -> None:
    """Where what would be turned away was declined or answered rightly anyway, the gate stays as it is."""
    observations, shown = _questions(off_topic=0.6)
    kept_back = [right if o.is_good else None for o, right in zip(observations, shown, strict=True)]
    low = [n for n, o in enumerate(observations) if o.is_good and o.value < 0.66]
    for n in low:
        kept_back[n] = True
    fitted = fit_gate(observations, kept_back, 80.0, -1.0, -1.0)
    assert fitted.threshold is None
