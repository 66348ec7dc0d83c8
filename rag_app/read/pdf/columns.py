"""The order in which a page is read: gutters that run down through many lines part columns, or cells of a table."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.read.pdf.gutters import NARROWEST, Interval, Item, columns_of, min_gutter
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined
from rag_app.read.pdf.tables.aligned import aligned_table, column_of, is_aligned, line_above
from rag_app.read.pdf.tables.grids import Table
from rag_app.read.pdf.tables.labels import are_labels, are_markers, with_text
from rag_app.read.pdf.tables.rulings import Drawing
from rag_app.read.pdf.text_columns import column_below, end_of_text, is_prose, parts_of

_FAR = 3.5
"""Of the letters' size: an empty stretch this high ends what stands in columns."""
_NEAR = 6
"""Rows above and below by which it is seen where columns begin."""
_MAX_DEPTH = 5
_MAX_BAND = 300
"""Rows among which gutters are followed, so that a page of very many takes no longer than its rows."""
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
    left, right = min(item.left for item in items), max(item.right for item in items)
    result: list[Column] = []
    plain: list[Item] = []

    def flush() -> None:
        if plain:
            result.append(Column(list(plain), left, right))
            plain.clear()

    at = 0
    while at < len(rows):
        end, columns, is_text = _columns_from(rows, at)
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


def _columns(rows: list[list[Item]], at: int, *, past_names: bool) -> tuple[int, list[Interval], list[list[Item]]]:
    """The row after those through which gutters run, the columns beside the gutters, and what stands in each."""
    end, gutters = _band(rows, at, past_names=past_names)
    columns = columns_of(rows[at:end], gutters) if end - at > 1 and gutters else []
    return end, columns, parts_of(rows[at:end], columns) if len(columns) > 1 else []


def _columns_from(rows: list[list[Item]], at: int) -> tuple[int, list[Interval], bool]:
    """The row after those in columns, the columns, and whether they are known to be text."""
    end, columns, parts = _columns(rows, at, past_names=True)
    if not parts or is_prose(parts) or not is_aligned(parts, rows[at:end]):
        end, columns, parts = _columns(rows, at, past_names=False)
    headed = None if is_prose(parts) else _below_small_table(rows, at, end)
    return (*headed, True) if headed else (end, columns, False)


def _below_small_table(rows: list[list[Item]], at: int, end: int) -> tuple[int, list[Interval]] | None:
    """The end and the columns of text that begins behind the first row and goes on below `end`, where all that stands
    above it is in one column: a small table at the head of a column that begins higher."""
    if len(rows[at]) < 2:
        return None
    best: tuple[int, list[Interval]] | None = None
    for start in range(at + 1, min(len(rows), at + _NEAR)):
        stop, columns, parts = _columns(rows, start, past_names=False)
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


def _band(rows: list[list[Item]], first: int, *, past_names: bool) -> tuple[int, list[Interval]]:
    """The rows from `first` on through which the same gutters run: the number of the row after them, the gutters.

    A heading over all columns ends them, unless it may be the name of a group of rows, `past_names`.
    """
    gutters = [(a.right, b.left) for a, b in pairwise(rows[first]) if b.left - a.right > min_gutter(a)]
    end = first + 1
    if not gutters:
        return end, []
    below = max(item.bottom for item in rows[first])
    leftmost = rows[first][0].left
    while end < min(len(rows), first + _MAX_BAND):
        row = rows[end]
        em = row[0].size if isinstance(row[0], Segment) else 10.0
        if min(item.top for item in row) - below > _FAR * em:
            break
        if _is_header(row, rows[end - 1]):
            break
        narrowed = [_narrowed(gutter, row) for gutter in gutters]
        kept = [gutter for gutter in narrowed if gutter]
        outside = row[0].left < leftmost - 2 * em
        if not kept or row[-1].right < leftmost:
            break
        if len(row) == 1 and (outside or len(kept) < len(gutters)):
            break
        if len(row) == 1 and _divides(rows, end) and not (past_names and _names_group(rows, end)):
            break
        gutters = [new or old for new, old in zip(narrowed, gutters, strict=True)]
        below = max(below, *(item.bottom for item in row)) if len(row) > 1 else max(item.bottom for item in row)
        leftmost = min(leftmost, row[0].left)
        end += 1
    return end, gutters


def _is_header(row: list[Item], above: list[Item]) -> bool:
    """Whether a row is the header of a table that begins there: in bold, with more cells than the row above."""
    bold, before = ([isinstance(item, Segment) and item.bold for item in items] for items in (row, above))
    return len(row) > 2 and len(row) > len(above) > 1 and all(bold) and not any(before)


def _divides(rows: list[list[Item]], at: int) -> bool:
    """Whether a row of one item is a heading over all columns: larger or in bold, with nothing beside it."""
    item = rows[at][0]
    near = [other for row in rows[max(0, at - 3) : at] for other in row if isinstance(other, Segment)]
    if not isinstance(item, Segment) or not near:
        return False
    larger = item.size > 1.1 * near[-1].size or (item.bold and not near[-1].bold)
    around = [other for row in rows[max(0, at - 4) : at + 5] for other in row]
    others = [other for other in around if other.left >= item.right or other.right <= item.left]
    above = max((other.bottom for other in others if other.base <= item.base), default=item.top)
    below = min((other.top for other in others if other.base > item.base), default=item.bottom)
    return larger and below - above >= 1.4 * item.size


def _names_group(rows: list[list[Item]], at: int) -> bool:
    """Whether a row of one item may name the rows below it: it stands as close and as far out as they do, and they have
    as many cells as the row above, none of them in bold."""
    if not 0 < at < len(rows) - 1:
        return False
    name, above, below = rows[at][0], rows[at - 1], rows[at + 1]
    if not isinstance(name, Segment) or len(below) < 2 or len(above) not in (1, len(below)):
        return False
    first, steps = below[0], (name.base - above[0].base, below[0].base - name.base)
    if not isinstance(first, Segment) or name.size > 1.05 * first.size or max(steps) > 1.25 * min(steps):
        return False
    is_header = all(isinstance(item, Segment) and item.bold for item in below)
    return not is_header and abs(name.left - first.left) <= 0.3 * name.size


def _narrowed(gutter: Interval, row: list[Item]) -> Interval | None:
    """What a row leaves free of a gutter; None where something crosses it."""
    left, right = gutter
    for item in row:
        if item.right <= left or item.left >= right:
            continue
        aligned = any(abs(other.left - right) < 1 for other in row)
        width = NARROWEST * item.size if aligned and isinstance(item, Segment) else min_gutter(item)
        if item.left >= left + width and item.right >= right:
            right = item.left
        elif item.right <= right - width and item.left <= left:
            left = item.right
        elif item.left >= left + width and right - item.left < item.right - left:
            right = item.left
        else:
            sides = (left, item.left), (item.right, right)
            inside = left < item.left and item.right < right
            left, right = max(sides, key=lambda side: side[1] - side[0])
            if len(row) == 1 or not inside or right - left <= width:
                return None
    return left, right


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
