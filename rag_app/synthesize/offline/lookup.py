"""Table rows that are looked up: by the code in a cell, or by the name in their first one.

Cross-encoder and embedder read prose: they find little in common between "What is EM-02?", or "What does the router
cost?", and the row that says it.
"""

from collections.abc import Sequence
from functools import lru_cache

from rag_app.question import Part, QuestionTerms
from rag_app.synthesize.evidence import EvidenceStatement
from rag_app.synthesize.offline.anchors import anchors_of
from rag_app.synthesize.offline.answer_kind import holds_money, kinds_asked
from rag_app.synthesize.offline.features import Candidate
from rag_app.text.words import content_stems

_ASKS_FOR_MONEY = frozenset(content_stems("cost costs price priced fee pay paid charge charged rate fare much"))


def looked_up(ranked: Sequence[Candidate], part: Part, terms: QuestionTerms) -> list[str]:
    """Labels of the table rows that the part names by a code or by what their first cell says, if row, header and
    headings hold the rest of the question too. Where the price of a thing is asked for, a sum of money stands for the
    word that asks for it."""
    codes = _codes(part, terms)
    asked = frozenset(content_stems(part.text))
    return [
        candidate.statement.label
        for candidate in ranked
        if candidate.features.row
        and _is_named(candidate.statement, codes, asked)
        and _holds_rest(candidate, part, asked)
    ]


def is_row_of_code(candidate: Candidate, part: Part, terms: QuestionTerms) -> bool:
    """Whether it is a table row with a cell that is a code which the part names."""
    codes = _codes(part, terms)
    return bool(codes) and bool(candidate.features.row) and _is_named(candidate.statement, codes, frozenset())


def _codes(part: Part, terms: QuestionTerms) -> set[str]:
    return {stem for anchor in anchors_of(part.text, terms) if anchor.kind == "code" for stem in anchor.stems}


def _is_named(row: EvidenceStatement, codes: set[str], asked: frozenset[str]) -> bool:
    cells = [cell.strip(" `*").casefold() for cell in row.text.split("|")]
    if codes:
        return not codes.isdisjoint(cells)
    name = content_stems(next((cell for cell in cells if cell), ""))
    return bool(name) and asked.issuperset(name)


def _holds_rest(candidate: Candidate, part: Part, asked: frozenset[str]) -> bool:
    place = candidate.place
    rest = asked - _stems_of(place.headings) - _stems_of(place.statement)
    is_price = "amount" in kinds_asked(part.text) and holds_money(candidate.statement.text)
    return not (rest - _ASKS_FOR_MONEY if is_price else rest)


@lru_cache(maxsize=64)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))
