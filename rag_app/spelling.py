"""Text as search sees it: what people type for what a page shows. Never for showing: places would move.

Scripts without spaces between words are searched by pairs of characters, and so is Korean, whose words carry their
particles with them.
"""

import re
import unicodedata
from itertools import chain, groupby

_DROPPED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
"""Soft hyphens, letters without a shape, joiners, marks of direction and of variants."""
_WRAPPED = re.compile(r"[-\u2010](?<=[^\W\d_]{2}.)\s*[\r\n]\s*(?=[^\W\d_]{2})")
"""The hyphen first: it is found faster than what stands before it."""
_STRUCK = re.compile(r"(?<!~)~~(?=\S)[^~\r\n]{1,500}(?<=\S)~~(?!~)")
_SAME = str.maketrans({
    **dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟″«»", '"'), **dict.fromkeys("‐‑‒–—−﹣", "-"), "…": "...",
    **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000", " "), **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
})  # fmt: skip
_FORMS = re.compile("[\ufb00-\ufb06\uff01-\uffee\u2460-\u249b\u3300-\u33ff\ufb50-\ufdff\ufe70-\ufefc]+")
"""Ligatures, full and half width, letters in circles and squares, Arabic forms of letters."""
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Letters and marks of scripts that are searched by pairs, for a class of a regular expression."""
_MANY_MARKS = re.compile(r"[^\w\s\x00-\u02ff]{30,}")
"""Long runs that may be of marks on one letter."""
_RUN = re.compile(f"[{UNSPACED}]+")


def fold(text: str) -> str:
    """`text` with ligatures, full-width forms, decomposed letters, curly quotes and dashes written plainly, without
    invisible letters and struck words, words whole that a line wrap parted. Raised figures stay what they are."""
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if "\n" in text or "\r" in text:
        text = _WRAPPED.sub("", text)
    if text.isascii():
        return text
    text = _DROPPED.sub("", text).translate(_SAME)
    text = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return composed(text)


def composed(text: str) -> str:
    """`text` in Unicode's normal form C, in time that grows with its length.

    The library sorts the marks on one letter in quadratic time: long runs of them are put in order before.
    """
    return unicodedata.normalize("NFC", text if text.isascii() else _MANY_MARKS.sub(_in_order, text))


def _in_order(run: re.Match[str]) -> str:
    parts = "".join(unicodedata.normalize("NFD", character) for character in run[0])
    in_order = (sorted(group, key=unicodedata.combining) for _, group in groupby(parts, _is_mark))
    return "".join(chain.from_iterable(in_order))


def _is_mark(character: str) -> bool:
    return unicodedata.combining(character) > 0


def as_pairs(text: str, *, and_characters: bool = False) -> str:
    """`text` with each run of unspaced letters written as its overlapping pairs, a space between
    them; a single one stays.

    Args:
        and_characters: writes the single characters before the pairs, as an index does that is searched for both.
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda run: f" {' '.join(_pieces(run[0], and_characters))} ", text)


def is_unspaced(text: str) -> bool:
    """Whether `text` is all of unspaced letters."""
    return bool(_RUN.fullmatch(text))


def pairs(run: str) -> list[str]:
    """The overlapping pairs of characters of `run`, in order."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _pieces(run: str, and_characters: bool) -> list[str]:
    return [*(run if and_characters or len(run) == 1 else ""), *pairs(run)]
