"""Exact cosines between a query vector and stored ones.

Every function may raise StoreError, Damaged and sqlite3.Error.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rag_app.errors import StoreError
from rag_app.index.search_index import Scored, ordered
from rag_app.index.vectors import Vector, stack, unit_vectors


def cosines(connection: sqlite3.Connection, passage_ids: Iterable[int], vector: Sequence[float]) -> dict[int, float]:
    """Cosine (-1 to 1) to each passage that is there."""
    sql = """SELECT passage_id, v.vector FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value
        LEFT JOIN vectors.vectors v ON v.vector_id = p.vector_id"""
    return dict(_scored(connection, sql, (json.dumps(list(passage_ids)),), unit_vectors([list(vector)])[0]))


def nearest_of_all(
    connection: sqlite3.Connection, query: Vector, k: int, rule_ids: frozenset[str], without: frozenset[int]
) -> Scored:
    """The `k` nearest of all passages under the rules but those of rows `without`, by comparing each."""
    sql = """SELECT passage_id, v.vector FROM documents d CROSS JOIN passages p ON p.doc = d.doc
        LEFT JOIN vectors.vectors v ON v.vector_id = p.vector_id
        WHERE d.live = 1 AND d.rule_id IN (SELECT value FROM json_each(?))
        AND d.doc NOT IN (SELECT value FROM json_each(?))"""
    return ordered(_scored(connection, sql, (json.dumps(sorted(rule_ids)), json.dumps(sorted(without))), query))[:k]


def _scored(
    connection: sqlite3.Connection, sql: str, values: tuple[Any, ...], query: Vector
) -> list[tuple[int, float]]:
    rows = connection.execute(sql, values).fetchall()
    if not rows:
        return []
    vectors = stack([row[1] for row in rows])
    if vectors.shape[1] != len(query):
        raise StoreError(
            f"The index holds vectors of {vectors.shape[1]} numbers and was asked with one of {len(query)}: use the "
            "embedder it was built with."
        )
    scores = vectors @ query
    # Rounded, so that equal vectors score equally whatever the order they were multiplied in.
    rounded = np.round(np.clip(scores, -1.0, 1.0).astype(np.float64), 6).tolist()
    return [(row[0], score) for row, score in zip(rows, rounded, strict=True)]
