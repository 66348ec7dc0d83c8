"""Further searches for a question, which a draft may ask for once."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore

from rag_app.question import Question
from rag_app.retrieve.hybrid import HybridRetriever


@dataclass(frozen=True, slots=True)
class FurtherSearches:
    """Searches like the first one: under the same rules, through the same postprocessors, each for itself."""

    retriever: HybridRetriever
    stages: Sequence[BaseNodePostprocessor]
    keep: int
    """Passages that each search adds at most."""

    def __call__(self, question: Question, queries: Sequence[str]) -> list[NodeWithScore]:
        """What the searches find, measured against the question; what they drop is in its trace."""
        found: dict[str, NodeWithScore] = {}
        for query in queries:
            search = Question(query, as_of=question.as_of)
            nodes = self.retriever.retrieve(search)
            for stage in self.stages:
                nodes = stage.postprocess_nodes(nodes, search)
            for node in nodes[: self.keep]:
                found.setdefault(node.node.node_id, node)
            question.trace.dropped += search.trace.dropped
            for warning in search.trace.warnings:
                question.trace.warn(warning, degrades=search.trace.degraded)
        nodes = list(found.values())
        self.retriever.measure(question, nodes)
        return nodes
