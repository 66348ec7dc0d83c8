"""Runs of rows through which the same gutters go: what stands in columns, whatever the columns are."""

from itertools import pairwise

from rag_app.read.pdf.gutters import NARROWEST, Interval, Item, columns_of, min_gutter
from rag_app.read.pdf.segments import Segment
from rag_app.read.pdf.tables.aligned import is_aligned
from rag_app.read.pdf.text_columns import is_prose, parts_of

_FAR = 3.5
"""Of the letters' size: an empty stretch this high ends what stands in columns."""
_MAX_BAND = 300
"""Rows among which gutters are followed, so that a page of very many takes no longer than its rows."""
Found = tuple[int, list[Interval], list[list[Item]]]
"""The row after those in columns, the columns, and what stands in each; none where there are no columns."""


class Bands:
    """The columns that begin in each row, looked for once."""

    def __init__(self, rows: list[list[Item]]) -> None:
        self.rows = rows
        self.known: dict[int, Found] = {}

    def at(self, row: int) -> Found:
        """What stands in columns from a row on, up to the next heading over all of them."""
        if row not in self.known:
            self.known[row] = self._found(row, past_names=False)
        return self.known[row]

    def first(self, row: int) -> Found:
        """The same; where the heading is the name of a group of rows of a table, the table goes on past it."""
        found = self.at(row)
        end = found[0]
        if (
            len(self.rows[row]) > 1
            and end < len(self.rows)
            and len(self.rows[end]) == 1
            and _names_group(self.rows, end)
        ):
            further, columns, parts = self._found(row, past_names=True)
            if parts and not is_prose(parts) and is_aligned(parts, self.rows[row:further]):
                return further, columns, parts
        return found

    def _found(self, row: int, *, past_names: bool) -> Found:
        end, gutters = _band(self.rows, row, past_names=past_names)
        columns = columns_of(self.rows[row:end], gutters) if end - row > 1 and gutters else []
        return end, columns, parts_of(self.rows[row:end], columns) if len(columns) > 1 else []


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
