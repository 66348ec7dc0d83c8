"""Embeddings by text, kept beside the generations, so that no text is embedded twice.

A build that was stopped, a repaired index, a rebuild and a change of readers find the vectors here. They are also what
exact similarities are computed from, since Chroma answers with approximate lists.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from rag_app.errors import StoreError
from rag_app.index.search.search_index import Vector, stack
from rag_app.index.sqlite import Damaged, compact, connect, mapped_sqlite_errors, reading_uri, transaction
from rag_app.llm.fingerprint import same_embedder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedders (embedder_id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS vectors (
    vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
    embedder_id INTEGER NOT NULL,
    text_sha BLOB NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (embedder_id, text_sha)
) STRICT;
"""
_AT_ONCE = 1000
_KEY_BYTES = 16
_ROWS = "SELECT vector_id, text_sha, vector FROM vectors WHERE vector_id"


def text_key(text: str) -> bytes:
    """What a text is known by among the vectors of one embedder."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


class VectorStore:
    """The vectors of one embedder, opened for writing by the one writer."""

    def __init__(self, file: Path, fingerprint: str, *, first_id: int = 0) -> None:
        """Opens the file, or makes it with ids from `first_id`. Raises StoreError where it is damaged."""
        self._file = file
        self._connection = connect(file, writable=True)
        try:
            with self._mapped():
                self._connection.executescript(_SCHEMA)
                if first_id:
                    self._connection.execute("INSERT INTO sqlite_sequence VALUES ('vectors', ?)", (first_id - 1,))
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._embedder_id = self._find(fingerprint)
        except StoreError:
            self._connection.close()
            raise

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
        sql = "SELECT vector FROM vectors WHERE vector_id = ?"
        with self._mapped():
            rows = [self._connection.execute(sql, (vector_id,)).fetchone() for vector_id in vector_ids]
            return stack([row[0] if row else None for row in rows])

    def take(self, file: Path, vector_ids: Iterable[int]) -> dict[int, int]:
        """Takes over vectors of the same embedder from another store's file; returns ids here by ids there."""
        wanted, ids = sorted(vector_ids), {}
        with closing(connect(file, writable=False)) as other:
            for begin in range(0, len(wanted), _AT_ONCE):
                asked = json.dumps(wanted[begin : begin + _AT_ONCE])
                with mapped_sqlite_errors(file):
                    rows = other.execute(f"{_ROWS} IN (SELECT value FROM json_each(?))", (asked,)).fetchall()
                    vectors = stack([row[2] for row in rows])
                self.put([row[1] for row in rows], vectors)
                here = self.known(row[1] for row in rows)
                ids |= {row[0]: here[row[1]] for row in rows}
        return ids

    def dimension(self) -> int:
        """Numbers in a vector of this embedder; 0 while there is none."""
        with self._mapped():
            row = self._connection.execute(
                "SELECT length(vector) FROM vectors WHERE embedder_id = ? LIMIT 1", (self._embedder_id,)
            ).fetchone()
        return row[0] // 4 if row else 0

    def verify(self, dimension: int) -> None:
        """Reads everything.

        Raises:
            Damaged: a vector is not `dimension` finite numbers of length 1 (or 0, for a text of nothing).
            sqlite3.Error: the file cannot be read.
        """
        found = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise Damaged(str(found).partition("\n")[0])
        sql = "SELECT text_sha, vector FROM vectors WHERE embedder_id = ?"
        rows = self._connection.execute(sql, (self._embedder_id,))
        while batch := rows.fetchmany(_AT_ONCE):
            if any(len(key) != _KEY_BYTES or len(vector) != 4 * dimension for key, vector in batch):
                raise Damaged(f"a vector has not {dimension} numbers")
            stack([vector for _, vector in batch])

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
        rows = self._connection.execute("SELECT embedder_id, fingerprint FROM embedders")
        for embedder_id, known in rows:
            if same_embedder(known, fingerprint):
                return embedder_id
        cursor = self._connection.execute("INSERT INTO embedders (fingerprint) VALUES (?)", (fingerprint,))
        return int(cursor.lastrowid or 0)

    def _mapped(self):
        return mapped_sqlite_errors(self._file)


def attach(connection: sqlite3.Connection, file: Path) -> None:
    """Lets a reading connection see the vectors as `vectors.vectors`."""
    with mapped_sqlite_errors(file):
        connection.execute("ATTACH DATABASE ? AS vectors", (reading_uri(file),))
