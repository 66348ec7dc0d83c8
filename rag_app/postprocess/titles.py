"""Which documents a text names by their titles: by whole words in their order, at least one of them rare."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_app.spelling import composed
from rag_app.text.words import content_stems

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SENTENCE_END = re.compile(r"[.!?:;|]")
_MARKED = frozenset("[\"'“‘«*_`")
_PLURAL = re.compile(r"(?<=..)(?:ies|(?<![sui])s)$")
_ENOUGH = 2
"""Words of a title that name it, where it has more; a title of one word needs that one."""
_RARE_SHARE = 0.05
_RARE_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class _Run:
    """Words of a text that are words of a title, one after the other."""

    first: int
    last: int
    title: int
    is_whole: bool

    @property
    def length(self) -> int:
        return self.last - self.first + 1


class TitleMatcher:
    """Finds titles in texts, in the singular or plural, with or without a possessive s.

    A title is named where all its words stand, or two or more of them that are written as a name, with capitals. One of
    them must be rare among the titles. A single word does not stand for a title of several, and part of a word stands
    for nothing: `NDA` is not in "standard". A title of one word is named where that is written as a name: within a
    sentence with a capital ("see Travel", not "I travel"), or in any way where the word is a coined one, such as NDA.

    Args:
        titles: id and title of each document that may be named.
    """

    def __init__(self, titles: Iterable[tuple[str, str]]) -> None:
        found = [(document_id, _title_words(title)) for document_id, title in titles]
        found = [(document_id, written) for document_id, written in found if written]
        self._ids = [document_id for document_id, _ in found]
        self._written = [written for _, written in found]
        self._titles = [tuple(map(_fold, written)) for written in self._written]
        frequency = Counter(word for words in self._titles for word in set(words))
        most = max(1, min(_RARE_AT_MOST, int(len(self._titles) * _RARE_SHARE)))
        self._anchors: dict[str, list[tuple[int, int]]] = {}
        self._rare = {word for word, count in frequency.items() if count <= most and content_stems(word)}
        for number, words in enumerate(self._titles):
            rare = [place for place, word in enumerate(words) if word in self._rare]
            for place in rare or [_rarest(words, frequency)]:
                self._anchors.setdefault(words[place], []).append((number, place))

    def named(self, text: str, *, in_any_case: bool = False) -> list[str]:
        """Ids of the documents that `text` names, in the order in which it names them.

        Args:
            in_any_case: whether some words of a title also count in small letters.
        """
        text = _plain(text)
        places = [match.span() for match in _WORD.finditer(text)]
        written = [text[start:end] for start, end in places]
        words = [_fold(word) for word in written]
        runs = {
            run
            for place, word in enumerate(words)
            for number, anchor in self._anchors.get(word, ())
            if (run := self._run(words, place, number, anchor)) is not None
            and (
                _is_one_word_name(self._written[number][0], text, places, place)
                if len(self._titles[number]) == 1
                else run.is_whole or in_any_case or _is_name(written[run.first : run.last + 1])
            )
        }
        best = [run for run in runs if not any(_is_better(other, run) for other in runs)]
        return list(dict.fromkeys(self._ids[run.title] for run in sorted(best, key=lambda r: (r.first, r.title))))

    def _run(self, words: Sequence[str], place: int, number: int, anchor: int) -> _Run | None:
        title = self._titles[number]
        first, at = place, anchor
        while first and at and words[first - 1] == title[at - 1]:
            first, at = first - 1, at - 1
        last, end = place, anchor
        while last + 1 < len(words) and end + 1 < len(title) and words[last + 1] == title[end + 1]:
            last, end = last + 1, end + 1
        run = _Run(first, last, number, end - at + 1 == len(title))
        is_enough = run.is_whole or (run.length >= _ENOUGH and title[anchor] in self._rare)
        return run if is_enough else None


def _rarest(words: Sequence[str], frequency: Counter[str]) -> int:
    """Place of the content word that the fewest titles have."""
    return min(range(len(words)), key=lambda place: (not content_stems(words[place]), frequency[words[place]]))


def _is_better(other: _Run, run: _Run) -> bool:
    """Whether `other` is the better reading of the same words: a whole title, or a longer piece."""
    if other.first > run.first or other.last < run.last:
        return False
    return (other.length, other.is_whole) > (run.length, run.is_whole)


def _is_name(written: Sequence[str]) -> bool:
    """Whether all words but the function words begin with a capital or a digit."""
    return all(not word[0].islower() or not content_stems(word) for word in written)


def _is_one_word_name(title: str, text: str, places: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether the word at `place` of `text` stands there as the title of one word, and not as a word like others."""
    start, end = places[place]
    word = text[start:end].removesuffix("'s")
    if not content_stems(title) or title.isdigit():  # IT, US; never "About" or 2024
        return word == title and title.isupper()
    if any(not letter.islower() for letter in title[1:]):  # coined: NDA, OpenDesk
        return word.casefold() in (title.casefold(), f"{title.casefold()}s")
    before = text[places[place - 1][1] if place else 0 : start]
    is_within = place > 0 and not _SENTENCE_END.search(before)
    return word.casefold() == title.casefold() and word[0].isupper() and (is_within or before[-1:] in _MARKED)


def _title_words(title: str) -> tuple[str, ...]:
    """The words of a title as they are written, without an article in front."""
    words = _WORD.findall(_plain(title))
    return tuple(words[1:] if len(words) > 1 and words[0].casefold() in ("the", "a", "an") else words)


def _plain(text: str) -> str:
    return composed(text).replace("’", "'")


@lru_cache(maxsize=20_000)
def _fold(word: str) -> str:
    """A word without case, possessive s and plural s."""
    word = word.casefold().removesuffix("'s")
    return _PLURAL.sub(lambda ending: "y" if ending[0] == "ies" else "", word)
