"""A table of AsciiDoc as a pipe table: its cells may reach over columns (`2+|`) and rows (`.2+|`)."""

import csv
import re
from collections.abc import Callable

from rag_app.read.pipe_table import Grid, joined_header, pipe_table, split_header

_CELL = re.compile(r"(?<!\\)(?:(?:(?<=\s)|^)(?:(\d*)(?:\.(\d+))?\+)?[<^>.]*[aehlmsd]?)?\|")
_FIRST_IS_NAME = re.compile(r"cols\s*=\s*\"[^\",]*h\s*,")
"""How the columns of a table say that each row begins with its own name."""
_WIDEST = 50
Cell = tuple[str, int, int]
"""Text, columns and rows."""


def table_text(lines: list[str], separator: str, options: str, inline: Callable[[str], str]) -> str:
    """The lines between the fences of a table as Markdown, its words read by `inline`; "" for an empty one."""
    body = [line for line in lines if not line.startswith("//")]
    header_alone = len(body) > 1 and bool(body[0].strip()) and not body[1].strip()
    cells: list[Cell] = []
    columns = _columns(options)
    values = _values(body, separator) if separator != "|" else []
    for line in values or filter(str.strip, body):
        if not isinstance(line, str):
            found = [(value, 1, 1) for value in line]
        else:
            before, *pieces = _CELL.split(line)
            if before.strip() and cells:
                text, wide, high = cells[-1]
                cells[-1] = f"{text} {before.strip()}", wide, high
            spans = zip(pieces[0::3], pieces[1::3], pieces[2::3], strict=True)
            found = [(text, _span(wide), _span(high)) for wide, high, text in spans]
        columns = columns or sum(wide for _, wide, _ in found)
        cells += [(inline(text.strip().replace("\\|", "|")), wide, high) for text, wide, high in found]
    if not cells:
        return ""
    grid = _grid(cells, max(1, columns))
    has_header = (header_alone or re.search(r"(?<!no)header", options)) and "noheader" not in options
    if has_header and len(grid.rows) > 1:
        return pipe_table(joined_header(grid, 1), grid.rows[1:])
    if "noheader" in options or _FIRST_IS_NAME.search(options):
        return pipe_table([""] * max(1, columns), grid.rows)
    return pipe_table(*split_header(grid))


def separator_of(fence: str, options: str) -> str:
    """What parts the cells of a table: a bar, or the sign of its format."""
    named = re.search(r"separator=\"?([^\s\",\]])", options)
    kind = re.search(r"format=\"?(csv|tsv|dsv)", options)
    if kind:
        return named[1] if named else {"csv": ",", "tsv": "\t", "dsv": ":"}[kind[1]]
    return {",": ",", ":": ":"}.get(fence[0], "|")


def _values(body: list[str], separator: str) -> list[list[str]]:
    """The rows of a table that is written as CSV or in a like format."""
    return [row for row in csv.reader(body, delimiter=separator, skipinitialspace=True) if any(map(str.strip, row))]


def _grid(cells: list[Cell], width: int) -> Grid:
    """The cells in rows of so many columns."""
    grid = Grid(rows := [list[str]()])
    hanging: dict[int, tuple[int, str]] = {}  # column: rows that a cell above still reaches into, its text

    def fill() -> None:
        if len(rows[-1]) >= width:
            rows.append([])
        while len(rows[-1]) < width and hanging.get(len(rows[-1]), (0, ""))[0]:
            left, text = hanging[len(rows[-1])]
            hanging[len(rows[-1])] = left - 1, text
            grid.above.add((len(rows) - 1, len(rows[-1])))
            rows[-1].append(text)
            if len(rows[-1]) >= width:
                rows.append([])

    for text, wide, high in cells:
        fill()
        for part in range(min(wide, width - len(rows[-1]))):
            if part:
                grid.left.add((len(rows) - 1, len(rows[-1])))
            shown = "" if part else text
            hanging[len(rows[-1])] = high - 1, shown
            rows[-1].append(shown)
    fill()
    while rows and not rows[-1]:
        rows.pop()
    return grid


def _span(count: str | None) -> int:
    return max(1, min(int(count), _WIDEST)) if count else 1


def _columns(options: str) -> int:
    found = re.search(r"cols\s*=\s*\"([^\"]*)\"", options) or re.search(r"cols\s*=\s*([\d*]+)", options)
    if not found:
        return 0
    spec = found[1]
    repeated = re.fullmatch(r"(\d+)\*.*", spec)
    return int(repeated[1]) if repeated else len(spec.split(","))
