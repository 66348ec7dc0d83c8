"""Words that a text writes as names, by form alone: a capital within a sentence, or a digit among letters."""

import re
from collections.abc import Iterator

WORD = re.compile(r"[^\W_](?:[\w.+#/&’'-]*[\w+#])?")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)[\W_]*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w.+#/-]+|\d+(?:\.\d+)+|\d+(?:[-/]\d+)+")
"""Letters and digits in one (F-15, E0308, v2.3), or figures joined by points or dashes (3.11, 12-4)."""
_ORDINAL_OR_UNIT = re.compile(
    r"\d+(?:st|nd|rd|th|am|pm|k|m|km|kg|cm|mm|g|h|hrs?|mins?|days?|weeks?|gb|mb|kb|%)|\d+(?:[-/]\d+)?-\w+",
    re.IGNORECASE,
)


def is_code(word: str) -> bool:
    """Whether a word is written rather than spoken: a part number, an error code, a version."""
    return bool(_CODE.fullmatch(word)) and not _ORDINAL_OR_UNIT.fullmatch(word)


def bare(word: str) -> str:
    """A word without its possessive."""
    return _POSSESSIVE.sub("", word)


def is_name(text: str, match: re.Match[str]) -> bool:
    """Whether the word that `match` found in `text` has a capital that no sentence's beginning explains."""
    word = match[0]
    if not word[0].isupper() or len(word) < 2 or word.startswith(("I'", "I’")):
        return False
    return not _SENTENCE_START.search(text[: match.start()])


def named_words(text: str) -> Iterator[str]:
    """The words of `text` that are names or codes, without possessives."""
    for match in WORD.finditer(text):
        if is_code(word := bare(match[0])) or is_name(text, match):
            yield word
