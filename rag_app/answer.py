"""What an answer is; every part of it can be imported from here. Light: it imports no LlamaIndex."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from rag_app.quote import Conflict, LeadIn, Nearest, Quote, Summary, SummarySentence
from rag_app.trace import Drop, Hit, Trace, WebAttempt, WebSearched, WebTopic, WebVerdict

__all__ = [
    "Answer",
    "Conflict",
    "Drop",
    "Hit",
    "LeadIn",
    "Nearest",
    "Quote",
    "Reason",
    "Status",
    "Summary",
    "SummarySentence",
    "Trace",
    "WebVerdict",
    "WebAttempt",
    "WebSearched",
    "WebTopic",
]

Status = Literal["grounded", "insufficient_evidence", "needs_clarification", "ungrounded"]
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
    nearest: tuple[Nearest, ...] = ()
    """Of a refusal with evidence in reach: up to three readable statements that came nearest, likeliest first. They are
    no answer and are shown under a line that says so."""
    summary: Summary | None = None
    """Only on request and only beside quotes: sentences a model wrote, each checked against the quotes it names. None
    where none was asked for, or none stood; the trace's warnings say which."""
    own_words: str | None = None
    """Only where the status is "ungrounded": the model's own words, which rest on nothing."""
    understood_as: str | None = None
    """In a conversation, what a turn was completed to from the turns before it, and answered as; None where it was
    answered as it stands."""
    ambiguous: tuple[str, ...] = ()
    """Only where the status is "needs_clarification": what the turn may be about, between which nothing decides."""
    trace: Trace = field(default_factory=Trace)

    def __str__(self) -> str:
        from rag_app.show.render import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return f"<Answer {self.in_short()}>"

    def in_short(self) -> str:
        """“grounded, 2 quotes from Leave rules, Business travel”, or the status with its reason."""
        if self.status != "grounded":
            return f"{self.status}: {self.reason}" if self.reason else self.status
        count = f"{len(self.quotes)} quote{'s' if len(self.quotes) != 1 else ''}"
        return f"grounded, {count} from {', '.join(dict.fromkeys(quote.title for quote in self.quotes))}"

    def _repr_html_(self) -> str:
        from rag_app.show.html.answer_html import as_html

        return as_html(self)

    def save_html(self, path: str | Path, *, files: Mapping[str, str] | None = None) -> Path:
        """Writes the answer as a page of its own, which loads nothing and runs nothing, and returns its path.

        Args:
            path: the file to write; an existing one is replaced.
            files: where a document's file can be opened, by document id (see `OpenIndex.files`): its source then links
                to the place in it. Pages of the web link to the place in any case.

        Raises:
            OSError: the file cannot be written.
        """
        from rag_app.show.html.answer_html import as_html
        from rag_app.show.html.style import whole_page

        file = Path(path)
        file.write_text(whole_page(self.question, as_html(self, files=files)), "utf-8", "replace")
        return file

    def as_dict(self, *, full: bool = True) -> dict[str, Any]:
        """Plain data for JSON.

        Args:
            full: with the passages around the quotes and the trace; equal runs differ only in `trace.milliseconds`.
                Else what `rag_app.show.brief.BriefAnswer` describes: what the answer says and where it stands.
        """
        if full:
            return asdict(self)
        from rag_app.show.brief import brief

        return dict(brief(self))
