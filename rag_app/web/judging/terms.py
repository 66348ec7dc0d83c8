"""Finding words and phrases in a text, in any script.

Letter case and diacritics do not count ("Maori" is "Māori"). A phrase begins and ends at word borders; in scripts that
are neither Latin nor without spaces it may go on, since languages written in them change the endings of words.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rag_app.text.words import content_stems

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_ENDING = 2
_STEM = 4


def fold(text: str) -> str:
    """`text` without differences of letter case, diacritics, width and apostrophes."""
    if text.isascii():
        return text.lower()
    return "".join(map(_plain, text.replace("’", "'"))).casefold()


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    """A character without its diacritics; what is no letter, mark or number stays, and so parts words as before."""
    if unicodedata.category(char)[0] not in "LMN":
        return char
    return "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))


def words_of(text: str) -> list[str]:
    """The words of `text` as they are written; a hyphen, an apostrophe or a dot within one does not part it."""
    return _WORD.findall(text)


def word_matches(text: str) -> Iterator[re.Match[str]]:
    """As `words_of`, with their places."""
    return _WORD.finditer(text)


def is_latin(text: str) -> bool:
    """Whether all letters of a text are Latin."""
    return text.isascii() or all(
        c.isascii() or not c.isalpha() or unicodedata.name(c, "").startswith("LATIN") for c in text
    )


@lru_cache(maxsize=8192)
def is_function_word(word: str) -> bool:
    """Whether a word is one that every English sentence has, in whatever letter case."""
    return not content_stems(word)


@lru_cache(maxsize=8192)
def _pattern(phrase: str) -> tuple[re.Pattern[str], bool, str]:
    """How a phrase is found; whether letter case counts: "US" and "WHO" are not "us" and "who"; and its first word,
    without which no pattern need be tried. Initials may stand with dots or without: "U.S. state" is "US state" too."""
    by_case = phrase.isascii() and phrase.isupper() and is_function_word(phrase)
    folded = phrase if by_case else fold(phrase)
    words = re.findall(r"[^\W_]+", folded)
    inner = re.sub(r"(?<=\b\w) (?=\w\b)", r"[\\W_]*", " ".join(words)).replace(" ", r"[\W_]+") or r"(?!)"
    first = words[0] if words else ""
    if _UNSPACED.search(folded):
        return re.compile(inner), by_case, first
    end = r"(?![^\W_])" if is_latin(folded) else ""
    return re.compile(rf"(?<![^\W_]){inner}{end}"), by_case, first


class Text:
    """A text in which phrases are looked for, folded once."""

    def __init__(self, text: str) -> None:
        self.written = text
        self.folded = fold(text)

    def has(self, phrase: str) -> bool:
        """Whether the phrase stands in it, as whole words."""
        pattern, by_case, first = _pattern(phrase)
        text = self.written if by_case else self.folded
        return first in text and pattern.search(text) is not None

    def first_of(self, phrases: Iterable[str]) -> str | None:
        """The first of the phrases that stands in it."""
        return next((phrase for phrase in phrases if self.has(phrase)), None)

    def count(self, phrase: str) -> int:
        """How often the phrase stands in it."""
        pattern, by_case, first = _pattern(phrase)
        text = self.written if by_case else self.folded
        return len(pattern.findall(text)) if first in text else 0


def without(text: str, phrases: Iterable[str]) -> str:
    """`text` without any of the phrases, longest first, nor their possessives; what is left keeps its letters and its
    order."""
    words = words_of(text)
    folded = [_base(word) for word in words]
    for phrase in sorted(phrases, key=lambda phrase: -len(words_of(phrase))):
        parts = [_base(word) for word in words_of(phrase)]
        by_case = _pattern(phrase)[1]
        place = 0
        while parts and place <= len(words) - len(parts):
            if folded[place : place + len(parts)] == parts and (not by_case or words[place] == phrase):
                del words[place : place + len(parts)], folded[place : place + len(parts)]
            else:
                place += 1
    return " ".join(words)


def _base(word: str) -> str:
    return fold(word).removesuffix("'s")


def stem_of(word: str) -> str:
    """What of a word of a message pages are looked through for: all of it, or in a script whose words change their
    endings, without its last two letters."""
    folded = fold(word)
    if is_latin(folded) or _UNSPACED.search(folded) or len(folded) < _STEM + _ENDING:
        return folded
    return folded[:-_ENDING]
