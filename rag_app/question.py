"""A question on its way through the stages.

LlamaIndex hands only a list of nodes from stage to stage, and an empty list loses its reason. A `Question` is a
QueryBundle that the same query engine passes to retriever, postprocessors and synthesizer; it carries what they
have to tell each other.
"""

from dataclasses import dataclass, field
from datetime import date

from llama_index.core.schema import QueryBundle

from rag_app.answer import Reason, Trace
from rag_app.parts import Part, split_parts


@dataclass
class Question(QueryBundle):
    """What is asked, and everything that is learnt on the way."""

    as_of: date | None = None
    """The day whose documents in force are asked; None means today."""
    trace: Trace = field(default_factory=Trace)
    refusal: Reason | None = None
    """Set by the stage that left no passage over."""
    parts: tuple[Part, ...] = ()
    """The questions within the question, each understandable alone as far as words alone can make it so."""

    def __post_init__(self) -> None:
        if not self.parts:
            self.parts = split_parts(self.query_str)


def trace_of(query_bundle: QueryBundle | None) -> Trace:
    """The trace that travels with a question; in a stranger's engine one that nobody reads."""
    return query_bundle.trace if isinstance(query_bundle, Question) else Trace()


def parts_of(query_bundle: QueryBundle) -> tuple[Part, ...]:
    """The parts of a question; in a stranger's engine computed on the spot."""
    return query_bundle.parts if isinstance(query_bundle, Question) else split_parts(query_bundle.query_str)
