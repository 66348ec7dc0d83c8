"""Presentations (.pptx): slide by slide, titles as headings, text in reading order, tables, and the speaker's notes."""

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any

from rag_app.read.extracted import Extracted
from rag_app.read.html.html_pieces import escape
from rag_app.read.html.mathml import shifted
from rag_app.read.office.equations import equation_text
from rag_app.read.office.package import Package, local
from rag_app.read.pipe_table import Grid, pipe_table, split_header
from rag_app.read.title import property_title

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_FAR = 10**9
"""Wider and higher than any slide."""
_TYPED_DASH = re.compile(r"[-–—•·▪‣*](?! *[\d.,]+\b)\s+(?=\S)")
"""What is typed before the items of a list; before a figure it may be a minus."""
_UNSPOKEN = ("sldNum", "dt", "ftr", "hdr", "sldImg")


def read_slides(data: bytes) -> Extracted:
    """The shown slides in order as Markdown. Raises ReadError."""
    package = Package(data, "PowerPoint")
    main = "ppt/presentation.xml"
    presentation = package.xml(main)
    if presentation is None:
        raise package.broken()
    targets = _targets(package, main)
    extent = presentation.find(_P + "sldSz")
    size = (_FAR, _FAR) if extent is None else (int(extent.get("cx", _FAR)), int(extent.get("cy", _FAR)))
    parts: list[str] = []
    notes: list[str] = []
    for number, entry in enumerate(presentation.iter(_P + "sldId"), start=1):
        name = targets.get(entry.get(_R + "id", ""), "")
        slide = package.xml(name)
        if slide is None:
            notes.append(f"Slide {number} is missing in the file.")
        elif slide.get("show") in ("0", "false"):
            notes.append(f"Slide {number} is hidden and was not read.")
        else:
            parts += _slide(package, name, slide, number, size, notes)
    title = property_title(package.title())
    return Extracted("\n\n".join(parts) + "\n", title=title, access_signs=package.access_signs(), notes=tuple(notes))


def _targets(package: Package, name: str) -> dict[str, str]:
    folder, _, file = name.rpartition("/")
    relations = package.xml(f"{folder}/_rels/{file}.rels")
    return {
        relation.get("Id", ""): normpath(join(dirname(name), relation.get("Target", "")))
        if not relation.get("Target", "").startswith("/")
        else relation.get("Target", "").lstrip("/")
        for relation in (relations if relations is not None else ())
    }


def _slide(package: Package, name: str, slide: Any, number: int, size: tuple[int, int], notes: list[str]) -> list[str]:
    tree = slide.find(f"{_P}cSld/{_P}spTree")
    if tree is None:
        return []
    title = ""
    blocks: list[str] = []
    for shape in _shapes(tree):
        kind = _placeholder(shape)
        if shape.getparent() is tree and _is_outside(shape, size):
            notes.append(f"Text or a table beside slide {number} was not read.")
            continue
        if kind in ("title", "ctrTitle") and not title:
            title = " ".join(" ".join(text for _, text in _paragraphs(shape)).split())
        elif kind not in _UNSPOKEN:
            blocks += _shape(shape, is_list=kind in ("body", "obj", ""), in_placeholder=kind is not None)
    if any(local(e) in ("chart", "relIds") for e in tree.iter()):
        notes.append(f"Slide {number} holds a chart or diagram that was not read.")
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    spoken: list[str] = []
    for target in _targets(package, name).values():
        if "/notesSlides/" in f"/{target}" and (page := package.xml(target)) is not None:
            for shape in page.iter(_P + "sp"):
                if _placeholder(shape) == "body":
                    spoken += [text for _, text in _paragraphs(shape) if text]
    if spoken:
        blocks += ["Notes:", *map(escape, spoken)]
    return [heading, *blocks] if blocks or title else []


def _shapes(tree: Any) -> Iterator[Any]:
    """Shapes in their order, those of groups too; of alternatives the first."""
    for shape in tree:
        name = local(shape)
        if name == "AlternateContent":
            yield from _shapes(shape[0] if len(shape) else shape)
        elif name == "grpSp":
            yield from _shapes(shape)
        elif name in ("sp", "graphicFrame", "cxnSp"):
            properties = next((e for e in shape.iter(_P + "cNvPr")), None)
            if properties is None or properties.get("hidden") not in ("1", "true"):
                yield shape


def _placeholder(shape: Any) -> str | None:
    """The kind of placeholder, "" for one without a kind, None for other shapes."""
    found = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return None if found is None else found.get("type", "")


def _shape(shape: Any, *, is_list: bool, in_placeholder: bool) -> list[str]:
    if (table := next(shape.iter(_A + "tbl"), None)) is not None:
        grid = _grid(table)
        return [pipe_table(*split_header(grid))] if grid.rows else []
    paragraphs = [(p, text) for p, text in _paragraphs(shape) if any(map(str.isalnum, text))]
    bulleted = is_list and in_placeholder and len(paragraphs) > 1
    lines: list[str] = []
    for number, (paragraph, text) in enumerate(paragraphs):
        properties = paragraph.find(_A + "pPr")
        level = _level(paragraph) if bulleted else 0
        bare = properties is not None and properties.find(_A + "buNone") is not None and level == 0
        following = _level(paragraphs[number + 1][0]) if number + 1 < len(paragraphs) else 1
        introduces = level == 0 and text.endswith(":") and following == 0
        if dash := _TYPED_DASH.match(text):
            lines.append(f"{'  ' * level}- {text[dash.end() :]}")
        elif not bulleted or bare or introduces:
            lines.append(("\n" if lines else "") + escape(text) + "\n")
        else:
            lines.append(f"{'  ' * level}- {text}")
    blocks = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return [blocks] if blocks else []


def _level(paragraph: Any) -> int:
    properties = paragraph.find(_A + "pPr")
    return 0 if properties is None else int(properties.get("lvl", 0))


def _is_outside(shape: Any, size: tuple[int, int]) -> bool:
    """Whether a shape lies beside the slide, where only its author sees it."""
    place = shape.find(f"{_P}spPr/{_A}xfrm")
    place = shape.find(_P + "xfrm") if place is None else place
    at, extent = (None, None) if place is None else (place.find(_A + "off"), place.find(_A + "ext"))
    if at is None or extent is None:
        return False  # where the layout puts it
    sides = zip(("x", "y"), ("cx", "cy"), size, strict=True)
    return any(int(at.get(x, 0)) >= end or int(at.get(x, 0)) + int(extent.get(cx, 0)) <= 0 for x, cx, end in sides)


def _grid(table: Any) -> Grid:
    rows: list[list[str]] = []
    grid = Grid(rows)
    for number, row in enumerate(table.iter(_A + "tr")):
        cells: list[str] = []
        for column, cell in enumerate(row.iter(_A + "tc")):
            text = " ".join(words for _, words in _paragraphs(cell))
            if cell.get("hMerge"):
                grid.left.add((number, column))
                text = ""
            if cell.get("vMerge") and number and column < len(rows[-1]):
                grid.above.add((number, column))
                text = rows[-1][column]
            cells.append(text)
        rows.append(cells)
    return grid


def _paragraphs(shape: Any) -> Iterator[tuple[Any, str]]:
    for paragraph in shape.iter(_A + "p"):
        words: list[str] = []
        for part in paragraph.iter(_A + "r", _A + "br", _A + "fld", _MATH):
            properties = part.find(_A + "rPr")
            if properties is not None and properties.get("strike", "noStrike") != "noStrike":
                continue
            if part.tag == _MATH:
                words.append(equation_text(part))
            else:
                rise = properties.get("baseline", "0").rstrip("%") if properties is not None else "0"
                text = " " if part.tag == _A + "br" else "".join(part.itertext(_A + "t"))
                words.append(shifted(text, 0 if rise == "0" else -1 if rise.startswith("-") else 1))
        yield paragraph, " ".join("".join(words).split())
