"""An HTML table as a Markdown pipe table: every row under its columns, whatever cells span."""

from collections.abc import Callable
from typing import Any

_WIDEST_SPAN = 50
"""Columns or rows that one cell may span; a page that asks for more asks for memory."""
_SPARE = 10_000
_GROWTH = 8
"""A table with its spans written out may have so many times the cells and characters that stand in the page, and
`_SPARE` more; beyond that cells span nothing."""
_LAYOUT = ("table", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
"""What no data cell holds; a table with one of these in it only places parts of a page side by side."""


def read_table(table: Any, cell_text: Callable[[Any], str]) -> str | None:
    """The table as Markdown, or None where it is mere layout (or has one column or row) and its cells are blocks.

    A cell that spans rows is repeated in each, since a row is read and cited alone. Without marked header cells the
    first row is the header, as in Word; with a marked cell in each row the header is empty.
    """
    if table.get("role") in ("presentation", "none") or next(table.iterdescendants(*_LAYOUT), None) is not None:
        return None
    rows = list(table.iter("tr"))
    if _has_loose_words(table):
        return None
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
    header = _header_rows(rows, cells)
    grid = _grid(cells, cell_text, header)
    head = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*grid[:header], strict=True)]
    body = [row for row in grid[header:] if any(row)]
    width = max(map(len, grid), default=0)
    if width < 2 or not body:
        return None
    head = head + [""] * (width - len(head))
    lines = [head, ["---"] * width, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _has_loose_words(table: Any) -> bool:
    """Whether there are words outside of cells, which rows and columns would lose."""
    frame = [table, *table.iter("thead", "tbody", "tfoot", "tr")]
    inside = [element.text for element in frame] + [child.tail for element in frame for child in element]
    known = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")
    return any(text and text.strip() for text in inside) or any(
        child.tag not in known for element in frame for child in element
    )


def _header_rows(rows: list[Any], cells: list[list[Any]]) -> int:
    in_head = sum(row.getparent().tag == "thead" for row in rows)
    if in_head:
        return in_head
    marked = 0
    while marked < len(cells) - 1 and cells[marked] and all(cell.tag == "th" for cell in cells[marked]):
        marked += 1
    row_headers = any(cell.tag == "th" for row in cells for cell in row)
    return marked or (0 if row_headers else 1)


def _grid(cells: list[list[Any]], cell_text: Callable[[Any], str], header: int) -> list[list[str]]:
    """All rows, equally long, with spans written out: in the header over columns too, in the body over rows only."""
    grid: list[list[str]] = []
    reaching_down: dict[int, tuple[int, str]] = {}  # column: rows still to fill, text
    left = _SPARE + _GROWTH * sum(map(len, cells))
    for number, row in enumerate(cells):
        line: list[str] = []

        def fill_from_above(line: list[str] = line) -> None:
            while (above := reaching_down.get(len(line), (0, "")))[0]:
                reaching_down[len(line)] = (above[0] - 1, above[1])
                line.append(above[1])

        for cell in row:
            fill_from_above()
            text = cell_text(cell)
            wide, high = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(cells) - number)
            left -= wide * high * (1 + len(text) // 20)
            if left < 0:
                wide = high = 1
            for part in range(wide):
                shown = text if part == 0 or number < header else ""
                reaching_down[len(line)] = (high - 1, shown)
                line.append(shown)
        fill_from_above()
        grid.append(line)
    width = max(map(len, grid), default=0)
    if width * len(grid) > _SPARE + _GROWTH * sum(map(len, grid)):  # a few rows are absurdly long
        return grid
    return [line + [""] * (width - len(line)) for line in grid]


def _span(cell: Any, name: str) -> int:
    value = cell.get(name, "1")
    return max(1, min(int(value), _WIDEST_SPAN)) if value.isdecimal() else 1
