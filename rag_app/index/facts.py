"""What is the same for all questions of one revision of an index, kept in memory once somebody asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from rag_app.index.records import StoredDocument
from rag_app.index.search.search_index import PassageVectors
from rag_app.principal import AccessRule, Principal

PRINCIPALS = 200
"""Whose readable rules are kept, and what follows from them."""
DOCUMENTS = 5000
"""Facts of documents that are kept, each some 2 kB."""

WORDS = 20_000
"""Whose numbers of passages are kept, each some 200 bytes."""

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(slots=True)
class RevisionFacts:
    """What is the same for all questions of one revision; None until somebody asks."""

    manifest: Mapping[str, str] | None = None
    rules: Mapping[str, AccessRule] | None = None
    passages: Mapping[str, int] | None = None
    """Number of passages by rule."""
    total: int = 0
    """Number of all passages, once those by rule are known."""
    digests: Mapping[str, str] | None = None
    """Of the documents under each rule."""
    readable: dict[Principal, frozenset[str]] = field(default_factory=dict)
    """Rules under which each principal who asked may read: a question looks at them many times, and an index may have
    thousands."""
    sizes: dict[frozenset[str], int] = field(default_factory=dict)
    """How many passages there are under such rules."""
    documents: dict[int, StoredDocument] = field(default_factory=dict)
    """By row, of those that were found lately: passages of one document are found again and again."""
    states: dict[frozenset[str], str] = field(default_factory=dict)
    """A digest of the documents under such rules."""
    holding: dict[tuple[str, int, frozenset[str], frozenset[int]], int] = field(default_factory=dict)
    """How many passages hold a word, up to a number, under such rules and without some documents: questions share
    words, and counting one takes two milliseconds in a large index."""
    vectors: dict[frozenset[str], list[PassageVectors]] = field(default_factory=dict)
    """Of the passages under such rules, where they are few."""


def keep(kept: dict[Key, Value], key: Key, value: Value, most: int = PRINCIPALS) -> None:
    """Adds to what is kept; where that is `most`, it begins again."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value
