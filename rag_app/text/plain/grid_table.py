"""Grid tables, as Pandoc and reStructuredText write them: cells between +---+ lines."""

import re

from rag_app.document import Span

_SEPARATOR = re.compile(r"\+(?:[-=:]+\+)+")


def is_grid(lines: list[str]) -> bool:
    """Whether the lines of a paragraph are a grid table."""
    return len(lines) > 2 and bool(_SEPARATOR.fullmatch(lines[0])) and all(line[:1] in ("|", "+") for line in lines)


def grid_rows(text: str, lines: list[Span]) -> tuple[list[list[Span]], Span | None]:
    """The rows of a grid table, each as the spans of its lines, and the place of its header row."""
    rows: list[list[Span]] = [[]]
    header: Span | None = None
    for start, end in lines:
        line = text[start:end]
        if not _SEPARATOR.fullmatch(line):
            rows[-1].append((start, end))
            continue
        if "=" in line and header is None:
            above = [span for row in rows for span in row]
            if above:
                header, rows = (above[0][0], above[-1][1]), []
        rows.append([])
    return [row for row in rows if row], header
