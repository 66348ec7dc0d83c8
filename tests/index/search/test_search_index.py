"""Exact search compares every vector, in however many parts they come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import StoreError
from rag_app.index.search.search_index import PassageVectors, nearest, unit_vectors


@given(
    count=st.integers(1, 60),
    k=st.integers(1, 70),
    size=st.integers(1, 25),
    without=st.frozensets(st.integers(0, 7), max_size=5),
    seed=st.integers(0, 1000),
)
def test_the_nearest_are_those_of_brute_force(
    count: int, k: int, size: int, without: frozenset[int], seed: int
) -> None:
    """Whatever the parts, the best `k` come out, equal ones by their ids, and none of an excluded document."""
    rng = np.random.default_rng(seed)
    vectors = unit_vectors(rng.integers(-1, 2, (count, 3)))  # few directions: many are equally near
    ids, docs, query = rng.permutation(count), rng.integers(0, 8, count), unit_vectors([rng.normal(size=3)])[0]
    whole = PassageVectors(ids, docs, vectors)
    parts = [
        PassageVectors(ids[at : at + size], docs[at : at + size], vectors[at : at + size])
        for at in range(0, count, size)
    ]
    scores = sorted(
        (-round(float(vector @ query), 6) + 0.0, int(key))
        for key, doc, vector in zip(ids, docs, vectors, strict=True)
        if int(doc) not in without
    )
    found = nearest(parts, query, k, without)
    assert found == nearest([whole], query, k, without)
    assert [key for key, _ in found] == [key for _, key in scores[:k]] or [score for _, score in found] == (
        pytest.approx([-score for score, _ in scores[:k]], abs=2e-6)
    )


def test_a_query_of_another_dimension_is_an_error() -> None:
    """Vectors of another embedder cannot be compared, and the message says what to use."""
    part = PassageVectors(np.array([1]), np.array([1]), unit_vectors([[1.0, 0.0]]))
    with pytest.raises(StoreError, match="the embedder it was built with"):
        nearest([part], unit_vectors([[1.0, 0.0, 0.0]])[0], 1, frozenset())
