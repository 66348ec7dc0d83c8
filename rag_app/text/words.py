"""Words as word overlap sees them: stems, without the function words that every sentence has."""

import re
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from rag_app.spelling import UNSPACED, as_pairs, fold

_FUNCTION_WORDS = frozenset(
    "a about after all also am an and any anybody anyone are as at be been before being but by can cannot could did do "
    "does doing don else for from get gets getting give go got had has have having he her here hers him his how i if "
    "in into is it its just let like ll make many may me might mine more most much must my need no not of off on "
    "once one only or other our ours out over own please re s same shall she should so some somebody someone such t "
    "tell than that the their theirs them then there these they thing this those to too up us use ve very want was we "
    "were what when where which while who whom whose why will with would yes you your yours".split()
)
_NUMBER_OR_WORD = r"[0-9]+(?:[.,:][0-9]+)*|[\p{L}\p{M}\p{N}]+"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST_WORD = 20
"""Characters of a text whose stems are kept."""
_WORD = re.compile(rf"[\w{UNSPACED}]+")


@lru_cache(maxsize=1)
def _analyzer() -> TextAnalyzer:
    return (
        TextAnalyzerBuilder(Tokenizer.regex(_NUMBER_OR_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


def function_words() -> frozenset[str]:
    """The words of English that every sentence has, in small letters."""
    return _FUNCTION_WORDS


@lru_cache(maxsize=1)
def _function_stems() -> frozenset[str]:
    return frozenset(stem for word in _FUNCTION_WORDS for stem in _analyzer().analyze(word))


def _analyzed(text: str) -> list[str]:
    return _analyzer().analyze(as_pairs(fold(text)))


@lru_cache(maxsize=8192)
def _stems_of_word(text: str) -> tuple[str, ...]:
    """Single words return in every question: units, words of a question, function words."""
    return tuple(_analyzed(text))


def stems(text: str) -> list[str]:
    """The stems of all words and numbers of `text`, in order (Snowball English; numbers keep their decimals). Scripts
    without spaces between words, and Korean, are cut into pairs of characters."""
    return [*_stems_of_word(text)] if len(text) <= _LONGEST_WORD else _analyzed(text)


def content_stems(text: str) -> list[str]:
    """The stems of `text` without function words, in order, repetitions kept."""
    ignored = _function_stems()
    return [stem for stem in stems(text) if stem not in ignored]


def content_words(text: str) -> str:
    """`text` without function words; all of it where nothing else stands in it."""
    ignored = _function_stems()
    kept = [word for word in _WORD.findall(text) if not ignored.issuperset(stems(word))]
    return " ".join(kept) or text


def count_words(text: str) -> int:
    """Words in `text`; in scripts without spaces two characters count as one word."""
    cjk = len(_CJK.findall(text))
    return len(_WORD.findall(_CJK.sub(" ", text) if cjk else text)) + (cjk + 1) // 2
