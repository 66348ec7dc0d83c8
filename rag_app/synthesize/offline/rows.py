"""Rows of tables, labelled items, sentences of one build: which is looked up, and which of those beside it answer too.

Cross-encoder and embedder read prose: they find little in common between "What is EM-02?", or "What does the router
cost?", and the row that says it. So rows are looked up by the code in a cell, or by the name in their first one. And
the row of the laser has the same header and heading as that of the router and looks just as good to models: the words
of the question that each of them holds tell them apart. "Which machines need training?" has all its rows.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from rag_app.question import Part, QuestionTerms
from rag_app.synthesize.evidence import EvidenceStatement
from rag_app.synthesize.offline.anchors import anchors_of
from rag_app.synthesize.offline.answer_kind import holds_money, kinds_asked
from rag_app.synthesize.offline.features import Candidate
from rag_app.text.words import content_stems

_ASKS_FOR_MONEY = frozenset(content_stems("cost costs price priced fee pay paid charge charged rate fare much"))
_MOST_ROWS = 12
"""Rows that are shown together; more are a table, which nobody asked for."""
_LABELLED = re.compile(r"[^:\n]{1,60}(?::|\s[–—-])\s")
_SAME_BUILD = 0.5
"""Share of the words of two sentences that stand in both, in the same order."""
_ASKS_FOR_ROWS = re.compile(
    r"\b(?:which|whose|all|every|list)\b[^?]*?\w{2,}s\b|\bwho\b"
    r"|\bwhat (?:are\b|(?:\w+ )?(?!does\b|was\b|has\b)\w{2,}s\b)",
    re.IGNORECASE,
)


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
    """Whether it is a table row with a cell that is a code which the part names; options are explained in prose too."""
    codes = {code for code in _codes(part, terms) if not code.startswith("-")}
    return bool(codes) and bool(candidate.features.row) and _is_named(candidate.statement, codes, frozenset())


def is_rival(other: Candidate, best: Candidate, part: Part) -> bool:
    """Whether a candidate is a row, an item or a sentence of the same build beside the best one, and holds less of what
    the question names."""
    if not _are_beside(other.statement, best.statement) and not _are_of_one_build(other, best):
        return False
    asked = set(content_stems(part.text))
    return asked & _stems_of(other.statement.text) < asked & _stems_of(best.statement.text)


def rows_alike(best: Candidate, part: Part, ranked: Sequence[Candidate]) -> list[str]:
    """Where several are asked for and the best is a table row, the rows of its table that hold the same words of the
    question."""
    if best.statement.kind != "table_row" or not _ASKS_FOR_ROWS.search(part.text):
        return []
    asked = set(content_stems(part.text))
    shared = asked & _stems_of(best.statement.text)
    rows = [
        one.statement.label
        for one in ranked
        if one.evidence.document_id == best.evidence.document_id
        if _are_beside(one.statement, best.statement) and asked & _stems_of(one.statement.text) == shared
    ]
    return rows if shared and len(rows) <= _MOST_ROWS else []


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


def _are_beside(one: EvidenceStatement, other: EvidenceStatement) -> bool:
    """Whether both are rows below one header, or labelled items below one line: "Laser: 12 an hour"."""
    is_row = one.kind == other.kind == "table_row"
    is_item = one.kind == other.kind == "list_item" and all(_LABELLED.match(item.text) for item in (one, other))
    return (is_row or is_item) and bool(one.lead_in) and one.lead_in == other.lead_in


def _are_of_one_build(one: Candidate, other: Candidate) -> bool:
    """Whether two sentences of one section say the same of different things: "The loom takes an hour." and "The kiln
    takes a day." have half of their words in the same order."""
    sentences = (one.statement, other.statement)
    places = {(each.evidence.document_id, each.evidence.section) for each in (one, other)}
    if len(places) > 1 or any(each.kind != "sentence" for each in sentences):
        return False
    words = [re.findall(r"\w+", each.text.casefold()) for each in sentences]
    return SequenceMatcher(None, *words, autojunk=False).ratio() >= _SAME_BUILD
