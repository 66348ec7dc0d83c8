"""Text as search sees it: what people type for what a page shows. Never for showing: places would move."""

import re
import unicodedata

_DROPPED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
"""Soft hyphens, letters without a shape, joiners, marks of direction and of variants."""
_WRAPPED = re.compile(r"(?<=[^\W\d_]{2})[-\u2010]\s*[\r\n]\s*(?=[^\W\d_]{2})")
_STRUCK = re.compile(r"(?<!~)~~(?=\S)[^~\r\n]{1,500}(?<=\S)~~(?!~)")
_SAME = str.maketrans({
    **dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟″«»", '"'), **dict.fromkeys("‐‑‒–—−﹣", "-"), "…": "...",
    **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000", " "), **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
})  # fmt: skip
_FORMS = re.compile("[\ufb00-\ufb06\uff01-\uffee\u2460-\u249b\u3300-\u33ff\ufb50-\ufdff\ufe70-\ufefc]+")
"""Ligatures, full and half width, letters in circles and squares, Arabic forms of letters."""


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
    return unicodedata.normalize("NFC", text)
