"""Completes an ellipsis that names another subject by putting it in the place of the one that the last question named.

After "How do I book the laser cutter?", "What about the CNC mill?" asks "How do I book the CNC mill?". Read behind the
whole last question, it would be near to everything about the laser cutter. Pure text, general English: what is replaced
begins with the same preposition or article, or is a name where a name comes in its place. Where its end cannot be told
by words alone nothing is replaced, and the turn is completed by context as every other.
"""

import re
from collections.abc import Iterable

from rag_app.text.words import content_stems

_PREPOSITION = (
    r"for|in|on|at|to|from|by|with|without|under|over|after|before|during|until|since|within|per|as|of|about|between"
)
_ARTICLE = r"the|an|a|my|our|your"
_AUXILIARY = (
    r"is|are|was|were|be|been|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|am|i|we|you|"
    r"he|she|it|they|there"
)
_LEADING = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then|ok(?:ay)?|no|sorry)\W+)*(?:(?:what|how)\s+about\s+|i (?:mean|meant)\s+)?"
    r"(?:(?:only|also|just)\s+)?",
    re.IGNORECASE,
)
_PHRASE = re.compile(rf"^(?P<preposition>(?:{_PREPOSITION})\s+)?(?P<article>(?:{_ARTICLE})\s+)?(?P<noun>\S.*)$", re.I)
_STOP = re.compile(rf"^(?:{_PREPOSITION}|{_AUXILIARY}|{_ARTICLE}|and|or|but|if|when|who|that|which|than|not)$", re.I)
_WORD = re.compile(r"[^\W_][\w'’&-]*")
_POINTING = frozenset("other others one ones same rest else this that these those it them him her such".split())
_LONGEST = 5
"""Words of a subject."""


def replaced(turn: str, question: str, titles: Iterable[str] = ()) -> str | None:
    """`question` with what `turn` names in the place of its own subject; None where it is not plain what to replace.

    Args:
        question: the last one; it stands alone.
        titles: of the documents that it was answered from: words of a title that follow an article are the subject.
    """
    phrase = _PHRASE.match(_LEADING.sub("", turn, count=1).strip(" \t?!.,;:"))
    if (
        phrase is None
        or not _is_noun(phrase["noun"])
        or set(content_stems(phrase["noun"])) <= set(content_stems(question))
    ):
        return None
    is_name = _is_name(phrase["noun"], turn)
    opening = (phrase["preposition"] or phrase["article"] or "").strip().casefold()
    about = {stem for title in titles for stem in content_stems(title)}
    words = list(_WORD.finditer(question))
    for place in range(len(words) - 1, -1, -1):
        if opening and words[place][0].casefold() != opening:
            continue
        if not opening and place > 1 and words[place - 1][0][:1].isupper():
            continue  # a name begins with its first word
        first = place + 1 if opening else place
        if phrase["preposition"] and first < len(words) and re.fullmatch(_ARTICLE, words[first][0], re.I):
            first += 1
        run = _run(question, words, first)
        count = _names(run) if is_name else 0
        if opening and not count:
            count = _subject(run, words, place, about)
        if count and place > 0:
            start, end = words[place].start(), words[first + count - 1].end()
            return question[:start] + phrase[0].strip() + question[end:]
    return None


def _is_name(noun: str, turn: str) -> bool:
    """Whether a noun is written as a name; a capital at the beginning of a turn says nothing."""
    return noun[:1].isupper() and (not turn.lstrip().startswith(noun[:1]) or any(map(str.isupper, noun[1:])))


def _is_noun(text: str) -> bool:
    words = _WORD.findall(text)
    if any(_STOP.match(word) or word.casefold() in _POINTING for word in words):
        return False
    return 0 < len(words) <= _LONGEST and bool(content_stems(text))


def _run(question: str, words: list[re.Match[str]], first: int) -> list[str]:
    """The words from `first` on that may be one noun phrase: up to a function word or a mark."""
    run: list[str] = []
    for place in range(first, len(words)):
        if _STOP.match(words[place][0]) or (run and question[words[place - 1].end() : words[place].start()] != " "):
            break
        run.append(words[place][0])
    return run


def _names(run: list[str]) -> int:
    """How many words a run begins with that are written as a name."""
    return next((number for number, word in enumerate(run) if not word[:1].isupper()), len(run))


def _subject(run: list[str], words: list[re.Match[str]], place: int, about: set[str]) -> int:
    """How many words of a run are the noun phrase: all, unless it may end with the verb or the adjective that an
    auxiliary before it announces."""
    titled = next((n for n, word in enumerate(run) if not set(content_stems(word)) <= about), len(run))
    before = words[place - 1][0] if place else ""
    is_announced = bool(re.fullmatch(_AUXILIARY, before, re.I))
    follows = place + len(run) + 1 < len(words) and re.fullmatch(_AUXILIARY, words[place + len(run) + 1][0], re.I)
    if not is_announced or follows:
        return len(run)
    return titled or (1 if len(run) == 2 else 0)
