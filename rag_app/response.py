"""The LlamaIndex Response that carries an Answer; alone here, since importing LlamaIndex's Response takes seconds."""

from dataclasses import dataclass, field

from llama_index.core.base.response.schema import Response

from rag_app.answer import Answer


@dataclass
class GroundedResponse(Response):
    """`response` is `str(answer)`; `source_nodes` are the nodes that the quotes come from."""

    answer: Answer = field(default_factory=lambda: Answer(question="", status="insufficient_evidence"))

    def __str__(self) -> str:
        return str(self.answer)

    def _repr_html_(self) -> str:
        return self.answer._repr_html_()
