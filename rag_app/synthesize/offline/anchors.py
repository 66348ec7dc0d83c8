"""What sets a question's subject apart from its neighbours, and whether a statement is about it.

A name, a code or a number in a question says which of several like things is meant. A statement about another one is
near in meaning and shares every other word, and is still no answer. No vocabulary of any corpus: form (capitals,
digits), rarity in the index and contrast (the statement has another one of the same form) decide, and for limits and
groups a few pairs of English opposites.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag_app.question import QuestionTerms
from rag_app.question_parts import asking_sentences
from rag_app.text.language import language_of_question
from rag_app.text.named import WORD, bare, is_code, is_name, whole_word
from rag_app.text.words import content_stems

_CALENDAR = frozenset(
    content_stems(
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August "
        "September October November December"
    )
)
"""Words with a capital that name no subject."""
_GERMAN_ENDING = 2
"""Letters: Hund, Hunde, Hunden."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"v?(\d+\.\d+(?:\.\d+)*?)(?:\.0)*")
_NAMED_NUMBER = re.compile(
    r"\b([^\W\d_]{3,}) (?:no\.? ?)?(\d{1,5}[a-z]?)\b(?![.,:]?\d| ?%)(?! [a-z]+s\b)", re.IGNORECASE
)
_EVERYTHING = re.compile(
    r"\b(?:all|every|everyone|everybody|everything|everywhere|any|anyone|anybody|each|regardless|whatever|whichever|"
    r"wherever|nobody|no one|no matter|elsewhere|others)\b|(?:^|\|)\s*other\b",
    re.IGNORECASE,
)
_KEY = re.compile(r"^\|[ `*]*(\d+[a-z]?)[ `*]*\|", re.MULTILINE)
"""A number that is the whole first cell of a row."""
_HEADER = re.compile(r"^\|.*\|\s*\n(?=\|)")
"""Of a table, above a row: its capitals name columns."""
_SIDES = tuple(
    (re.compile(rf"\b(?:{one})\b(?:\W+(\w+))?", re.I), re.compile(rf"\b(?:{other})\b(?:\W+(\w+))?", re.I))
    for one, other in (
        ("minimum|at least|lowest|smallest|shortest", "maximum|at most|highest|largest|longest|no more than|up to"),
        ("child|children|kids?|minors?|infants?|bab(?:y|ies)", "adults?|grown-ups?"),
        ("weekends?|saturdays?|sundays?", "weekdays?|working days?"),
        ("summer", "winter"),
        ("full[- ]time", "part[- ]time"),
        ("arrivals?|arriving|check[- ]?in", "departures?|departing|check[- ]?out"),
        ("inside|indoors?", "outside|outdoors?"),
        ("temporary", "permanent"),
        ("domestic", "international|overseas"),
        ("employers?", "employees?"),
        ("upload(?:s|ing|ed)?", "download(?:s|ing|ed)?"),
        ("enabl(?:e|es|ed|ing)", "disabl(?:e|es|ed|ing)"),
        ("buy(?:s|ing)?|bought|purchas\\w+", "sell(?:s|ing)?|sold|sales?"),
        ("lend(?:s|ing)?|lent", "borrow(?:s|ing|ed)?"),
        ("import(?:s|ing|ed)?", "export(?:s|ing|ed)?"),
    )
)
"""Sides of which a statement about one is no answer about the other, each with the word that it stands before."""
_MUST = re.compile(
    r"\b(?:must|shall|have to|has to|required?|requires|mandatory|compulsory|obligatory|need(?:s|ed)? to)\b", re.I
)
_IS_DUTY_ASKED = re.compile(r"\b(?:must|mandatory|compulsory|obligatory)\b", re.IGNORECASE)
_MAY = re.compile(r"\b(?:may|can|could|might|optional(?:ly)?|allowed|permitted|free to)\b", re.IGNORECASE)
_YES_NO = re.compile(r"^\W*(?:is|are|am|can|could|may|must|should|do|does|did|will|would|has|have)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Anchor:
    """One thing that a question names."""

    kind: Literal["name", "code", "number", "year"]
    written: str
    """As the question writes it."""
    stems: tuple[str, ...]
    """Of a name, the words that must stand there; of the others, one piece of text in lower case."""
    before: str = ""
    """Of a number, the word that it follows: "form" of "form 27"."""
    endings: int = 0
    """Of a name, how many letters of a word its form may change: German inflects its nouns."""
    is_past: bool = False
    """Of a year, whether it is over and stands in nothing that may be read: what holds today says nothing of it."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is read of a candidate: in ever wider circles."""

    statement: str
    """With its lead-ins and, where it leans on it, the sentence before."""
    headings: str
    """Title and headings."""
    passage: str
    since: str = ""
    """The day from which its document is in force, where that is known: "2024-05-31"."""


def anchors_of(question: str, terms: QuestionTerms) -> tuple[Anchor, ...]:
    """What a part of a question names."""
    found: list[Anchor] = []
    question = asking_sentences(question)  # what stands before them is the asker's own case, not what is asked
    for match in _NAMED_NUMBER.finditer(question):
        if content_stems(match[1]) and not _YEAR.fullmatch(match[2]):
            found.append(Anchor("number", match[0], (match[2].casefold(),), match[1].casefold()))
    endings = _GERMAN_ENDING if language_of_question(question) == "German" else 0
    run: list[str] = []
    end = 0
    for match in WORD.finditer(question):
        word = bare(match[0])
        is_next = bool(run) and question[end : match.start()] == " "
        if not is_next:
            found += _named(run, terms, endings)
            run = []
        end = match.end()
        if _YEAR.fullmatch(word):
            is_past = terms.is_unknown(word) and int(word) < terms.this_year
            found.append(Anchor("year", word, (word,), is_past=is_past))
        elif is_code(word):
            found.append(Anchor("code", word, (word.casefold(),)))
        elif is_name(question, match):
            run.append(word)
            continue
        found += _named(run, terms, endings)
        run = []
    found += _named(run, terms, endings)
    return tuple(dict.fromkeys(found))


def _named(run: Sequence[str], terms: QuestionTerms, endings: int) -> list[Anchor]:
    """The name that a run of capitalised words is, as far as it sets something apart: by its rarest word."""
    stems = [stem for word in run for stem in content_stems(word)]
    apart = [stem for stem in stems if not terms.is_common(stem) and stem not in _CALENDAR]
    if not apart or (len(run) == 1 and run[0].isupper() and terms.is_unknown(apart[0])):
        return []  # documents spell an unknown abbreviation out
    rarest = max(terms.rarity(stem) for stem in apart)
    wanted = tuple(stem for stem in apart if terms.rarity(stem) >= rarest - 0.05)
    return [Anchor("name", " ".join(run), wanted, endings=endings)]


def lacks(anchors: Sequence[Anchor], place: Place) -> str | None:
    """What a statement lacks of what the question names, in words for the trace; None where it lacks nothing."""
    near = f"{place.headings}\n{place.statement}"
    for anchor in anchors:
        alike = [other for other in anchors if _are_alternatives(anchor, other)] or [anchor]
        if not any(_is_about(one, near, place) for one in alike):
            return f"it does not name {anchor.written!r}"
    return None


def _are_alternatives(one: Anchor, other: Anchor) -> bool:
    """Whether both are codes of one form, of which each may be answered by itself ("What do -a and -b do?")."""
    return one.kind == other.kind == "code" and _same_form(one.written, other.written)


def _is_about(anchor: Anchor, near: str, place: Place) -> bool:
    if anchor.kind == "name":
        if _stands(anchor, near) or _is_of_everything(place):
            return True
        return _stands(anchor, place.passage) and not _names_something(place.statement)
    wanted = _as_written(anchor.stems[0])
    folded = near.casefold()
    if wanted.search(folded):
        return True
    if anchor.kind == "year":
        is_covered = not anchor.is_past or "" < place.since[:4] <= anchor.written
        return is_covered and not _YEAR.search(near)
    if anchor.kind == "number":
        rival = re.search(rf"\b{re.escape(anchor.before)}s? (?:no\.? ?)?\d", folded)
        keys = _KEY.findall(place.statement)
        return rival is None and not any(_same_form(key, anchor.stems[0]) for key in keys)
    rivals = [t for t in WORD.findall(place.statement) if _same_form(t, anchor.written)]
    return not rivals and bool(wanted.search(place.passage.casefold()))


def _stands(name: Anchor, text: str) -> bool:
    stems = _stems_of(text)
    return stems.issuperset(name.stems) or (
        name.endings > 0 and all(any(_is_form(stem, wanted, name.endings) for stem in stems) for wanted in name.stems)
    )


def _is_form(stem: str, wanted: str, endings: int) -> bool:
    shorter, longer = sorted((stem, wanted), key=len)
    return len(shorter) > endings + 1 and longer.startswith(shorter) and len(longer) - len(shorter) <= endings


@lru_cache(maxsize=64)
def _as_written(wanted: str) -> re.Pattern[str]:
    """Where a code or number stands whole; of versions, "2.7", "v2.7" and "2.7.0" are one."""
    pattern = re.escape(wanted)
    if version := _VERSION.fullmatch(wanted):
        pattern = rf"v?{re.escape(version[1])}(?:\.0)*"
    return whole_word(pattern)


@lru_cache(maxsize=256)
def _stems_of(text: str) -> frozenset[str]:
    """Each statement of a passage is compared with the whole of it, and each name of a question with each statement."""
    return frozenset(content_stems(text))


def _is_of_everything(place: Place) -> bool:
    """Whether a statement speaks of everybody or of all things, and names nothing in particular."""
    own = _HEADER.sub("", place.statement)
    return bool(_EVERYTHING.search(own)) and not _names_something(own)


def _names_something(statement: str) -> bool:
    return any(is_name(statement, match) for match in WORD.finditer(statement))


def _same_form(word: str, code: str) -> bool:
    if code.startswith("-"):
        return word.startswith("-")
    return re.sub(r"\d+", "0", word.casefold()) == re.sub(r"\d+", "0", code.casefold())


def is_other_side(question: str, place: Place) -> str | None:
    """Why a statement is about the opposite of what is asked, in words for the trace; None where it is not."""
    near = f"{place.headings}\n{place.statement}"
    for mine, theirs in _sides_asked(question):
        if not theirs.search(place.statement) or _is_of_everything(place):
            continue
        of_what = _next_stems(mine, question) & _next_stems(theirs, place.statement)
        if not mine.search(near) or of_what - _next_stems(mine, near):
            return "it is about the opposite of what is asked"
    is_duty_asked = _IS_DUTY_ASKED.search(question) and not _YES_NO.search(question)
    if is_duty_asked and _MAY.search(place.statement) and not _MUST.search(near):
        return "it says what may be, and what must be is asked"
    return None


def _next_stems(side: re.Pattern[str], text: str) -> set[str]:
    """What a side is said of: "age" of "the minimum age"."""
    return {stem for match in side.finditer(text) if match[1] for stem in content_stems(match[1])}


@lru_cache(maxsize=64)
def _sides_asked(question: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """The sides that a question asks about alone, each with its opposite; the same for all statements."""
    both = (side for pair in _SIDES for side in (pair, pair[::-1]))
    return tuple((mine, theirs) for mine, theirs in both if mine.search(question) and not theirs.search(question))
