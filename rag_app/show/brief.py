"""An answer as short plain data: what `--json` prints, what the page's interface sends and what agents receive."""

from typing_extensions import TypedDict  # that of `typing` has no schema before Python 3.12

from rag_app.quote import Conflict, Quote
from rag_app.show.reasons import reason_in_words
from rag_app.show.shown import Shown


class BriefQuote(TypedDict):
    """One statement of a document, word for word, with its place."""

    text: str
    lead_in: list[str]
    """Lines that the statement depends on: a table's header row, the line above a list."""
    lead_out: list[str]
    """What limits it or is announced by it: footnotes, the list below its colon."""
    document_id: str
    title: str
    section: list[str]
    page: int | None
    """Page of a PDF, from 1."""
    start: int
    """Code points from the beginning of the document's text."""
    end: int
    source: str
    path: str | None
    """Of its file within the documents folder."""
    version: str | None
    effective_date: str | None
    """ISO date."""
    superseded_by: str | None
    """Title of the document that replaced it by the day asked about."""
    retrieved: str | None
    """When a page of the web was retrieved (ISO, UTC)."""
    part: int
    """Index of the part of the question that it answers."""


class BriefConflict(TypedDict):
    """Documents in force that disagree."""

    about: str
    quotes: list[BriefQuote]


class BriefNearest(TypedDict):
    """A statement that came near to a question that was refused. It is no answer."""

    quote: BriefQuote
    probability: float
    """How likely it answers, 0 to 1."""


class BriefAnswer(TypedDict):
    """What an answer says, without the passages around the quotes and without its trace."""

    question: str
    status: str
    """"grounded", "insufficient_evidence", "needs_clarification" or "ungrounded"."""
    quotes: list[BriefQuote]
    missing: list[str]
    """Parts of the question for which nothing was found."""
    conflicts: list[BriefConflict]
    reason: str | None
    """Why there is not enough evidence: a fixed word."""
    explanation: str | None
    """The same in a sentence."""
    nearest: list[BriefNearest]
    """Of a refusal, the statements that came nearest; they are no answer."""
    summary: str | None
    """Sentences that a language model wrote from the quotes, where they were asked for."""
    own_words: str | None
    """A language model's own words, which rest on no document; only where the status is "ungrounded"."""
    understood_as: str | None
    """In a conversation, what a follow-up was completed to, and answered as."""
    ambiguous: list[str]
    """Where the status is "needs_clarification": what the question may be about."""
    warnings: list[str]
    """Every fallback taken, in a sentence."""


def brief(answer: Shown) -> BriefAnswer:
    """The short form of an answer."""
    return BriefAnswer(
        question=answer.question,
        status=answer.status,
        quotes=[brief_quote(quote) for quote in answer.quotes],
        missing=list(answer.missing),
        conflicts=[brief_conflict(conflict) for conflict in answer.conflicts],
        reason=answer.reason,
        explanation=reason_in_words(answer) or None,
        nearest=[BriefNearest(quote=brief_quote(one.quote), probability=one.probability) for one in answer.nearest],
        summary=str(answer.summary) if answer.summary else None,
        own_words=answer.own_words,
        understood_as=answer.understood_as,
        ambiguous=list(answer.ambiguous),
        warnings=list(answer.trace.warnings),
    )


def brief_conflict(conflict: Conflict) -> BriefConflict:
    """The short form of a conflict."""
    return BriefConflict(about=conflict.about, quotes=[brief_quote(quote) for quote in conflict.quotes])


def brief_quote(quote: Quote) -> BriefQuote:
    """The short form of a quote."""
    return BriefQuote(
        text=quote.text,
        lead_in=[line.text for line in quote.lead_in],
        lead_out=[line.text for line in quote.lead_out],
        document_id=quote.document_id,
        title=quote.title,
        section=list(quote.section),
        page=quote.page,
        start=quote.start,
        end=quote.end,
        source=quote.source,
        path=quote.path,
        version=quote.version,
        effective_date=quote.effective_date,
        superseded_by=quote.superseded_by,
        retrieved=quote.retrieved,
        part=quote.part,
    )
