"""What the words of a question are to an index: how many passages hold each, misspelt ones, names, codes.

Only a word that no readable passage holds and that is in no dictionary is read as another one, and only as a word that
stands in a readable passage and is no name there: "hotl" is "hotel", but "lindquist" is not Lindqvist, "frost" is not
"front", and nobody learns of a word that they may not read. Of a name, letters may only be swapped ("lodnon"). Codes,
figures and abbreviations stay what they are.
"""

import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from rag_app.question import MOST_COUNTED, Question, QuestionTerms
from rag_app.spelling import fold, is_unspaced
from rag_app.text.language import language_of, language_of_question
from rag_app.text.named import is_code, is_written_as_name, named_words, whole_word
from rag_app.text.words import content_stems, content_words, function_words, stems

if TYPE_CHECKING:
    from rag_app.index.search.sparse import SimilarWord
    from rag_app.index.view import View

_MOST_WORDS = 256
"""Words of a question that are counted; as many as are searched."""
_LOOKED_AT = 20
"""Passages that are searched for a code, word for word."""
_SHORTEST, _LONG = 4, 9
"""Letters of a word from which one letter of it may be wrong, and two."""
_SEEN_IN = 5
"""Passages in which it is seen how a word is written."""
_MOST_UNKNOWN = 12
"""Words of a question that are looked up; a text with more of them is not misspelt, but in another language."""
_WORD = re.compile(r"[^\W\d_]+(?![\w-]*\d)")
_LATIN = re.compile("[a-z\u00df-\u024f]+")
_CODES = {
    "English": "en",
    "German": "de",
    "French": "fr",
    "Spanish": "es",
    "Italian": "it",
    "Dutch": "nl",
    "Portuguese": "pt",
}
_REMEMBERED = 4096
"""Words of which it is remembered whether they are in a list."""


@dataclass(frozen=True, slots=True)
class Readable:
    """A snapshot of an index, under the access rules that let the asker read."""

    view: "View"
    rules: frozenset[str]
    without: frozenset[int]
    """Rows of documents that are not in force on the day that is asked about."""

    def count(self, word: str) -> int:
        """How many passages hold a word in any of its forms, up to `MOST_COUNTED`."""
        return self.view.count_holding(word, MOST_COUNTED, self.rules, self.without)

    def count_all(self) -> int:
        """How many passages there are."""
        return self.view.count_passages(self.rules)

    def similar(self, word: str, edits: int) -> "list[SimilarWord]":
        """Words that are at most `edits` letters away from `word`. Of documents in force or not."""
        return self.view.similar_words(word, edits, self.rules)

    def texts(self, word: str, most: int) -> dict[int, str]:
        """By passage id, the folded texts with title and section of the passages that speak most of a word."""
        keys = [key for key, _ in self.view.search_words(word, most, self.rules, self.without)]
        return {key: fold(text) for key, text in self.view.texts(keys).items()}


def learn_words(question: Question, readable: Readable) -> dict[int, list[str]]:
    """Counts the passages that hold each word of the question, and has misspelt ones read as what they stand for.

    Returns:
        By passage id, the rare names and codes of the question that stand in it.
    """
    words = _words_by_stem(question.query_str)
    counts = {stem: readable.count(word) for stem, word in words.items()}
    unknown = [word for word in dict.fromkeys(words.values()) if not any(counts[s] for s in content_stems(word))]
    corrections = find_corrections(question.query_str, unknown, readable) if unknown else {}
    if corrections:
        question.read_as(corrections)
        question.trace.correct(corrections)
        words = _words_by_stem(question.wording)
        counts = {stem: counts[stem] if stem in counts else readable.count(word) for stem, word in words.items()}
    question.terms = QuestionTerms(counts, readable.count_all(), question.day.year)
    named = _codes(question, readable)
    for key, names in _names(question, words, readable).items():
        named.setdefault(key, []).extend(names)
    return named


def _codes(question: Question, readable: Readable) -> dict[int, list[str]]:
    """The passages in which a rare code of the question stands word for word."""
    found: dict[int, list[str]] = {}
    for code in dict.fromkeys(filter(is_code, named_words(question.wording))):
        stands = whole_word(re.escape(code))
        keys = [key for key, text in readable.texts(code, _LOOKED_AT).items() if stands.search(text)]
        if QuestionTerms({code: len(keys)}, question.terms.passages).is_rare(code):
            for key in keys:
                found.setdefault(key, []).append(code)
    return found


def _names(question: Question, words: dict[str, str], readable: Readable) -> dict[int, list[str]]:
    """The passages that hold a rare name of the question. A word in small letters is one where they write it so;
    if it is in no dictionary besides, the question is read as writing it with its capital."""
    written = {word for word in named_words(question.wording) if not is_code(word)}
    found: dict[int, list[str]] = {}
    lower: dict[str, str] = {}
    is_german = language_of_question(question.wording) == "German"
    for stem, word in words.items():
        if not question.terms.is_rare(stem) or not word[0].isalpha() or is_code(word):
            continue
        texts = readable.texts(word, _LOOKED_AT)
        if word in written:
            pass
        elif not word.islower() or not is_written_as_name(word, texts.values(), is_german=is_german):
            continue
        elif not is_in_dictionary(word, "English"):
            lower[word] = word.capitalize()
        for key in texts:
            found.setdefault(key, []).append(word)
    question.read_as(lower)
    return found


def _words_by_stem(text: str) -> dict[str, str]:
    """The content words of a text, each once, by what it is counted under."""
    found: dict[str, str] = {}
    for word in content_words(text).split()[:_MOST_WORDS]:
        for stem in content_stems(word):
            found.setdefault(stem, stem if is_unspaced(stem) else word)
    return found


def find_corrections(question: str, unknown: Iterable[str], readable: Readable) -> dict[str, str]:
    """What misspelt words of a question are read as.

    Args:
        unknown: its words that no readable passage holds, as it writes them.

    Returns:
        By the word as the question writes it, the word of the documents.
    """
    language = language_of_question(question)
    shouts = not re.search(r"[a-z]", question) or all(word[0].isupper() for word in _WORD.findall(question))
    asked = [word for word in dict.fromkeys(unknown) if _may_be_misspelt(word, question, language, shouts)]
    found: dict[str, str] = {}
    for word in asked[:_MOST_UNKNOWN]:
        if better := _read_as(word, language, readable):
            found[word] = better
    return found


def _may_be_misspelt(word: str, question: str, language: str, shouts: bool) -> bool:
    """Whether the form of a word allows it: no code, no abbreviation, no name."""
    if len(word) < _SHORTEST or not _WORD.fullmatch(word) or not _LATIN.fullmatch(word.casefold()):
        return False
    if re.search(rf"[\d_]{re.escape(word)}|{re.escape(word)}[\w-]*\d|\d[\w-]*{re.escape(word)}", question):
        return False
    if word.islower() or language == "German" or shouts:
        return shouts or not word.isupper()
    return word[0].isupper() and word[1:].islower() and bool(re.match(rf"\W*{word}", question))


def _read_as(word: str, language: str, readable: Readable) -> str | None:
    lower = word.casefold()
    if any(is_in_dictionary(lower, known) for known in dict.fromkeys(("English", language))):
        return None  # the usual case, and quicker seen than which words of the documents are like it
    edits = 2 if len(lower) >= _LONG else 1
    near = [
        (similar.word, similar.edits, similar.passages)
        for similar in readable.similar(lower, edits)
        if len(similar.word) >= _SHORTEST and _LATIN.fullmatch(similar.word)
    ]
    if language in ("", "English"):
        common = [other for other in function_words() if len(other) >= _SHORTEST and _kind(lower, other) == 0]
        near += [(other, 1, 0) for other in common if OSA.distance(lower, other) == 1]
    for other, distance, passages in sorted(near, key=lambda one: (one[1], _kind(lower, one[0]), -one[2], one[0])):
        if not passages and other in function_words():
            return other
        texts = [*readable.texts(other, _SEEN_IN).values()]
        spoken = language_of("\n".join(texts)) or language
        if (language and spoken != language) or is_in_dictionary(lower, spoken):
            continue
        if sorted(lower) != sorted(other) and is_written_as_name(other, texts, is_german=spoken == "German"):
            return None
        if surface := _nearest_form(lower, other, distance, texts):
            return surface
    return None


def _kind(word: str, other: str) -> int:
    """Letters are left out, doubled or swapped more often than one is taken for another."""
    return 0 if len(word) < len(other) or sorted(word) == sorted(other) else 1 if len(word) > len(other) else 2


def _nearest_form(word: str, other: str, edits: int, texts: Sequence[str]) -> str | None:
    """`other` as the passages write it, or the form of it there that is nearest to `word`."""
    wanted = stems(other)
    forms = {form for text in texts for form in _WORD.findall(text) if stems(form) == wanted}
    near = [(OSA.distance(word, form.casefold()), not form.islower(), form) for form in forms]
    best = min(near, default=None)
    return best[2] if best and best[0] <= edits + 1 else None


@lru_cache(maxsize=_REMEMBERED)
def is_in_dictionary(word: str, language: str) -> bool:
    """Whether `word`, in small letters, is one of `language` (its English name), in any of its forms.

    Unpacks the list when a language is first asked for (5 to 30 ms); of a language without a list, no word is in it.
    """
    if language not in _CODES:
        return False
    key = json.dumps(word, ensure_ascii=False)
    return f"\n{key}:".encode(errors="replace") in _listed(_CODES[language])


@lru_cache(maxsize=len(_CODES))
def _listed(code: str) -> bytes:
    """The list of pyspellchecker as it is stored: JSON, one word with its frequency a line.

    It is searched as it is. Parsing it takes a tenth of a second to one, which the first question with an unknown word
    would wait for, and several times the memory; searching takes 1 to 5 ms.
    """
    return gzip.decompress(resources.files("spellchecker").joinpath(f"resources/{code}.json.gz").read_bytes())
