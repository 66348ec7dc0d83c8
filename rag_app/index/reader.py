"""A built index opened for reading: follows the catalog, and shows each question one state of it.

A question takes a `snapshot`: a read transaction of the catalog, and both legs as they were at that revision. Whatever
another process writes meanwhile, the snapshot's passages, texts and similarities belong together. The last word is
`may_cite`, which asks the catalog as it is at that moment.
"""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rag_app.document import Document
from rag_app.errors import IndexMismatch, RagAppError, StoreError, UsageError
from rag_app.index.definition import IndexDefinition, load_definition
from rag_app.index.documents import DocumentInfo
from rag_app.index.handle import Handle
from rag_app.index.store import Store
from rag_app.index.view import View
from rag_app.llm.fingerprint import embedder_fingerprint, same_embedder
from rag_app.principal import Principal
from rag_app.settings import Settings, load_settings
from rag_app.text.nodes import SUPERSEDED_BY, node_start, node_text

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.schema import BaseNode

__all__ = ["DocumentInfo", "IndexReader", "View"]

_TRIES = 5


class IndexReader:
    """An open index. Thread-safe; share one."""

    def __init__(self, definition: IndexDefinition, settings: Settings | None = None) -> None:
        """Opens the built state of `definition`. Raises IndexMissing, IndexMismatch or StoreError."""
        self.definition = definition
        settings = settings or load_settings(definition.settings)
        self._store = Store(definition.store_path, settings.chroma_url)
        self._swapping = threading.Lock()
        self._closed = False
        self._handle = Handle(self._store.opened(definition.path), self._store.vectors)

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
        return self._handle.generation

    def close(self) -> None:
        """Lets go of all files; questions that are running still finish."""
        with self._swapping:
            self._closed = True
            self._handle.retire()

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        """The index as it is now, held still until the block ends. Raises StoreError where it cannot be read."""
        trouble: RagAppError | None = None
        for _ in range(_TRIES):
            handle = self._handle
            if not handle.acquire():
                if self._closed:
                    raise UsageError("This index was closed: open it again.")
                continue
            try:
                try:
                    connection = handle.begin(self._store)
                    if connection is None:
                        self._swap(handle)
                        continue
                except RagAppError as error:
                    trouble = error
                    self._swap(handle)
                    continue
                try:
                    moved = partial(handle.moved, self._store)
                    yield View(connection, self.definition, handle.meaning, handle.words, handle.facts, moved)
                finally:
                    handle.end(connection)
                return
            finally:
                handle.release()
        raise trouble or StoreError("The index keeps changing: ask again.", path=str(self._store.path))

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
        """Whether the node's text stands, at this moment, at its place in a document that the principal may read.

        The second door: it relies on nothing that the search found or filtered. A node that names the document which
        replaced its own must also be of somebody who may read that one.
        """
        document_id, replaced = node.metadata.get("document_id"), node.metadata.get(SUPERSEDED_BY)
        text, start = node_text(node), node_start(node)
        if not isinstance(document_id, str) or not text:
            return False
        with self.snapshot() as view:
            rules = view.readable(principal)
            named = {replaced[0]} if replaced else set()
            return view.readable_among(named, rules) == named and view.stands_at(document_id, start, text, rules)

    def readable_among(self, document_ids: Iterable[str], principal: Principal | None) -> frozenset[str]:
        """Those of the ids that are, at this moment, of documents that the principal may read."""
        with self.snapshot() as view:
            return view.readable_among(document_ids, view.readable(principal))

    def _swap(self, stale: Handle) -> None:
        """Opens the newest revision in the place of a handle that fell behind."""
        with self._swapping:
            if self._handle is stale and not self._closed:
                self._handle = Handle(self._store.opened(self.definition.path), self._store.vectors)
                stale.retire()
