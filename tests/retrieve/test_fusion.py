"""Fusing what the dense and the sparse index find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.retrieve.hybrid import convex_fusion, scores_of_ranking

scores = st.dictionaries(st.integers(0, 20), st.floats(-1, 1), max_size=15)


def test_scores_are_those_of_the_formula() -> None:
    """A candidate scores its cosine plus the weight times its share of the best BM25 score."""
    fused = convex_fusion({"a": 0.5, "b": 0.4}, {"b": 8.0, "a": 2.0}, weight_words=0.2)
    assert fused == {"a": pytest.approx(0.55), "b": pytest.approx(0.6)}


def test_the_sparse_index_may_find_nothing() -> None:
    """With no hit by words the cosine alone decides."""
    assert convex_fusion({"a": 0.5}, {}, 0.2) == {"a": 0.5}


@given(scores, st.floats(0, 1))
def test_agreement_never_hurts(cosines: dict[int, float], weight: float) -> None:
    """What the sparse index found too never scores less than by meaning alone, and nothing is lost or invented."""
    fused = convex_fusion(cosines, dict.fromkeys(cosines, 3.0), weight)
    assert fused.keys() == cosines.keys()
    assert all(fused[key] >= cosines[key] for key in cosines)


@given(st.lists(st.floats(-1, 1), max_size=12))
def test_shown_scores_keep_the_ranking(cosines: list[float]) -> None:
    """Scores fall with the rank, none is under its own cosine, and each is the cosine of this or a lower rank."""
    shown = list(scores_of_ranking(range(len(cosines)), dict(enumerate(cosines))).values())[::-1]
    assert shown == sorted(shown, reverse=True)
    assert all(score >= cosine for score, cosine in zip(shown, cosines, strict=True))
    assert all(score in cosines[rank:] for rank, score in enumerate(shown))
