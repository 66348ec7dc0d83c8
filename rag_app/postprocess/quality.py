"""Drops stubs: passages too short to say anything, that do not even name what is asked."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.corpus.nodes import drop_of, node_statements, node_text
from rag_app.corpus.words import content_stems, count_words
from rag_app.question import trace_of

_NAMES_WHAT_IS_ASKED = 0.5
"""Share of the question's content words."""


class QualityFilter(BaseNodePostprocessor):
    """Keeps a passage whose quality reaches `keep_from`.

    Quality is 0 under 20 words, else min(0.8, 0.2 + 0.6 * words / 200) + 0.2 * overlap, where overlap is the share of
    the question's content words that the passage and its headings hold. Whatever its length, a passage stays when it
    is one whole statement (a signature, a table row, a rule in a sentence) or names what is asked (half of these words
    at least): a short section often leaves to its heading what it is about, and the gate must see it. When nothing
    would be left, the best passages stay and the trace says so.
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
            rated = [(self._quality(node, asked), node) for node in nodes]
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

    def _quality(self, found: NodeWithScore, asked: set[str]) -> float:
        """The quality of a passage; of one that its length alone keeps, what its length gives."""
        text = node_text(found.node)
        words = count_words(text)
        by_length = min(0.8, 0.2 + 0.6 * words / 200) if words >= 20 else 0.0
        if words == 0 or by_length >= self.keep_from:
            return by_length  # the usual case; stems of all passages would cost more than the other stages together
        facts = found.node.metadata
        held = asked.intersection(content_stems(f"{facts.get('title') or ''} {facts.get('section') or ''} {text}"))
        overlap = len(held) / len(asked) if asked else 0.0
        if overlap >= _NAMES_WHAT_IS_ASKED or len(node_statements(found.node)) == 1:
            return 1.0
        return by_length + 0.2 * overlap if by_length else 0.0
