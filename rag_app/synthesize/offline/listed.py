"""The lists of the evidence: items of a list, and paragraphs that are numbered as the items of one are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_app.synthesize.evidence import Evidence, EvidenceStatement
from rag_app.synthesize.offline.features import Candidate

_NUMBER = re.compile(r"\W*(?:step\s+)?(\d{1,2})(?:[.):]|\s*[–—-])(?!\d)", re.IGNORECASE)
_NEAR = 2
"""How many statements before its first item a list may still be said to follow from."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One list, as far as the evidence holds it."""

    items: tuple[EvidenceStatement, ...]
    """In reading order; a numbered paragraph is as many items as it has sentences."""
    opens_in: Evidence
    """The passage of its first item."""

    def introduced_by(self, candidate: Candidate) -> bool:
        """Whether a statement is the line that introduces the list, or stands directly before a list without one."""
        here = (candidate.statement.start, candidate.statement.end)
        if here in _lead_ins(self.items[0]):
            return True
        return not _lead_ins(self.items[0]) and self.distance(candidate) == 1

    def follows(self, candidate: Candidate) -> bool:
        """Whether the list stands so close below a statement that it may complete it."""
        return 0 < self.distance(candidate) <= _NEAR

    def distance(self, candidate: Candidate) -> int:
        """Statements from a candidate to the first item; 0 where it is in another passage or below it."""
        if candidate.evidence is not self.opens_in:
            return 0
        return max(0, self.opens_in.statements.index(self.items[0]) - candidate.index)

    def numbered(self, number: int) -> tuple[EvidenceStatement, ...]:
        """The item with that number, counted where none is written; a paragraph with all its sentences."""
        written = [_number_of(item) for item in self.items]
        if not any(written):
            return self.items[number - 1 : number] if 0 < number <= len(self.items) else ()
        if number not in written:
            return ()
        first = written.index(number)
        after = next((at for at in range(first + 1, len(self.items)) if written[at]), len(self.items))
        return self.items[first:after]


def lists_of(evidence: Sequence[Evidence]) -> list[Listed]:
    """The lists of the evidence with at least two items: those of one document with the same lead-ins, which may run on
    in the next passage; and paragraphs numbered from 1 under one heading."""
    ordered = sorted(evidence, key=lambda e: (e.document_id, e.start))
    found: dict[tuple[str, tuple[tuple[int, int], ...]], list[tuple[Evidence, EvidenceStatement]]] = {}
    for one in ordered:
        run = 0
        for statement in one.statements:
            if statement.kind != "list_item":
                run += 1
                continue
            # Without a lead-in, a list ends where anything else begins.
            key = _lead_ins(statement) or ((-one.number, run),)
            found.setdefault((one.document_id, key), []).append((one, statement))
    groups = [*found.values(), *_numbered_paragraphs(ordered)]
    return [Listed(tuple(item for _, item in group), group[0][0]) for group in groups if len(group) > 1]


def _numbered_paragraphs(ordered: Sequence[Evidence]) -> list[list[tuple[Evidence, EvidenceStatement]]]:
    runs: list[list[tuple[Evidence, EvidenceStatement]]] = []
    last, is_inside, place = 0, False, ("", ())
    for one in ordered:
        if (one.document_id, one.section) != place:
            last, is_inside, place = 0, False, (one.document_id, one.section)
        before = None
        for statement in one.statements:
            is_beside = (
                before is not None and "\n" not in one.text[before.end - one.start : statement.start - one.start]
            )
            number = _number_of(statement) if statement.kind == "sentence" and not is_beside else None
            if number == 1:
                runs.append([])
            if number is not None and (number == 1 or (runs and last and number == last + 1)):
                last, is_inside = number, True
                runs[-1].append((one, statement))
            elif is_inside and is_beside and statement.kind == "sentence":
                runs[-1].append((one, statement))
            else:
                is_inside = False
            before = statement
    return [run for run in runs if sum(_number_of(item) is not None for _, item in run) > 1]


def _number_of(statement: EvidenceStatement) -> int | None:
    match = _NUMBER.match(statement.text)
    return int(match[1]) if match else None


def _lead_ins(statement: EvidenceStatement) -> tuple[tuple[int, int], ...]:
    return tuple((lead.start, lead.end) for lead in statement.lead_in)
