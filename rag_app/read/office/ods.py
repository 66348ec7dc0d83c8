"""OpenDocument spreadsheets (.ods): the cells as they are shown, without hidden sheets, rows and columns."""

from typing import Any

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.html.mathml import shifted
from rag_app.read.office.odf_styles import OdfStyles
from rag_app.read.office.package import Package, local
from rag_app.read.office.sheets import Merged, SheetRow, sheet_blocks

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_HIDDEN = ("collapse", "filter")
_MOST_CELLS = 5_000_000
_WIDEST = 1_024


def read_ods(data: bytes) -> Extracted:
    """The visible sheets, each row under its header. Raises ReadError."""
    package = Package(data, "spreadsheet")
    content = package.xml("content.xml")
    if content is None:
        raise package.broken()
    styles = OdfStyles(package.xml("styles.xml"), content)
    parts: list[str] = []
    notes: list[str] = []
    for table in content.iter(_TABLE + "table"):
        name = table.get(_TABLE + "name", "")
        if styles.is_unseen(table):
            notes.append(f"The sheet {name} is hidden and was not read.")
        else:
            merged = Merged()
            parts += sheet_blocks(name, _rows(table, styles, name, merged, notes), merged)
    if any(local(element) == "annotation" for element in content.iter()):
        notes.append("Comments on cells were not read: write into the cells what matters.")
    return Extracted(
        "\n\n".join(parts) + "\n", titled_by_heading=False, access_signs=package.access_signs(), notes=tuple(notes)
    )


def _rows(table: Any, styles: OdfStyles, name: str, merged: Merged, notes: list[str]) -> list[SheetRow]:
    """The visible rows of a table; `merged` gets its merged cells, `notes` what is hidden of it."""
    hidden = _hidden_columns(table)
    rows: list[SheetRow] = []
    number = cells = 0
    lost = False
    above: dict[int, tuple[int, str]] = {}  # column: rows that a cell still speaks for, its text
    for row in table.iter(_TABLE + "table-row"):
        times = _times(row, "number-rows-repeated")
        values = _cells(row, styles, above, number, merged)
        shown = ["" if column in hidden else value for column, value in enumerate(values)]
        unseen = row.get(_TABLE + "visibility") in _HIDDEN
        lost |= any(value and (unseen or column in hidden) for column, value in enumerate(values))
        if unseen:
            pass
        elif any(shown):
            cells += times * len(shown)
            if cells > _MOST_CELLS:
                raise ReadError(f"The sheet {name} spans more than 5 million cells: split it up.", code="too_large")
            rows += ((number + more, shown) for more in range(1, times + 1))
        else:
            rows.append((number + 1, []))
        number += times
    if lost:
        notes.append(f"Hidden rows or columns of {name} were not read.")
    return rows


def _hidden_columns(table: Any) -> set[int]:
    hidden: set[int] = set()
    place = 0
    for column in table.iter(_TABLE + "table-column"):
        times = _times(column, "number-columns-repeated")
        if column.get(_TABLE + "visibility") in _HIDDEN:
            hidden.update(range(place, min(place + times, _WIDEST)))
        place += times
    return hidden


def _cells(row: Any, styles: OdfStyles, above: dict[int, tuple[int, str]], number: int, merged: Merged) -> list[str]:
    values: list[str] = []
    for cell in row:
        if local(cell) not in ("table-cell", "covered-table-cell"):
            continue
        text = "" if styles.is_unseen(cell) else " ".join(_words(p, styles) for p in cell.iterchildren(_TEXT + "p"))
        high, wide = _times(cell, "number-rows-spanned"), _times(cell, "number-columns-spanned")
        if high > 1 or wide > 1:
            merged.add(number, len(values), number + high - 1, len(values) + wide - 1)
        for _ in range(min(_times(cell, "number-columns-repeated"), _WIDEST - len(values))):
            left, said = above.get(len(values), (0, ""))
            if local(cell) == "covered-table-cell" and left:
                above[len(values)] = left - 1, said
                values.append(said)
                continue
            if high > 1:
                above[len(values)] = high - 1, text
            values.append(text)
    while values and not values[-1]:
        values.pop()
    return values


def _words(element: Any, styles: OdfStyles) -> str:
    parts = [element.text or ""]
    for child in element:
        name = local(child)
        if name in ("s", "line-break", "tab"):
            parts.append(" ")
        elif name != "annotation" and not styles.is_unseen(child):
            parts.append(shifted(_words(child, styles), styles.rise(child)))
        parts.append(child.tail or "")
    return "".join(parts)


def _times(element: Any, name: str) -> int:
    text = element.get(_TABLE + name, "1")
    return max(1, int(text)) if text.isdecimal() and len(text) < 8 else 1
