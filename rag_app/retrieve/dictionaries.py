"""Lists of words by language, for telling a misspelt word from one that the documents only do not hold."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spellchecker import SpellChecker

_CODES = {
    "English": "en",
    "German": "de",
    "French": "fr",
    "Spanish": "es",
    "Italian": "it",
    "Dutch": "nl",
    "Portuguese": "pt",
}


def is_in_dictionary(word: str, language: str) -> bool:
    """Whether `word`, in small letters, is one of `language` (its English name), in any of its forms.

    Loads the list when a language is first asked for (half a second, or one for German); of a language without a list,
    no word is in it.
    """
    return language in _CODES and word in _dictionary(_CODES[language])


@lru_cache(maxsize=len(_CODES))
def _dictionary(code: str) -> "SpellChecker":
    from spellchecker import SpellChecker

    return SpellChecker(language=code)
