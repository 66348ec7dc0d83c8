"""A list that answers is shown as a list: all its items, in order, none missing; of a question for one, that one.

A list is the items below one line, or paragraphs that are numbered as the items of a list are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_app.synthesize.evidence import Evidence, EvidenceStatement
from rag_app.synthesize.offline.features import Candidate
from rag_app.text.words import content_stems

_NUMBER = re.compile(r"\W*(?:step\s+)?(\d{1,2})(?:[.):]|\s*[–—-])(?!\d)", re.IGNORECASE)
_NEAR = 2
"""How many statements before its first item a list may still be said to follow from."""
LONGEST = 12
"""Items of a list that is shown whole; of a longer one only the items that were chosen."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\bhow (?:do|does|can|could|should|would|to|is|are)\b|\bsteps?\b|\bprocedure|\bprocess\b|\blist\b|\brules\b|"
    r"\bwhat (?:are|do|does|kinds?|types?|sort|else|should|must|has|have)\b|\bwhich\b[^?]*s\b|\bways?\b|\bwhy\b",
    re.IGNORECASE,
)
_LAST = -1
"""The number of the last item of a list, however many it has."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ITEM = r"(?:steps?|points?|items?|rules?|stages?|phases?|tasks?|actions?|instructions?|things?)"
_NTH = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)}|last|final)|(?P<figure>\d{{1,2}})(?:st|nd|rd|th))\s+(?:\w+\s+)?{_ITEM}\b"
    rf"|\b(?:step|point|item|rule|stage|phase)\s+(?:no\.?\s*|number\s+)?"
    rf"(?:(?P<plain>\d{{1,2}})|(?P<cardinal>{'|'.join(_CARDINALS)}))\b",
    re.IGNORECASE,
)


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
        if number == _LAST:
            number = max((one for one in written if one), default=len(self.items))
        if not any(written):
            return self.items[number - 1 : number] if 0 < number <= len(self.items) else ()
        if number not in written:
            return ()
        first = written.index(number)
        after = next((at for at in range(first + 1, len(self.items)) if written[at]), len(self.items))
        return self.items[first:after]


def with_whole_lists(labels: Sequence[str], best: Candidate, question: str, evidence: Sequence[Evidence]) -> list[str]:
    """The labels, with the rest of each list that answers.

    A list answers where two of its items were chosen, or where several things are asked for and the best statement is
    an item of it, or the line that introduces it, or stands right before it and one of its items was chosen too. Its
    items may run on in the next passage.
    """
    chosen = set(labels)
    found = list(labels)
    for listed in lists_of(evidence):
        inside = [item.label for item in listed.items if item.label in chosen]
        belongs = best.statement.label in inside or listed.introduced_by(best) or (inside and listed.follows(best))
        wanted = len(inside) > 1 or (belongs and bool(_ASKS_FOR_SEVERAL.search(question)))
        if wanted and len(listed.items) <= LONGEST:
            found += [item.label for item in listed.items]
    return list(dict.fromkeys(found))


def numbered_item(ranked: Sequence[Candidate], question: str, evidence: Sequence[Evidence]) -> list[str]:
    """The labels of the one item that "the third step" asks for, of the list that the best statement stands in,
    introduces or stands right before; empty where nothing of the kind is asked or that list has no such item."""
    number = _number_asked(question)
    lists = lists_of(evidence) if number else []
    for candidate in ranked:
        for listed in lists:
            if _is_of(candidate, listed):
                return [item.label for item in listed.numbered(number)]
    return []


def item_by_words(question: str, evidence: Sequence[Evidence]) -> list[str]:
    """The labels of the one item that "the last step of a rollback" asks for, where one list alone, with its headings
    and lead-ins, holds all other words of the question: models find little in common between such a question and it."""
    number = _number_asked(question)
    rest = set(content_stems(_NTH.sub(" ", question))) if number else set()
    if not rest:
        return []
    found = []
    for listed in lists_of(evidence):
        texts = [text for item in listed.items for text in (*(lead.text for lead in item.lead_in), item.text)]
        if rest <= set(content_stems("\n".join((listed.opens_in.title, *listed.opens_in.section, *texts)))):
            found.append([item.label for item in listed.numbered(number)])
    return found[0] if len(found) == 1 else []


def _is_of(candidate: Candidate, listed: Listed) -> bool:
    return candidate.statement in listed.items or listed.introduced_by(candidate) or listed.follows(candidate)


def _number_asked(question: str) -> int:
    """Which item of a list is asked for, from 1 or `_LAST`; 0 where none is."""
    match = _NTH.search(question)
    if match is None:
        return 0
    if match["word"] and match["word"].casefold() in ("last", "final"):
        return _LAST
    if match["word"]:
        return _ORDINALS.index(match["word"].casefold()) + 1
    if match["cardinal"]:
        return _CARDINALS.index(match["cardinal"].casefold()) + 1
    return int(match["figure"] or match["plain"])


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
