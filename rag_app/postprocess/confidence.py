"""Decides whether the best passage is near enough to the question to answer from at all."""

import logging
import math

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.question import question_of
from rag_app.text.nodes import COSINE, GATE_OFF, NAMED, OTHER_WORDS, UNGATED, drop_of, hide

_log = logging.getLogger(__name__)


class ConfidenceGate(BaseNodePostprocessor):
    """Lets all passages through, or none.

    It reads the cosine between the question as it was asked and each passage, which the retriever leaves in the
    node's metadata; no later score can open or close it, nor can passages that only other phrasings found. Where no
    node carries that number, as behind a third-party retriever, all pass, with a warning in the log and in the answer.
    A rare name or code of the question that stands word for word in a passage opens it too: small embedders know no
    names.
    """

    threshold: float
    """Cosine from which the gate is open."""

    @classmethod
    def class_name(cls) -> str:
        return "ConfidenceGate"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return nodes
        question = question_of(query_bundle)
        trace = question.trace
        asked = [node for node in nodes if not node.node.metadata.get(OTHER_WORDS)]
        cosines = [cosine for node in asked if (cosine := _cosine(node)) is not None]
        if asked and not cosines:
            trace.warn(GATE_OFF, degrades=True)
            _log.warning(GATE_OFF)
            for node in nodes:
                hide(node.node, UNGATED, True)
            return nodes
        best = max(cosines, default=-1.0)
        trace.numbers["gate.best_cosine"] = round(best, 6)
        trace.numbers["gate.threshold"] = self.threshold
        named = {name for node in asked for name in node.node.metadata.get(NAMED) or ()}
        if named:
            trace.numbers["gate.named"] = float(len(named))
        if named or best >= self.threshold:
            return nodes
        for node in nodes:
            trace.dropped.append(drop_of(node, "confidence gate", f"best cosine {best:.3f} is under {self.threshold}"))
        return question.refuse("below_confidence")


def _cosine(found: NodeWithScore) -> float | None:
    """The number that a retriever left; anybody may have left something else under that name."""
    cosine = found.node.metadata.get(COSINE)
    return float(cosine) if isinstance(cosine, (int, float)) and math.isfinite(cosine) else None
