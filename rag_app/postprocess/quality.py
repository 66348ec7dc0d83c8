"""Drops stubs: passages too short to say anything, that do not even name what is asked."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.corpus.nodes import drop_of, node_statements, node_text
from rag_app.corpus.words import content_stems, count_words
from rag_app.question import trace_of


class QualityFilter(BaseNodePostprocessor):
    """Keeps a passage whose quality reaches `keep_from`.

    Quality is 0 under 20 words, else min(0.8, 0.2 + 0.6 * words / 200) + 0.2 * overlap, where overlap is the share of
    the question's content words that the passage holds. Whatever its length, a passage stays when it is one whole
    statement (a signature, a table row, a rule in a sentence) or names everything that is asked. When nothing would
    be left, the best passages stay and the trace says so.
    """

    keep_from: float = 0.3
    at_least: int = 3
    """How many of the best stay when everything would go."""

    @classmethod
    def class_name(cls) -> str:
        return "QualityFilter"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return nodes
        trace = trace_of(query_bundle)
        with trace.timed("quality filter"):
            asked = set(content_stems(query_bundle.query_str)) if query_bundle else set()
            rated = [(_quality(node, asked), node) for node in nodes]
            kept = [node for quality, node in rated if quality >= self.keep_from]
            if not kept:
                trace.warn("The quality filter found only stubs; the best of them were kept.")
                best = sorted(range(len(rated)), key=lambda i: (-rated[i][0], i))[: self.at_least]
                kept = [nodes[i] for i in sorted(best)]
            staying = {id(node) for node in kept}
            for quality, node in rated:
                if id(node) not in staying:
                    trace.dropped.append(drop_of(node, "quality filter", f"a stub (quality {quality:.2f})"))
        return kept


def _quality(found: NodeWithScore, asked: set[str]) -> float:
    text = node_text(found.node)
    words = count_words(text)
    if words == 0:
        return 0.0
    held = asked.intersection(content_stems(text))
    overlap = len(held) / len(asked) if asked else 0.0
    if (asked and held == asked) or len(node_statements(found.node)) == 1:
        return 1.0
    if words < 20:
        return 0.0
    return min(0.8, 0.2 + 0.6 * words / 200) + 0.2 * overlap
