"""What an answer is: the door to everything that it consists of. Light: no LlamaIndex here."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from rag_app.quote import Conflict, LeadIn, Quote, Summary, SummarySentence
from rag_app.trace import Drop, Hit, Trace, Verdict, WebAttempt, WebSearched, WebTopic

__all__ = [
    "Answer",
    "Conflict",
    "Drop",
    "Hit",
    "LeadIn",
    "Quote",
    "Reason",
    "Status",
    "Summary",
    "SummarySentence",
    "Trace",
    "Verdict",
    "WebAttempt",
    "WebSearched",
    "WebTopic",
]

Status = Literal["grounded", "insufficient_evidence", "ungrounded"]
Reason = Literal[
    "nothing_readable",
    "nothing_found",
    "below_confidence",
    "not_for_search",
    "nothing_relevant",
    "extractive_declined",
    "model_declined",
    "nothing_validated",
]
"""Why there is not enough evidence. Of the web alone: "not_for_search", there was nothing to search for;
"nothing_relevant", what was found is of another region, about namesakes or off the topic."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person gets: the documents' own statements, or plainly that there is not enough evidence."""

    question: str
    status: Status
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = ()
    """Parts of the question for which nothing was found, in the question's words."""
    conflicts: tuple[Conflict, ...] = ()
    reason: Reason | None = None
    """Why there is not enough evidence; None where there is."""
    summary: Summary | None = None
    """Only on request and only beside quotes: sentences a model wrote, each checked against the quotes it names. None
    where none was asked for, or none stood; the trace's warnings say which."""
    own_words: str | None = None
    """Only where the status is "ungrounded": the model's own words, which rest on nothing."""
    trace: Trace = field(default_factory=Trace)

    def __str__(self) -> str:
        from rag_app.show.render import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from rag_app.show.answer_html import as_html

        return as_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; equal runs differ only in `trace.milliseconds`."""
        return asdict(self)
