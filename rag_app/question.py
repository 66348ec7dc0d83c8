"""A question on its way through the stages.

LlamaIndex hands only a list of nodes from stage to stage, and an empty list loses its reason. A `Question` is a
QueryBundle that the same query engine passes to retriever, postprocessors and synthesizer; it carries what they
have to tell each other.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from llama_index.core.schema import QueryBundle

from rag_app.answer import Reason, Trace
from rag_app.errors import UsageError
from rag_app.question_parts import Part, split_parts

LONGEST = 10_000
"""Characters of a question. The embedder reads about 2,000 of them."""
MOST_PARTS = 8
"""Each part is searched and judged by itself; what seems to ask more than that is a text and stays whole."""


@dataclass
class Question(QueryBundle):
    """What is asked, and everything that is learnt on the way."""

    as_of: date | None = None
    """The day whose documents in force are asked; None means today."""
    trace: Trace = field(default_factory=Trace)
    refusal: Reason | None = None
    """Set by the stage that left no passage over."""
    is_open: bool = False
    """Whether it only names something and asks nothing of it in particular ("Spark", "why is Spark in the news?"):
    then what pages say of it first is the answer. Set by a retriever that knows what passages are about."""
    parts: tuple[Part, ...] = ()
    """The questions within the question, each understandable alone as far as words alone can make it so."""

    def __post_init__(self) -> None:
        """Raises UsageError where `as_of` is no day."""
        if self.as_of is not None and (not isinstance(self.as_of, date) or isinstance(self.as_of, datetime)):
            raise UsageError(f"as_of must be a day such as datetime.date(2024, 5, 31), not {self.as_of!r}.")
        if not self.parts:
            self.parts = _parts(self.query_str)


def as_question(asked: Any, as_of: date | None = None) -> Question:
    """A question at the start of its way: what was asked, checked, with a trace of its own.

    Raises:
        UsageError: it is no text, empty, longer than `LONGEST` characters, or holds characters that are no text; or
            `as_of` is no day.
    """
    text = asked.query_str if isinstance(asked, QueryBundle) else asked
    if not isinstance(text, str) or not text.strip():
        raise UsageError("The question is empty: ask something.")
    text = text.strip()
    if len(text) > LONGEST:
        raise UsageError(f"The question has {len(text):,} characters: ask in at most {LONGEST:,}.", length=len(text))
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("The question holds characters that are no text (lone surrogates): write it as UTF-8.")
    before = asked.as_of if isinstance(asked, Question) else None
    return Question(text, as_of=before if as_of is None else as_of)


def trace_of(query_bundle: QueryBundle | None) -> Trace:
    """The trace that travels with a question; in a stranger's engine one that nobody reads."""
    return query_bundle.trace if isinstance(query_bundle, Question) else Trace()


def parts_of(query_bundle: QueryBundle) -> tuple[Part, ...]:
    """The parts of a question; in a stranger's engine computed on the spot."""
    return query_bundle.parts if isinstance(query_bundle, Question) else _parts(query_bundle.query_str)


def _parts(text: str) -> tuple[Part, ...]:
    parts = split_parts(text)
    return parts if len(parts) <= MOST_PARTS else (Part(text),)
