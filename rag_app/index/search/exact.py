"""Exact search by meaning: each passage's vector is compared with the query's."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rag_app.errors import StoreError
from rag_app.index.search.search_index import Scored, Vector


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Vectors of some passages, held to be compared."""

    passage_ids: npt.NDArray[np.int64]
    """Shape (n,)."""
    docs: npt.NDArray[np.int64]
    """The row of each passage's document, shape (n,)."""
    vectors: Vector
    """Of length 1, shape (n, dimension)."""


def nearest(parts: Iterable[PassageVectors], query: Vector, k: int, without: frozenset[int]) -> Scored:
    """The `k` passages nearest to a query vector of length 1, with their cosine, best first; none of document rows
    `without`. Parts are looked at one after another, so that they need not all be in memory."""
    ids, scores = np.empty(0, dtype=np.int64), np.empty(0)
    for part in parts:
        allowed = ~np.isin(part.docs, sorted(without))
        ids = np.concatenate([ids, part.passage_ids[allowed]])
        scores = np.concatenate([scores, cosines(part.vectors, query)[allowed]])
        if len(scores) > k:
            near = scores >= np.partition(scores, -k)[-k]
            ids, scores = ids[near], scores[near]
        best = np.lexsort((ids, -scores))[:k]
        ids, scores = ids[best], scores[best]
    return list(zip(ids.tolist(), scores.tolist(), strict=True))


def cosines(vectors: Vector, query: Vector) -> npt.NDArray[np.float64]:
    """The cosine (-1 to 1) of each of some unit vectors with a query's, shape (n,).

    Raises StoreError where the query is of another dimension.
    """
    if vectors.shape[1] != len(query):
        raise StoreError(
            f"The index holds vectors of {vectors.shape[1]} numbers and was asked with one of {len(query)}: use "
            "the embedder it was built with."
        )
    # Not by BLAS, whose threads save nothing here and wait for each other on a busy machine. Rounded, so that equal
    # vectors score equally whatever the order they were multiplied in.
    return np.round(np.clip(np.einsum("ij,j->i", vectors, query), -1.0, 1.0).astype(np.float64), 6)
