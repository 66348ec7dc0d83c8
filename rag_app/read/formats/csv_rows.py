"""Tables in text files (.csv, .tsv): each row under the header."""

import csv
import io
import re
from collections import Counter

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names, signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.pipe_table import Grid, pipe_table, split_header

_DELIMITERS = ",;\t|"
_LOOKED_AT = 50
_TOLD = re.compile(r"sep=(.)(?:\r\n|[\r\n])")
"""A first line that tells spreadsheets the delimiter, and is no row."""


def read_csv(data: bytes) -> Extracted:
    """The rows as a Markdown table. Raises ReadError."""
    text = decode(data)
    told = _TOLD.match(text)
    text = text[told.end() :] if told else text
    csv.field_size_limit(10_000_000)
    try:
        rows = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=told[1] if told else _delimiter(text), strict=False)
        )
    except csv.Error as error:
        raise ReadError(f"The table cannot be read ({error}): export it again.", code="broken") from error
    parts: list[str] = []
    width = max(map(len, rows), default=0)
    while rows and width > 1 and len([cell for cell in rows[0] if cell.strip()]) < 2:  # titles above the table
        parts += filter(None, [" ".join(" ".join(rows.pop(0)).split())])
    rows = [row for row in rows if any(map(str.strip, row))]
    if rows:
        header, body = split_header(Grid(rows))
        parts.append(pipe_table(header, [[*row, *[""] * (len(header) - len(row))] for row in body]))
    signs = (
        *signs_at_beginning(text),
        *access_names((name, cell) for row in rows[1:2] for name, cell in zip(rows[0], row, strict=False)),
    )
    return Extracted("\n\n".join(parts) + "\n", titled_by_heading=False, access_signs=signs)


def _delimiter(text: str) -> str:
    """The delimiter that parts most lines into the same number of cells, more than one."""
    lines = [line for line in text.split("\n", _LOOKED_AT + 1)[:_LOOKED_AT] if line.strip()]
    best, best_score = ",", 0
    for delimiter in _DELIMITERS:
        rows = csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=delimiter)
        counts = Counter(len(row) for row in rows if len(row) > 1)
        if counts and (score := counts.most_common(1)[0][1]) > best_score:
            best, best_score = delimiter, score
    return best
