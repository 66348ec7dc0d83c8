"""Fractions that are drawn as figures over and under a short bar: read as "3/4", never as "3" and "4"."""

from collections.abc import Sequence

from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.rulings import Drawing

_LONGEST = 40.0
"""Points that the bar of a fraction is long at most; no more such bars on a page are looked at than `_MOST`."""
_MOST = 200


def with_fractions(words: Sequence[Word], drawing: Drawing) -> list[Word]:
    """The words in their order, with the figures over and under each bar as one word on the line beside them."""
    bars = [bar for bar in drawing.across if 2.0 <= bar[2] - bar[1] <= _LONGEST][:_MOST]
    result = list(words)
    for y, left, right in bars:
        near = [word for word in result if abs(word.base - 0.3 * word.size - y) < 2.0 * word.size]
        inside = [
            word for word in near if left - 1.5 <= word.left and word.right <= right + 1.5 and word.text.isdecimal()
        ]
        over = [word for word in inside if 0 <= y - word.base < 0.7 * word.size]
        under = [word for word in inside if 0 < word.base - y < 1.3 * word.size]
        if len(over) == len(under) == 1:
            result = _joined(result, near, over[0], under[0])
    return result


def _joined(words: list[Word], near: list[Word], over: Word, under: Word) -> list[Word]:
    left, right = min(over.left, under.left), max(over.right, under.right)
    others = [word for word in near if word is not over and word is not under]
    middle = (over.base + under.base - 0.6 * under.size) / 2
    line = [word for word in others if word.base - 0.8 * word.size < middle < word.base + 0.1 * word.size]
    beside = min(line, key=lambda word: max(left - word.right, word.left - right), default=None)
    base, size = (beside.base, beside.size) if beside else (under.base - 0.5 * under.size, over.size)
    before = max((word for word in line if word.right <= left + 1.0), key=lambda word: word.right, default=None)
    if before is not None and before.text[-1:].isdigit() and left - before.right < 0.2 * size:
        left = before.right + 0.2 * size  # "2 1/2" is not 21/2
    made = Word(f"{over.text}/{under.text}", left, max(left, right), base, size, bold=over.bold, order=over.order)
    return [made if word is over else word for word in words if word is not under]
