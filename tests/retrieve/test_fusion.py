"""Fusing what the two legs find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.retrieve.fusion import convex_fusion

scores = st.dictionaries(st.integers(0, 20), st.floats(-1, 1), max_size=15)


def test_scores_are_those_of_the_formula() -> None:
    """A candidate scores its cosine plus the weight times its share of the best BM25 score."""
    fused = convex_fusion({"a": 0.5, "b": 0.4}, {"b": 8.0, "a": 2.0}, weight_words=0.2)
    assert fused == {"a": pytest.approx(0.55), "b": pytest.approx(0.6)}


def test_the_words_leg_may_find_nothing() -> None:
    """With no hit by words the cosine alone decides."""
    assert convex_fusion({"a": 0.5}, {}, 0.2) == {"a": 0.5}


@given(scores, st.floats(0, 1))
def test_agreement_never_hurts(cosines: dict[int, float], weight: float) -> None:
    """What the words leg found too never scores less than by meaning alone, and nothing is lost or invented."""
    fused = convex_fusion(cosines, dict.fromkeys(cosines, 3.0), weight)
    assert fused.keys() == cosines.keys()
    assert all(fused[key] >= cosines[key] for key in cosines)
