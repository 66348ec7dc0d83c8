"""The last steps of a build: both indexes, and the transaction that brings everything that was staged into force."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rag_app.errors import StoreError
from rag_app.index.build.document_source import Progress
from rag_app.index.catalog import Catalog
from rag_app.index.lock import files_at_rest
from rag_app.index.search.dense import DenseIndex
from rag_app.index.search.search_index import AT_ONCE, SearchIndex
from rag_app.index.search.sparse import SparseIndex
from rag_app.index.search.vectors import VectorStore
from rag_app.index.store import Generation


def bring_into_force(
    removed: set[int],
    catalog: Catalog,
    generation: Generation,
    vectors: VectorStore,
    manifest: dict[str, str],
    progress: Progress | None,
) -> int:
    """Dense and sparse index get what they lack, all staged documents become visible, both lose the rest.

    Returns how many of their entries had to be repaired, apart from what was staged and removed.
    """
    staged = catalog.staged()
    new, old = catalog.passage_ids(staged), catalog.passage_ids(removed)
    live = (catalog.passage_ids() - old) | new
    before = catalog.read_manifest()
    with open_for_writing(generation) as indexes:
        repaired = 0
        for index in indexes:
            added = index.add_missing(live, catalog, vectors, progress)
            repaired += added - len(new) + len(index.orphans(live | old))
        if staged or removed or repaired or any(before.get(key) != value for key, value in manifest.items()):
            with files_at_rest(generation.path):
                catalog.flip(removed, manifest)
            for index in indexes:
                index.delete_others(live)
    return repaired


class IndexWriter:
    """Dense or sparse index of a generation while it is written."""

    def __init__(self, name: str, index: SearchIndex[Any], generation: Generation) -> None:
        self.name = name
        self._index = index
        self._generation = generation.path
        self._held: set[int] | None = None
        """What the index holds; None until it is read, and after every change. Nobody else writes meanwhile."""

    def add_missing(
        self, wanted: set[int], catalog: Catalog, vectors: VectorStore, progress: Progress | None = None
    ) -> int:
        """Adds what the index lacks of `wanted`; returns how many entries that were.

        Raises:
            StoreError: the index does not hold them afterwards.
        """
        missing = wanted - self._ids()
        if not missing:
            return 0
        done = 0
        with files_at_rest(self._generation):
            at_once = self._index.begin_adding(len(missing))
        for rows in catalog.entries(missing, at_once):
            if progress:
                progress(done, len(missing), f"writing {self.name}")
            found = vectors.get([row.vector_id for row in rows])
            with files_at_rest(self._generation):
                self._held = None
                self._index.add(rows, found)
            done += len(rows)
        with files_at_rest(self._generation):
            self._index.end_adding()
        if lost := wanted - self._ids():
            raise StoreError(f"The {self.name} index did not keep {len(lost)} passages: build again.", index=self.name)
        return len(missing)

    def mend(self, live: set[int], catalog: Catalog, vectors: VectorStore) -> int:
        """Writes again what the index holds otherwise than it was written, and adds what it lacks; returns how many."""
        mended = 0
        for rows in catalog.entries(live & self._ids(), AT_ONCE):
            found = vectors.get([row.vector_id for row in rows])
            altered = self._index.altered(rows, found)
            places = [place for place, row in enumerate(rows) if row.passage_id in altered]
            if places:
                with files_at_rest(self._generation):
                    self._index.add([rows[place] for place in places], found[places])
                mended += len(places)
        return mended + self.add_missing(live, catalog, vectors)

    def orphans(self, wanted: set[int]) -> set[int]:
        """Entries that are not among `wanted`."""
        return self._ids() - wanted

    def delete_others(self, wanted: set[int]) -> int:
        """Removes every entry that is not among `wanted`; returns how many those were."""
        others = self.orphans(wanted)
        if others:
            with files_at_rest(self._generation):
                self._held = None
                self._index.delete(others)
        return len(others)

    def _ids(self) -> set[int]:
        if self._held is None:
            self._held = self._index.ids()
        return self._held


@contextmanager
def open_for_writing(generation: Generation) -> Iterator[list[IndexWriter]]:
    """Dense and sparse index of a generation, open for writing."""
    with files_at_rest(generation.path):
        chroma = DenseIndex(generation, writable=True)
    try:
        tantivy = SparseIndex(generation.tantivy, writable=True)
        try:
            yield [IndexWriter("dense", chroma, generation), IndexWriter("sparse", tantivy, generation)]
        finally:
            tantivy.close()
    finally:
        with files_at_rest(generation.path):
            chroma.close()
