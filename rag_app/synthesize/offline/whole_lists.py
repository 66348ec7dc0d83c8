"""A list that answers is shown as a list: all its items, in order, none missing."""

import re
from collections.abc import Iterator, Sequence

from rag_app.synthesize.evidence import Evidence, EvidenceStatement
from rag_app.synthesize.offline.features import Candidate

LONGEST = 12
"""Items of a list that is shown whole; of a longer one only the items that were chosen."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\bhow (?:do|does|can|could|should|would|to|is|are)\b|\bsteps?\b|\bprocedure|\bprocess\b|\blist\b|\brules\b|"
    r"\bwhat (?:are|do|does|kinds?|types?|sort|else|should|must|has|have)\b|\bwhich\b[^?]*s\b|\bways?\b",
    re.IGNORECASE,
)


def with_whole_lists(labels: Sequence[str], best: Candidate, question: str, evidence: Sequence[Evidence]) -> list[str]:
    """The labels, with the rest of each list that answers.

    A list answers where two of its items were chosen, or where several things are asked for and the best statement is
    an item of it, or the line that introduces it. Its items may run on in the next passage.
    """
    chosen = set(labels)
    found = list(labels)
    for items in _lists(evidence):
        inside = [item.label for item in items if item.label in chosen]
        is_best = best.statement.label in inside or _introduces(best, items)
        wanted = len(inside) > 1 or (is_best and bool(_ASKS_FOR_SEVERAL.search(question)))
        if wanted and len(items) <= LONGEST:
            found += [item.label for item in items]
    return list(dict.fromkeys(found))


def _lists(evidence: Sequence[Evidence]) -> Iterator[list[EvidenceStatement]]:
    """The lists of the evidence: items of one document with the same lead-ins, at least two, in reading order."""
    lists: dict[tuple[str, tuple[tuple[int, int], ...]], list[EvidenceStatement]] = {}
    for one in sorted(evidence, key=lambda e: (e.document_id, e.start)):
        run = 0
        for statement in one.statements:
            if statement.kind != "list_item":
                run += 1
                continue
            leads = _leads(statement)
            key = leads or ((-one.number, run),)  # without a lead-in, a list ends where anything else begins
            lists.setdefault((one.document_id, key), []).append(statement)
    yield from (items for items in lists.values() if len(items) > 1)


def _leads(statement: EvidenceStatement) -> tuple[tuple[int, int], ...]:
    return tuple((lead.start, lead.end) for lead in statement.lead_in)


def _introduces(best: Candidate, items: Sequence[EvidenceStatement]) -> bool:
    here = (best.statement.start, best.statement.end)
    return here in _leads(items[0])
