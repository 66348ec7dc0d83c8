"""Tables whose rows stand between lines that run across, with nothing but gaps between their columns."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag_app.read.pdf.gutters import Interval, columns_of
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, make_segments, rows_of
from rag_app.read.pdf.tables.aligned import aligned_table, column_of, row_of_cells
from rag_app.read.pdf.tables.grids import Row, Table, header_rows, holds_rows, side_rows
from rag_app.read.pdf.tables.rulings import Drawing, Grid, merged_lines
from rag_app.read.pdf.text_columns import is_prose, parts_of

_SAME_END = 3.0
"""Points by which the ends of the lines of one table differ."""
_SHORTEST = 60.0
_MOST_RULES = 600
"""A page with more lines across is a drawing."""
_TALLEST = 260.0
"""Points between two lines; what stands further apart is no row."""
_ABOVE = 1.6
"""Sizes of the font between the lines of text of a header, and between them and the first line, at most."""
_HIGHEST_HEADER = 5.0
_MOST_NAME_WORDS = 8
_MOST_LINES = 8
"""Lines of text of a row; more are columns of a page between two rules."""
_FEW_BANDS = 3
"""So many stretches between lines, at most, may hold several rows: the header's, the body's and the sum's."""


Place = tuple[int, float]
"""Which edge of its cells a column has in one place (of `_EDGES`), and where."""
_EDGES: tuple[Callable[[Segment], float], ...] = (
    lambda cell: cell.left,
    lambda cell: cell.right,
    lambda cell: (cell.left + cell.right) / 2,
)
Line = tuple[float, float, float]
"""Height, left and right end."""


@dataclass(slots=True)
class _Band:
    """What stands between two lines."""

    words: list[Word]
    rows: list[list[Segment]]
    """Its lines of text, from top to bottom."""
    top: float
    """Where the line above it is drawn."""


def lined_tables(words: list[Word], drawing: Drawing, grids: Sequence[Grid]) -> tuple[list[Table], list[Word]]:
    """The tables between lines, and the words that stand in none of them."""
    tables: list[Table] = []
    for lines in _stacks(drawing, grids):
        _, left, right = lines[0]
        within = [word for word in words if left - 2 <= word.left and word.right <= right + 2]
        held: set[int] = set()
        for bands in _runs(lines, within):
            table = _lined_table(bands, words, (left, right), drawing)
            if table is not None:
                tables.append(table)
                held.update(id(word) for band in bands for word in band.words)
        words = [word for word in words if id(word) not in held]
    return tables, words


def _stacks(drawing: Drawing, grids: Sequence[Grid]) -> list[list[Line]]:
    """Lines below each other that begin and end alike: y, left, right, from the upper one downwards."""
    stacks: list[list[Line]] = []
    lines = merged_lines(drawing.across)
    for line in sorted(lines) if len(lines) <= _MOST_RULES else ():
        y, left, right = line
        if right - left < _SHORTEST or any(_touches(line, grid) for grid in grids):
            continue
        for stack in stacks:
            above, start, end = stack[-1]
            if max(abs(start - left), abs(end - right)) <= _SAME_END and y - above <= _TALLEST:
                stack.append(line)
                break
        else:
            stacks.append([line])
    return [stack for stack in stacks if len(stack) > 2]


def _touches(line: Line, grid: Grid) -> bool:
    left, top, right, bottom = grid.box
    return top - 3 <= line[0] <= bottom + 3 and line[1] < right + 3 and line[2] > left - 3


def _runs(lines: Sequence[Line], words: Sequence[Word]) -> list[list[_Band]]:
    """The stretches between lines that may be rows of one table; text, headings and nothing between two lines part
    tables."""
    by_height = sorted(words, key=_middle)
    heights = [_middle(word) for word in by_height]
    runs: list[list[_Band]] = [[]]
    for (upper, *_), (lower, *_) in pairwise(lines):
        inside = by_height[bisect_right(heights, upper) : bisect_right(heights, lower)]
        inside.sort(key=lambda word: word.order)
        band = _Band(inside, rows_of(make_segments(inside, in_table=True)), upper)
        if _may_be_row(band):
            runs[-1].append(band)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _middle(word: Word) -> float:
    return word.base - 0.3 * word.size


def _may_be_row(band: _Band) -> bool:
    """Whether cells stand between two lines: side by side, in letters of one size; or the name of a group of rows."""
    sizes = [segment.size for row in band.rows for segment in row]
    if not sizes or max(sizes) > 1.1 * min(sizes):
        return False
    if len(band.rows) == 1 and len(band.rows[0]) == 1:
        return len(band.rows[0][0].words) <= _MOST_NAME_WORDS
    beside = sum(len(row) > 1 for row in band.rows)
    return beside > 0 and (len(band.rows) <= _MOST_LINES or 2 * beside > len(band.rows))


def _lined_table(bands: list[_Band], words: Sequence[Word], ends: Interval, drawing: Drawing) -> Table | None:
    """The table of some bands, to which the lines of text above the first line are added where they are its header."""
    rows = [row for band in bands for row in band.rows]
    most = max(map(len, rows))
    full = [row for row in rows if len(row) == most]
    columns = columns_of([list(row) for row in full], []) if most > 1 else []
    if len(columns) != most or is_prose(parts_of([list(row) for row in full], columns)):
        return None
    columns = _widened(columns, rows)
    above = _header_above(bands[0], words, columns, ends)
    if len(bands) + bool(above) < 2 or len(full) + bool(above) < 2:
        return None
    if above:
        bands.insert(0, above)
    few, places = len(bands) <= _FEW_BANDS, _places(full)
    made = [_rows_of_band(band, columns, places, drawing, several=few) for band in bands]
    found = [row for rows_of_band in made for row in rows_of_band]
    table = Table(found, 0, (ends[0], found[0].top, ends[1], found[-1].bottom), [start for start, _ in columns])
    table.headers = len(made[0]) if above else header_rows(table, drawing, ruled=False)
    if not table.headers and few and len(made[0]) < min(4, len(found)):
        table.headers = len(made[0])
    for row, segments in zip(found[: table.headers - 1], rows, strict=False):
        row.spread = _spread(segments, columns)
    return table


def _header_above(band: _Band, words: Sequence[Word], columns: list[Interval], ends: Interval) -> _Band | None:
    """The lines of text above the first line of a table that are its header: each of their words within a column."""
    size = band.rows[0][0].size
    left, right = columns[0][0] - size, max(columns[-1][1], ends[1]) + size
    close_by = [word for word in words if 0 < band.top - word.base <= _HIGHEST_HEADER * size]
    near = [word for word in close_by if left <= word.left and word.right <= right]
    beside = {round(word.base) for word in close_by if not (left <= word.left and word.right <= right)}
    held: list[list[Segment]] = []
    last = band.top
    for row in reversed(rows_of(make_segments(near, in_table=True))):
        close = last - row[0].base <= _ABOVE * size and round(row[0].base) not in beside
        fits = all(sum(s.left < end and start < s.right for start, end in columns) < 2 for s in row)
        alike = all(abs(segment.size - size) <= 0.1 * size and not _is_sentence(segment) for segment in row)
        is_full = any(len(of) == len(columns) for of in held)
        is_caption = is_full and len(row) == 1 and column_of(columns, row[0]) == 0
        if not (close and fits and alike) or is_caption:
            break
        held.insert(0, row)
        last = row[0].base
    if len({column_of(columns, segment) for row in held for segment in row}) < 2:
        return None
    return _Band([word for row in held for segment in row for word in segment.words], held, last - size)


def _is_sentence(segment: Segment) -> bool:
    return len(segment.words) > 3 and segment.text[-1] in ".!?:;"


def _rows_of_band(
    band: _Band, columns: list[Interval], places: list[Place], drawing: Drawing, *, several: bool
) -> list[Row]:
    """One row, or `several` where few lines part more rows than one."""
    cells = _cells(band, columns, places)
    most = max(map(len, band.rows))
    several &= sum(len(row) >= max(2, most - 1) for row in band.rows) > 1  # else a cell goes on in a second line
    if several and len(band.rows) > 2:
        return aligned_table(columns, band.rows, drawing).rows
    if len(band.rows) > 1 and (several or holds_rows(cells)):
        return [row_of_cells(row) for row in side_rows(cells)]
    row = row_of_cells(cells)
    if row.bold and len(band.rows) == 1 and len(band.rows[0]) == 1:
        row.spread = [row.cells[0]] * len(columns)
    return [row]


def _widened(columns: list[Interval], rows: list[list[Segment]]) -> list[Interval]:
    """The columns as wide as what stands in them alone."""
    spans = list(columns)
    for row in rows:
        for segment in row:
            over = [n for n, (start, end) in enumerate(columns) if segment.left < end and start < segment.right]
            if len(over) == 1:
                start, end = spans[over[0]]
                spans[over[0]] = min(start, segment.left), max(end, segment.right)
    return spans


def _cells(band: _Band, columns: list[Interval], places: list[Place]) -> list[list[Segment]]:
    """The cells of a row. What stands over several columns, none of which holds anything else, stands in the first."""
    cells: list[list[Segment]] = [[] for _ in columns]
    for row in band.rows:
        for segment in row:
            cells[column_of(columns, segment)].append(segment)
    for number, cell in enumerate(cells):
        if cell and not any(_stands_in(segment, places[number]) for segment in cell):
            first = number
            while first and not cells[first - 1]:
                first -= 1
            cells[first], cells[number] = cells[number], cells[first]
    return cells


def _places(full: list[list[Segment]]) -> list[Place]:
    """For each column where its cells stand: which of their left end, right end and middle is the same in most rows."""
    found: list[Place] = []
    for cells in zip(*full, strict=True):
        edges = [sorted(edge(cell) for cell in cells) for edge in _EDGES]
        spreads = [places[-1] - places[0] for places in edges]
        best = spreads.index(min(spreads))
        found.append((best, edges[best][len(cells) // 2]))
    return found


def _stands_in(segment: Segment, place: Place) -> bool:
    return abs(_EDGES[place[0]](segment) - place[1]) <= 0.5 * segment.size


def _spread(row: Sequence[Segment], columns: Sequence[Interval]) -> list[str]:
    """The header over each column: the nearest one, as each stands over the middle of its columns. Columns before the
    first one have none: they name the rows."""
    if len(row) == len(columns):
        return []
    first = column_of(list(columns), row[0])
    nearest = [min(row, key=lambda header: abs(header.left + header.right - start - end)) for start, end in columns]
    further = sum(header is row[0] for header in nearest[first + 1 :])
    centred = abs(row[0].left + row[0].right - sum(columns[first])) <= 2 * row[0].size
    first -= min(further, max(0, first - 1)) if centred else 0
    return [header.text if number >= first else "" for number, header in enumerate(nearest)]
