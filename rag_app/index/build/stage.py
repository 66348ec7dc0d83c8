"""Documents out of the spool, cut, embedded and stored in groups, so that memory does not grow with their number."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rag_app.document import Document
from rag_app.index.build.document_source import Progress
from rag_app.index.build.embed import embed_texts
from rag_app.index.build.spool import Spool, ToStage
from rag_app.index.catalog import Catalog, Staged
from rag_app.index.search.vectors import VectorStore, text_key
from rag_app.principal import AccessRule
from rag_app.read.spread import Spread
from rag_app.settings import Settings
from rag_app.text.passages import Passage, cut_passages, embedding_text

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

GROUP = 1000
"""Passages that are held at a time, or those of one document where these are more."""


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document with its passages, and the text that is embedded for each."""

    document: Document
    rule: AccessRule
    passages: list[Passage]
    texts: list[str]


def cut(document: Document, rule: AccessRule, settings: Settings) -> CutDocument:
    """Cuts a document into passages."""
    passages = cut_passages(
        document, target_words=settings.target_words, overlap_statements=settings.overlap_statements
    )
    return CutDocument(document, rule, passages, [embedding_text(document, passage) for passage in passages])


def stage(
    to_stage: Iterable[ToStage],
    spool: Spool,
    catalog: Catalog,
    vectors: VectorStore,
    embedder: "BaseEmbedding",
    settings: Settings,
    cutting: str,
    progress: Progress | None,
    spread: Spread,
) -> int:
    """Cuts, embeds and stores documents, seen by nobody yet; returns how many texts were embedded.

    Args:
        spread: where documents are cut and texts are embedded.
    """
    to_stage = list(to_stage)
    total = sum(waiting.characters for waiting in to_stage)
    before = embedded = 0
    documents = ((spool.get(waiting), waiting.rule) for waiting in to_stage)
    for group in _groups(spread(partial(_cut, settings), documents)):
        texts = {text_key(text): text for one in group for text in one.texts}
        characters = sum(len(one.document.text) for one in group)

        def within(done: int, of: int, begin: int = before, size: int = characters) -> None:
            if progress:
                progress(begin + size * done // of, total, "embedding")

        embedded += embed_texts(texts, vectors, embedder, within, spread=spread, earlier=embedded)
        ids = vectors.known(texts)
        catalog.stage(Staged(one.document, one.rule, cutting, _with_ids(one, ids)) for one in group)
        before += characters
    return embedded


def _cut(settings: Settings, document: tuple[Document, AccessRule]) -> CutDocument:
    return cut(*document, settings)


def _groups(documents: Iterable[CutDocument]) -> Iterator[list[CutDocument]]:
    group: list[CutDocument] = []
    held = 0
    for document in documents:
        group.append(document)
        held += len(document.passages)
        if held >= GROUP:
            yield group
            group, held = [], 0
    if group:
        yield group


def _with_ids(one: CutDocument, ids: dict[bytes, int]) -> list[tuple[Passage, int]]:
    return [(passage, ids[text_key(text)]) for passage, text in zip(one.passages, one.texts, strict=True)]
