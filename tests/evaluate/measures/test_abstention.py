"""Abstention and risk by coverage, by hand and by their bounds."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import UsageError
from rag_app.evaluate.measures.abstention import abstention, confidence, risk_coverage

PAIRS = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=40)


def test_by_hand() -> None:
    """Two of three refusals are right, two of four questions without an answer were refused, two of six answered."""
    outcomes = [(True, "answered"), (True, "refused"), (False, "refused"), (False, "refused"), (False, "answered"),
                (False, "error")]  # fmt: skip
    found = abstention(outcomes)
    assert (found.precision.k, found.precision.n) == (2, 3)
    assert (found.recall.k, found.recall.n) == (2, 4)
    assert (found.coverage.k, found.coverage.n) == (2, 6)
    assert found.errors == 1


def test_questions_about_one_document_are_one_piece_of_evidence() -> None:
    """The intervals are over groups of documents, so that ten questions about two documents say less than ten."""
    outcomes = [(False, "refused" if n < 5 else "answered") for n in range(10)]
    alone, together = abstention(outcomes), abstention(outcomes, "aaaaabbbbb")
    assert alone.recall.share == together.recall.share == 0.5
    assert together.recall.interval.width > alone.recall.interval.width
    assert abstention(outcomes[:5], "aaaaa").recall.interval.low < 1


def test_an_error_is_no_refusal() -> None:
    """A question that failed raises neither precision nor recall, though nothing was answered."""
    failed, refused = abstention([(False, "error")]), abstention([(False, "refused")])
    assert failed.recall.share == 0.0
    assert failed.precision.share is None
    assert refused.recall.share == 1.0


def test_own_knowledge_is_an_answer() -> None:
    """Words that rest on nothing are no abstention."""
    assert abstention([(False, "ungrounded")]).coverage.share == 1.0


def test_confidence_is_that_of_the_surest_part() -> None:
    """Of several parts the surest counts; where no draft was made there is none."""
    assert confidence({"decline.probability.1": 0.2, "decline.probability.2": 0.7, "gate.best_cosine": 0.9}) == 0.7
    assert confidence({"gate.best_cosine": 0.9}) == 0.0


def test_curve_by_hand() -> None:
    """Right, wrong, right, surest first: risks 0, 1/2, 1/3 at coverages 1/3, 2/3, 1."""
    curve = risk_coverage([(0.9, True), (0.5, False), (0.2, True)])
    assert [point.coverage for point in curve.points] == pytest.approx([1 / 3, 2 / 3, 1])
    assert [point.risk for point in curve.points] == pytest.approx([0, 1 / 2, 1 / 3])
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)
    assert curve.best == pytest.approx((0 + 0 + 1 / 3) / 3)


@given(PAIRS)
def test_area_within_its_bounds(pairs: list[tuple[float, bool]]) -> None:
    """The area lies between that of a perfect order and that of the worst, and says nothing of the order of input."""
    curve = risk_coverage(pairs)
    errors = sum(not right for _, right in pairs)
    worst = risk_coverage([(float(not right), right) for _, right in pairs]).area
    assert curve.best - 1e-9 <= curve.area <= worst + 1e-9
    assert curve.best == pytest.approx(risk_coverage([(float(right), right) for _, right in pairs]).area)
    assert curve.points[-1].coverage == 1.0
    assert curve.points[-1].risk == pytest.approx(errors / len(pairs))
    shuffled = random.Random(1).sample(pairs, len(pairs))
    assert risk_coverage(shuffled).area == pytest.approx(curve.area)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_one_confidence_for_all(rights: list[bool]) -> None:
    """Where all answers are equally sure, the area is the share of wrong ones."""
    assert risk_coverage([(0.5, right) for right in rights]).area == pytest.approx(rights.count(False) / len(rights))


def test_no_answers() -> None:
    """Of nothing there is no curve."""
    with pytest.raises(UsageError):
        risk_coverage([])
