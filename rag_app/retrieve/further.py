"""What later stages may still ask of an index: further searches for a question, and which documents there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore

from rag_app.index.reader import IndexReader
from rag_app.principal import Principal
from rag_app.question import Question, Referred
from rag_app.retrieve.hybrid import HybridRetriever

_MOST_REFERRED, _PASSAGES_REFERRED = 2, 2
"""Documents, or places, that are followed up at a time, and passages of each."""


@dataclass(frozen=True, slots=True)
class FurtherSearches:
    """Searches like the first one: under the same access rules, through the same postprocessors, each by itself."""

    retriever: HybridRetriever
    postprocessors: Sequence[BaseNodePostprocessor]
    keep: int
    """Passages that each search adds at most."""

    def referred(self, question: Question, referred: Referred) -> list[NodeWithScore]:
        """Passages that chosen statements send the reader to: the nearest of each document, and those below a place."""
        found: dict[str, NodeWithScore] = {}
        for document_id in referred.documents[:_MOST_REFERRED]:
            for node in self.retriever.passages_of(question, document_id, _PASSAGES_REFERRED):
                found.setdefault(node.node.node_id, node)
        for document_id, place in referred.below[:_MOST_REFERRED]:
            for node in self.retriever.passages_below(question, document_id, place, _PASSAGES_REFERRED):
                found.setdefault(node.node.node_id, node)
        return list(found.values())

    def __call__(self, question: Question, queries: Sequence[str]) -> list[NodeWithScore]:
        """What the searches find, measured against the question; what they drop is in its trace."""
        found: dict[str, NodeWithScore] = {}
        for query in queries:
            search = Question(query, as_of=question.as_of)
            nodes = self.retriever.retrieve(search)
            for postprocessor in self.postprocessors:
                nodes = postprocessor.postprocess_nodes(nodes, search)
            for node in nodes[: self.keep]:
                found.setdefault(node.node.node_id, node)
            question.trace.dropped += search.trace.dropped
            question.trace.corrections.update(search.trace.corrections)
            for warning in search.trace.warnings:
                question.trace.warn(warning, degrades=search.trace.degraded)
        nodes = list(found.values())
        self.retriever.measure(question, nodes)
        return nodes


class ReadableTitles:
    """Id and title of every document that the principal may read; the same tuple as long as nothing changed."""

    def __init__(self, reader: IndexReader, principal: Principal | None) -> None:
        self._reader = reader
        self._principal = principal
        self._known: tuple[object, tuple[tuple[str, str], ...]] | None = None

    def __call__(self) -> Sequence[tuple[str, str]]:
        with self._reader.snapshot() as view:
            rules = view.readable(self._principal)
            state = (view.state(rules), rules)
            known = self._known
            if known is None or known[0] != state:
                found = view.documents(rules)
                known = self._known = (state, tuple((one.document_id, one.title) for one in found))
        return known[1]
