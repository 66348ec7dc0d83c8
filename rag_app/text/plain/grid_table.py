"""Grid tables, as Pandoc and reStructuredText write them: cells between +---+ lines."""

import re

from rag_app.document import Span

_SEPARATOR = re.compile(r"\+(?:[-=:]+\+)+")


def are_rows(lines: list[str]) -> bool:
    """Whether lines between two rules of a drawn table are a row each, not one row with cells of several lines: none
    of them leaves its first cell empty, or all others."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return all(row[0] and (len(row) == 1 or any(row[1:])) for row in cells)


def is_grid(lines: list[str]) -> bool:
    """Whether the lines of a paragraph are a grid table."""
    return len(lines) > 2 and bool(_SEPARATOR.fullmatch(lines[0])) and all(line[:1] in ("|", "+") for line in lines)


def grid_rows(text: str, lines: list[Span]) -> tuple[list[list[Span]], Span | None]:
    """The rows of a grid table, each as the spans of its lines, and the place of its header row."""
    parts: list[list[Span]] = [[]]
    header: Span | None = None
    for start, end in lines:
        line = text[start:end]
        if not _SEPARATOR.fullmatch(line):
            parts[-1].append((start, end))
            continue
        if "=" in line and header is None:
            above = [span for row in parts for span in row]
            if above:
                header, parts = (above[0][0], above[-1][1]), []
        parts.append([])
    parts = [part for part in parts if part]
    body = parts[1:] if header is None and len(parts) == 2 else parts
    if len(body) == 1 and len(body[0]) > 1 and are_rows([text[start:end] for start, end in body[0]]):
        if header is None and len(parts) == 2:  # a rule below the first row alone
            header = parts[0][0][0], parts[0][-1][1]
        return [[line] for line in body[0]], header
    return parts, header
