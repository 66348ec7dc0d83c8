"""Names in a sentence that a model wrote, and whether they stand in the texts that it rests on. Pure text.

A name is known by its capital. So in a language that writes every noun with one, every noun counts; in a script without
capitals, every word does. The first word of a sentence has a capital anyway: it counts unless it is a function word, or
stands in those texts, or (without a capital) in the question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.text.words import content_stems

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_BEGINS = re.compile(r"[.!?…:]['\"”’)]*\s")
_I = re.compile(r"I(?:['’].*)?")
_GAP_WITHIN_NAME = re.compile(r"[ \t\n\u00a0’']{1,3}")
_ALSO_NAMES = frozenset({"may", "will"})
"""Function words that are names as well: at the beginning of a sentence they count, unless the texts have them."""
_WHOLE_ADDRESS = re.compile(r"://|@|\bwww\.", re.IGNORECASE)
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_DOMAIN_END = re.compile(r"(?<=[\w-])\.[a-z]{2,}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    is_first: bool
    """Whether it begins a sentence."""
    is_joined: bool
    """Whether only white space stands between it and the word before it."""

    @property
    def key(self) -> str:
        return self.text.casefold()

    @property
    def is_name(self) -> bool:
        return not _I.fullmatch(self.text) and any(char.isupper() or _has_no_case(char) for char in self.text)


def has_foreign_name(sentence: str, texts: Sequence[str], question: str = "") -> bool:
    """Whether `sentence` holds a name, or an address on the web, that stands in none of `texts`.

    Several names in a row are one name: "Ann Smith" does not stand in "Ann Jones met Bob Smith".
    """
    sources = [list(_words(text)) for text in texts]
    written = {word.key for words in sources for word in words if word.is_name}
    plain = {stem for text in texts for stem in content_stems(text)}
    lower = {word.text for words in (*sources, list(_words(question))) for word in words if not word.is_name}
    rows = "".join(_row(words) for words in sources)
    pairs = {pair for words in sources for pair in _pairs(words)}
    stands = {run: _stands(run, written, pairs, rows) for run in {tuple(run) for run in _runs(_words(sentence))}}
    for run in (run for run, is_there in stands.items() if not is_there):
        first, rest = run[0], run[1:]
        if not first.is_first or not _is_common(first, plain, lower, is_alone=not rest):
            return True
        if rest and not _stands(rest, written, pairs, rows):
            return True
    everything = " ".join(texts).casefold()
    known = {address for text in texts for address in _addresses(text)}
    return any(address not in everything for address in set(_addresses(sentence)) - known)


def _is_common(first: _Word, plain: set[str], lower: set[str], *, is_alone: bool) -> bool:
    """Whether the first word of a sentence has its capital for that reason only."""
    is_function_word = not content_stems(first.text) and first.key not in _ALSO_NAMES
    if is_function_word and (first.text.istitle() or len(first.text) == 1):  # "US" and "IT" are names, "It" is not
        return True
    return first.key in lower or (is_alone and plain.issuperset(content_stems(first.text) or (first.key,)))


def _stands(run: Sequence[_Word], written: set[str], pairs: set[tuple[str, str]], rows: str) -> bool:
    """Whether the names stand in a source one after the other, with their capitals."""
    keys = [word.key for word in run]
    if not written.issuperset(keys) or not pairs.issuperset(pairwise(keys)):
        return False
    return len(keys) < 3 or "\0".join(("", *keys, "")) in rows


def _row(words: Sequence[_Word]) -> str:
    """The names of a text as one text: zeros between those that follow each other, more between others."""
    parts = ["\0"]
    for word in words:
        if not word.is_name or not word.is_joined:
            parts.append("\1\0")
        if word.is_name:
            parts.append(f"{word.key}\0")
    return "".join(parts)


def _pairs(words: Sequence[_Word]) -> Iterator[tuple[str, str]]:
    """Names that follow each other."""
    for one, other in pairwise(words):
        if one.is_name and other.is_name and other.is_joined:
            yield one.key, other.key


def _addresses(text: str) -> Iterator[str]:
    """Addresses on the web or of people, folded."""
    for word in text.split():
        if _WHOLE_ADDRESS.search(word):
            yield _folded(word)
            continue
        for dotted in _DOTTED.findall(word):
            if ends := [match.end() for match in _DOMAIN_END.finditer(dotted)]:
                yield _folded(dotted[: ends[-1]])


def _folded(address: str) -> str:
    return address.casefold().rstrip(".,;:!?)")


def _runs(words: Iterator[_Word]) -> Iterator[list[_Word]]:
    """Names that follow each other within a sentence."""
    run: list[_Word] = []
    for word in words:
        if run and not (word.is_name and word.is_joined and not word.is_first):
            yield run
            run = []
        if word.is_name:
            run.append(word)
    if run:
        yield run


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        is_first = not end or bool(_BEGINS.search(gap))
        yield _Word(_POSSESSIVE.sub("", match[0]), is_first, bool(_GAP_WITHIN_NAME.fullmatch(gap)))
        end = match.end()


def _has_no_case(char: str) -> bool:
    return char.isalpha() and not char.isupper() and not char.islower() and not char.istitle()
