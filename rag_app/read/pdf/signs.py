"""What is drawn and not written: the bars of fractions, bullets, and boxes to tick.

Figures over and under a short bar are read as "3/4", never as "3" and "4". Browsers draw the bullets of their lists.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.tables.rulings import Box, Drawing, merged_lines

_LONGEST = 40.0
"""Points that the bar of a fraction is long at most; no more such bars on a page are looked at than `_MOST`."""
_MOST = 200
_GAP = 2.5
"""Sizes of the font within which a text stands behind its bullet."""
_TICKS = frozenset("xX×✓✔✗✘✕✖")


def with_fractions(words: Sequence[Word], drawing: Drawing) -> list[Word]:
    """The words in their order, with the figures over and under each bar as one word on the line beside them."""
    lines = merged_lines(drawing.across)
    bars = [bar for bar in lines if 2.0 <= bar[2] - bar[1] <= _LONGEST and not _meets(bar, drawing)][:_MOST]
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


def _meets(bar: tuple[float, float, float], drawing: Drawing) -> bool:
    """Whether a line runs up or down from the bar: it is the side of a cell."""
    y, left, right = bar
    return any(left - 2 <= x <= right + 2 and top - 2 <= y <= bottom + 2 for x, top, bottom in drawing.down)


def with_bullets(words: Sequence[Word], drawing: Drawing) -> list[Word]:
    """The words in their order, with a bullet before each line that a dot is drawn before, and a box to tick where one
    is drawn, ticked or not."""
    if len(drawing.signs) > _MOST:
        return list(words)
    by_base = sorted(words, key=lambda word: word.base)
    bases = [word.base for word in by_base]
    largest = max((word.size for word in words), default=0.0)
    before: dict[int, Word] = {}
    ticks: set[int] = set()
    for sign in drawing.signs:
        _, top, _, bottom = sign.box
        near = by_base[bisect_left(bases, top - largest) : bisect_right(bases, bottom + largest)]
        inside = [word for word in near if _holds(sign.box, word.left, word.base - 0.3 * word.size)]
        behind = _behind(sign.box, near, inside)
        if behind is None or any(word.text not in _TICKS for word in inside):
            continue
        ticked = bool(inside) or any(not other.is_box and _is_within(other.box, sign.box) for other in drawing.signs)
        if sign.is_box or not any(other.is_box and _is_within(sign.box, other.box) for other in drawing.signs):
            text = ("☒" if ticked else "☐") if sign.is_box else "•"
            left, _, right, _ = sign.box
            before[id(behind)] = Word(text, left, right, behind.base, behind.size, order=behind.order)
            ticks.update(map(id, inside))
    return [
        each for word in words if id(word) not in ticks for each in (before.get(id(word)), word) if each is not None
    ]


def _behind(box: Box, words: Sequence[Word], inside: Sequence[Word]) -> Word | None:
    """The first word of the line that a sign stands before; None where it stands before none, or within a text."""
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    level = [
        word
        for word in words
        if word.base - 0.85 * word.size <= middle <= word.base + 0.15 * word.size
        and bottom - top <= 1.2 * word.size
        and word not in inside
    ]
    after = min((word for word in level if word.left >= right - 0.5), key=lambda word: word.left, default=None)
    if after is None or after.left - right > _GAP * after.size:
        return None
    return None if any(left - after.size < word.right <= right for word in level) else after


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _is_within(inner: Box, outer: Box) -> bool:
    corners = (inner[0] + 0.5, inner[1] + 0.5), (inner[2] - 0.5, inner[3] - 0.5)
    return all(_holds(outer, x, y) for x, y in corners)
