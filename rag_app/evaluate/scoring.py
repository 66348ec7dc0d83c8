"""How an answer is scored: two rules side by side, because one alone flatters.

The published rule asks only for the right document; a wrong number from it passes, and so does citing everything. The
strict rule reads the quotes.
"""

import re
from dataclasses import dataclass

from rag_app.answer import Answer
from rag_app.evaluate.cases import Case
from rag_app.render import collapse

_EMPHASIS = re.compile(r"[*_`]+")


@dataclass(frozen=True, slots=True)
class Score:
    """What one answer is worth."""

    case_id: str
    category: str
    refused: bool
    published: bool
    """Every expected document is cited; an unanswerable question is refused with no citation."""
    strict: bool
    """Published, and every fact stands in the quotes, no wrong fact does, and no quote is outside the documents."""
    facts_found: int
    facts: int
    wrong_facts: int
    quotes: int
    quotes_outside: int
    """Quotes from documents that are neither expected nor also right."""


def score(case: Case, answer: Answer, *, outside_allowed: int = 0) -> Score:
    """Scores one answer; `outside_allowed` is how many quotes outside the right documents the strict rule forgives."""
    refused = answer.status != "grounded"
    shown = plain("\n".join(f"{' '.join(line.text for line in q.lead_in)} {q.text}" for q in answer.quotes))
    cited = {quote.document_id for quote in answer.quotes}
    right = {*case.expected_documents, *case.also_right}
    outside = sum(quote.document_id not in right for quote in answer.quotes)
    found = sum(any(pattern.search(shown) for pattern in fact) for fact in case.facts)
    wrong = sum(bool(pattern.search(shown)) for pattern in case.wrong_facts)
    published = cited.issuperset(case.expected_documents) if case.answerable else refused
    strict = published and (
        not case.answerable or (found == len(case.facts) and wrong == 0 and outside <= outside_allowed)
    )
    return Score(
        case.id, case.category, refused, published and (refused != case.answerable), strict, found, len(case.facts),
        wrong, len(answer.quotes), outside,
    )  # fmt: skip


def plain(text: str) -> str:
    """Text as patterns see it: white space collapsed, Markdown emphasis dropped."""
    return collapse(_EMPHASIS.sub("", text))
