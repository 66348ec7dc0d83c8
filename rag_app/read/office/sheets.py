"""Spreadsheets (.xlsx, .xlsm, .xls, .xlsb) by python-calamine: each row under its header."""

import io
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any

import python_calamine

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.office.package import Package
from rag_app.read.office.sheet_formats import Looks, read_looks
from rag_app.read.pipe_table import pipe_table, split_header
from rag_app.read.title import property_title

_ROWS = 50
"""Rows of a section: a citation names its cell range."""
_REMARKS = re.compile(r"xl/(?:comments/)?(?:comments?|threadedComments?)\d*\.xml|xl/threadedComments/.*\.xml")
_MOST_CELLS = 5_000_000
SheetRow = tuple[int, list[str]]
"""Row number from 1, and its cells from column A on."""


def read_sheets(data: bytes) -> Extracted:
    """The visible sheets of a workbook, each row under its header. Raises ReadError."""
    is_zip = data.startswith(b"PK")
    package = Package(data, "spreadsheet") if is_zip else None
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    except python_calamine.PasswordError as error:
        raise ReadError("The spreadsheet is encrypted: save it without a password.", code="encrypted") from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise _broken() from error
    all_looks = read_looks(package) if package is not None and "xl/workbook.xml" in package.names else {}
    parts: list[str] = []
    notes: list[str] = []
    for facts in book.sheets_metadata:
        if facts.typ != python_calamine.SheetTypeEnum.WorkSheet:
            notes.append(f"The sheet {facts.name} is a chart and was not read.")
        elif facts.visible != python_calamine.SheetVisibleEnum.Visible:
            notes.append(f"The sheet {facts.name} is hidden and was not read.")
        else:
            looks = all_looks.get(facts.name, Looks())
            if looks.without_value:
                notes.append(
                    f"{looks.without_value} formulas of {facts.name} hold no result: save it in a spreadsheet."
                )
            if looks.drawings:
                notes.append(f"Charts or text boxes of {facts.name} were not read.")
            parts += sheet_blocks(facts.name, _rows(book, facts.name, looks, notes))
    if package is not None and any(map(_REMARKS.fullmatch, package.names)):
        notes.append("Comments on cells were not read: write into the cells what matters.")
    title = property_title(package.title()) if package is not None else ""
    return Extracted("\n\n".join(parts) + "\n", title=title, titled_by_heading=False, notes=tuple(notes))


def _rows(book: Any, name: str, looks: Looks, notes: list[str]) -> list[SheetRow]:
    """The visible rows of a sheet; `notes` gets what is hidden of it."""
    try:
        sheet = book.get_sheet_by_name(name)
        if sheet.total_height * sheet.total_width > _MOST_CELLS:
            raise ReadError(f"The sheet {name} spans more than 5 million cells: split it up.", code="too_large")
        values = sheet.to_python(skip_empty_area=False)
        merged = sheet.merged_cell_ranges or []
    except (python_calamine.CalamineError, ValueError, OverflowError) as error:
        raise _broken() from error
    for (top, left), (bottom, _) in merged:
        if top < len(values) and left < len(values[top]):
            for row in range(top + 1, min(bottom + 1, len(values))):  # a cell over several rows speaks for each
                values[row][left] = values[top][left]
                if (top, left) in looks.formats:
                    looks.formats[row, left] = looks.formats[top, left]
    if any(
        value != "" and (number in looks.hidden_rows or column in looks.hidden_columns)
        for number, row in enumerate(values)
        for column, value in enumerate(row)
    ):
        notes.append(f"Hidden rows or columns of {name} were not read.")
    rows: list[SheetRow] = []
    for number, row in enumerate(values):
        if number in looks.hidden_rows:
            continue
        cells = [
            ""
            if column in looks.hidden_columns or (number, column) in looks.struck
            else _shown(value, number, column, looks)
            for column, value in enumerate(row)
        ]
        rows.append((number + 1, cells))
    return rows


def _shown(value: object, row: int, column: int, looks: Looks) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return looks.show(float(value), row, column)
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", timespec="minutes")
    if isinstance(value, time):
        return value.isoformat(timespec="minutes" if not value.second else "seconds")
    if isinstance(value, (date, timedelta)):
        return str(value)
    return str(value)


def sheet_blocks(name: str, rows: list[SheetRow]) -> list[str]:
    """The filled rows of a sheet as tables under headings that name the sheet and the range of cells."""
    parts: list[str] = []
    for filled, group in groupby(rows, key=lambda row: any(map(str.strip, row[1]))):
        if filled:
            parts += _block(name, list(group))
    return parts


def _block(name: str, rows: list[SheetRow]) -> list[str]:
    """A run of filled rows: titles of one cell, then a table under its header."""
    used = [
        column for column in range(max(len(cells) for _, cells in rows)) if any(_at(cells, column) for _, cells in rows)
    ]
    table = [(number, [_at(cells, column) for column in used]) for number, cells in rows]
    parts: list[str] = []
    while table and (len(used) == 1 or (sum(map(bool, table[0][1])) == 1 and _is_title(table))):
        number, cells = table.pop(0)
        words = next(filter(None, cells))
        parts += [_heading(name, used, number, number), words] if not parts else [words]
    if not table:
        return parts
    header, _ = split_header([cells for _, cells in table])
    if any(header):
        first, table = table[0][0], table[1:]
    else:
        first = table[0][0]
    for start in range(0, len(table), _ROWS):
        chunk = table[start : start + _ROWS]
        top = first if start == 0 else chunk[0][0]
        parts += [_heading(name, used, top, chunk[-1][0]), pipe_table(header, [cells for _, cells in chunk])]
    return parts


def _is_title(table: Sequence[SheetRow]) -> bool:
    """Whether a first row of one cell is a title: a row of more cells comes below."""
    return any(sum(map(bool, cells)) > 1 for _, cells in table[1:3])


def _at(cells: list[str], column: int) -> str:
    return cells[column].strip() if column < len(cells) else ""


def _heading(name: str, used: list[int], top: int, bottom: int) -> str:
    first, last = f"{_letters(used[0])}{top}", f"{_letters(used[-1])}{bottom}"
    return f"## {' '.join(name.split())}, {first if first == last else f'{first}:{last}'}"


def _letters(column: int) -> str:
    text = ""
    column += 1
    while column:
        column, place = divmod(column - 1, 26)
        text = chr(ord("A") + place) + text
    return text


def _broken() -> ReadError:
    return ReadError("The spreadsheet is broken and cannot be read: open it and save it again.", code="broken")
