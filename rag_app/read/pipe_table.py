"""Rows of values as a Markdown pipe table: which rows are its header, and every value under its column."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_FIGURES = re.compile(r"[^\w]*\d[\d.,:/\s-]*\S{0,3}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_DIGIT = re.compile(r"\d")
_MOST_HEADERS = 4
_LOOKED_AT = 20
"""Rows below a header by which it is judged."""


@dataclass(slots=True)
class Grid:
    """The cells of a table, row by row."""

    rows: Sequence[Sequence[str]]
    """A cell over several rows stands in each of them; one over several columns in the first, "" in the others."""
    left: set[tuple[int, int]] = field(default_factory=set)
    """Row and column of what belongs to the cell on its left."""
    above: set[tuple[int, int]] = field(default_factory=set)
    """Row and column of what belongs to the cell above it."""

    def below(self, first: int) -> "Grid":
        """The grid from the row `first` on, as far as headers are looked for."""
        last = first + _MOST_HEADERS + _LOOKED_AT
        sides = ({(row - first, column) for row, column in of if row >= first} for of in (self.left, self.above))
        return Grid(self.rows[first:last], *sides)

    def body(self, first: int) -> list[list[str]]:
        """The rows from `first` on; one that is a single cell over all columns, as the name of a group of rows is, has
        that cell alone."""
        return [
            list(row[:1] if {(number, column) for column in range(1, len(row))} <= self.left else row)
            for number, row in enumerate(self.rows[first:], start=first)
        ]

    def at(self, row: int, column: int) -> str:
        """The text of the cell that reaches over a place; "" for an empty one."""
        while (row, column) in self.left:
            column -= 1
        cells = self.rows[row]
        return cells[column].strip() if column < len(cells) else ""


def pipe_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; an empty header leaves the cells of its row empty. A row of one cell is written as such."""
    rows = list(rows)
    width = max(map(len, [header, *rows]))
    lines = [_line(header, width), "|" + " --- |" * width, *(_line(row, width) for row in rows)]
    return "\n".join(lines)


def split_header(grid: Grid) -> tuple[list[str], Sequence[Sequence[str]]]:
    """The header, as one row, and the rows below it; cells of "" where no row is one."""
    count = header_rows(grid)
    return joined_header(grid, count), grid.body(count)


def header_rows(grid: Grid, marked: int = 0) -> int:
    """How many rows say what stands below them.

    `marked` are known to; without any, the first row does where no cell of it is a mere figure. A further row does
    where a cell of the header reaches down into it, where it says what stands below a cell over several columns, or
    where it has units below the names.
    """
    rows = grid.rows
    count = marked or int(len(rows) > 1 and _names(grid, 0) and (sum(map(bool, rows[0])) > 1 or not rows[0][0]))
    while 0 < count < min(_MOST_HEADERS, len(rows) - 1) and _is_more(grid, count, marked=bool(marked)):
        count += 1
    return count


def joined_header(grid: Grid, count: int) -> list[str]:
    """The header rows as one: what stands below each other belongs together."""
    width = max(map(len, grid.rows[: max(1, count)]), default=0)
    return [
        " ".join(dict.fromkeys(filter(None, (grid.at(row, column) for row in range(count))))) for column in range(width)
    ]


def _names(grid: Grid, row: int) -> bool:
    """Whether a row has cells of its own, and none is a mere figure: a year over other figures may be a name."""
    cells = grid.rows[row]
    below = grid.rows[row + 1] if row + 1 < len(grid.rows) else []
    own = [(column, cell.strip()) for column, cell in enumerate(cells) if (row, column) not in grid.above]
    return any(cell for _, cell in own) and not any(
        _FIGURES.fullmatch(cell)
        and not (_YEAR.fullmatch(cell) and column < len(below) and not _YEAR.fullmatch(below[column].strip()))
        for column, cell in own
    )


def _is_more(grid: Grid, at: int, *, marked: bool) -> bool:
    """Whether the row below a header is one too."""
    if not _names(grid, at):
        return False
    cells = grid.rows[at]
    if any((at, column) in grid.above for column in range(len(cells))):
        return True
    if marked:
        return False
    wide = {column for column in range(len(cells)) if {(at - 1, column), (at - 1, column + 1)} & grid.left}
    filled = {column for column, cell in enumerate(cells) if cell.strip()}
    if wide and len(filled & wide) > 1:
        return filled <= wide < set(range(len(cells))) or _over_figures(grid, at, wide)
    names = grid.rows[at - 1]
    units = filled and 0 not in filled and all(map(str.strip, names)) and len(names) >= len(cells)
    return (
        bool(units)
        and all(row[:1] and row[0].strip() for row in grid.rows[at + 1 :])
        and _over_figures(grid, at, filled)
    )


def _over_figures(grid: Grid, at: int, columns: set[int]) -> bool:
    """Whether a row has no figures in these columns, and most rows below it have."""
    below = grid.rows[at + 1 : at + 1 + _LOOKED_AT]
    with_figures = sum(any(_DIGIT.search(row[c]) for c in columns if c < len(row)) for row in below)
    return not any(_DIGIT.search(grid.rows[at][c]) for c in columns) and 2 * with_figures > len(below)


def _line(cells: Sequence[str], width: int) -> str:
    shown = [_SPACE.sub(" ", cell).strip(" ").replace("|", "\\|") for cell in cells]
    return "| " + " | ".join(shown + [""] * (width - len(shown) if len(shown) > 1 else 0)) + " |"
