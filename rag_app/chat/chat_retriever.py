"""Retrieval for a turn that leans on the conversation: the turn completed, the turn alone, and what was quoted last."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.question import Part, Question
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.text.nodes import hit_of

RRF_K = 60
"""Of reciprocal rank fusion, as Cormack, Clarke and Büttcher (SIGIR 2009) have it."""
DOCUMENTS = 3
"""Documents that were quoted last, or passages that the last answer is nearest to, that become candidates."""
PASSAGES = 2
"""Candidates from each document that was quoted."""
_SAID = 1_500
"""Characters of the last answer by which what it rested on is found again."""


@dataclass
class FollowUp(Question):
    """A question that was completed from the turns before it."""

    alone: str = ""
    """The turn as it was asked, searched too."""
    quoted: tuple[str, ...] = ()
    """Ids of the documents that were quoted last."""
    said: str = ""
    """The last answer as text, where nobody knows what it quoted."""
    typed: str = ""
    """The turn behind the earlier turns that complete it, all as they were typed: without titles of documents, and
    without a model's version, which may hold words of documents."""

    @property
    def in_own_words(self) -> str:
        return self.typed


class FollowUpRetriever(BaseRetriever):
    """Wraps the retriever of an engine: a `FollowUp` is searched completed and alone, fused by reciprocal rank; any
    other question passes through unchanged.

    All passages are measured against the completed question, so that the stages behind treat them alike. Every search
    runs under the access rules of the wrapped retriever, at this moment.
    """

    def __init__(self, retriever: BaseRetriever, hybrid: HybridRetriever) -> None:
        """`hybrid` measures passages, and finds those of one document."""
        super().__init__()
        self._retriever = retriever
        self._hybrid = hybrid

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._retriever.retrieve(query_bundle)
        if not isinstance(query_bundle, FollowUp) or not found:
            return found
        trace = query_bundle.trace
        rankings = [found, *self._others(query_bundle)]
        nodes = {ranked.node.node_id: ranked for ranking in reversed(rankings) for ranked in ranking}
        scores = dict.fromkeys(nodes, 0.0)
        for ranking in rankings:
            for rank, ranked in enumerate(ranking, start=1):
                scores[ranked.node.node_id] += 1 / (RRF_K + rank)
        best = sorted(nodes.values(), key=lambda node: (-scores[node.node.node_id], node.node.node_id))[: len(found)]
        with trace.timed("search"):
            self._hybrid.measure(query_bundle, best)
        trace.retrieved = [hit_of(node) for node in best]
        return best

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)

    def _others(self, question: FollowUp) -> Iterator[list[NodeWithScore]]:
        """What is found besides the completed question."""
        yield self._searched(question.alone, question)
        if question.quoted:
            best = [self._hybrid.passages_of(question, document, PASSAGES) for document in question.quoted[:DOCUMENTS]]
            yield [node for rank in zip_longest(*best) for node in rank if node is not None]
        elif question.said:
            yield self._searched(question.said[:_SAID], question)[:DOCUMENTS]

    def _searched(self, text: str, question: FollowUp) -> list[NodeWithScore]:
        search = Question(text, as_of=question.as_of, parts=(Part(text),))
        found = self._hybrid.retrieve(search)
        question.trace.corrections.update(search.trace.corrections)
        for warning in search.trace.warnings:
            question.trace.warn(warning, degrades=search.trace.degraded)
        return found
