"""Which words of a page a reader sees as valid: the page is painted, and where a word should stand something must show.

This finds every kind of hidden text at once: letters in the colour of what is behind them, letters that are not
painted, transparent, cut off, covered by something else, or on a layer that is switched off. Words are struck out by a
line that is drawn through them, as word processors write it into a PDF, or by a reader's mark.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pypdfium2 as pdfium

from rag_app.read.pdf.pdf_words import Frame, Word
from rag_app.read.pdf.tables.rulings import Box, Drawing

_MAX_PIXELS = 4_000_000
_CONTRAST = 5
"""Of 255: the least difference of a colour, from one pixel to the next, that a reader can make out."""
_CLEAR = 15
"""A difference that every letter shows somewhere, whatever pixels it falls on."""
_BESIDE = 1.2
"""Points at the ends of a word in which a letter beside it may show."""
_TOO_COARSE = 0.4
"""Pixels a point below which small letters may leave no trace."""
_HIGHEST, _LOWEST = 0.5, 0.15
"""Between which heights above the baseline, in sizes of the font, a line strikes a word out."""
_CROSSED = 0.8
"""Share of a word that the line covers."""
_NEAR = 0.6
"""Sizes of the font within which such a line begins and ends where words do; other lines only pass behind the text."""


class Painting:
    """Where a page shows anything, turned so that its text stands upright."""

    def __init__(self, page: pdfium.PdfPage, frame: Frame) -> None:
        self.scale = min(1.0, (_MAX_PIXELS / max(1.0, frame.width * frame.height)) ** 0.5)
        bitmap = page.render(
            scale=self.scale,  # pyright: ignore[reportArgumentType]  # any positive number serves
            may_draw_forms=False,
            draw_annots=False,
        )
        pixels = bitmap.to_numpy().astype(np.int16)
        bitmap.close()
        steps = [np.abs(np.diff(pixels[:, :, channel], axis=1)) for channel in range(pixels.shape[2])]
        self._show(np.maximum.reduce(steps))
        self.images: list[tuple[float, float, float, float]] = []
        """Where pictures lie: an unpainted word on one is the text of a scan."""

    def _show(self, steps: np.ndarray) -> None:
        self.steps = steps
        """How much the colour changes from each pixel to the next in its row."""
        self.counts = _sums(steps > _CONTRAST)
        """How many edges lie above and to the left of each pixel, so that those of an area are found at once."""

    @cached_property
    def clear_counts(self) -> np.ndarray:
        return _sums(self.steps > _CLEAR)

    def turned(self, turn: int) -> "Painting":
        other = object.__new__(Painting)
        other.scale, other.images = self.scale, []
        other._show(np.rot90(self.steps, turn // 90))
        return other

    def is_blank(self) -> bool:
        """Whether the page shows nothing at all."""
        return self.counts[-1, -1] == 0

    def shows(self, word: Word, *, clearly: bool = False) -> bool:
        """Whether the place of a word is more than one even colour. What lies outside the page never shows."""
        last_row, last_column = self.counts.shape[0] - 1, self.counts.shape[1] - 1
        side = min(_BESIDE, 0.1 * (word.right - word.left))
        xs, ys = ((word.left + side, 0), (word.right - side, 1)), ((word.top, 0), (word.bottom, 1))
        first_x, last_x = (min(last_column, max(0, int(x * self.scale + up))) for x, up in xs)
        first_y, last_y = (min(last_row, max(0, int(y * self.scale + up))) for y, up in ys)
        counts = self.clear_counts if clearly else self.counts
        inside = counts[last_y, last_x] - counts[first_y, last_x] - counts[last_y, first_x] + counts[first_y, first_x]
        return bool(inside > 0)

    def visible(self, words: Iterable[Word]) -> list[Word]:
        """The words that can be seen. Letters that are not painted count as seen on a picture, as in a scan; of pale
        ones a few may show by chance, so that all of a line must."""
        coarse = self.scale < _TOO_COARSE
        words = list(words)
        seen = [self._is_visible(word, coarse) for word in words]
        dim = {(word.base, word.size) for word, shows in zip(words, seen, strict=True) if not shows}
        return [
            word
            for word, shows in zip(words, seen, strict=True)
            if shows and (coarse or word.unseen or (word.base, word.size) not in dim or self.shows(word, clearly=True))
        ]

    def _is_visible(self, word: Word, coarse: bool) -> bool:
        if word.unseen:
            x, y = (word.left + word.right) / 2, word.base - 0.3 * word.size
            return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in self.images)
        return coarse or self.shows(word)


def _sums(marks: np.ndarray) -> np.ndarray:
    sums = np.zeros((marks.shape[0] + 1, marks.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(marks, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    return sums


def without_struck(words: Sequence[Word], drawing: Drawing, boxes: Sequence[Box] = ()) -> list[Word]:
    """The words that no line strikes out, and no reader's mark: `boxes` are the places of such marks."""
    struck = {id(word) for word in words if any(_is_marked(word, box) for box in boxes)}
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
    for number, found in crossed.items():
        _, left, right = lines[number]
        reach = _NEAR * max(word.size for word in found)
        if abs(min(w.left for w in found) - left) <= reach and abs(max(w.right for w in found) - right) <= reach:
            struck.update(map(id, found))
    return _closed_up(words, struck)


def _closed_up(words: Sequence[Word], struck: set[int]) -> list[Word]:
    """The words that are not struck; one before struck words of its line reaches as far as they do, so that the line is
    still one."""
    kept: list[Word] = []
    for word in words:
        if id(word) not in struck:
            kept.append(word)
        elif kept and _follows(kept[-1], word):
            kept[-1] = replace(kept[-1], right=max(kept[-1].right, word.right))
    return kept


def _follows(before: Word, word: Word) -> bool:
    gap = word.left - before.right
    return abs(before.base - word.base) < 0.1 * word.size and -0.4 * word.size < gap < 0.65 * word.size


def _is_marked(word: Word, box: Box) -> bool:
    left, top, right, bottom = box
    middle = word.base - 0.3 * word.size
    return top <= middle <= bottom and min(right, word.right) - max(left, word.left) >= _CROSSED * (
        word.right - word.left
    )
