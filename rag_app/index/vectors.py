"""Embeddings by text, kept beside the generations, so that no text is embedded twice.

A build that was stopped, a repaired leg, a rebuild and a change of readers find the vectors here. They are also what
exact similarities are computed from, since Chroma answers with approximate lists.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rag_app.errors import StoreError
from rag_app.fingerprint import same_embedder
from rag_app.index.sqlite import compact, connect, mapped_sqlite_errors, reading_uri, transaction

Vector = npt.NDArray[np.float32]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedders (embedder_id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
    embedder_id INTEGER NOT NULL,
    text_sha BLOB NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (embedder_id, text_sha)
);
"""
_AT_ONCE = 10_000


def text_key(text: str) -> bytes:
    """What a text is known by among the vectors of one embedder."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def unit_vectors(vectors: npt.ArrayLike) -> Vector:
    """Rows scaled to length 1, shape (n, dimension); rows of zeros stay zeros."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


class VectorStore:
    """The vectors of one embedder, opened for writing by the one writer."""

    def __init__(self, file: Path, fingerprint: str) -> None:
        """Raises StoreError where the file cannot be opened or is damaged."""
        self._file = file
        self._connection = connect(file, writable=True)
        with self._mapped():
            self._connection.executescript(_SCHEMA)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._embedder_id = self._find(fingerprint)

    def __enter__(self) -> "VectorStore":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def known(self, keys: Iterable[bytes]) -> dict[bytes, int]:
        """Vector ids by text key, of those that are there."""
        found: dict[bytes, int] = {}
        with self._mapped():
            for key in keys:
                row = self._connection.execute(
                    "SELECT vector_id FROM vectors WHERE embedder_id = ? AND text_sha = ?", (self._embedder_id, key)
                ).fetchone()
                if row:
                    found[key] = row[0]
        return found

    def put(self, keys: Sequence[bytes], vectors: Vector) -> None:
        """Stores unit vectors for good, shape (len(keys), dimension)."""
        rows = [(self._embedder_id, key, row.tobytes()) for key, row in zip(keys, vectors, strict=True)]
        with self._mapped(), transaction(self._connection):
            self._connection.executemany(
                "INSERT OR IGNORE INTO vectors (embedder_id, text_sha, vector) VALUES (?, ?, ?)", rows
            )

    def get(self, vector_ids: Sequence[int]) -> Vector:
        """Vectors in the order asked, shape (len(vector_ids), dimension).

        Raises:
            StoreError: one is missing or of another dimension.
        """
        found: dict[int, bytes] = {}
        with self._mapped():
            sql = "SELECT vector FROM vectors WHERE vector_id = ?"
            for vector_id in vector_ids:
                row = self._connection.execute(sql, (vector_id,)).fetchone()
                if row:
                    found[vector_id] = row[0]
        try:
            return stack([found[vector_id] for vector_id in vector_ids])
        except (KeyError, ValueError) as error:
            raise StoreError(
                f"{self._file} has lost vectors: build the index anew with --rebuild.", path=str(self._file)
            ) from error

    def dimension(self) -> int:
        """Numbers in a vector of this embedder; 0 while there is none."""
        with self._mapped():
            row = self._connection.execute(
                "SELECT length(vector) FROM vectors WHERE embedder_id = ? LIMIT 1", (self._embedder_id,)
            ).fetchone()
        return row[0] // 4 if row else 0

    def prune(self, in_use: Iterable[int]) -> None:
        """Forgets every vector that is not in use, of whichever embedder."""
        with self._mapped(), transaction(self._connection):
            self._connection.execute("CREATE TEMP TABLE IF NOT EXISTS in_use (vector_id INTEGER PRIMARY KEY)")
            self._connection.execute("DELETE FROM in_use")
            self._connection.executemany("INSERT OR IGNORE INTO in_use VALUES (?)", ((v,) for v in in_use))
            self._connection.execute("DELETE FROM vectors WHERE vector_id NOT IN (SELECT vector_id FROM in_use)")

    def compact(self) -> None:
        """Leaves nothing in the file that is not in use."""
        with self._mapped():
            compact(self._connection)

    def _find(self, fingerprint: str) -> int:
        for embedder_id, known in self._connection.execute("SELECT embedder_id, fingerprint FROM embedders").fetchall():
            if same_embedder(known, fingerprint):
                return embedder_id
        cursor = self._connection.execute("INSERT INTO embedders (fingerprint) VALUES (?)", (fingerprint,))
        return int(cursor.lastrowid or 0)

    def _mapped(self):
        return mapped_sqlite_errors(self._file)


def stack(blobs: Sequence[bytes]) -> Vector:
    """Stored vectors as one array, shape (n, dimension). Raises ValueError where their dimensions differ."""
    if not blobs:
        return np.empty((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(blobs), dtype=np.float32).reshape(len(blobs), len(blobs[0]) // 4)


def attach(connection: sqlite3.Connection, file: Path) -> None:
    """Lets a reading connection see the vectors as `vectors.vectors`."""
    with mapped_sqlite_errors(file):
        connection.execute("ATTACH DATABASE ? AS vectors", (reading_uri(file),))
