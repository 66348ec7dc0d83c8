"""Misspelt words of a question, read as what the documents know them to be.

Only a word that no readable passage holds and that is in no dictionary is read as another one, and only as a word that
stands in a readable passage and is no name there: "hotl" is "hotel", but "lindquist" is not Lindqvist, "frost" is not
"front", and nobody learns of a word that they may not read. Of a name, letters may only be swapped ("lodnon"). Codes,
figures and abbreviations stay what they are.
"""

import re
from collections.abc import Iterable, Sequence

from rapidfuzz.distance import OSA

from rag_app.retrieve.dictionaries import is_in_dictionary
from rag_app.retrieve.readable import Readable
from rag_app.text.language import language_of, language_of_question
from rag_app.text.named import is_written_as_name
from rag_app.text.words import function_words, stems

_SHORTEST, _LONG = 4, 9
"""Letters of a word from which one letter of it may be wrong, and two."""
_LOOKED_AT = 5
"""Passages in which it is seen how a word is written."""
_MOST_WORDS = 12
"""Words of a question that are looked up; a text with more of them is not misspelt, but in another language."""
_WORD = re.compile(r"[^\W\d_]+(?![\w-]*\d)")
_LATIN = re.compile("[a-z\u00df-\u024f]+")


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
    for word in asked[:_MOST_WORDS]:
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
        texts = [*readable.texts(other, _LOOKED_AT).values()]
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
