"""A built index opened for reading: follows the catalog, and shows each question one state of it.

A question takes a `snapshot`: a read transaction of the catalog, and dense and sparse index as
they were at that revision. Whatever
another process writes meanwhile, the snapshot's passages, texts and similarities belong together. The last word is
`may_cite`, which asks the catalog as it is at that moment.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag_app.document import Document
from rag_app.errors import IndexMismatch, StoreError, UsageError
from rag_app.index.definition import IndexDefinition, load_definition
from rag_app.index.handle import Handle
from rag_app.index.store import Store
from rag_app.index.view import DocumentInfo, View
from rag_app.llm.fingerprint import embedder_fingerprint, same_embedder
from rag_app.principal import Principal
from rag_app.settings import Settings, load_settings
from rag_app.text.nodes import SUPERSEDED_BY, node_start, node_text

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.schema import BaseNode

__all__ = ["DocumentInfo", "IndexReader", "View"]

_TRIES = 20
"""How often a generation may be replaced while it is opened."""


@dataclass(slots=True, eq=False)
class _Hold:
    """A snapshot that holds for everything that a task asks."""

    reader: "IndexReader"
    view: View | None
    """None when its time is over."""


_HELD: ContextVar[tuple[_Hold, ...]] = ContextVar("held", default=())
"""Of the current task."""


class IndexReader:
    """An open index. Thread-safe; share one."""

    def __init__(self, definition: IndexDefinition, settings: Settings | None = None) -> None:
        """Opens the built state of `definition`. Raises IndexMissing, IndexMismatch or StoreError."""
        self.definition = definition
        settings = settings or load_settings(definition.settings)
        self._store = Store(definition.store_path, settings.chroma_url)
        self._swapping = threading.Lock()
        self._closed = False
        self._handle = self._open()
        self._handle.end(self._handle.opened_with)

    @classmethod
    def open(cls, path: str | Path) -> "IndexReader":
        """Opens the index of a folder.

        Raises:
            IndexMissing: nothing was built there.
            IndexMismatch: it was built by another version.
            DefinitionError: index.toml is wrong.
            StoreError: the store cannot be read.
        """
        return cls(load_definition(path))

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return IndexReader.open, (self.definition.path,)

    @property
    def generation(self) -> int:
        """Number of the generation that answers."""
        return self._handle.generation.number

    def load(self) -> None:
        """Waits until all of the index is read: its graph may still be on its way after it was opened.

        Raises StoreError where it cannot be read.
        """
        with self.snapshot() as view:
            view.load()

    def close(self) -> None:
        """Lets go of all files; questions that are running still finish."""
        with self._swapping:
            self._closed = True
            self._handle.retire()

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        """The index as it is now, or as `pinned` holds it, unchanged until the block ends.

        Raises:
            StoreError: it cannot be read.
            UsageError: this reader was closed.
        """
        if (held := self._held()) is not None:
            yield held
            return
        with self._newest() as view:
            yield view

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Every snapshot that is taken within the block, by this task and by the threads it asks, is the same one."""
        with self.snapshot() as view:
            hold = _Hold(self, view)
            token = _HELD.set((*_HELD.get(), hold))
            try:
                yield
            finally:
                hold.view = None
                with suppress(ValueError):  # a generator may end in another context than it began in
                    _HELD.reset(token)

    def _held(self) -> View | None:
        return next((hold.view for hold in _HELD.get() if hold.reader is self and hold.view), None)

    @contextmanager
    def _newest(self) -> Iterator[View]:
        handle, connection = self._take()
        try:
            try:
                yield View(connection, self.definition, handle.meaning, handle.words, handle.facts, handle.moved)
            finally:
                handle.end(connection)
        finally:
            handle.release()

    def _take(self) -> tuple[Handle, sqlite3.Connection]:
        """A handle in use, and a connection that sees its revision."""
        while True:
            handle = self._handle
            if handle.acquire():
                try:
                    connection = handle.begin()
                except BaseException as error:
                    handle.release()
                    if not isinstance(error, StoreError):
                        raise
                else:
                    if connection is not None:
                        return handle, connection
                    handle.release()
            with self._swapping:
                if self._closed:
                    raise UsageError("This index was closed: open it again.")
                if self._handle is handle:
                    # Its own connection is used, whose revision may have been replaced by now: however fast others
                    # write, each question gets its turn.
                    self._handle = new = self._open()
                    handle.retire()
                    new.acquire()
                    return new, new.opened_with

    def _open(self) -> Handle:
        """Opens the newest revision."""
        for _ in range(_TRIES):
            generation = self._store.opened(self.definition.path)
            try:
                return Handle(self._store, generation)
            except StoreError:
                if self._store.current() == generation:
                    raise
        raise StoreError("The index keeps changing: ask again.", path=str(self._store.path))

    def check_access(self) -> None:
        """Raises IndexMismatch where index.toml changed the access of an index that was not built since."""
        with self.snapshot() as view:
            built = view.manifest["access"]
        if built != self.definition.access:
            raise IndexMismatch(
                f'The index {self.definition.name} was built with access = "{built}" and index.toml says '
                f'"{self.definition.access}": run `rag-app build {self.definition.path}`.',
                built_with=built,
                asked_with=self.definition.access,
            )

    def check_embedder(self, embedder: "BaseEmbedding") -> None:
        """Raises IndexMismatch where the index was built with another embedder than this one."""
        with self.snapshot() as view:
            built_with = view.manifest
        asked_with = embedder_fingerprint(embedder)
        if not same_embedder(built_with["fingerprint"], asked_with):
            raise IndexMismatch(
                f"The index {self.definition.name} was built with the embedder {built_with['embedder']} and is asked "
                f"with {embedder.model_name}, whose vectors differ: choose the one it was built with, or run "
                f"`rag-app build --rebuild {self.definition.path}`.",
                built_with=built_with["fingerprint"],
                asked_with=asked_with,
            )

    def readable(self, principal: Principal | None) -> frozenset[str]:
        """Ids of the rules under which the principal may read.

        Raises:
            UsageError: the index has access rules and no principal is given.
        """
        with self.snapshot() as view:
            return view.readable(principal)

    def documents(self, principal: Principal | None = None) -> list[DocumentInfo]:
        """What the principal may read, by path. Raises as `readable` does."""
        with self.snapshot() as view:
            return view.documents(view.readable(principal))

    def document(self, document_id: str, principal: Principal | None = None) -> Document | None:
        """A document with its text; None where there is none that the principal may read."""
        with self.snapshot() as view:
            return view.document(document_id, view.readable(principal))

    def may_cite(self, node: "BaseNode", principal: Principal | None) -> bool:
        """Whether the node's text stands at its place in a document that the principal may read, at this moment too.

        The second door: it relies on nothing that the search found or filtered. Where the index is held still, the text
        is that of the held state, so that an update takes no answer away; access is that of this moment. A node that
        names the document which replaced its own must also be of somebody who may read that one.
        """
        return self.may_cite_each([node], principal)[0]

    def may_cite_each(self, nodes: Sequence["BaseNode"], principal: Principal | None) -> list[bool]:
        """`may_cite` of each of several nodes, at one moment."""
        named = [_documents_of(node) for node in nodes]
        readable = self.readable_among(frozenset().union(*named), principal)
        with self.snapshot() as view:
            rules = view.readable(principal)
            return [
                bool(of) and of <= readable and view.stands_at(node.metadata["document_id"], *_placed(node), rules)
                for node, of in zip(nodes, named, strict=True)
            ]

    def readable_among(self, document_ids: Iterable[str], principal: Principal | None) -> frozenset[str]:
        """Those of the ids that are, at this moment, of documents that the principal may read."""
        held = self._held()
        if held is not None and held.is_newest():
            return held.readable_among(document_ids, held.readable(principal))
        with self._newest() as view:
            return view.readable_among(document_ids, view.readable(principal))


def _documents_of(node: "BaseNode") -> frozenset[str]:
    """Ids of the documents that somebody who is shown a node learns of; empty where it cannot be shown."""
    document_id, replaced = node.metadata.get("document_id"), node.metadata.get(SUPERSEDED_BY)
    if not isinstance(document_id, str) or not node_text(node):
        return frozenset()
    return frozenset((document_id, replaced[0]) if replaced else (document_id,))


def _placed(node: "BaseNode") -> tuple[int, str]:
    return node_start(node), node_text(node)
