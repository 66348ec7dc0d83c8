"""Which words of a page are struck out: a line is drawn through them, as word processors write it into a PDF, or a
reader's mark does."""

from bisect import bisect_left
from collections.abc import Sequence

from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.rulings import Box, Drawing

_HIGHEST, _LOWEST = 0.5, 0.15
"""Between which heights above the baseline, in sizes of the font, a line strikes a word out."""
_CROSSED = 0.8
"""Share of a word that the line covers."""
_NEAR = 0.6
"""Sizes of the font within which such a line begins and ends where words do; other lines only pass behind the text."""


def without_struck(words: Sequence[Word], drawing: Drawing, boxes: Sequence[Box] = ()) -> list[Word]:
    """The words that no line strikes out, and no reader's mark: `boxes` are the places of such marks."""
    words = [word for word in words if not any(_is_marked(word, box) for box in boxes)]
    lines = sorted(drawing.across)
    crossed: dict[int, list[Word]] = {}
    for word in words:
        first = bisect_left(lines, (word.base - _HIGHEST * word.size,))
        for number in range(first, len(lines)):
            y, left, right = lines[number]
            if y > word.base - _LOWEST * word.size:
                break
            if min(right, word.right) - max(left, word.left) >= _CROSSED * (word.right - word.left):
                crossed.setdefault(number, []).append(word)
    struck: set[int] = set()
    for number, found in crossed.items():
        _, left, right = lines[number]
        reach = _NEAR * max(word.size for word in found)
        if abs(min(w.left for w in found) - left) <= reach and abs(max(w.right for w in found) - right) <= reach:
            struck.update(map(id, found))
    return [word for word in words if id(word) not in struck]


def _is_marked(word: Word, box: Box) -> bool:
    left, top, right, bottom = box
    middle = word.base - 0.3 * word.size
    return top <= middle <= bottom and min(right, word.right) - max(left, word.left) >= _CROSSED * (
        word.right - word.left
    )
