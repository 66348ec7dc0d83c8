"""What the words of a question are to an index: how many passages hold each, misspelt ones, names, codes."""

import re

from rag_app.question import Question, QuestionTerms
from rag_app.retrieve.corrections import find_corrections
from rag_app.retrieve.dictionaries import is_in_dictionary
from rag_app.retrieve.readable import Readable
from rag_app.text.language import language_of_question
from rag_app.text.named import is_code, is_written_as_name, named_words, whole_word
from rag_app.text.unspaced import is_unspaced
from rag_app.text.words import content_stems, content_words

_MOST_WORDS = 256
"""Words of a question that are counted; as many as are searched."""
_LOOKED_AT = 20
"""Passages that are searched for a code, word for word."""


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
    question.terms = QuestionTerms(counts, readable.count_all())
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
