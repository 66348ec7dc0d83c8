"""The steps of a build that write: staging, the legs, and the one transaction that brings everything into force."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag_app.errors import StoreError
from rag_app.index.build.embed import embed_texts
from rag_app.index.build.plan import Plan, ToStage
from rag_app.index.build.source import Progress
from rag_app.index.catalog import Catalog
from rag_app.index.dense import ChromaLeg
from rag_app.index.lock import legs_at_rest
from rag_app.index.search_index import Leg
from rag_app.index.sparse import TantivyLeg
from rag_app.index.store import Generation
from rag_app.index.vectors import VectorStore, text_key
from rag_app.settings import Settings
from rag_app.text.passages import Passage, cut_passages, embedding_text

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


def stage(
    plan: Plan,
    catalog: Catalog,
    vectors: VectorStore,
    embedder: "BaseEmbedding",
    settings: Settings,
    cutting: str,
    progress: Progress | None,
) -> int:
    """Cuts, embeds and stores what the plan says, seen by nobody yet; returns how many texts were embedded."""
    cut: list[tuple[ToStage, list[tuple[Passage, bytes]]]] = []
    texts: dict[bytes, str] = {}
    for done, work in enumerate(plan.to_stage):
        if progress:
            progress(done, len(plan.to_stage), "cutting")
        passages = cut_passages(
            work.document, target_words=settings.target_words, overlap_statements=settings.overlap_statements
        )
        keyed = []
        for passage in passages:
            text = embedding_text(work.document, passage)
            texts[key := text_key(text)] = text
            keyed.append((passage, key))
        cut.append((work, keyed))
    embedded = embed_texts(texts, vectors, embedder, progress)
    ids = vectors.known(texts)
    for work, keyed in cut:
        rows = [(passage, ids[key]) for passage, key in keyed]
        catalog.stage(work.document, work.rule, cutting, rows)
    return embedded


def bring_into_force(
    removed: set[int],
    catalog: Catalog,
    generation: Generation,
    vectors: VectorStore,
    manifest: dict[str, str],
    progress: Progress | None,
) -> int:
    """Legs get what they lack, all staged documents become visible, legs lose the rest.

    Returns how many entries of the legs had to be repaired, apart from what was staged and removed.
    """
    staged = catalog.staged()
    new, old = catalog.passage_ids(staged), catalog.passage_ids(removed)
    live = (catalog.passage_ids() - old) | new
    before = catalog.manifest()
    with open_legs(generation) as legs:
        repaired = 0
        for leg in legs:
            added = leg.add_missing(live, catalog, vectors, progress)
            repaired += added - len(new) + len(leg.orphans(live | old))
        if staged or removed or repaired or any(before.get(key) != value for key, value in manifest.items()):
            catalog.flip(removed, manifest)
            for leg in legs:
                leg.delete_others(live)
    return repaired


class LegWriter:
    """One leg of a generation while it is written."""

    def __init__(self, name: str, leg: Leg[Any], generation: Generation) -> None:
        self.name = name
        self._leg = leg
        self._generation = generation.path

    def add_missing(
        self, wanted: set[int], catalog: Catalog, vectors: VectorStore, progress: Progress | None = None
    ) -> int:
        """Adds what the leg lacks of `wanted`; returns how many entries that were.

        Raises:
            StoreError: the leg does not hold them afterwards.
        """
        missing = wanted - self._leg.ids()
        if not missing:
            return 0
        done = 0
        for rows in catalog.leg_rows(missing):
            if progress:
                progress(done, len(missing), f"writing {self.name}")
            found = vectors.get([row.vector_id for row in rows])
            with legs_at_rest(self._generation):
                self._leg.add(rows, found)
            done += len(rows)
        if lost := wanted - self._leg.ids():
            raise StoreError(f"The {self.name} leg did not keep {len(lost)} passages: build again.", leg=self.name)
        return len(missing)

    def orphans(self, wanted: set[int]) -> set[int]:
        """Entries that are not among `wanted`."""
        return self._leg.ids() - wanted

    def delete_others(self, wanted: set[int]) -> int:
        """Removes every entry that is not among `wanted`; returns how many those were."""
        others = self.orphans(wanted)
        if others:
            with legs_at_rest(self._generation):
                self._leg.delete(others)
        return len(others)


@contextmanager
def open_legs(generation: Generation) -> Iterator[list[LegWriter]]:
    """Both legs of a generation, open for writing."""
    with legs_at_rest(generation.path):
        chroma = ChromaLeg(generation, writable=True)
    try:
        tantivy = TantivyLeg(generation.tantivy, writable=True)
        try:
            yield [LegWriter("meaning", chroma, generation), LegWriter("words", tantivy, generation)]
        finally:
            tantivy.close()
    finally:
        chroma.close()
