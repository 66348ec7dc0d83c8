"""Presentations (.pptx): slide by slide, titles as headings, text in reading order, tables, and the speaker's notes."""

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any

from rag_app.read.extracted import Extracted
from rag_app.read.html.html_pieces import escape
from rag_app.read.office.equations import equation_text
from rag_app.read.office.package import Package, local
from rag_app.read.pipe_table import pipe_table, split_header
from rag_app.read.title import property_title

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_UNSPOKEN = ("sldNum", "dt", "ftr", "hdr", "sldImg")


def read_slides(data: bytes) -> Extracted:
    """The shown slides in order as Markdown. Raises ReadError."""
    package = Package(data, "PowerPoint")
    main = "ppt/presentation.xml"
    presentation = package.xml(main)
    if presentation is None:
        raise package.broken()
    targets = _targets(package, main)
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
            parts += _slide(package, name, slide, number, notes)
    title = property_title(package.title())
    return Extracted("\n\n".join(parts) + "\n", title=title, notes=tuple(notes))


def _targets(package: Package, name: str) -> dict[str, str]:
    folder, _, file = name.rpartition("/")
    relations = package.xml(f"{folder}/_rels/{file}.rels")
    return {
        relation.get("Id", ""): normpath(join(dirname(name), relation.get("Target", "")))
        if not relation.get("Target", "").startswith("/")
        else relation.get("Target", "").lstrip("/")
        for relation in (relations if relations is not None else ())
    }


def _slide(package: Package, name: str, slide: Any, number: int, notes: list[str]) -> list[str]:
    tree = slide.find(f"{_P}cSld/{_P}spTree")
    if tree is None:
        return []
    title = ""
    blocks: list[str] = []
    for shape in _shapes(tree):
        kind = _placeholder(shape)
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
        rows = [_cells(row) for row in table.iter(_A + "tr")]
        header, body = split_header(rows) if rows else ([], [])
        return [pipe_table(header, body)] if rows else []
    paragraphs = [(p, text) for p, text in _paragraphs(shape) if text]
    if not (is_list and in_placeholder and len(paragraphs) > 1):
        return [escape(text) for _, text in paragraphs]
    items: list[str] = []
    for paragraph, text in paragraphs:
        properties = paragraph.find(_A + "pPr")
        level = int(properties.get("lvl", 0)) if properties is not None else 0
        if properties is not None and properties.find(_A + "buNone") is not None and level == 0:
            items.append(("\n" if items else "") + escape(text) + "\n")
        else:
            items.append(f"{'  ' * level}- {text}")
    return [re.sub(r"\n{3,}", "\n\n", "\n".join(items)).strip("\n")]


def _cells(row: Any) -> list[str]:
    return ["" if cell.get("hMerge") else " ".join(t for _, t in _paragraphs(cell)) for cell in row.iter(_A + "tc")]


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
                words.append(" " if part.tag == _A + "br" else "".join(part.itertext(_A + "t")))
        yield paragraph, " ".join("".join(words).split())
