"""Completes a turn by putting one subject in the place of another.

After "How do I book the laser cutter?", "What about the CNC mill?" asks "How do I book the CNC mill?", and "How
long may I use it?" asks "How long may I use the laser cutter?". Read behind the whole last question, either would
be near to all that answers that one. Pure text, general English: what an ellipsis replaces begins with the same
preposition or article, ends with the same noun, or is a name where a name comes in its place; what a pronoun stands
for is what the last question asks about. Where words alone do not tell where that ends nothing is replaced, and the
turn is completed by context as every other.
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
_BE = r"is|are|was|were"
_NOMINAL = r"what|who|which|whose"
_ASKS = (
    rf"{_NOMINAL}|whom|when|where|why|how|{_BE}|do|does|did|can|could|may|might|must|should|shall|will|would|has|have"
)
_INTRANSITIVE = r"last|take|cost|weigh|work|start|begin|end|open|close|differ"
_PERSON = r"i|we|you|he|she|they|it|there|one"
_MEASURE = re.compile(
    r"^(?:long|much|many|often|far|old|soon|early|late|big|high|large|kind|sort|type|of)$", re.IGNORECASE
)
_PARTICIPLE = re.compile(r"(?:ed|en)$", re.IGNORECASE)
_CONJUNCTION = re.compile(r"^\W*(?:(?:and|or|but|so|also|then|ok(?:ay)?)\b\W*)+", re.IGNORECASE)
_SEVERAL = re.compile(r"[.?!]\s|\b(?:and|or|between|versus|vs)\b", re.IGNORECASE)
"""Several sentences, or several things: then words alone do not tell which one a pronoun stands for."""
_PRONOUNS = frozenset("it they them its their he she him".split())
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
    if same := _same_noun(phrase, question, words):
        start, end = same
        return question[:start] + (phrase[0] if phrase["article"] else phrase["noun"]).strip() + question[end:]
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
    if phrase["preposition"] and not _SEVERAL.search(question.strip()):
        return f"{question.strip().rstrip('?.! ')} {phrase[0].strip()}?"  # "And on Sundays?" narrows the question down
    return None


def resolved(turn: str, pronoun: str, question: str) -> str | None:
    """`turn` with what `question` asks about in the place of `pronoun`; None where it is not plain what that is.

    Args:
        pronoun: as the turn writes it; one that refers to nothing in the turn itself.
        question: the last one; it stands alone.
    """
    subject = subject_of(question)
    kind = pronoun.casefold()
    if not subject or kind not in _PRONOUNS:
        return None
    is_name, is_plural = subject[:1].isupper(), subject.endswith("s")
    if (kind in ("he", "she", "him") and not is_name) or (kind[:2] in ("it", "th") and is_plural != (kind[0] == "t")):
        return None
    subject = re.sub(r"^an? ", "the ", subject)  # it was named before
    owned = ("'" if is_plural else "'s") if kind in ("its", "their") else ""
    written = re.compile(rf"\b{re.escape(pronoun)}\b(?!['’])", re.IGNORECASE)
    asked = _CONJUNCTION.sub("", turn)
    return written.sub(lambda _: subject + owned, asked[:1].upper() + asked[1:]) if written.search(asked) else None


def subject_of(question: str) -> str:
    """The noun phrase that a question of a plain form asks about, with its article; "" where there is none.

    "How do I book *the laser cutter*?", "How long is *parental leave*?", "What does *a lost badge* cost?".
    """
    words = list(_WORD.finditer(question))
    asks = next((n for n, word in enumerate(words) if re.fullmatch(_ASKS, word[0], re.I)), None)
    if asks is None or (asks > 1 and "?" not in question) or _SEVERAL.search(question.strip()):
        return ""
    place = asks + 1
    while place < len(words):
        run = [] if _MEASURE.match(words[place][0]) else _run(question, words, place)
        count = _verb_before(words, place, run)
        start, size = place + count, len(run) - count
        if size and not count and re.fullmatch(_AUXILIARY, _before(words, place), re.I):
            size = _before_verb(words, place, run)
            if not size:
                return ""
        if 0 < size <= _LONGEST and content_stems(" ".join(run[count : count + size])):
            first = words[start - 1] if _is_article(words, start - 1) else words[start]
            return question[first.start() : words[start + size - 1].end()]
        place += len(run) or 1
    return ""


def _verb_before(words: list[re.Match[str]], place: int, run: list[str]) -> int:
    """How many words of a run come before what is asked about: the verb behind a person, "to" or "who", and what "how
    many" counts."""
    before = words[place - 1][0]
    if re.fullmatch("many|much", before, re.I):
        return len(run)
    is_inverted = (
        place > 1 and re.fullmatch(_AUXILIARY, before, re.I) and re.fullmatch(_PERSON, words[place - 2][0], re.I)
    )
    if is_inverted or re.fullmatch(rf"{_PERSON}|to|{_NOMINAL}", before, re.I):
        return len(run) if _is_article(words, place + len(run)) else min(1, len(run))
    return 0


def _before(words: list[re.Match[str]], place: int) -> str:
    """The word before a noun phrase and its article."""
    return words[place - 1 - _is_article(words, place - 1)][0]


def _is_article(words: list[re.Match[str]], place: int) -> bool:
    return place < len(words) and bool(re.fullmatch(_ARTICLE, words[place][0], re.I))


def _before_verb(words: list[re.Match[str]], place: int, run: list[str]) -> int:
    """How many words of a run behind an auxiliary are its subject: all behind "what is"; else what is left without the
    verb, participle or adjective that comes last; 0 where that cannot be told."""
    auxiliary = place - 1 - _is_article(words, place - 1)
    asking = words[auxiliary - 1][0].casefold() if auxiliary else ""
    is_last = place + len(run) == len(words)
    if len(run) < 2:
        return len(run)
    if not re.fullmatch(_BE, words[auxiliary][0], re.I):
        has_no_object = asking in ("what", "which", "who") or re.fullmatch(_INTRANSITIVE, run[-1], re.I)
        has_object = _is_article(words, place + len(run))
        return len(run) - 1 if len(run) == 2 or has_object or (is_last and has_no_object) else 0
    if _PARTICIPLE.search(run[-1]):
        return len(run) - 1
    if asking and asking not in ("when", "why"):
        return len(run)
    return len(run) - 1 if is_last else 0


def _same_noun(phrase: re.Match[str], question: str, words: list[re.Match[str]]) -> tuple[int, int] | None:
    """Where the question has another kind of what a phrase names: "parental leave" for "sick leave"."""
    named = _WORD.findall(phrase["noun"])
    for place in range(len(words) - 1, 0, -1):
        if len(named) < 2 or words[place][0].casefold() != named[-1].casefold():
            continue
        first = place
        while first > 1 and not (_STOP.match(words[first - 1][0]) or re.fullmatch(_ASKS, words[first - 1][0], re.I)):
            first -= 1
        if first == place or _MEASURE.match(words[first][0]):
            return None
        if phrase["article"] and _is_article(words, first - 1):
            first -= 1
        return words[first].start(), words[place].end()
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
    if not re.fullmatch(_AUXILIARY, words[place - 1][0] if place else "", re.I):
        return len(run)
    titled = next((n for n, word in enumerate(run) if not set(content_stems(word)) <= about), len(run))
    follows = place + len(run) + 1 < len(words) and re.fullmatch(_AUXILIARY, words[place + len(run) + 1][0], re.I)
    return len(run) if follows else titled or _before_verb(words, place + 1, run)
