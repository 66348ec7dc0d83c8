"""Spreadsheets (.xlsx, .xlsm, .xls, .xlsb) by python-calamine: each row under its header."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from itertools import groupby
from typing import Any

import python_calamine

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.office.package import Package
from rag_app.read.office.sheet_formats import Looks, read_looks
from rag_app.read.pipe_table import Grid, header_rows, joined_header, pipe_table
from rag_app.read.title import property_title

_ROWS = 50
"""Rows of a section: a citation names its cell range."""
_REMARKS = re.compile(r"xl/(?:comments/)?(?:comments?|threadedComments?)\d*\.xml|xl/threadedComments/.*\.xml")
_MOST_CELLS = 5_000_000
SheetRow = tuple[int, list[str]]
"""Row number from 1, and its cells from column A on."""
_DEEPEST_HEADER, _WIDEST_HEADER = 4, 100


@dataclass(slots=True)
class Merged:
    """Places (row and column from 0) that belong to a cell beside them, as far as headers are looked for in it."""

    left: set[tuple[int, int]] = field(default_factory=set)
    """To the one on their left."""
    above: set[tuple[int, int]] = field(default_factory=set)
    """To the one above them."""

    def add(self, top: int, left: int, bottom: int, right: int) -> None:
        """A cell that reaches so far."""
        for row in range(top, min(bottom, top + _DEEPEST_HEADER) + 1):
            for column in range(left, min(right, left + _WIDEST_HEADER) + 1):
                if column > left:
                    self.left.add((row, column))
                if row > top:
                    self.above.add((row, column))


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
            merged = Merged()
            parts += sheet_blocks(facts.name, _rows(book, facts.name, looks, merged, notes), merged)
    if not all_looks:
        notes.append("Hidden rows and formats of numbers cannot be told in this kind of file: save it as .xlsx.")
    if package is not None and any(map(_REMARKS.fullmatch, package.names)):
        notes.append("Comments on cells were not read: write into the cells what matters.")
    title = property_title(package.title()) if package is not None else ""
    signs = package.access_signs() if package is not None else ()
    return Extracted(
        "\n\n".join(parts) + "\n", title=title, titled_by_heading=False, access_signs=signs, notes=tuple(notes)
    )


def _rows(book: Any, name: str, looks: Looks, merged: Merged, notes: list[str]) -> list[SheetRow]:
    """The visible rows of a sheet; `merged` gets its merged cells, `notes` what is hidden of it."""
    try:
        sheet = book.get_sheet_by_name(name)
        if sheet.total_height * sheet.total_width > _MOST_CELLS:
            raise ReadError(f"The sheet {name} spans more than 5 million cells: split it up.", code="too_large")
        values = sheet.to_python(skip_empty_area=False)
        ranges = sheet.merged_cell_ranges or []
    except (python_calamine.CalamineError, ValueError, OverflowError) as error:
        raise _broken() from error
    for (top, left), (bottom, right) in ranges:
        merged.add(top, left, bottom, right)
        if top < len(values) and left < len(values[top]):
            for row in range(top + 1, min(bottom + 1, len(values))):  # a cell over several rows speaks for each
                values[row][left] = values[top][left]
                if (top, left) in looks.texts:
                    looks.texts[row, left] = looks.texts[top, left]
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
    if (row, column) in looks.texts:
        return looks.texts[row, column]
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return looks.show(float(value), row, column)
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", timespec="minutes")
    if isinstance(value, time):
        return value.isoformat(timespec="minutes" if not value.second else "seconds")
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value)


def _duration(value: timedelta) -> str:
    """Hours and minutes, and seconds where there are any, as a sheet shows them: 30:05, not a day and six hours."""
    minutes, seconds = divmod(round(abs(value.total_seconds())), 60)
    shown = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    return f"-{shown}" if value < timedelta(0) else shown


def sheet_blocks(name: str, rows: list[SheetRow], merged: Merged) -> list[str]:
    """The filled rows of a sheet as tables under headings that name the sheet and the range of cells."""
    parts: list[str] = []
    for filled, group in groupby(rows, key=lambda row: any(map(str.strip, row[1]))):
        block = list(group) if filled else []
        tables = _side_by_side(block)
        for columns in tables if len(tables) > 1 else ():
            alone = [
                (number, [cell if at in columns else "" for at, cell in enumerate(cells)]) for number, cells in block
            ]
            parts += sheet_blocks(name, alone, merged)
        if len(tables) == 1:
            parts += _block(name, block, tables[0], merged)
    return parts


def _side_by_side(rows: list[SheetRow]) -> list[list[int]]:
    """The columns that are used, by tables: an empty column parts those that have nothing to do with each other."""
    width = max((len(cells) for _, cells in rows), default=0)
    used = [column for column in range(width) if any(_at(cells, column) for _, cells in rows)]
    tables: list[list[int]] = []
    for _, group in groupby(enumerate(used), key=lambda place: place[1] - place[0]):
        columns = [column for _, column in group]
        if tables and not _are_apart(rows, tables[-1], columns):
            tables[-1] += columns
        else:
            tables.append(columns)
    return tables


def _are_apart(rows: list[SheetRow], left: list[int], right: list[int]) -> bool:
    """Whether columns beyond an empty one are another table: their rows have names of their own, or go on further down,
    or a column is called as one on the left."""
    if len(left) < 2 or len(right) < 2:
        return False
    sides = [[[_at(cells, column) for column in columns] for _, cells in rows] for columns in (left, right)]
    if any(any(other) and not any(one) for one, other in list(zip(*sides, strict=True))[1:]):
        return True
    if {*filter(None, sides[0][0])} & {*filter(None, sides[1][0])}:
        return True
    for side in sides:
        names = [row[0] for row in side[1:] if any(row)]
        if len(names) < 2 or len({*names}) < len(names) or not all(any(map(str.isalpha, name)) for name in names):
            return False
    return True


def _block(name: str, rows: list[SheetRow], used: list[int], merged: Merged) -> list[str]:
    """A run of filled rows: titles of one cell, then a table under its header."""
    table = [(number, [_at(cells, column) for column in used]) for number, cells in rows]
    parts: list[str] = []
    while table and (len(used) == 1 or _is_title(table, used, merged)):
        number, cells = table.pop(0)
        words = next(filter(None, cells))
        parts += [_heading(name, used, number, number), words] if not parts else [words]
    if not table:
        return parts
    place = {column: at for at, column in enumerate(used)}
    at_row = {number - 1: at for at, (number, _) in enumerate(table)}
    left, above = (
        {(at_row[row], place[column]) for row, column in of if row in at_row and column in place}
        for of in (merged.left, merged.above)
    )
    grid = Grid([cells for _, cells in table], left, above)
    count = header_rows(grid)
    header, first, body = joined_header(grid, count), table[0][0], grid.body(count)
    numbers = [number for number, _ in table[count:]]
    for start in range(0, len(body), _ROWS):
        chunk = numbers[start : start + _ROWS]
        top = first if start == 0 else chunk[0]
        parts += [_heading(name, used, top, chunk[-1]), pipe_table(header, body[start : start + _ROWS])]
    return parts


def _is_title(table: Sequence[SheetRow], used: list[int], merged: Merged) -> bool:
    """Whether a first row is a title: one cell, which is no header over some columns, above a row of more cells."""
    number, cells = table[0]
    filled = [used[at] for at, cell in enumerate(cells) if cell]
    if len(filled) > 1 or (filled[0] > used[0] and (number - 1, filled[0] + 1) in merged.left):
        return False
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
