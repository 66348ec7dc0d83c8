"""How an answer is scored: two rules side by side, because one alone flatters.

The published rule asks only for the right document; a wrong number from it passes, and so does citing everything. The
strict rule reads the quotes. An error has no score: it is neither right nor a refusal.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rag_app.answer import Answer, Quote
from rag_app.evaluate.cases.schema import Case
from rag_app.show.lines import collapse

OUTSIDE_ALLOWED = 0
"""Quotes outside the right documents that the strict rule forgives, unless a suite says otherwise."""

_LEAST_OF_STATEMENT = 12
"""Characters under which a text within another one says nothing."""
_EMPHASIS = re.compile(
    r"(?<!`)(`{1,3})(?!`)(?P<code>[^`]++)\1(?!`)"
    r"|(?<![\w.])(?!__\w+__(?!\w))(_{1,3})(?=[^\s_])(?P<stressed>(?:(?!\n\s*\n).){1,300}?)(?<=[^\s_])\3(?!\w)",
    re.DOTALL,
)
"""Code, whose underscores are its own, or words between underscores: `snake_case` and `__init__` stay as they are."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one answer is worth."""

    case_id: str
    category: str
    refused: bool
    published: bool
    """Every expected document is cited (one of those that are right, where none must be); a question without an answer
    is refused with no citation."""
    strict: bool
    """Published, and every fact stands in the quotes, no wrong fact does, and no quote is outside the documents."""
    facts_found: int
    facts: int
    wrong_facts: int
    quotes: int
    quotes_outside: int
    """Quotes from documents that are neither expected nor also right."""
    quoted_right: bool
    """Whether every expected document is cited, whatever else is."""
    labels: tuple[str, ...] = ()
    """What each quote is to the answer, in their order: needed, right, superfluous or contradicting; see
    `statement_label`. Empty where the case labels no statements."""
    facts_needed: int = 0
    """Of the facts, those that a quote holds which is labelled needed."""

    def statements(self, *labels: str) -> int:
        """How many quotes have one of these labels."""
        return sum(label in labels for label in self.labels)


def score(case: Case, answer: Answer, *, outside_allowed: int = OUTSIDE_ALLOWED) -> Score:
    """Scores one answer; `outside_allowed` is how many quotes outside the right documents the strict rule forgives.

    Where a case states no facts (its ground truth is prose), the strict rule cannot read for them, and asks the rest.
    """
    refused = answer.status == "insufficient_evidence"
    shown = _shown(answer.quotes)
    cited = {quote.document_id for quote in answer.quotes}
    right = {*case.expected_documents, *case.also_right}
    outside = sum(quote.document_id not in right for quote in answer.quotes)
    found = sum(facts_found(case, shown))
    wrong = sum(bool(pattern.search(shown)) for pattern in case.wrong_facts)
    quoted = bool(cited) and cited.issuperset(case.expected_documents) and not cited.isdisjoint(right)
    published = quoted and not refused if case.answerable else refused and not cited
    strict = published and (
        not case.answerable or (found == len(case.facts) and wrong == 0 and outside <= outside_allowed)
    )
    labels = tuple(statement_label(case, quote) for quote in answer.quotes) if case.statements else ()
    needed = [quote for quote, label in zip(answer.quotes, labels, strict=False) if label == "needed"]
    return Score(
        case.id, case.category, refused, published, strict, found, len(case.facts), wrong, len(answer.quotes),
        outside, quoted, labels, sum(facts_found(case, _shown(needed))) if labels else 0,
    )  # fmt: skip


def statement_label(case: Case, quote: Quote) -> str:
    """What a quote is to the answer, by the labels of the case; by its wrong facts where nobody labelled it."""
    own = plain(quote.text)
    for one in case.statements:
        if one.document_id == quote.document_id and same_statement(own, one.text):
            return one.label
    is_wrong = any(pattern.search(_shown([quote])) for pattern in case.wrong_facts)
    return "contradicting" if is_wrong else "superfluous"


def same_statement(text: str, other: str) -> bool:
    """Whether two plain texts of one document are the same statement, or one holds the other: where a statement
    begins and ends may change with how documents are cut."""
    short, long = sorted((text.strip(), other.strip()), key=len)
    return bool(short) and (short == long or (len(short) >= _LEAST_OF_STATEMENT and short in long))


def right_retrieved(case: Case, retrieved: Collection[str]) -> bool | None:
    """Whether every expected document is among the ids of those retrieved; None where the case names none."""
    return set(retrieved).issuperset(case.expected_documents) if case.expected_documents else None


def evidence_delivered(case: Case, shown: str) -> bool | None:
    """Whether every fact stands in what reached the evidence (see `shown_text`); None where the case states none."""
    return all(facts_found(case, shown)) if case.answerable and case.facts else None


def facts_found(case: Case, shown: str) -> list[bool]:
    """For each fact of the case whether it stands in a text that `shown_text` made."""
    return [any(pattern.search(shown) for pattern in fact) for fact in case.facts]


def shown_text(statements: Iterable[tuple[Sequence[str], str]]) -> str:
    """Statements as patterns see them: one a line, its lead-ins in front; so that no pattern is met half by one
    statement and half by another."""
    return "\n".join(plain(" ".join((*lead_in, text))) for lead_in, text in statements)


def _shown(quotes: Iterable[Quote]) -> str:
    return shown_text(([line.text for line in quote.lead_in], quote.text) for quote in quotes)


def plain(text: str) -> str:
    """Text as patterns see it: white space collapsed, Markdown emphasis dropped, names of code left whole."""
    bare = _EMPHASIS.sub(lambda found: found["code"] or found["stressed"] or "", text)
    return collapse(re.sub(r"[*`]+", "", bare))
