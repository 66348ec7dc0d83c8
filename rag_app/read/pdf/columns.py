"""The order in which a page is read: gutters that run down through many lines part columns, or cells of a table."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.read.pdf.bands import Bands
from rag_app.read.pdf.gutters import NARROWEST, Interval, Item
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined
from rag_app.read.pdf.tables.aligned import aligned_table, column_of, is_aligned, line_above
from rag_app.read.pdf.tables.grids import Table
from rag_app.read.pdf.tables.labels import are_labels, are_markers, with_text
from rag_app.read.pdf.tables.rulings import Drawing
from rag_app.read.pdf.text_columns import column_below, end_of_text, is_prose, parts_of

_NEAR = 6
"""Rows above and below by which it is seen where columns begin."""
_MAX_DEPTH = 5
_CLOSED = re.compile(r"""[.!?:;。！？][)\]}"'”’»]*$""")
_FIGURE = re.compile(r"\d")


@dataclass(slots=True)
class Column:
    """Lines and tables below each other, and between which edges their text runs."""

    items: list[Item]
    left: float
    right: float


def read_in_order(items: Sequence[Item], drawing: Drawing, depth: int = 0) -> list[Column]:
    """The items as columns in the order of reading; what stands in one line and one column is one segment."""
    if not items:
        return []
    rows = _parted(_rows(items))
    bands = Bands(rows)
    left, right = min(item.left for item in items), max(item.right for item in items)
    result: list[Column] = []
    plain: list[Item] = []

    def flush() -> None:
        if plain:
            result.append(Column(list(plain), left, right))
            plain.clear()

    at = 0
    while at < len(rows):
        end, columns, is_text = _columns_from(bands, at)
        parts = parts_of(rows[at:end], columns) if len(columns) > 1 else []
        band = rows[at:end]
        is_list = len(parts) == 2 and are_markers(parts[0])
        if is_list or (len(parts) == 2 and are_labels(parts[0])):
            plain.extend(with_text(band, is_list=is_list))
            at = end
        elif parts and depth < _MAX_DEPTH and (stop := end if is_text else end_of_text(rows, at, end, columns)):
            parts = parts_of(rows[at:stop], columns)
            while plain and (number := column_below(plain[-1], parts)) is not None:
                parts[number].insert(0, plain.pop())
            flush()
            for part in parts:
                result += read_in_order(part, drawing, depth + 1)
            at = stop
        elif parts and is_aligned(parts, band):
            cells = _cells(band, columns)
            at += len(cells)
            while plain and isinstance(line := plain[-1], Segment) and line_above(line, cells, columns):
                cells.insert(0, [line])
                plain.pop()
            plain.append(aligned_table(columns, cells, drawing))
        else:
            plain.extend(_as_lines(rows[at]))
            at += 1
    flush()
    return result


def _columns_from(bands: Bands, at: int) -> tuple[int, list[Interval], bool]:
    """The row after those in columns, the columns, and whether they are known to be text."""
    end, columns, parts = bands.first(at)
    headed = None if is_prose(parts) else _below_small_table(bands, at, end)
    return (*headed, True) if headed else (end, columns, False)


def _below_small_table(bands: Bands, at: int, end: int) -> tuple[int, list[Interval]] | None:
    """The end and the columns of text that begins behind the first row and goes on below `end`, where all that stands
    above it is in one column: a small table at the head of a column that begins higher."""
    rows = bands.rows
    if len(rows[at]) < 2:
        return None
    best: tuple[int, list[Interval]] | None = None
    for start in range(at + 1, min(len(rows), at + _NEAR)):
        stop, columns, parts = bands.at(start)
        if stop <= (best[0] if best else end) or len(parts) < 3:
            continue
        over = {column_of(columns, item) for item in rows[at]}
        inside = all(_is_inside(item, columns) for row in rows[at:start] for item in row)
        if len(over) == 1 and inside and is_prose(parts):
            best = stop, columns
    return best


def _is_inside(item: Item, columns: list[Interval]) -> bool:
    """Whether an item reaches into no column but its own."""
    number = column_of(columns, item)
    return all(item.left >= right or item.right <= left for n, (left, right) in enumerate(columns) if n != number)


def _rows(items: Sequence[Item]) -> list[list[Item]]:
    rows: list[list[Item]] = []
    for item in sorted(items, key=lambda item: (item.base, item.left)):
        row = rows[-1] if rows else []
        if row and isinstance(item, Segment) and isinstance(row[0], Segment) and _beside(item, row[0], row):
            row.append(item)
        else:
            rows.append([item])
    for row in rows:
        row.sort(key=lambda item: item.left)
    return rows


def _parted(rows: list[list[Item]]) -> list[list[Item]]:
    """The rows, in which cells that stand too close are parted where a column begins: where a cell of a row near by
    begins, and words of two more rows do."""
    result: list[list[Item]] = []
    for number, row in enumerate(rows):
        near = [r for r in rows[max(0, number - _NEAR) : number + _NEAR + 1] if len(r) > 1]
        starts = Counter(round(word.left) for other in near for item in other for word in _words(item))
        cells = {round(item.left) for other in near for item in other[1:]}
        parted: list[Item] = []
        for item in row:
            words = _words(item) if len(row) > 1 else []
            at = [
                number
                for number, (before, word) in enumerate(pairwise(words), 1)
                if round(word.left) in cells and starts[round(word.left)] > 2
                if word.left - before.right > NARROWEST * word.size
            ]
            parted += item.parted(at) if isinstance(item, Segment) and at else [item]
        result.append(parted)
    return result


def _words(item: Item) -> list[Word]:
    return item.words if isinstance(item, Segment) else []


def _beside(item: Segment, first: Segment, row: list[Item]) -> bool:
    """Whether an item stands in a row. Lines of two columns need not be level."""
    step, size = item.base - first.base, min(item.size, first.size)
    return step <= 0.2 * size or (
        step <= 0.66 * size and all(item.left >= o.right or item.right <= o.left for o in row)
    )


def _cells(band: list[list[Item]], columns: list[Interval]) -> list[list[Segment]]:
    """The rows of a table, without last rows that are no part of it."""
    end = len(band)
    while end > 2 and len(band[end - 1]) == 1 and _reaches_past(band[:end], columns):
        end -= 1
    return [[item for item in row if isinstance(item, Segment)] for row in band[:end]]


def _reaches_past(band: list[list[Item]], columns: list[Interval]) -> bool:
    """Whether the last row, which has one cell, is no part of the table: it stands apart, or below labels."""
    last, before = band[-1][0], band[-2][0]
    step = band[1][0].base - band[0][0].base
    return last.base - before.base > 1.3 * step or column_of(columns, last) == 0


def _as_lines(row: list[Item]) -> list[Item]:
    """What stands in one line: one text, or several where nothing shows that they belong together."""
    lines: list[Item] = []
    run: list[Segment] = []
    for item in row:
        if isinstance(item, Table):
            lines += [joined(run)] if run else []
            lines.append(item)
            run = []
        elif run and not _belong(run[-1], item):
            lines.append(joined(run, alone=True))
            run = [item]
        else:
            run.append(item)
    return [*lines, joined(run)] if run else lines


def _belong(left: Segment, right: Segment) -> bool:
    """Whether two parts of one line are one text: the gap is narrow, or a label or number stands with its value."""
    gap = right.left - left.right
    if gap < 2.0 * max(left.size, right.size) or left.text.endswith(":"):
        return True
    return len(right.words) <= 3 and bool(_FIGURE.search(right.text)) and not _CLOSED.search(left.text)
