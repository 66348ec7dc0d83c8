"""Tables without lines between their cells: words that stand below each other, with cells of several lines."""

import itertools

from rag_app.read.pdf.segments import Segment, joined, rows_of
from rag_app.read.pdf.tables.grids import Row, Table, cell_text, header_rows
from rag_app.read.pdf.tables.rulings import Drawing

Item = Segment | Table
Span = tuple[float, float]
"""Where a column begins and ends."""
_WRAPPED_LETTERS = 8
"""A cell with fewer letters needs no second line."""


def is_aligned(parts: list[list[Item]], band: list[list[Item]]) -> bool:
    """Whether the cells of each column stand below each other: most begin, end or are centred on one line."""
    if sum(len(row) > 1 for row in band) < 2 or any(isinstance(item, Table) for row in band for item in row):
        return False
    return all(_lined_up(part) for part in parts if len(part) > 1)


def _lined_up(part: list[Item]) -> bool:
    size = next((item.size for item in part if isinstance(item, Segment)), 10.0)
    needed = 0.6 * len(part)
    for places in ([i.left for i in part], [i.right for i in part], [(i.left + i.right) / 2 for i in part]):
        places.sort()
        start = 0
        for end, place in enumerate(places):
            while place - places[start] > 0.3 * size:
                start += 1
            if end - start + 1 >= needed:
                return True
    return False


def aligned_table(columns: list[Span], rows: list[list[Segment]], drawing: Drawing) -> Table:
    """A table without lines between its cells: `columns` are where its columns begin and end."""
    rows = _with_lines_above([[part for cell in row for part in _at_gutters(cell, columns)] for row in rows], columns)
    found: list[Row] = []
    above: list[list[Segment]] = []
    last: list[Segment] = []
    steps = sorted(b[0].base - a[0].base for a, b in itertools.pairwise(rows))
    close = steps[0] if steps else 0
    names = _names_of_groups(rows, columns)
    for number, row in enumerate(rows):
        cells: list[list[Segment]] = [[] for _ in columns]
        for segment in row:
            cells[column_of(columns, segment)].append(segment)
        tight = bool(last) and row[0].base - last[0].base <= 1.25 * close
        if above and tight and number not in names and _goes_on(cells, above, columns):
            for cell, more in zip(above, cells, strict=True):
                cell += more
            found[-1] = row_of_cells(above)
        else:
            above = cells
            found.append(row_of_cells(cells))
            found[-1].spread = [found[-1].cells[0]] * len(columns) if number in names and row[0].bold else []
        last = row
    box = (columns[0][0], rows[0][0].top, max(s.right for row in rows for s in row), rows[-1][0].bottom)
    table = Table(found, 0, box, [start for start, _ in columns])
    table.headers = header_rows(table, drawing, ruled=False)
    return table


def _at_gutters(cell: Segment, columns: list[Span]) -> list[Segment]:
    """The cells that stand in one piece without a space between them, "MinimumPrice": they are parted where a text that
    was drawn by itself begins between two columns."""
    gutters = [(one[1] - 2, other[0] + 2) for one, other in itertools.pairwise(columns)]
    words = enumerate(cell.words)
    at = [n for n, w in words if n and w.joined and w.text[:1].isupper() and any(a <= w.left <= b for a, b in gutters)]
    return cell.parted(at) if at else [cell]


def _names_of_groups(rows: list[list[Segment]], columns: list[Span]) -> set[int]:
    """The rows that name those below them: alone at the left and in bold as those are not, or alone as the first row
    below the header is."""
    lone = {
        number
        for number, (row, below) in enumerate(itertools.pairwise(rows))
        if len(row) == 1 < len(below) and column_of(columns, row[0]) == 0 and not row[0].text[:1].islower()
    }
    bold = {number for number in lone if rows[number][0].bold and not rows[number + 1][0].bold}
    return bold or (lone if len(lone) > 1 and min(lone) < 2 else set())


def _with_lines_above(rows: list[list[Segment]], columns: list[Span]) -> list[list[Segment]]:
    """The rows, where lines whose cells only go on in the line below, as cells do that end on one line, are one row
    with it."""
    steps = [b[0].base - a[0].base for a, b in itertools.pairwise(rows)]
    apart = bool(steps) and max(steps) > 1.25 * min(steps)
    widened = _widened(columns, rows)
    result: list[list[Segment]] = []
    for number in reversed(range(len(rows))):
        tight = bool(result) and steps[number] <= 1.25 * min(steps)
        if tight and _wraps_into(rows[number], result[-1], widened, sure=apart):
            result[-1] = [*rows[number], *result[-1]]
        else:
            result.append(rows[number])
    return result[::-1]


def line_above(item: Segment, rows: list[list[Segment]], columns: list[Span]) -> bool:
    """Whether a line above a table is the upper part of one cell of its first row."""
    if len(rows) < 2:
        return False
    step = rows[0][0].base - item.base
    widest = max(b[0].base - a[0].base for a, b in itertools.pairwise(rows))
    return 0 < step < 0.8 * widest and _wraps_into([item], rows[0], _widened(columns, rows), sure=True)


def _widened(columns: list[Span], rows: list[list[Segment]]) -> list[Span]:
    """The columns as wide as their widest cell, up to the next column: a header may be wider than what stands below."""
    ends = [end for _, end in columns]
    starts = [*(start for start, _ in columns[1:]), float("inf")]
    for row in rows:
        for segment in row:
            column = column_of(columns, segment)
            if segment.right < starts[column]:
                ends[column] = max(ends[column], segment.right)
    return [(start, end) for (start, _), end in zip(columns, ends, strict=True)]


def _wraps_into(row: list[Segment], below: list[Segment], columns: list[Span], *, sure: bool) -> bool:
    """Whether all cells of a line go on in the row below, which has more of them: each was full, and goes on in small
    letters unless the lines of a row are `sure` to stand closer than rows do."""
    lower: dict[int, Segment] = {}
    for segment in sorted(below, key=lambda segment: -segment.base):
        lower[column_of(columns, segment)] = segment
    if len(lower) <= len(row):
        return False
    for segment in row:
        column = column_of(columns, segment)
        line = lower.get(column)
        if line is None or abs(line.size - segment.size) > 0.1 * line.size or len(segment.text) < _WRAPPED_LETTERS:
            return False
        if line.bold != segment.bold:  # a caption above a header
            return False
        end = columns[column][1]
        beyond = columns[column + 1][0] if column + 1 < len(columns) else end + 3 * line.size
        full = segment.right + 0.35 * line.size + line.first_width > end
        if not full or segment.right > beyond or not (sure or line.text[:1].islower()):
            return False
    return True


def column_of(columns: list[Span], item: Segment | Table) -> int:
    """The column that something stands in, or begins in where it reaches over several."""
    left, right = item.left, item.right
    enough = 0.5 * item.size if isinstance(item, Segment) else 0.0
    best, widest, crossed, first = 0, float("-inf"), 0, 0
    for number, (start, end) in enumerate(columns):
        overlap = (right if right < end else end) - (left if left > start else start)
        if overlap > widest:
            best, widest = number, overlap
        if overlap > enough:
            first = first if crossed else number
            crossed += 1
    return first if crossed > 1 else best


def row_of_cells(cells: list[list[Segment]]) -> Row:
    """A row of a table without lines between its cells."""
    segments = [segment for cell in cells for segment in cell]
    return Row(
        [cell_text(cell) for cell in cells],
        all(segment.bold for segment in segments),
        min(segment.top for segment in segments),
        max(segment.bottom for segment in segments),
    )


def _goes_on(cells: list[list[Segment]], above: list[list[Segment]], columns: list[Span]) -> bool:
    """Whether a line only goes on with cells of the row above: each of them was full, so that its text had to wrap."""
    if all(cells) or (cells[0] and not above[0]):
        return False
    others_full = len(cells) > 2 and all(cells[1:])
    for cell, upper, (_, end) in zip(cells, above, columns, strict=True):
        if not cell:
            continue
        if not upper:
            return False
        line, before = joined(cell), joined(rows_of(upper)[-1])
        wraps = before.right + 0.35 * line.size + line.first_width > end and len(before.text) >= _WRAPPED_LETTERS
        small = line.text[:1].islower() or before.text[-1:] in ",-/("
        if not (small if others_full else small or wraps) or abs(line.size - before.size) > 0.1 * line.size:
            return False
    return True
