"""What the page and the tools for agents ask of an index, checked."""

from datetime import date

from typing_extensions import TypedDict

from rag_app.document import Document
from rag_app.errors import DocumentMissing, UsageError
from rag_app.opened import OpenIndex
from rag_app.principal import Principal


class FoundPassage(TypedDict):
    """A passage, and its place."""

    rank: int
    score: float
    cosine: float | None
    """Similarity of meaning to the question, -1 to 1."""
    title: str
    section: str | None
    page: int | None
    text: str
    document_id: str
    start: int
    """Code points from the beginning of the document's text."""
    source: str


def day_of(text: str | None) -> date | None:
    """A day written as YYYY-MM-DD. Raises UsageError where it is not one."""
    try:
        return date.fromisoformat(text) if text else None
    except (TypeError, ValueError) as error:
        raise UsageError(f"as_of must be a day such as 2025-03-01, not {text!r}.") from error


def found_passages(index: OpenIndex, principal: Principal | None, question: str, k: int) -> list[FoundPassage]:
    """The `k` best passages for a question. Raises as `OpenIndex.search` does."""
    return [FoundPassage(**row) for row in index.search(question, principal, k).rows]  # pyright: ignore


def fetched(index: OpenIndex, principal: Principal | None, document_id: str) -> Document:
    """A document.

    Raises DocumentMissing where there is no such document that the asker may read; the error does not say whether it
    exists.
    """
    document = index.reader.document(document_id, principal)
    if document is None:
        raise DocumentMissing(f"There is no document {document_id!r} that you may read.")
    return document
