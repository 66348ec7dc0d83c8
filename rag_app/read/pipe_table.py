"""Rows of values as a Markdown pipe table."""

import re
from collections.abc import Iterable, Sequence

_FIGURES = re.compile(r"[^\w]*\d[\d.,:/\s-]*\S{0,3}")


def pipe_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; an empty header leaves the cells of its row empty."""
    rows = list(rows)
    width = max(map(len, [header, *rows]))
    lines = [_line(header, width), "|" + " --- |" * width, *(_line(row, width) for row in rows)]
    return "\n".join(lines)


def split_header(rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The header and the rows below it: the first row is one where no cell of it is a mere figure."""
    first = rows[0]
    filled = [cell for cell in first if cell.strip()]
    if len(rows) < 2 or len(filled) < 2 or any(_FIGURES.fullmatch(cell.strip()) for cell in filled):
        return [""] * len(first), rows
    return first, rows[1:]


def _line(cells: Sequence[str], width: int) -> str:
    shown = [" ".join(cell.split()).replace("|", "\\|") for cell in cells]
    return "| " + " | ".join(shown + [""] * (width - len(shown))) + " |"
