"""Words that a text writes as names, by form alone: a capital within a sentence, or a digit among letters."""

import re
from collections.abc import Iterable, Iterator

from rag_app.spelling import UNSPACED
from rag_app.text.language import is_common_word

_LETTER = rf"[^\W{UNSPACED}]"
_OPTION = r"(?<![\w-])(?:--(?=[A-Za-z]{2})|-(?=[A-Za-z](?![\w-])))"
WORD = re.compile(rf"(?:{_OPTION})?(?!_){_LETTER}(?:(?:{_LETTER}|[.+#/&’'-])*(?:{_LETTER}|[+#]))?")
"""Of scripts with spaces between words: in the others a whole sentence would be one. An option of a command has its
dashes."""
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)[\W_]*$")
_LINE_START = re.compile(r"(?:^|[.!?:;|\n]\s*)[\W_]*$")
_WORD_BEFORE = re.compile(r"([^\W\d_][\w-]*)\.? $")
_WORD_AFTER = re.compile(r" ([^\W\d_][\w-]*)")
_POSSESSIVE = re.compile(r"['’]s?$")
_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w.+#/-]+|\d+(?:\.\d+)+|\d+(?:[-/]\d+)+|-[\w.-]+|(?=.*[^\W_]_[^\W_])\w+")
"""Letters and digits in one (F-15, E0308, v2.3), figures joined by points or dashes (3.11, 12-4), options (--force) and
words joined by underscores (read_all)."""
_ORDINAL_OR_UNIT = re.compile(
    r"\d+(?:st|nd|rd|th|am|pm|k|m|km|kg|cm|mm|g|h|hrs?|mins?|days?|weeks?|gb|mb|kb|%)|\d+(?:[-/]\d+)?(?:-\w+)+",
    re.IGNORECASE,
)


def is_code(word: str) -> bool:
    """Whether a word is written rather than spoken: a part number, an error code, a version."""
    return bool(_CODE.fullmatch(word)) and not _ORDINAL_OR_UNIT.fullmatch(word)


def whole_word(pattern: str) -> re.Pattern[str]:
    """What finds a code, given as a pattern, word for word in any case, and not as a piece of a longer one."""
    return re.compile(rf"(?<!{_LETTER})(?<![.-]){pattern}(?!{_LETTER}|-|\.\d)", re.IGNORECASE)


def bare(word: str) -> str:
    """A word without its possessive."""
    return _POSSESSIVE.sub("", word)


def is_name(text: str, match: re.Match[str]) -> bool:
    """Whether the word that `match` found in `text` has a capital that no sentence's beginning explains."""
    word = match[0]
    if not word[0].isupper() or len(word) < 2 or word.startswith(("I'", "I’")):
        return False
    return not _SENTENCE_START.search(text[: match.start()])


def is_written_as_name(word: str, texts: Iterable[str], *, is_german: bool = False) -> bool:
    """Whether `texts` write a word with a capital wherever it stands, and somewhere where no line or sentence begins.

    German writes every noun so: in it a name is what mostly stands beside another capital, as first and last names do.

    Args:
        word: in small letters.
    """
    places = names = 0
    for text in texts:
        for match in WORD.finditer(text):
            if not match[0].casefold().startswith(word) or bare(match[0]).casefold() != word:
                continue
            if not match[0][0].isupper():
                return False
            places += 1
            names += _is_beside_capital(text, match) if is_german else not _LINE_START.search(text[: match.start()])
    return names > 0 and (not is_german or 2 * names >= places)


def _is_beside_capital(text: str, match: re.Match[str]) -> bool:
    before = _WORD_BEFORE.search(text[: match.start()])
    if before and before[1][0].isupper() and not is_common_word(before[1].casefold(), "German"):
        return True
    after = _WORD_AFTER.match(text, match.end())
    return bool(after) and after[1][0].isupper()


def named_words(text: str) -> Iterator[str]:
    """The words of `text` that are names or codes, without possessives."""
    for match in WORD.finditer(text):
        if is_code(word := bare(match[0])) or is_name(text, match):
            yield word
