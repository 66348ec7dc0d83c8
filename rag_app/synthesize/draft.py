"""A draft: which statements are to answer which part of the question, before anything is validated."""

from dataclasses import dataclass

from rag_app.answer import Reason


@dataclass(frozen=True, slots=True)
class DraftPart:
    """One part of the question and what was chosen for it; nothing where nothing answers it."""

    text: str
    labels: tuple[str, ...] = ()
    """Labels of statements of the ledger, as they were given: one may not exist."""
    quotes: tuple[str, ...] = ()
    """Words of the documents from a model that quotes instead of naming labels, to be mapped onto statements."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Choices per part, or a decline with its reason."""

    parts: tuple[DraftPart, ...] = ()
    declined: Reason | None = None
