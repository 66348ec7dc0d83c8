"""What an answer quotes, with its place, and what rests on quotes: conflicts and summaries."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class LeadIn:
    """A line that a statement depends on: a table's header row, the line above a list, an outer list item; or, as a
    lead-out, a footnote that limits it."""

    text: str
    """Exactly `document.text[start:end]`."""
    start: int
    """In code points from the beginning of the document's text."""
    end: int
    """In code points, not included."""


@dataclass(frozen=True, slots=True)
class Quote:
    """One whole statement of a document, word for word, with its place."""

    text: str
    """Exactly `document.text[start:end]`, line breaks and Markdown included."""
    document_id: str
    title: str
    section: tuple[str, ...]
    """Headings above the statement, outermost first."""
    page: int | None
    """Page of a PDF, from 1; None where the source has no pages."""
    start: int
    """In code points from the beginning of the document's text."""
    end: int
    """In code points, not included."""
    source: str
    """What the document names as its source, else the path of its file, or the URL of its page."""
    version: str | None = None
    effective_date: str | None = None
    """ISO date; None where the document states none."""
    superseded_by: str | None = None
    """Title of the document that replaced this one by the day asked about; None while it is in force, and where the
    asker may not read the other."""
    path: str | None = None
    """Place of its file within the documents folder, whatever it names as its `source`; None where there is none."""
    part: int = 0
    """Index of the part of the question that it answers."""
    lead_in: tuple[LeadIn, ...] = ()
    """Lines that the statement depends on, outermost first; shown before it."""
    lead_out: tuple[LeadIn, ...] = ()
    """What limits the statement or is announced by it: its footnotes, a remark behind a star, the list or code below
    its colon; shown after it."""
    kind: str = "sentence"
    """What kind of statement it is: sentence, list_item, table_row or code."""
    markup: Literal["markdown", "plain"] = "plain"
    """How the document's text is written: Markdown (also what HTML and Word are extracted to), or plain text."""
    context: str = field(default="", repr=False)
    """The passage around the statement; holds `text`."""
    context_start: int = 0
    """Where `context` begins in the document."""
    retrieved: str | None = None
    """For a page of the web, when its text was retrieved (ISO date or time, UTC); `source` is its URL. None for a
    file."""
    published: str | None = None
    """For a page that a web search found, its date of publication (ISO date); None where the service gave none."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A statement that came near to a question that was refused. It is no answer."""

    quote: Quote
    probability: float
    """How likely it answers its part of the question, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Quotes of documents in force that disagree about the same thing."""

    quotes: tuple[Quote, ...]
    about: str


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence that a model wrote and that was checked against the quotes it names."""

    text: str
    quotes: tuple[int, ...]
    """Indexes into `Answer.quotes` of those it rests on, ascending; at least one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model wrote from the quotes alone. It stands beside them, is labelled and is no source."""

    sentences: tuple[SummarySentence, ...]
    """One to three."""

    def __str__(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)
