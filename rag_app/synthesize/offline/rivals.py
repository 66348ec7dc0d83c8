"""Rows of one table, and labelled items of one list, told apart by the words of the question that each of them holds.

"What does the laser cost?" stands in the row of the laser. That of the router has the same header and heading and
looks just as good to models, and is the answer to another question. "Which machines need training?" has all its rows.
"""

import re
from collections.abc import Sequence

from rag_app.question import Part
from rag_app.synthesize.evidence import Evidence, EvidenceStatement
from rag_app.synthesize.offline.features import Candidate
from rag_app.text.words import content_stems

_MOST_ROWS = 12
"""Rows that are shown together; more are a table, which nobody asked for."""
_LABELLED = re.compile(r"[^:\n]{1,60}(?::|\s[–—-])\s")
_ASKS_FOR_ROWS = re.compile(r"\b(?:which|what|whose|all|every|list)\b[^?]*?\w{2,}s\b|\bwho\b", re.IGNORECASE)


def is_rival_row(other: EvidenceStatement, best: Candidate, part: Part) -> bool:
    """Whether a statement is a row or an item beside the best one and holds less of what the question names."""
    if not _are_beside(other, best.statement):
        return False
    asked = set(content_stems(part.text))
    return asked.intersection(content_stems(other.text)) < asked.intersection(content_stems(best.statement.text))


def rows_alike(best: Candidate, part: Part, evidence: Sequence[Evidence]) -> list[str]:
    """Where several are asked for and the best is a table row, the rows of its table that hold the same words of the
    question."""
    if best.statement.kind != "table_row" or not _ASKS_FOR_ROWS.search(part.text):
        return []
    asked = set(content_stems(part.text))
    shared = asked.intersection(content_stems(best.statement.text))
    rows = [
        row.label
        for one in evidence
        if one.document_id == best.evidence.document_id
        for row in one.statements
        if _are_beside(row, best.statement) and asked.intersection(content_stems(row.text)) == shared
    ]
    return rows if shared and len(rows) <= _MOST_ROWS else []


def _are_beside(one: EvidenceStatement, other: EvidenceStatement) -> bool:
    """Whether both are rows below one header, or labelled items below one line: "Laser: 12 an hour"."""
    is_row = one.kind == other.kind == "table_row"
    is_item = one.kind == other.kind == "list_item" and all(_LABELLED.match(item.text) for item in (one, other))
    return (is_row or is_item) and bool(one.lead_in) and one.lead_in == other.lead_in
