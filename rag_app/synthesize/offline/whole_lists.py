"""A list that answers is shown as a list: all its items, in order, none missing; of a question for one, that one."""

import re
from collections.abc import Sequence

from rag_app.synthesize.evidence import Evidence
from rag_app.synthesize.offline.features import Candidate
from rag_app.synthesize.offline.listed import Listed, lists_of

LONGEST = 12
"""Items of a list that is shown whole; of a longer one only the items that were chosen."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\bhow (?:do|does|can|could|should|would|to|is|are)\b|\bsteps?\b|\bprocedure|\bprocess\b|\blist\b|\brules\b|"
    r"\bwhat (?:are|do|does|kinds?|types?|sort|else|should|must|has|have)\b|\bwhich\b[^?]*s\b|\bways?\b|\bwhy\b",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ITEM = r"(?:steps?|points?|items?|rules?|stages?|phases?|tasks?|actions?|instructions?|things?)"
_NTH = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})|(?P<figure>\d{{1,2}})(?:st|nd|rd|th))\s+(?:\w+\s+)?{_ITEM}\b"
    rf"|\b(?:step|point|item|rule|stage|phase)\s+(?:no\.?\s*|number\s+)?"
    rf"(?:(?P<plain>\d{{1,2}})|(?P<cardinal>{'|'.join(_CARDINALS)}))\b",
    re.IGNORECASE,
)


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


def _is_of(candidate: Candidate, listed: Listed) -> bool:
    return candidate.statement in listed.items or listed.introduced_by(candidate) or listed.follows(candidate)


def _number_asked(question: str) -> int:
    """Which item of a list is asked for, from 1; 0 where none is."""
    match = _NTH.search(question)
    if match is None:
        return 0
    if match["word"]:
        return _ORDINALS.index(match["word"].casefold()) + 1
    if match["cardinal"]:
        return _CARDINALS.index(match["cardinal"].casefold()) + 1
    return int(match["figure"] or match["plain"])
