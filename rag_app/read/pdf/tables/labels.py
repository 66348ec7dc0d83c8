"""Labels that stand beside their values, bare numbers of lists beside their text, and labels that stand turned above
columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.read.numerals import letters, roman
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined
from rag_app.read.pdf.tables.grids import Table, place_in
from rag_app.read.pdf.tables.rulings import Grid

Item = Segment | Table
_LETTERS, _ROMANS = ({*pairwise(map(shape, range(1, 27)))} for shape in (letters, roman))
_APART = 1.6
"""Sizes of the font that labels of two columns stand apart; lines of one label stand closer."""
_ABOVE = 3.0
"""Sizes of the font within which the first row stands below the labels."""


def are_labels(part: Sequence[Item]) -> bool:
    """Whether a column holds labels, each with a colon, whose values stand in the next one."""
    texts = [item.text for item in part if isinstance(item, Segment)]
    return len(texts) == len(part) and sum(text.endswith(":") for text in texts) > 0.6 * len(texts)


def are_markers(part: Sequence[Item]) -> bool:
    """Whether a column holds nothing but the bare numbers or letters of lists, one after the other."""
    texts = [item.text.lower() for item in part if isinstance(item, Segment)]
    if len(texts) != len(part):
        return False
    run = 1
    for before, text in pairwise(texts):
        if follows(before, text):
            run += 1
        elif run > 1 and text in ("1", "a", "i"):
            run = 1
        else:
            return False
    return run > 1


def follows(before: str, text: str) -> bool:
    """Whether a number, letter or Roman number is the one after another."""
    if before.isdecimal():
        return len(before) < 4 and text == str(int(before) + 1)
    return any((before, text) in pairs for pairs in (_LETTERS, _ROMANS))


def with_text(band: Sequence[Sequence[Item]], *, is_list: bool) -> Iterator[Item]:
    """Labels with their values, or numbers of a list with their text. A bullet before the number shows that it is one:
    it belongs to no statement."""
    for row in band:
        segments = [item for item in row if isinstance(item, Segment)]
        yield from (item for item in row if isinstance(item, Table))
        if not segments:
            continue
        if is_list and len(segments[0].text) < 6:
            word = segments[0].words[0]
            bullet = Word("•", word.left, word.left, word.base, word.size)
            segments[0] = Segment([bullet, *segments[0].words], [0, *segments[0].rises])
        yield joined(segments, alone=not is_list and len(segments) > 1)


def turned_labels(grids: Sequence[Grid], words: Sequence[Word]) -> tuple[list[Word], set[int]]:
    """Words that stand turned by 90 or 270 degrees in cells, such as headers of narrow columns: those of each cell as
    one upright word, and the orders of all of them."""
    cells: dict[tuple[int, tuple[int, int]], list[Word]] = {}
    for word in words:
        up = -1.0 if word.turn == 270 else 1.0
        point = Word("", x := word.left + 0.3 * up * word.size, x, word.base + up, 0.0)
        for number, grid in enumerate(grids):
            if (place := place_in(grid, point)) is not None:
                cells.setdefault((number, grid.cell_of[place]), []).append(word)
                break
    labels: list[Word] = []
    for (number, (row, column)), inside in cells.items():
        left, base, first = grids[number].columns[column] + 1.0, grids[number].rows[row + 1] - 2.0, inside[0]
        text = "".join(f"{'' if word.joined else ' '}{word.text}" for word in inside).strip()
        labels.append(Word(text, left, left, base, first.size, bold=first.bold, order=first.order))
    return labels, {word.order for inside in cells.values() for word in inside}


@dataclass(slots=True)
class _Turned:
    """A turned label, and where it stands on the page."""

    text: str
    x: float
    high: float
    low: float
    word: Word
    """Its first."""
    orders: list[int]


def labels_above(
    lines: Sequence[Segment], places: Mapping[int, Word], words: Sequence[Word]
) -> tuple[list[Word], set[int]]:
    """Turned lines that stand level beside each other above columns which no lines show: each as one upright word in
    bold above its column, and the orders of all their words.

    `places` has the turned words by their order, as they stand on the page; `words` are the upright ones.
    """
    labels = _turned(lines, places)
    if len(labels) < 2:
        return [], set()
    size, low = labels[0].word.size, max(label.low for label in labels)
    level = min(_spread([label.high for label in labels]), _spread([label.low for label in labels])) <= size
    below = [word for word in words if 0 < word.top - low + word.size < _ABOVE * word.size]
    first = min((word.base for word in below), default=0.0)
    row = [word for word in below if word.base - first < 0.3 * word.size]
    over = sum(any(w.left - size <= label.x <= w.right + size for w in row) for label in labels)
    if not level or over < 2 or 2 * over < len(labels):
        return [], set()
    made = [Word(n.text, n.x, n.x, low, n.word.size, bold=True, order=n.word.order) for n in labels]
    return made, {order for label in labels for order in label.orders}


def _spread(places: Sequence[float]) -> float:
    return max(places) - min(places)


def _turned(lines: Sequence[Segment], places: Mapping[int, Word]) -> list[_Turned]:
    """The labels from left to right; lines that stand close are one."""
    upwards = all(places[line.words[0].order].turn == 270 for line in lines)
    found: list[_Turned] = []
    for line in lines:
        word, length = places[line.words[0].order], line.right - line.left
        x = word.left + (-0.3 if upwards else 0.3) * word.size
        high = word.base - length if upwards else word.base
        found.append(_Turned(line.text, x, high, high + length, word, [w.order for w in line.words]))
    found.sort(key=lambda label: label.x)
    result = found[:1]
    for before, label in pairwise(found):
        last = result[-1]
        if label.x - before.x >= _APART * label.word.size:
            result.append(label)
            continue
        last.text = f"{last.text} {label.text}" if upwards else f"{label.text} {last.text}"
        last.high, last.low = min(last.high, label.high), max(last.low, label.low)
        last.orders += label.orders
    return result
