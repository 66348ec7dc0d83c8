"""Passages by meaning and by words, fused, under access rules."""

import asyncio
from datetime import date
from typing import TYPE_CHECKING

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.answer import Reason
from rag_app.corpus.nodes import COSINE, STATEMENT_COSINES, hide, hit_of
from rag_app.corpus.words import content_words
from rag_app.errors import UsageError
from rag_app.principal import Principal
from rag_app.question import Question, parts_of, trace_of
from rag_app.retrieve.fusion import convex_fusion
from rag_app.settings import Settings

if TYPE_CHECKING:
    from rag_app.index.reader import IndexReader
    from rag_app.index.view import View


class HybridRetriever(BaseRetriever):
    """Asks the Chroma leg and the Tantivy leg for what the principal may read, and fuses their scores.

    A question of several parts is searched whole and part by part; a passage scores what it scores for the part that
    it fits best. Each node carries, hidden from prompts, the true cosine between the whole question and the passage
    (the number the confidence gate reads) and the cosine of each of its statements to each part.
    """

    def __init__(
        self, reader: "IndexReader", embedder: BaseEmbedding, principal: Principal | None, settings: Settings
    ) -> None:
        super().__init__()
        self._reader = reader
        self._embedder = embedder
        self._principal = principal
        self._settings = settings

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if not query_bundle.query_str.strip():
            raise UsageError("The question is empty: ask something.")
        trace = trace_of(query_bundle)
        queries = [part.query for part in parts_of(query_bundle)]
        if len(queries) > 1:
            queries.append(query_bundle.query_str)
        with trace.timed("embed question"):
            vectors = [self._embedder.get_query_embedding(query) for query in queries]
        with self._reader.snapshot() as view:
            trace.index_version = view.version
            rules = self._readable(view)
            if not rules:
                return _nothing(query_bundle, "nothing_readable")
            with trace.timed("search"):
                standing = view.standing(rules, _day(query_bundle))
                without = standing.left_out(query_bundle.query_str)
                scores = self._scores(view, rules, without, queries, vectors)
                best = sorted(scores, key=lambda key: (-scores[key], key))[: self._settings.candidates]
            with trace.timed("fetch"):
                nodes = view.nodes(best, standing.superseded)
                cosines = view.cosines(best, vectors[-1])
                parts = vectors[: len(parts_of(query_bundle))]
                statements = [view.statement_cosines(best, vector) for vector in parts]
        found = []
        for key, node in nodes.items():
            hide(node, COSINE, cosines[key])
            hide(
                node, STATEMENT_COSINES, [list(column) for column in zip(*(of[key] for of in statements), strict=True)]
            )
            found.append(NodeWithScore(node=node, score=scores[key]))
        if not found:
            return _nothing(query_bundle, "nothing_found")
        trace.retrieved = [hit_of(node) for node in found]
        return found

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _readable(self, view: "View") -> frozenset[str]:
        return view.readable(self._principal)

    def _scores(
        self,
        view: "View",
        rules: frozenset[str],
        without: frozenset[int],
        queries: list[str],
        vectors: list[list[float]],
    ) -> dict[int, float]:
        """The score of every passage that a leg found for any of the queries."""
        k = self._settings.candidates
        scores: dict[int, float] = {}
        for query, vector in zip(queries, vectors, strict=True):
            by_meaning = view.search_meaning(vector, k, rules, without)
            by_words = dict(view.search_words(content_words(query), k, rules, without))
            candidates = dict.fromkeys([key for key, _ in by_meaning] + list(by_words))
            fused = convex_fusion(view.cosines(candidates, vector), by_words, self._settings.weight_words)
            for key, score in fused.items():
                scores[key] = max(score, scores.get(key, score))
        return scores


def _day(query_bundle: QueryBundle) -> date:
    asked = query_bundle.as_of if isinstance(query_bundle, Question) else None
    return asked or date.today()


def _nothing(query_bundle: QueryBundle, reason: Reason) -> list[NodeWithScore]:
    if isinstance(query_bundle, Question):
        query_bundle.refusal = reason
    return []
