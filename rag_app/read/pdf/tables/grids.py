"""Tables: rows of cells, those that lines show, and which rows are the header. `aligned.py` has the others."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rag_app.read.pdf.hyphens import begun_line
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined, make_segments, rows_of
from rag_app.read.pdf.tables.rulings import Box, Drawing, Grid

_MOST_REPEATED = 120
"""Letters of a cell over several rows that is read with each."""
Place = tuple[int, int]
"""Row and column."""
_DIGIT = re.compile(r"\d")
_MOST_HEADER_WORDS, _FEW_HEADER_WORDS = 15, 6
"""Of one cell: where something else shows that it is a header, and where nothing does."""


@dataclass(slots=True)
class Row:
    cells: list[str]
    bold: bool
    top: float
    bottom: float
    spread: list[str] = field(default_factory=list)
    """The cells, where one that reaches over several columns stands in each of them; empty where none does."""

    @property
    def is_whole(self) -> bool:
        """Whether one cell is the whole row, as the name of a group of rows is."""
        return len(self.spread) > 1 and bool(self.cells[0]) and set(self.spread) == {self.cells[0]}


@dataclass(slots=True)
class Table:
    """Rows of cells; the first `headers` of them say what stands below."""

    rows: list[Row]
    headers: int
    box: Box
    columns: list[float] = field(default_factory=list)
    """Where columns begin, in points, by which the next page's table is known as its continuation."""

    @property
    def left(self) -> float:
        return self.box[0]

    @property
    def right(self) -> float:
        return self.box[2]

    @property
    def top(self) -> float:
        return self.box[1]

    @property
    def bottom(self) -> float:
        return self.box[3]

    @property
    def base(self) -> float:
        return self.box[1] + 8


def ruled_tables(grids: Sequence[Grid], words: list[Word], drawing: Drawing) -> tuple[list[Table], list[Word]]:
    """The tables of the grids, and the words that stand in none of them."""
    tables: list[Table] = []
    for grid in sorted(grids, key=lambda grid: (grid.box[3] - grid.box[1]) * (grid.box[2] - grid.box[0])):
        placed = [(word, place_in(grid, word)) for word in words]
        outside = [word for word, place in placed if place is None]
        grid = _with_missing_lines(grid, [(word, place) for word, place in placed if place is not None])
        inside: dict[Place, list[Word]] = {}
        for word, place in placed:
            if place is not None:
                inside.setdefault(grid.cell_of[place], []).append(word)
        table = _ruled_table(grid, inside, drawing)
        if table is not None:
            tables.append(table)
            words = outside
    return tables, words


def _with_missing_lines(grid: Grid, words: Sequence[tuple[Word, Place]]) -> Grid:
    """The grid, in which a cell over several columns is parted where the line between two of them would stand free
    between words: not every row of a table has its lines."""
    merged: dict[Place, list[Word]] = {}
    for word, place in words:
        cell = grid.cell_of[place]
        if grid.cell_of.get((cell[0], cell[1] + 1)) == cell:
            merged.setdefault(cell, []).append(word)
    cell_of = dict(grid.cell_of)
    for cell, held in merged.items():
        own = [place for place, of in grid.cell_of.items() if of == cell]
        for column in sorted({column for _, column in own} - {cell[1]}):
            x, em = grid.columns[column], held[0].size
            ends = [word.right for word in held if word.left < x]
            starts = [word.left for word in held if word.left >= x]
            if ends and starts and max(ends) <= x and min(starts) - max(ends) >= em:
                cell_of |= {(row, other): (cell[0], column) for row, other in own if other >= column}
    return replace(grid, cell_of=cell_of)


def place_in(grid: Grid, word: Word) -> tuple[int, int] | None:
    """The row and column that a word stands in; None outside the grid."""
    x, y = (word.left + word.right) / 2, word.base - 0.3 * word.size
    left, top, right, bottom = grid.box
    if not (left <= x <= right and top <= y <= bottom):
        return None
    column = sum(line <= x for line in grid.columns) - 1
    row = sum(line <= y for line in grid.rows) - 1
    return min(row, len(grid.rows) - 2), min(column, len(grid.columns) - 2)


def _ruled_table(grid: Grid, inside: dict[tuple[int, int], list[Word]], drawing: Drawing) -> Table | None:
    height, width = len(grid.rows) - 1, len(grid.columns) - 1
    distinct = set(grid.cell_of.values())
    if width < 2 or len(distinct) < 2 or len(inside) < max(2, 0.25 * len(distinct)):
        return None  # the frame around a text, or a drawing
    cells = {place: make_segments(sorted(words, key=lambda word: word.order)) for place, words in inside.items()}
    rows: list[Row] = []
    for row in range(height):
        if all(grid.cell_of[row, column][0] != row for column in range(width)):
            continue  # nothing but what hangs down from above
        parts = [cells.get((row, column)) or _hanging(grid, (row, column), cells) for column in range(width)]
        whole = [all(grid.cell_of[row, column] == (row, column) for column in range(width))]
        for lines in side_rows(parts) if all(whole) and holds_rows(parts) else [parts]:
            texts = [cell_text(cell) for cell in lines]
            if any(texts):
                bold = all(segment.bold for cell in lines for segment in cell)
                spread = [texts[grid.cell_of[row, column][1]] for column in range(width)] if not all(whole) else []
                rows.append(Row(texts, bold, grid.rows[row], grid.rows[row + 1], spread))
    if not rows:
        return None
    table = Table(rows, 0, grid.box, grid.columns[:-1])
    table.headers = header_rows(table, drawing, ruled=True)
    return table


def _hanging(grid: Grid, place: Place, cells: Mapping[Place, list[Segment]]) -> list[Segment]:
    """What a cell over several rows says of the further ones: a row is read alone. Lines that stand apart may be of a
    row each."""
    row, column = grid.cell_of[place]
    found = cells.get((row, column), []) if row < place[0] and column == place[1] else []
    lines = rows_of(found)
    tight = all(below[0].base - above[0].base <= 1.35 * above[0].size for above, below in pairwise(lines))
    return found if tight and sum(len(segment.text) for segment in found) <= _MOST_REPEATED else []


def holds_rows(parts: list[list[Segment]]) -> bool:
    """Whether what lines show as one row is several: every cell has as many lines, on the same heights."""
    heights = [[round(row[0].base) for row in rows_of(cell)] for cell in parts if cell]
    return (
        len(heights) > 1
        and len(heights[0]) > 1
        and all(
            len(one) == len(heights[0]) and all(abs(a - b) <= 2 for a, b in zip(one, heights[0], strict=True))
            for one in heights
        )
        and not any(_runs_on(cell) for cell in parts)
    )


def _runs_on(cell: list[Segment]) -> bool:
    lines = [joined(row).text for row in rows_of(cell)]
    return any(after[:1].islower() for after in lines[1:])


def side_rows(parts: list[list[Segment]]) -> list[list[list[Segment]]]:
    """The rows of cells that hold as many lines each."""
    columns = [rows_of(cell) for cell in parts]
    count = max(map(len, columns))
    return [[column[number] if number < len(column) else [] for column in columns] for number in range(count)]


def cell_text(segments: Sequence[Segment]) -> str:
    """The text of a cell on one line."""
    text = ""
    for row in rows_of(segments):
        line = joined(row).text
        text = begun_line(text, line, {}) + line if text else line
    return text.strip()


def header_rows(table: Table, drawing: Drawing, *, ruled: bool) -> int:
    """How many rows at the top say what stands below them: they are set in bold, on a shade, above a line of their own
    or without the figures that all others have. In doubt none, since a header is not quoted by itself."""
    rows = table.rows
    if len(rows) < 2 or len(rows[0].cells) < 2:
        return 0
    bold = _leading(row.bold and (row is rows[0] or any(row.cells[1:])) for row in rows)
    if 0 < bold < len(rows) and bold <= 3:
        return bold
    grounds = [_ground(row, table, drawing) for row in rows]
    shaded = _leading(ground is not None and ground == grounds[0] for ground in grounds)
    if 0 < shaded < len(rows) and shaded <= 3 and grounds[0] not in grounds[shaded:]:
        return shaded
    first = rows[0]
    words = max(len(cell.split()) for cell in first.cells)
    if sum(map(bool, first.cells)) < 2 or words > _MOST_HEADER_WORDS:
        return 0
    if not ruled and _only_line_is_below_first(table, drawing):
        return 1
    if any(_DIGIT.search(cell) for cell in first.cells) or len(rows) < 3:
        return 0
    others = rows[1:]
    with_figures = sum(any(_DIGIT.search(cell) for cell in row.cells[1:]) for row in others)
    if len(first.cells) == 2:
        return int(with_figures == len(others) >= 2 and not first.cells[0].endswith(":"))
    if with_figures * 2 > len(others):
        return 1
    return int(
        ruled and words <= _FEW_HEADER_WORDS and all(first.cells) and all(cell[:1].isupper() for cell in first.cells)
    )


def _leading(signs) -> int:
    count = 0
    for sign in signs:
        if not sign:
            break
        count += 1
    return count


def _ground(row: Row, table: Table, drawing: Drawing) -> tuple[int, ...] | None:
    """The colour that most of a row stands on; None on paper."""
    middle = (row.top + row.bottom) / 2
    height = row.bottom - row.top
    covered: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for box in drawing.shades:
        left, top, right, bottom = box
        if top <= middle <= bottom and bottom - top < 3 * height + 10 and left < table.right and right > table.left:
            covered[drawing.colours.get(box, ())] += min(right, table.right) - max(left, table.left)
    colour, width = max(covered.items(), key=lambda item: item[1], default=((), 0.0))
    return colour if width > 0.6 * (table.right - table.left) else None


def _only_line_is_below_first(table: Table, drawing: Drawing) -> bool:
    gaps = list(zip(table.rows, table.rows[1:], strict=False))
    ruled = [
        any(
            above.bottom - 4 <= y <= below.top + 4 and min(right, table.right) - max(left, table.left) > 0
            for y, left, right in drawing.across
        )
        for above, below in gaps
    ]
    return ruled[0] and sum(ruled) <= 2 and (len(ruled) == 1 or sum(ruled) < len(ruled))
