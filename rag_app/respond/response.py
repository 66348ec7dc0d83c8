"""The LlamaIndex Response that carries an Answer; alone here, since importing LlamaIndex's Response takes seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from llama_index.core.base.response.schema import Response
from llama_index.core.schema import BaseNode, Document, ImageNode, IndexNode, Node, NodeWithScore, TextNode
from pydantic import TypeAdapter, ValidationError

from rag_app.answer import Answer
from rag_app.errors import UsageError


@dataclass
class GroundedResponse(Response):
    """`response` is `str(answer)`; `source_nodes` are the nodes that the quotes come from."""

    answer: Answer = field(default_factory=lambda: Answer(question="", status="insufficient_evidence"))

    def __str__(self) -> str:
        return str(self.answer)

    def __repr__(self) -> str:
        return f"<GroundedResponse {self.answer.in_short()}>"

    def _repr_html_(self) -> str:
        return self.answer._repr_html_()

    @classmethod
    def class_name(cls) -> str:
        """By which LlamaIndex's serialisers know that `to_dict` and `from_dict` are there."""
        return "GroundedResponse"

    def to_dict(self, **_: Any) -> dict[str, Any]:
        """Plain data for JSON, with the answer in full."""
        return {
            "response": self.response,
            "source_nodes": [node.to_dict() for node in self.source_nodes],
            "metadata": self.metadata,
            "answer": self.answer.as_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **_: Any) -> Self:
        """The response that `to_dict` wrote, or that pydantic dumped as a field of another model.

        Raises:
            UsageError: the data are of something else.
        """
        try:
            answer = _answers().validate_python(data["answer"])
            nodes = [NodeWithScore(node=_node(found["node"]), score=found["score"]) for found in data["source_nodes"]]
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise UsageError(f"This is not what GroundedResponse.to_dict() gives: {error}") from error
        return cls(data.get("response"), nodes, data.get("metadata"), answer)


def _node(data: Mapping[str, Any]) -> BaseNode:
    """A node of the kind that its data name; LlamaIndex itself would make a bare BaseNode of it, which it cannot."""
    kinds = {kind.class_name(): kind for kind in (TextNode, Node, ImageNode, IndexNode, Document)}
    return kinds[data["class_name"]].from_dict(dict(data))


@cache
def _answers() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)
