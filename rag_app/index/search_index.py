"""What a leg is: one way to find passages. By meaning: `chroma_leg.py`; by words: `tantivy_leg.py`.

A leg knows passage ids and what it searches by, no text and no metadata; it is opened for writing by the one writer
or for reading.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from rag_app.errors import StoreError
from rag_app.index.catalog import LegRow
from rag_app.index.vectors import Vector

Query = TypeVar("Query", contravariant=True)

_SHOWN = 160
"""Characters of what a library says in a message; it may go on for pages."""

Scored = list[tuple[int, float]]
"""Passage ids with scores, best first; equal scores by id."""


class Leg(Protocol[Query]):
    """One way to find passages. Every method raises StoreError where the store fails."""

    def add(self, rows: Sequence[LegRow], vectors: Vector) -> None: ...
    def delete(self, passage_ids: Collection[int]) -> None: ...
    def ids(self) -> set[int]: ...
    def count(self) -> int: ...
    def search(self, query: Query, k: int, rule_ids: Collection[str] | None = None) -> Scored: ...
    def close(self) -> None: ...


def ordered(scored: Iterable[tuple[int, float]]) -> Scored:
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def lost_leg(path: Path) -> StoreError:
    return StoreError(
        f"The {path.name} leg in {path.parent} is gone: run `rag-app check`, which makes it anew.", path=str(path)
    )


@contextmanager
def open_for_reading(path: Path) -> Iterator[Path]:
    """Where a reader can open a leg: Chroma and Tantivy write beside what they read, so read-only ones are copied."""
    if os.access(path, os.W_OK):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="rag_app-") as place:
        yield Path(shutil.copytree(path, Path(place) / path.name))


@contextmanager
def mapped_leg_errors(path: Path) -> Iterator[None]:
    """Turns what Chroma (typed errors, and panics of its Rust core) and Tantivy (ValueError) raise into StoreError."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, StoreError):
        raise
    except BaseException as error:
        ours = isinstance(error, (ValueError, OSError, RuntimeError)) or type(error).__module__.startswith("chromadb")
        if not ours and type(error).__name__ != "PanicException":
            raise
        reason = str(error)
        full = "No space left" in reason or "disk is full" in reason
        short = reason.partition("\n")[0][:_SHOWN]
        what = "free some space and build again" if full else "try again, and build the index anew with --rebuild"
        said = "the disk is full" if full else short
        raise StoreError(
            f"The {path.name} leg in {path.parent} failed ({said}): {what}.", path=str(path), reason=reason
        ) from error
