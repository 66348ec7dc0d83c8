"""Lists of words by language."""

import pytest
from spellchecker import SpellChecker

from rag_app.retrieve.question_words import is_in_dictionary


@pytest.mark.parametrize(("language", "code"), [("English", "en"), ("Spanish", "es")])
def test_exactly_the_words_of_a_list_are_in_it(language: str, code: str) -> None:
    """Words of a list are in it, whatever their accents or marks; parts of them, and words run together, are not."""
    listed = SpellChecker(language=code).word_frequency.dictionary
    words = sorted(listed)[::400]
    others = [word[1:] for word in words] + [word + "x" for word in words]
    for word in [*words, *others, 'a"b', "\ud800", "", "50,", "\n", "A"]:
        assert is_in_dictionary(word, language) == (word in listed), word


@pytest.mark.parametrize(
    ("language", "word"),
    [("German", "straße"), ("French", "élève"), ("Italian", "città"), ("Dutch", "fiets"), ("Portuguese", "ação")],
)
def test_every_list_is_read(language: str, word: str) -> None:
    """Each language has its own list; a language without one has no words."""
    assert is_in_dictionary(word, language)
    assert not is_in_dictionary(word, "Klingon")
    assert not is_in_dictionary(f"{word}zzq", language)
