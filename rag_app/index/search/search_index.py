"""One way to find passages: by meaning (`dense.py`) or by words (`sparse.py`).

It knows passage ids and what it searches by, no metadata; it is opened for writing by the one writer, or for reading.
What both share stands here, and the exact search by meaning, which needs no index.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from rag_app.errors import RagAppError, StoreError
from rag_app.index.sqlite import Damaged

Query = TypeVar("Query", contravariant=True)
Vector = npt.NDArray[np.float32]
"""One vector, shape (dimension,), or several, shape (n, dimension)."""

AT_ONCE = 2000
"""Entries that are added at a time: readers who want to open the index wait that long."""
_SHOWN = 160
"""Characters of what a library says in a message; it may go on for pages."""

Scored = list[tuple[int, float]]
"""Passage ids with scores, best first; equal scores by id."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One passage as dense and sparse index get it."""

    passage_id: int
    vector_id: int
    rule_id: str
    headings: str
    """Title and section headings, a line each."""
    text: str


class SearchIndex(Protocol[Query]):
    """One way to find passages. Every method raises StoreError where the store fails."""

    def begin_adding(self, count: int) -> int:
        """Prepares for `count` entries more; returns how many of them `add` should get at a time."""
        ...

    def add(self, rows: Sequence[IndexEntry], vectors: Vector) -> None: ...
    def end_adding(self) -> None: ...
    def delete(self, passage_ids: Collection[int]) -> None: ...
    def ids(self) -> set[int]: ...
    def count(self) -> int: ...
    def altered(self, rows: Sequence[IndexEntry], vectors: Vector) -> set[int]: ...
    def search(self, query: Query, k: int, rule_ids: Collection[str] | None = None) -> Scored: ...
    def close(self) -> None: ...


def unit_vectors(vectors: npt.ArrayLike) -> Vector:
    """Rows scaled to length 1, shape (n, dimension); rows of zeros stay zeros."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def stack(blobs: Sequence[bytes | None]) -> Vector:
    """Stored vectors as one array, shape (n, dimension).

    Raises Damaged where one is missing, unlike the others or not of length 1 (or 0, for a text of nothing).
    """
    if not blobs:
        return np.empty((0, 0), dtype=np.float32)
    whole = [blob for blob in blobs if isinstance(blob, bytes) and len(blob) % 4 == 0]
    if len(whole) < len(blobs) or len({len(blob) for blob in whole}) > 1:
        raise Damaged("vectors are missing or of different lengths")
    vectors = np.frombuffer(b"".join(whole), dtype=np.float32).reshape(len(whole), len(whole[0]) // 4)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", vectors, vectors)
    if not np.all((np.abs(squares - 1) < 2e-3) | (squares == 0)):
        raise Damaged("a vector has not the length 1")
    return vectors


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


def ordered(scored: Iterable[tuple[int, float]]) -> Scored:
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def lost_index(path: Path) -> StoreError:
    return StoreError(
        f"The index {path.name} in {path.parent} is gone: run `rag-app check`, which makes it again.", path=str(path)
    )


@contextmanager
def open_for_reading(path: Path) -> Iterator[Path]:
    """Where a reader can open an index: on read-only ground in a copy, as both write beside what they read."""
    if os.access(path, os.W_OK):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="rag_app-") as place:
        yield Path(shutil.copytree(path, Path(place) / path.name))


@contextmanager
def mapped_index_errors(path: Path) -> Iterator[None]:
    """Turns what Chroma and Tantivy raise into StoreError: errors of their own, panics of their Rust cores, and what
    Python raises over damaged files."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, RagAppError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = str(error)
        full = "No space left" in reason or "disk is full" in reason
        short = reason.partition("\n")[0][:_SHOWN]
        what = "free some space and build again" if full else "try again, and build the index again with --rebuild"
        said = "the disk is full" if full else short
        raise StoreError(
            f"The index {path.name} in {path.parent} failed ({said}): {what}.", path=str(path), reason=reason
        ) from error
