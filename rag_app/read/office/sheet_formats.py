"""How the cells of an Excel file look: number formats, hidden rows and columns, struck-out and raised words."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from posixpath import join, normpath
from typing import Any

from rag_app.read.html.mathml import shifted
from rag_app.read.office.package import Package, local

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%"},
    **{37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00"},
}
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|_.|\*.|([€$£¥])')
_RISES = {"superscript": 1, "subscript": -1}
_DIGITS = re.compile(r"[#0?][#0?,.]*")
_Cell = tuple[int, int]


@dataclass(slots=True)
class Looks:
    """Of one sheet; rows and columns count from 0."""

    formats: dict[_Cell, str] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    struck: set[_Cell] = field(default_factory=set)
    texts: dict[_Cell, str] = field(default_factory=dict)
    """Of cells with errors, and of those in which words are struck out, raised or lowered: what is to be read."""
    without_value: int = 0
    """Formulas whose result is not stored."""
    drawings: bool = False

    def show(self, value: float, row: int, column: int) -> str:
        """A number as its cell shows it."""
        code = self.formats.get((row, column), "")
        return _formatted(value, code) if code else _plain(value)


def read_looks(package: Package) -> dict[str, Looks]:
    """The looks of each sheet by its name."""
    styles = package.xml("xl/styles.xml")
    codes, struck = ([], []) if styles is None else _cell_styles(styles)
    book, relations = package.xml("xl/workbook.xml"), package.xml("xl/_rels/workbook.xml.rels")
    targets = {} if relations is None else {r.get("Id"): r.get("Target", "") for r in relations}
    shared = package.xml("xl/sharedStrings.xml")
    rich = {} if shared is None else {str(number): text for number, text in _rich_texts(shared.iter(_S + "si"))}
    found: dict[str, Looks] = {}
    for sheet in book.iter(_S + "sheet") if book is not None else ():
        target = targets.get(sheet.get(_R), "")
        root = package.xml(target.lstrip("/") if target.startswith("/") else normpath(join("xl", target)))
        if root is not None:
            found[sheet.get("name", "")] = _looks(root, codes, struck, rich)
    return found


def _rich_texts(strings: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """The strings, by their numbers, in which words are struck out, raised or lowered."""
    for number, string in enumerate(strings):
        runs = [(run.find(_S + "rPr"), run.findtext(_S + "t") or "") for run in string.iterchildren(_S + "r")]
        looks = [
            (_is_struck(properties), _RISES.get(_setting(properties, "vertAlign"), 0))
            if properties is not None
            else (False, 0)
            for properties, _ in runs
        ]
        if any(is_struck or rise for is_struck, rise in looks):
            kept = ((words, rise) for (_, words), (is_struck, rise) in zip(runs, looks, strict=True) if not is_struck)
            yield number, "".join(shifted(words, rise) for words, rise in kept)


def _setting(properties: Any, name: str) -> str:
    found = properties.find(_S + name)
    return "" if found is None else found.get("val", "")


def _is_struck(properties: Any) -> bool:
    mark = properties.find(_S + "strike")
    return mark is not None and mark.get("val", "1") not in ("0", "false")


def _cell_styles(styles: Any) -> tuple[list[str], list[bool]]:
    """For each cell style its number format and whether it strikes out."""
    custom = {f.get("numFmtId"): f.get("formatCode", "") for f in styles.iter(_S + "numFmt")}
    fonts = styles.find(_S + "fonts")
    strikes = [_is_struck(font) for font in (fonts if fonts is not None else ())]
    codes: list[str] = []
    struck: list[bool] = []
    cell_formats = styles.find(_S + "cellXfs")
    for style in cell_formats if cell_formats is not None else ():
        number, font = style.get("numFmtId", "0"), style.get("fontId", "0")
        codes.append(custom.get(number) or _BUILT_IN.get(int(number) if number.isdecimal() else 0, ""))
        struck.append(font.isdecimal() and int(font) < len(strikes) and strikes[int(font)])
    return codes, struck


def _looks(root: Any, codes: list[str], struck: list[bool], rich: dict[str, str]) -> Looks:
    looks = Looks()
    for column in root.iter(_S + "col"):
        if column.get("hidden") in ("1", "true"):
            looks.hidden_columns.update(range(int(column.get("min", 1)) - 1, min(int(column.get("max", 1)), 16_384)))
    number = -1
    for row in root.iter(_S + "row"):
        number = int(row.get("r", number + 2)) - 1
        if row.get("hidden") in ("1", "true"):
            looks.hidden_rows.add(number)
        place = -1
        for cell in row:
            place = _column(cell.get("r")) if cell.get("r") else place + 1
            style = int(cell.get("s", 0))
            if style < len(codes) and codes[style]:
                looks.formats[number, place] = codes[style]
            if style < len(struck) and struck[style]:
                looks.struck.add((number, place))
            if rich and cell.get("t") == "s" and (text := rich.get(cell.findtext(_S + "v") or "")) is not None:
                looks.texts[number, place] = text
            elif cell.get("t") == "inlineStr":
                looks.texts.update(((number, place), text) for _, text in _rich_texts(cell.iterchildren(_S + "is")))
            elif cell.get("t") == "e":
                looks.texts[number, place] = cell.findtext(_S + "v") or ""
            if cell.find(_S + "f") is not None and cell.findtext(_S + "v") in (None, ""):
                looks.without_value += 1
    looks.drawings = any(local(child) in ("drawing", "legacyDrawingHF") for child in root)
    return looks


def _column(reference: str) -> int:
    column = 0
    for letter in reference:
        if not letter.isalpha():
            break
        column = column * 26 + ord(letter.upper()) - ord("A") + 1
    return column - 1


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(round(value, 10)).removesuffix(".0")


def _formatted(value: float, code: str) -> str:
    """A number by a format code: signs before and after it, decimals, thousands and percent."""
    sections = code.split(";")
    section = sections[1] if value < 0 and len(sections) > 1 and sections[1].strip() else sections[0]
    digits = ""
    pieces: list[str] = []
    at = 0
    while at < len(section):
        if literal := _LITERAL.match(section, at):
            pieces.append(next((group for group in literal.groups() if group), ""))
            at = literal.end()
        elif not digits and (found := _DIGITS.match(section, at)):
            digits = found[0]
            pieces.append("\0")
            at = found.end()
        else:
            pieces.append(section[at])
            at += 1
    if not digits or (re.search("[ymdhs]", "".join(pieces).replace("\0", ""), re.I) and "%" not in section):
        if re.search("general", section, re.I):
            pieces = [re.sub("general", "\0", "".join(pieces), flags=re.I)]
        else:
            return _plain(value)
        shown = _plain(value)
    else:
        shown = _digits(abs(value) * (100 if "%" in section else 1), digits)
    text = "".join(pieces).replace("\0", shown).strip()
    return f"-{text}" if value < 0 and section is sections[0] else text


def _digits(value: float, digits: str) -> str:
    whole, _, part = digits.partition(".")
    required, places = part.count("0"), len(re.sub(r"[^#0?]", "", part))
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{rounded:,f}" if "," in whole.strip(", ") else f"{rounded:f}"
    if places > required and "." in text:
        head, _, tail = text.partition(".")
        tail = tail[:required] + tail[required:].rstrip("0")
        text = f"{head}.{tail}" if tail else head
    return text
