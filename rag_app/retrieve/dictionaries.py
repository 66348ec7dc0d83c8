"""Lists of words by language, for telling a misspelt word from one that the documents only do not hold."""

import gzip
import json
from functools import lru_cache
from importlib import resources

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
