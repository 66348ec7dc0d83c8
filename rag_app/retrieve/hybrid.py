"""Passages by meaning and by words, fused, under access rules."""

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.errors import UsageError
from rag_app.principal import Principal
from rag_app.question import question_of
from rag_app.retrieve.question_words import Readable, learn_words
from rag_app.settings import ENGLISH_EMBEDDER, Component, Settings
from rag_app.text.language import language_of_script
from rag_app.text.nodes import COSINE, NAMED, hide, hit_of
from rag_app.text.words import content_words

if TYPE_CHECKING:
    from rag_app.index.reader import IndexReader
    from rag_app.index.view import View

Key = TypeVar("Key", bound=Hashable)

_WORDS_ALONE = 10.0
_WHOLE_DOCUMENT = 10_000
"""Passages: more than any document has."""


class HybridRetriever(BaseRetriever):
    """Asks the dense index (Chroma) and the sparse index (Tantivy) for what the principal may read; fuses scores.

    A question of several parts is searched whole and part by part; a passage ranks by the part that it fits best. Its
    score is its cosine to that part, raised where a lower rank has a higher one (see `scores_of_ranking`). Each node
    carries, hidden from prompts, the true cosine between the whole question and the passage: the number the confidence
    gate reads.
    """

    def __init__(
        self, reader: "IndexReader", embedder: BaseEmbedding, principal: Principal | None, settings: Settings
    ) -> None:
        """Of `settings` it reads how many candidates, the weight of words, and which components are switched off."""
        super().__init__()
        self._reader = reader
        self._embedder = embedder
        self._principal = principal
        self._settings = settings

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if not query_bundle.query_str.strip():
            raise UsageError("The question is empty: ask something.")
        question = question_of(query_bundle)
        trace = question.trace
        with self._reader.snapshot() as view:
            rules = self._readable(view)
            trace.index_version = view.state(rules)
            if not rules:
                return question.refuse("nothing_readable")
            with trace.timed("words"):
                not_in_force = view.not_in_force(rules, question.day)
                without = not_in_force.left_out(question.query_str)
                named = dict[int, list[str]]()
                if Component.SPARSE_INDEX not in self._settings.without:
                    named = learn_words(question, Readable(view, rules, without))
            vectors = question.vectors(self._embedder)
            source, top_k = self._reader.definition.name, self._settings.candidates
            with trace.timed("search", source=source, top_k=top_k, query=question.query_str):
                scores = self._scores(view, rules, without, question.queries, vectors, self._settings.candidates)
                ranked = sorted(scores, key=lambda key: (-scores[key], key))
                kept = [key for key in ranked if key not in named][: max(1, self._settings.candidates - len(named))]
                best = [key for key in ranked if key in named or key in set(kept)] + [
                    key for key in named if key not in scores
                ]
            with trace.timed("fetch"):
                nodes = view.nodes(best, not_in_force.superseded)
                cosines = [view.cosines(best, vector) for vector in vectors]
        nearest = {key: max(of[key] for of in cosines) for key in best}
        shown = scores_of_ranking(best, nearest)
        found = []
        for key, node in nodes.items():
            hide(node, COSINE, cosines[-1][key])
            if key in named:
                hide(node, NAMED, named[key])
            found.append(NodeWithScore(node=node, score=shown[key]))
        if not found:
            return question.refuse("nothing_found")
        trace.retrieved = [hit_of(node) for node in found]
        return found

    def measure(self, query_bundle: QueryBundle, nodes: list[NodeWithScore]) -> None:
        """Gives nodes that were found by other words the numbers that they have for this question."""
        question = question_of(query_bundle)
        vectors = question.vectors(self._embedder)
        with self._reader.snapshot() as view:
            places = [(node.node.metadata["document_id"], node.node.metadata["start"]) for node in nodes]
            found = [view.passage_at(*place) for place in places]
            keys = [key for key in found if key is not None]
            measured = [view.cosines(keys, vector) for vector in vectors]
        for key, node in zip(found, nodes, strict=True):
            if key is not None and all(key in cosines for cosines in measured):
                hide(node.node, COSINE, measured[-1][key])
                node.score = max(cosines[key] for cosines in measured)

    def passages_of(self, query_bundle: QueryBundle, document_id: str, k: int) -> list[NodeWithScore]:
        """The `k` passages of one document that are nearest to a question, if the principal may read it and it is in
        force."""
        question = question_of(query_bundle)
        vectors = question.vectors(self._embedder)
        with self._reader.snapshot() as view:
            rules = self._readable(view)
            not_in_force = view.not_in_force(rules, question.day)
            keys = view.passages_of(document_id, rules, not_in_force.left_out(question.query_str))
            cosines = [view.cosines(keys, vector) for vector in vectors]
            nearest = {key: max(of[key] for of in cosines) for key in keys}
            best = sorted(keys, key=lambda key: (-nearest[key], key))[:k]
            nodes = view.nodes(best, not_in_force.superseded)
        for key, node in nodes.items():
            hide(node, COSINE, cosines[-1][key])
        return [NodeWithScore(node=node, score=nearest[key]) for key, node in nodes.items()]

    def passages_below(self, query_bundle: QueryBundle, document_id: str, place: int, k: int) -> list[NodeWithScore]:
        """The first `k` passages of one document that begin at `place` or below it, under the same rules."""
        nodes = self.passages_of(query_bundle, document_id, _WHOLE_DOCUMENT)
        below = [node for node in nodes if node.node.metadata["start"] >= place]
        return sorted(below, key=lambda node: node.node.metadata["start"])[:k]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _readable(self, view: "View") -> frozenset[str]:
        return view.readable(self._principal)

    def _weight_words(self, query: str) -> float:
        """The weight of words; a script that the embedder cannot read is ranked by words, then by cosine."""
        is_unread = self._settings.embedding == ENGLISH_EMBEDDER and language_of_script(query)
        return _WORDS_ALONE if is_unread else self._settings.weight_words

    def _scores(
        self,
        view: "View",
        rules: frozenset[str],
        without: frozenset[int],
        queries: list[str],
        vectors: list[list[float]],
        k: int,
    ) -> dict[int, float]:
        """The score of every passage that is among the first `k` of an index for any of the queries."""
        off = self._settings.without
        scores: dict[int, float] = {}
        for query, vector in zip(queries, vectors, strict=True):
            cosines, by_words = dict[int, float](), dict[int, float]()
            if Component.SPARSE_INDEX not in off:
                by_words = dict(view.search_words(content_words(query), k, rules, without))
            if Component.DENSE_INDEX not in off:
                cosines = dict(view.search_meaning(vector, k, rules, without))
                cosines |= view.cosines([key for key in by_words if key not in cosines], vector)
            else:
                cosines = dict.fromkeys(by_words, 0.0)
            fused = convex_fusion(cosines, by_words, self._weight_words(query))
            for key, score in fused.items():
                scores[key] = max(score, scores.get(key, score))
        return scores


def convex_fusion(cosines: Mapping[Key, float], words: Mapping[Key, float], weight_words: float) -> dict[Key, float]:
    """A convex combination of both indexes: cosine + weight * (BM25 score / best BM25 score).

    Scores rather than ranks, because how much better the first is than the second matters: where a question shares few
    words with its answer, the sparse index has little to say, and ranks would give it as much weight as the other.
    Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 2023. The weight is that of
    the best hit by words, in units of cosine.

    Args:
        cosines: similarity of meaning of every candidate of both indexes, -1 to 1.
        words: BM25 scores above 0 of those that the sparse index found.

    Returns:
        The score of every candidate.
    """
    best = max(words.values(), default=0.0) or 1.0
    return {key: cosine + weight_words * words.get(key, 0.0) / best for key, cosine in cosines.items()}


def scores_of_ranking(ranking: Sequence[Key], cosines: Mapping[Key, float]) -> dict[Key, float]:
    """Scores that may be shown: of each candidate the highest cosine from its rank down.

    BM25 rests on statistics of the whole index, and so on documents that the asker may not read. Only the
    ranking is shown: these scores fall with the rank and are made of nothing else and of cosines.

    Args:
        ranking: candidates, best first.
        cosines: similarity of meaning of every candidate, -1 to 1.
    """
    highest, scores = -1.0, dict[Key, float]()
    for key in reversed(ranking):
        scores[key] = highest = max(highest, cosines[key])
    return scores
