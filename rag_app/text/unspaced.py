"""Scripts that are searched by pairs of characters: those without spaces between words, and Korean, whose words carry
their particles with them."""

import re

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Their letters and marks, for a class of a regular expression."""
_RUN = re.compile(f"[{UNSPACED}]+")


def as_pairs(text: str, *, and_characters: bool = False) -> str:
    """`text` with each run of these letters written as its overlapping pairs, a space between them; a single one stays.

    Args:
        and_characters: writes the single characters before the pairs, as an index does that is searched for both.
    """
    if text.isascii():
        return text
    return _RUN.sub(lambda run: f" {' '.join(_pieces(run[0], and_characters))} ", text)


def is_unspaced(text: str) -> bool:
    """Whether `text` is all of such letters."""
    return bool(_RUN.fullmatch(text))


def pairs(run: str) -> list[str]:
    """The overlapping pairs of characters of `run`, in order."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _pieces(run: str, and_characters: bool) -> list[str]:
    return [*(run if and_characters or len(run) == 1 else ""), *pairs(run)]
