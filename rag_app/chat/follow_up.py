"""Recognises a turn that cannot be understood without the turns before it. Pure text, general English.

A turn leans on the conversation where something in it points out of it: a pronoun without a noun phrase before it
("Are they poisonous?"), an ellipsis ("And for contractors?"), a correction ("I meant Mars"), a comparison without its
other side ("Is there a cheaper one?"), a definite noun that the conversation introduced ("What if I exceed the
limit?"), or hardly a content word at all ("Why?"). A bare noun phrase ("Rental property") asks nothing by itself. Every
other turn names its subject and stands alone; in doubt it does, because such a question must not be changed.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from rag_app.text.words import content_stems

Cue = Literal["pronoun", "ellipsis", "correction", "comparison", "definite", "few words", "bare"]
"""What in a turn points to the turns before it."""

_WH = r"who|whom|whose|what|when|where|which|why|how"
_AUXILIARY = (
    r"is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|am|isn't|aren't|wasn't|"
    r"weren't|don't|doesn't|didn't|can't|couldn't|shouldn't|won't|wouldn't|hasn't|haven't"
)
_QUESTION = re.compile(rf"\b(?:{_WH}|{_AUXILIARY})\b", re.IGNORECASE)
_VERBS_OF_ASKING = re.compile(
    r"\b(?:tell|explain|describe|give|show|list|name|compare|summari[sz]e|define|find|help|know|want|need|like)\b", re.I
)
_OPENING = re.compile(
    r"^(?:\W*\b(?:ok(?:ay)?|yes|yeah|no|well|so|and|but|or|then|also|thanks?(?: you)?|please|hi|hello|i see|got it|"
    r"right|sure|great|oh|by the way|no worries|that(?:'s| is) (?:fine|ok(?:ay)?|good|great|right))\b"
    r"(?!\W*(?:s|re|ll)\b))+"
    r"[\s,.!;:-]*",
    re.IGNORECASE,
)
"""Courtesies and conjunctions that a turn may begin with and that say nothing about its subject."""
_ELLIPSIS = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then)\W+)?(?:what|how)\s+about\b"
    r"|^\W*(?:and|or|but|also|then)\W+(?:(?:only|also|just|even)\s+)?"
    r"(?:for|in|on|at|to|from|by|with|without|under|over|after|before|during|if|when|per|as|of)\b",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(r"^\W*(?:and|or|but|also|then)\b", re.IGNORECASE)
_CORRECTION = re.compile(
    r"\b(?:i|we)\s+(?:mean|meant|am asking|was asking|am talking about|was talking about)\b"
    r"|\bi'm (?:asking|talking about)\b|\bi (?:asked|said)\b"
    r"|^\W*(?:no|not)\b\s*,?\s+(?!one\b|longer\b|more\b)(?:the|for|in|just|only|about)\b"
    r"|\bare you sure\b|\b(?:check|look|try) (?:again|(?:one|once) more(?: time)?)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.?!;:,]\s+|\b(?:and|but|if|when|because|while|so that|since|or)\b", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers)\b", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"\bit(?:'s|\s+(?:is|was|be|will be|would be))?\s+(?:(?:not|also|still|really|ever|even)\s+)*"
    r"(?:\w+\s+)??(?:\w+\s+)?(?:to|that|for (?:\w+\s+){1,3}to)\b"
    r"|\b(?:is|was|isn't|wasn't)\s+it\s+(?:\w+\s+){1,2}(?:to|that|for|if)\b"
    r"|\b(?:does|did|will|would|do)\s+it\s+(?:take|cost|matter|mean|snow|rain)\b(?=.*\bto\b)"
    r"|\bit\s+(?:takes?|costs?|seems?|appears?|rains?|snows?)\b(?=.*\b(?:to|that)\b)"
    r"|\b(?:find|make|makes|making|found)\s+it\s+\w+\s+to\b",
    re.IGNORECASE,
)
"""'It' that refers to nothing: "is it possible to", "how long does it take to"."""
_POINTING = re.compile(
    r"\b(?:this|these|those|such)\b(?!\s+as\b)"
    r"(?!\s+(?:year|month|week|quarter|season|summer|winter|spring|autumn|fall|morning|afternoon|evening|time)\b)"
    rf"|\b(?:about|of|for|after|before|besides|from|with|by|like|to|in|on|at|than|without|{_AUXILIARY})\s+that\b"
    r"(?!\s+(?:i|you|we|they|he|she|it|the|a|an|there)\b)"
    r"|^\W*that\b(?!\s+(?:i|you|we|they|he|she|it|the|a|an)\b)|\bthat\W*$"
    r"|(?<!in the )(?<!at the )(?<!on the )\bsame\s+\w|\b(?:said|latter|former|aforementioned)\s+\w"
    r"|\b(?:the|each|another)\s+(?:other\s+)?ones?\b|\bthe others?\b"
    r"|\b(?:anything|something|anyone|someone|who|what|where|how)\s+else\b|\bis that (?:all|so|right|true)\b"
    r"|\bany other\b|\bwhat other\b|\b(?:do|does|did|is|are|was|were|get|go|stay|live|work|from|been)\s+there\W*$",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:more|less|fewer|better|worse|cheaper|longer|shorter|higher|lower|bigger|larger|smaller|faster|slower|sooner|"
    r"later|easier|safer|instead|similar|different|separately|together)\b",
    re.IGNORECASE,
)
_OTHER_SIDE = re.compile(
    r"\bthan\b|\bmore (?:about|information|details|on)\b|\bno more\b|\bno longer\b|\bor\b|\band\b|\bbetween\b|"
    r"\b(?:different|similar|instead)\s+(?:from|to|of)\b|\b(?:or|and) (?:more|less|fewer|longer|later)\b"
    r"|\b(?:more|less|fewer)\s+(?:\w+\s+)?(?:\w+)\s+than\b|\blater\s+(?:on|than)\b",
    re.IGNORECASE,
)
_DEFINITE = re.compile(
    r"\b(?:the|my)\s+(?P<noun>[^\W\d_]+)\b(?!\s+(?:of|for|in|on|at|from|to|that|which|who|with)\b)", re.I
)
_LATIN = re.compile(r"[A-Za-z]")
_BOUND = re.compile(
    r"\b(?:do|does|did|can|could|may|might|must|should|shall|will|would)\s+(?:(?:the|an?|every|each|any|all|my|our|your)"
    r"\s+)?(?!(?:i|you|we|it|they|he|she|this|that|these|those|one|there|not)\b)(?P<noun>[^\W\d_]+)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\s+\w", re.IGNORECASE)
_NOUN = re.compile(r"\b(?:the|an?|my|our|your)\s+(?P<noun>[^\W\d_]+)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\b(?:before|after|until|till|once|unless|although|though)\b", re.IGNORECASE)
_DEMONSTRATIVE = re.compile(r"\b(?:this|these|those|such)\s+(?P<noun>(?:[^\W\d_]+\s*){1,3})", re.IGNORECASE)
_NAME = re.compile(r"(?<=\w\s)[A-Z][\w&.-]*[\w]|\b[A-Z]{2,}\w*\b|\b\w*\d\w*\b|[\"“][^\"”]+[\"”]")
_DEFINING = re.compile(
    r"^\W*(?:what|who)\s+(?:is|are|was|were|'s)\s+(?!the\b|its\b|their\b|your\b)(?:an?\s+)?\w+"
    r"|\b(?:what|how)\b.*\b(?:mean|means|define|defined)\b|^\W*(?:define|explain|describe)\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\b(?:are|were)\s+you\s+(?!\w+ing\b)[^\W\d_]+", re.IGNORECASE)
"""A question about the one who answers ("When are you open?"): one word says all of it."""
_COURTEOUS = frozenset(
    "thank fine ok okay good great understand see sorri apolog nice worri import bye hello hi".split()
)
FEW = 1
"""Content words up to which a question says too little to stand alone."""
BARE = 4
"""Content words up to which a turn without a verb of its own is a bare noun phrase."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """Why a turn does not stand alone."""

    cue: Cue
    word: str
    """The words of the turn that show it."""


def is_courtesy(turn: str) -> bool:
    """Whether a turn asks and names nothing: "Thank you!", "I understand.", "That is fine", "?"."""
    says_something = set(content_stems(turn)) - _COURTEOUS
    return not any(map(str.isalnum, turn)) or ("?" not in turn and not says_something)


def leaning_of(turn: str, known: Collection[str] = ()) -> Leaning | None:
    """What makes `turn` lean on the turns before it; None where it stands alone.

    Args:
        known: stems of the content words of the turns before it, for definite nouns.
    """
    if not _LATIN.search(turn) and any(map(str.isalpha, turn)):
        return None  # the rules know English alone, and in doubt a turn stands
    bare = _OPENING.sub("", turn, count=1).strip() or turn.strip()
    words = content_stems(bare)
    names = _NAME.findall(bare)
    if found := _CORRECTION.search(turn):
        return Leaning("correction", found[0].strip())
    if found := _ELLIPSIS.search(turn):
        return Leaning("ellipsis", found[0].strip())
    if found := _unresolved(bare, known):
        return Leaning("pronoun", found)
    is_question = bool(_QUESTION.search(bare) or _VERBS_OF_ASKING.search(bare))
    if not is_question:
        if len(words) <= BARE and not bare.endswith((".", "!")):
            return Leaning("bare", bare)
        return None
    if len(words) <= FEW and not names and not (words and (_DEFINING.search(bare) or _ADDRESSED.search(bare))):
        return Leaning("few words", bare)
    if (found := _COMPARISON.search(bare)) and not _OTHER_SIDE.search(bare) and len(words) <= BARE and not names:
        return Leaning("comparison", found[0])
    if len(words) <= BARE - 1 and not names:
        for match in _DEFINITE.finditer(bare):
            if set(content_stems(match["noun"])) & set(known):
                return Leaning("definite", match[0])
    return None


def _unresolved(turn: str, known: Collection[str]) -> str | None:
    """The first pronoun of `turn` that nothing before it in the same turn explains."""
    hollow = [match.span() for match in _EXPLETIVE.finditer(turn)]
    for match in sorted((*_PERSONAL.finditer(turn), *_POINTING.finditer(turn)), key=lambda found: found.start()):
        if any(start <= match.start() < end for start, end in hollow):
            continue
        *before, here = _CLAUSE.split(turn[: match.start()] + "\0")
        noun = _DEMONSTRATIVE.match(turn, match.start())
        pointed = set(content_stems(noun["noun"])) if noun else set[str]()
        if any(pointed & set(content_stems(clause)) if pointed else _names_something(clause) for clause in before):
            continue
        if not _is_explained(turn, match, here, known):
            return match[0]
    return None


def _is_explained(turn: str, pronoun: re.Match[str], here: str, known: Collection[str]) -> bool:
    """Whether the pronoun stands for something new that its own sentence names: a possessive for the subject of its
    verb ("Do members get their own lockers?"), any pronoun for a noun before a subordinate clause ("Does the kiln need
    a check before it is used?"). A noun of the conversation is nothing new; a name says what it means all the same."""
    if _POSSESSIVE.match(turn, pronoun.start()) and (subject := _BOUND.search(here)):
        return not set(content_stems(subject["noun"])) & set(known)
    main, *below = _SUBORDINATE.split(here, maxsplit=1)
    nouns = [stem for noun in _NOUN.finditer(main) for stem in content_stems(noun["noun"])]
    return bool(below) and bool(_NAME.search(main) or (nouns and not set(nouns) & set(known)))


def _names_something(clause: str) -> bool:
    """Whether a clause holds a noun phrase that a later pronoun can stand for: two content words, or a name."""
    return len(content_stems(clause)) > FEW or bool(_NAME.search(clause))
