"""Whether what stands side by side is columns of text, to be read one after the other, or cells of a table."""

import re
from itertools import pairwise

from rag_app.read.pdf.gutters import Interval, Item
from rag_app.read.pdf.segments import MARKER, Segment
from rag_app.read.pdf.tables.aligned import column_of
from rag_app.read.pdf.tables.grids import Table

_CLOSED = re.compile(r"""[.!?:;。！？][)\]}"'”’»]*$""")
_FIGURE = re.compile(r"\d")


def parts_of(band: list[list[Item]], columns: list[Interval]) -> list[list[Item]]:
    """What stands in each column, from top to bottom."""
    parts: list[list[Item]] = [[] for _ in columns]
    for row in band:
        for item in row:
            parts[column_of(columns, item)].append(item)
    return parts


def column_below(line: Item, parts: list[list[Item]]) -> int | None:
    """The column of text that a line above all columns is the first line of: it stands as close as lines do, in the
    same letters, and not over any other column."""
    over = [n for n, part in enumerate(parts) if any(i.left < line.right and line.left < i.right for i in part)]
    first = parts[over[0]][0] if len(over) == 1 else None
    if (
        not isinstance(line, Segment)
        or not isinstance(first, Segment)
        or abs(line.size - first.size) > 0.1 * first.size
    ):
        return None
    near = first.base - line.base < 2.0 * line.size and line.bold == first.bold
    return over[0] if near else None


def end_of_text(rows: list[list[Item]], at: int, end: int, columns: list[Interval]) -> int:
    """The row after columns that are read one after the other, each as text; 0 where they are cells of a table."""
    parts = parts_of(rows[at:end], columns)
    if is_prose(parts) or _reads_on(rows[at:end], columns) or _are_headed(parts):
        return end
    return end + 1 if _reads_on(rows[at : end + 1], columns) else 0


def is_prose(parts: list[list[Item]]) -> bool:
    """Whether columns hold running text, each to be read on its own, rather than cells of a table."""
    judged = [_runs(part) for part in parts if len(part) > 1]
    tables = any(isinstance(item, Table) for part in parts for item in part)
    return tables or (len(judged) > 1 and all(judged))


def _are_headed(parts: list[list[Item]]) -> bool:
    """Whether each column begins with a heading in larger letters than what stands below it: the header of a table is
    no larger than its cells."""
    for part in parts:
        heading, *below = (item for item in part if isinstance(item, Segment))
        if not below or heading.size < 1.1 * max(item.size for item in below):
            return False
    return len(parts) > 1


def _reads_on(band: list[list[Item]], columns: list[Interval]) -> bool:
    """Whether sentences of one column run on from row to row although each row has something in another column too: a
    text with a box of short lines beside it. A cell of a table that wraps has nothing beside its later lines; the last
    row of the text may."""
    pairs, on = [0] * len(columns), [0] * len(columns)
    before: dict[int, Segment] = {}
    for row in band:
        cells = {column_of(columns, item): item for item in row if isinstance(item, Segment)}
        for number in cells.keys() & before.keys() if len(cells) > 1 or row is band[-1] else ():
            pairs[number] += 1
            above, below = before[number], cells[number]
            full = above.right - columns[number][0] > 0.75 * (columns[number][1] - columns[number][0])
            on[number] += full and len(above.words) >= 5 and not _CLOSED.search(above.text) and below.text[:1].islower()
        before = cells if len(cells) > 1 else {}
    return any(count >= 2 and 2 * count >= of for count, of in zip(on, pairs, strict=True))


def _runs(part: list[Item]) -> bool:
    lines = [item for item in part if isinstance(item, Segment)]
    if len(lines) < 2:
        return False
    words = sum(len(line.words) for line in lines) / len(lines)
    letters = sum(len(line.text) for line in lines)
    figures = sum(len(_FIGURE.findall(line.text)) for line in lines) / max(1, letters)
    run_on = sum(not _CLOSED.search(a.text) and b.text[:1].islower() for a, b in pairwise(lines)) / (len(lines) - 1)
    left = min(line.left for line in lines)
    right = max(line.right for line in lines)
    full = sum(line.right - line.left > 0.75 * (right - left) for line in lines) / len(lines)
    marked = sum(bool(MARKER.match(line.text)) for line in lines) / len(lines)
    if words < 2.2 or figures > 0.25:
        return False
    return (words >= 5 and full >= 0.5) or (words >= 2.5 and run_on >= 0.3) or (words >= 3 and marked >= 0.4)
