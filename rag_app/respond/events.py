"""What happens while a question is answered, as it happens. Light: no LlamaIndex here.

    Searching      what is searched for; once, and again for each further search
    Retrieved      passages that reached the evidence
    Understood     in a conversation, what a turn was completed to
    Quoted         a quote that stands: validated, and not taken away by anything that comes after it
    Disagreement   documents in force that contradict each other
    Summarised     a sentence of a summary that was checked against the quotes it names
    Refused        there is not enough evidence, or the question can be understood in more than one way
    Done           the response; always last, unless an error is raised

Nothing that a model writes is among them before it is checked: no event holds a token as it comes.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_app.answer import Conflict, Hit, Quote, Reason, SummarySentence

if TYPE_CHECKING:
    from rag_app.respond.response import GroundedResponse


@dataclass(frozen=True, slots=True)
class Searching:
    """A search begins."""

    queries: tuple[str, ...]
    """What is searched for."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Passages that became evidence, best first; only what the asker may read."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Understood:
    """A turn that leaned on the turns before it was completed."""

    question: str
    """What is answered in its place."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote that stands."""

    quote: Quote


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Documents in force contradict each other; the quotes were shown before."""

    conflict: Conflict


@dataclass(frozen=True, slots=True)
class Summarised:
    """A checked sentence of the summary; its `quotes` are indexes into those of the answer."""

    sentence: SummarySentence


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing is answered."""

    reason: Reason | None
    """None where the question can be understood in more than one way; then `ambiguous` says how."""
    ambiguous: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The whole response."""

    response: "GroundedResponse"


Event = Searching | Retrieved | Understood | Quoted | Disagreement | Summarised | Refused | Done
