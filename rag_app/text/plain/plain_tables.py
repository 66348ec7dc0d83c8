"""Tables of plain text: rows between pipes, below a header that is underlined, with tabs, or aligned with spaces."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_app.document import Span
from rag_app.text.plain.grid_table import are_rows
from rag_app.text.plain.plain_lines import LIST_MARKER, Line
from rag_app.text.table_groups import names_of_groups

_FIGURE = re.compile(r"\d")
_PART_OF_NAME = re.compile(r"\([^()]*\)|[^\W\d_]+\d\b")
"""Figures in the name of a column: "Size (m2)", "Q3"."""
_CLOSED = re.compile(r"""[.!?:;][)\]"'”’»]*$""")
_WIDE = 3
"""Spaces that prose does not have, even where it is justified."""


@dataclass(frozen=True, slots=True)
class PlainRow:
    """What a line of a table is."""

    lines: tuple[Span, ...]
    """The row that begins here; empty in a row's later lines, in a sure header and in lines that are only drawn."""
    header: Span | None
    begins_table: bool
    group: Span | None = None
    """The name of the group that the row is one of."""


def find_tables(lines: list[Line]) -> dict[int, PlainRow]:
    """For the number of each line of a table, what it is."""
    found: dict[int, PlainRow] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at
        if line.is_piped or (line.is_delimiter and at + 1 < len(lines) and lines[at + 1].is_piped):
            end = _add_piped(lines, at, found)
        elif line.text and len(line.cells) > 1 and not LIST_MARKER.match(line.text):
            end = _add_underlined(lines, at, found) or _add_aligned(lines, at, found)
        at = max(end, at + 1)
    return found


def _add(found: dict[int, PlainRow], lines: list[Line], rows: list[list[int]], header: int | None, first: int) -> None:
    """Keeps the rows, each of which is a list of line numbers."""
    span = lines[header].span if header is not None else None
    for row in rows:
        found[row[0]] = PlainRow(tuple(lines[number].span for number in row), span if row[0] != header else None, False)
        found.update({number: PlainRow((), None, False) for number in row[1:]})
    found[first] = replace(found[first], begins_table=True)


def _add_piped(lines: list[Line], first: int, found: dict[int, PlainRow]) -> int:
    """Rows between pipes, as in Markdown, or in a drawn frame, where a row may have several lines."""
    end = first
    while end < len(lines) and (lines[end].is_piped or (lines[end].is_delimiter and lines[end].text)):
        end += 1
    drawn = [number for number in range(first, end) if lines[number].is_delimiter]
    framed = bool(drawn) and lines[drawn[0]].text.startswith("+")
    rows: list[list[int]] = []
    for number in range(first, end):
        if lines[number].is_delimiter:
            found[number] = PlainRow((), None, False)
        elif framed and rows and number - 1 not in drawn and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    body = rows[1:] if len(rows) == 2 else rows
    if framed and len(body) == 1 and are_rows([lines[number].text for number in body[0]]):
        rows = [*rows[: len(rows) - 1], *([number] for number in body[0])]
    below_first = rows[0][-1] + 1 if rows else end
    inner = [number for number in drawn if rows and rows[0][0] < number < rows[-1][0]]
    has_header = (
        len(rows) > 1 and below_first in drawn and (not framed or "=" in lines[below_first].text or len(inner) == 1)
    )
    header = rows.pop(0) if has_header else None
    if header:
        found.update({number: PlainRow((), None, False) for number in header})
    found.update({number: PlainRow((), None, False) for row in rows for number in row})
    rows = [row for row in rows if any(c.isalnum() for number in row for c in lines[number].text)]
    if rows or header:
        _add_with_header(found, lines, rows, header, first)
    return end


def _add_with_header(
    found: dict[int, PlainRow], lines: list[Line], rows: list[list[int]], header: list[int] | None, first: int
) -> None:
    span = (lines[header[0]].span[0], lines[header[-1]].span[1]) if header else None
    texts = [[lines[number].text for number in row] for row in rows]
    groups = names_of_groups(texts, [lines[row[0]].span[0] for row in rows])
    for row, group in zip(rows, groups, strict=True):
        found[row[0]] = PlainRow(tuple(lines[number].span for number in row), span, False, group)
        found.update({number: PlainRow((), None, False) for number in row[1:]})
    found[first] = replace(found[first], begins_table=True)


def _add_underlined(lines: list[Line], first: int, found: dict[int, PlainRow]) -> int:
    """A header with a dashed line below, of as many parts as there are columns: every line below it is a row."""
    if first + 2 >= len(lines):
        return 0
    rule = lines[first + 1]
    if not rule.is_delimiter or len(re.findall(r"[-=]+", rule.text)) < 2:
        return 0
    end = first + 2
    while end < len(lines) and lines[end].text and not lines[end].page_break_before:
        end += 1
    rows = [[number] for number in range(first + 2, end) if not lines[number].is_rule]
    if not rows:
        return 0
    found[first] = found[first + 1] = PlainRow((), None, False)
    found.update({number: PlainRow((), None, False) for number in range(first + 2, end)})
    _add_with_header(found, lines, rows, [first], first)
    return end


def _add_aligned(lines: list[Line], first: int, found: dict[int, PlainRow]) -> int:
    """Lines whose columns stand below each other, or that tabs part alike."""
    table = [[first]]
    end = first + 1
    while end < len(lines) and (line := lines[end]).text and not line.page_break_before and not line.is_rule:
        if line.text and line.indent and line.has_tabs != lines[first].has_tabs and len(line.cells) == 1:
            table[-1].append(end)
        elif _stands_below(line, lines[first]):
            table.append([end])
        elif len(line.cells) == 1 and line.indent >= lines[first].cells[1][0]:
            table[-1].append(end)  # a cell that goes on in the next line
        elif _begins_empty(lines, end, first):
            table[-1].append(end)  # shown with the row above, or its cells would move to the left
        else:
            break
        end += 1
    if len(table) < 2 or _is_prose([lines[row[0]] for row in table]):
        return 0
    _add(found, lines, table, first if _is_header(lines, table) else None, first)
    return end


def _begins_empty(lines: list[Line], at: int, first: int) -> bool:
    """Whether the first cell of a row is empty: the line begins with tabs, or further in at a later column."""
    line = lines[at]
    if lines[first].has_tabs:
        return line.indent > 0 and len(line.cells) < len(lines[first].cells)
    starts = [start for start, _ in lines[first].cells[1:]]
    return len(line.cells) > 1 and any(abs(line.indent - start) <= 1 for start in starts)


def _stands_below(line: Line, first: Line) -> bool:
    """Whether each cell begins or ends where one of the table's first row does, or tabs part as many cells."""
    if len(line.cells) < 2 or LIST_MARKER.match(line.text):
        return False
    if line.has_tabs and first.has_tabs:
        return line.indent == 0 or line.indent == first.indent
    if line.has_tabs != first.has_tabs or line.indent > first.indent + 1:
        return False
    return all(
        any(abs(start - other_start) <= 1 or abs(end - other_end) <= 1 for other_start, other_end in first.cells[1:])
        for start, end in line.cells[1:]
    )


def _is_prose(rows: list[Line]) -> bool:
    """Whether aligned lines are only justified text, whose wide spaces stand below each other by chance."""
    if any(row.has_tabs for row in rows):
        return False
    gaps = [b[0] - a[1] for row in rows for a, b in pairwise(row.cells)]
    wide = sum(max(b[0] - a[1] for a, b in pairwise(row.cells)) >= _WIDE for row in rows)
    words = sum(len(row.text.split()) for row in rows) / sum(len(row.cells) for row in rows)
    goes_on = sum(not _CLOSED.search(a.text) and b.text[:1].islower() for a, b in pairwise(rows))
    ends = [row.cells[-1][1] for row in rows]
    edge = max(ends)
    even = len(rows) > 2 and sum(edge - end <= 1 for end in ends) >= 0.8 * len(ends)
    if words >= 2.5 and (goes_on * 2 >= len(rows) - 1 or even):
        return True
    return wide * 2 < len(rows) and (words > 1.5 or max(gaps) < _WIDE)


def _is_header(lines: list[Line], table: list[list[int]]) -> bool:
    """A first row without figures above rows with figures, or above rows with as many tabs. It stays a row of its own
    too, as this is a guess."""
    first = lines[table[0][0]]
    if len(table) < 3 or len(table[0]) > 1 or _FIGURE.search(_PART_OF_NAME.sub("", first.text)):
        return False
    with_figures = sum(any(_FIGURE.search(lines[number].text) for number in row) for row in table[1:])
    if with_figures * 2 > len(table) - 1:
        return True
    cells = {len(lines[row[0]].cells) for row in table}
    return first.has_tabs and len(cells) == 1 and len(first.cells) > 2
