"""An HTML table as a Markdown pipe table: every row under its columns, whatever cells span."""

from collections.abc import Callable
from typing import Any

from rag_app.read.pipe_table import Grid, header_rows, joined_header, pipe_table

_WIDEST_SPAN = 50
"""Columns or rows that one cell may span; a page that asks for more asks for memory."""
_SPARE = 10_000
_GROWTH = 8
"""A table with its spans written out may have so many times the cells and characters that stand in the page, and
`_SPARE` more; beyond that cells span nothing."""
_LAYOUT = ("table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
"""What hardly any data cell holds; a table of such cells only places parts of a page side by side."""


def read_table(table: Any, cell_text: Callable[[Any], str]) -> list[str]:
    """The table as Markdown blocks; none where it is mere layout (or has one column or row) and its cells are blocks.

    A cell that spans rows is repeated in each, since a row is read and cited alone. One that fills its row is a title
    of the rows below it, which stand under the table's header again. Without marked header cells the first row is the
    header, as in Word, unless it holds mere figures; with a marked cell in each row the header is empty.
    """
    if table.get("role") in ("presentation", "none") or has_loose_words(table):
        return []
    rows = own_rows(table)
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
    if _places_parts(table, cells):
        return []
    grid = _grid(cells, cell_text)
    width = max(map(len, grid.rows), default=0)
    titles = {
        number
        for number, row in enumerate(cells)
        if len(row) == 1
        and _span(row[0], "colspan") >= width
        and not any((number, c) in grid.above for c in range(width))
    }
    first = next((number for number in range(len(rows)) if number not in titles), 0)
    marked, has_row_headers = _marked_rows(rows, cells)
    below = grid.below(first)
    count = 0 if has_row_headers and marked <= first else header_rows(below, max(0, marked - first))
    body = range(first + count, len(rows))
    if width < 2 or not any(any(grid.rows[number]) for number in body):
        return []
    header = joined_header(below, count)
    blocks = [grid.rows[number][0] for number in range(first) if grid.rows[number][0]]
    if len(titles) * sum(map(len, header)) > _SPARE + sum(len(cell) for row in grid.rows for cell in row):
        titles = set()
    run: list[list[str]] = []
    foot = next((number for number in body if rows[number].getparent().tag == "tfoot"), len(rows))
    for number in body:
        if number in titles or (number == foot and titles):  # a foot is of all rows, not of those below the last title
            blocks += [pipe_table(header, run)] if run else []
            run = []
        if number in titles:
            blocks += filter(None, grid.rows[number][:1])
        elif any(grid.rows[number]):
            run.append(list(grid.rows[number]))
    return [*blocks, pipe_table(header, run)] if run else blocks


def own_rows(table: Any) -> list[Any]:
    """The rows of a table, without those of tables in its cells."""
    parts = ([part] if part.tag == "tr" else part.iterchildren("tr") for part in table)
    return [row for part in parts for row in part if row.getparent().tag in ("table", "thead", "tbody", "tfoot")]


def _places_parts(table: Any, cells: list[list[Any]]) -> bool:
    """Whether a table is layout: headings, code or tables stand in it, and not only a table in a few of its rows."""
    if next(table.iterdescendants(*_LAYOUT), None) is None:
        return False
    if next(table.iterdescendants(*_LAYOUT[1:]), None) is not None or len(cells) < 3:
        return True
    nesting = [row for row in cells if any(next(cell.iterdescendants("table"), None) is not None for cell in row)]
    return 2 * len(nesting) > len(cells) or min(map(len, cells)) < 2


def has_loose_words(table: Any) -> bool:
    """Whether there are words outside of cells, which rows and columns would lose."""
    frame = [table, *table.iterchildren("thead", "tbody", "tfoot"), *own_rows(table)]
    inside = [element.text for element in frame] + [child.tail for element in frame for child in element]
    known = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")
    return any(text and text.strip() for text in inside) or any(
        child.tag not in known for element in frame for child in element
    )


def _marked_rows(rows: list[Any], cells: list[list[Any]]) -> tuple[int, bool]:
    """How many rows at the top are marked as header, and whether rows begin with a marked cell."""
    in_head = sum(row.getparent().tag == "thead" for row in rows)
    marked = 0
    while marked < len(cells) - 1 and _is_header(cells[marked]):
        marked += 1
    row_headers = any(cell.tag == "th" for row in cells[in_head or marked :] for cell in row if len(row) > 1)
    return in_head or marked, row_headers


def _is_header(row: list[Any]) -> bool:
    """Whether all cells are marked, but for an empty one in the corner."""
    if len(row) > 1 and row[0].tag == "td" and not "".join(row[0].itertext()).strip():
        row = row[1:]
    return bool(row) and all(cell.tag == "th" for cell in row)


def _grid(cells: list[list[Any]], cell_text: Callable[[Any], str]) -> Grid:
    """All rows, equally long, with spans over rows written out."""
    grid = Grid(lines := list[list[str]]())
    reaching_down: dict[int, tuple[int, str, bool]] = {}  # column: rows still to fill, text, whether it goes on a cell
    left = _SPARE + _GROWTH * sum(map(len, cells))
    for number, row in enumerate(cells):
        line: list[str] = []

        def fill_from_above(line: list[str] = line, number: int = number) -> None:
            while (above := reaching_down.get(len(line), (0, "", False)))[0]:
                reaching_down[len(line)] = (above[0] - 1, *above[1:])
                grid.above.add((number, len(line)))
                if above[2]:
                    grid.left.add((number, len(line)))
                line.append(above[1])

        for cell in row:
            fill_from_above()
            text = cell_text(cell)
            wide, high = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(cells) - number)
            left -= wide * high * (1 + len(text) // 20)
            if left < 0:
                wide = high = 1
            for part in range(wide):
                if part:
                    grid.left.add((number, len(line)))
                reaching_down[len(line)] = (high - 1, "" if part else text, bool(part))
                line.append("" if part else text)
        fill_from_above()
        lines.append(line)
    width = max(map(len, lines), default=0)
    if width * len(lines) <= _SPARE + _GROWTH * sum(map(len, lines)):  # else a few rows are absurdly long
        for line in lines:
            line += [""] * (width - len(line))
    return grid


def _span(cell: Any, name: str) -> int:
    value = cell.get(name, "1")
    return max(1, min(int(value), _WIDEST_SPAN)) if value.isdecimal() else 1
