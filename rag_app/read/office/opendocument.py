"""OpenDocument texts (.odt): the body as HTML elements, and these as Markdown."""

from itertools import chain
from typing import Any

import lxml.etree
import lxml.html

from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import tree_to_markdown
from rag_app.read.html.html_pieces import MARKER
from rag_app.read.html.mathml import math_text
from rag_app.read.numerals import letters, roman
from rag_app.read.office.margins import margin_words
from rag_app.read.office.odf_styles import OdfStyles
from rag_app.read.office.package import Package, local
from rag_app.read.title import property_title

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_DEEPEST = 100
_SILENT = ("annotation", "ruby-text", "hidden-text", "hidden-paragraph", "page-number", "page-count", "title", "desc")


def read_odt(data: bytes) -> Extracted:
    """The text as Markdown, tracked changes as accepted. Raises ReadError."""
    package = Package(data, "OpenDocument")
    content, styles = package.xml("content.xml"), package.xml("styles.xml")
    if content is None:
        raise package.broken()
    body = next((e for e in content.iter() if local(e) == "text" and local(e.getparent()) == "body"), None)
    if body is None:
        raise package.broken()
    reader = _Reader(package, content, styles)
    root = lxml.html.document_fromstring("<html><body></body></html>")
    target = root.find("body")
    reader.margins(target, body)
    reader.blocks(body, target, 0)
    for note in reader.notes:
        target.append(note)
    meta = package.xml("meta.xml")
    title = "" if meta is None else next((e.text or "" for e in meta.iter() if local(e) == "title"), "")
    return Extracted(
        tree_to_markdown(root),
        title=property_title(title),
        access_signs=package.access_signs(),
        notes=tuple(reader.lost(body)),
    )


class _Reader:
    def __init__(self, package: Package, content: Any, styles: Any) -> None:
        self.package = package
        self.styles = OdfStyles(styles, content)
        self.lists: dict[str, Any] = {}
        self.counts: dict[str, dict[int, int]] = {}
        self.headings: list[int] = []
        self.outline: dict[int, tuple[str, str, str]] = {}
        self.notes: list[Any] = []
        self.master_pages = [] if styles is None else [*chain(*styles.iter(_STYLE + "master-page"))]
        for root in (styles, content):
            if root is not None:
                self._read_lists(root)

    def _read_lists(self, root: Any) -> None:
        for style in root.iter(_TEXT + "list-style"):
            self.lists[style.get(_STYLE + "name", "")] = style
        for level in root.iter(_TEXT + "outline-level-style"):
            if shape := level.get(_STYLE + "num-format"):
                edges = level.get(_STYLE + "num-prefix", ""), level.get(_STYLE + "num-suffix", "")
                self.outline[int(level.get(_TEXT + "level", 1))] = (shape, *edges)

    def margins(self, target: Any, body: Any) -> None:
        """What page headers and footers say, once, without page numbers."""
        said = {"".join(p.itertext()).strip() for p in body.iter(_TEXT + "p")}
        for part in self.master_pages:
            if local(part).split("-")[0] not in ("header", "footer") or part.get(_STYLE + "display") == "false":
                continue
            for paragraph in part.iter(_TEXT + "p", _TEXT + "h"):
                found = lxml.etree.Element("p")
                self.words(paragraph, found, [], 1)
                text = margin_words("".join(found.itertext()))
                if text and text not in said and not self.styles.is_unseen(paragraph):
                    said.add(text)
                    _say(lxml.etree.SubElement(target, "p"), text)

    def lost(self, body: Any) -> list[str]:
        found: list[str] = []
        changes = sum(1 for _ in body.iter(_TEXT + "changed-region"))
        if changes:
            found.append(f"{changes} tracked changes were read as accepted.")
        comments = sum(1 for e in body.iter() if local(e) == "annotation")
        if comments:
            found.append(f"{comments} comments in the margin were not read.")
        return found

    def blocks(self, parent: Any, target: Any, depth: int) -> None:
        for element in parent:
            name = local(element)
            if name in ("tracked-changes", "sequence-decls", "forms", "table-of-content", "alphabetical-index"):
                continue
            if name == "h":
                level = min(6, int(element.get(_TEXT + "outline-level", 1)))
                number = self.heading_number(level, element)
                self.paragraph(element, target, f"h{level}", number)
            elif name == "p":
                self.paragraph(element, target, "p", "")
            elif name == "list":
                self.list(element, target, depth)
            elif name == "table":
                self.table(element, target, depth)
            elif name == "section" and self.styles.is_unseen(element):
                continue
            elif len(element) and depth < _DEEPEST:
                self.blocks(element, target, depth + 1)

    def paragraph(self, element: Any, target: Any, tag: str, number: str) -> None:
        if self.styles.is_unseen(element):
            return
        block = lxml.etree.SubElement(target, tag)
        boxes: list[Any] = []
        if number:
            _say(block, f"{number} ")
        self.words(element, block, boxes, 0)
        for box in boxes:
            self.blocks(box, target, 1)

    def words(self, element: Any, block: Any, boxes: list[Any], depth: int) -> None:
        _say(block, element.text)
        for child in element:
            name = local(child)
            if name == "s":
                _say(block, " " * min(int(child.get(_TEXT + "c", 1)), 1000))
            elif name == "tab":
                _say(block, "\t")
            elif name == "line-break":
                lxml.etree.SubElement(block, "br")
            elif name == "fieldmark" and any(value.endswith("FORMCHECKBOX") for value in child.attrib.values()):
                _say(block, "☒" if any("true" in part.attrib.values() for part in child) else "☐")
            elif name == "note":
                self.note(child, block, boxes)
            elif name == "text-box":
                boxes.append(child)
            elif name == "object" and (formula := self.formula(child)):
                _say(block, f" {formula} ")
            elif name not in _SILENT and depth < _DEEPEST and not (name == "span" and self.styles.is_unseen(child)):
                rise = self.styles.rise(child) if name == "span" else 0
                inner = lxml.etree.SubElement(block, "sup" if rise > 0 else "sub") if rise else block
                self.words(child, inner, boxes, depth + 1)
            _say(block, child.tail)

    def note(self, element: Any, block: Any, boxes: list[Any]) -> None:
        body = element.find(_TEXT + "note-body")
        if body is None:
            return
        label = len(self.notes) + 1
        link = lxml.etree.SubElement(lxml.etree.SubElement(block, "sup"), "a", href=f"#note-{label}")
        link.text = str(label)
        note = lxml.etree.Element("p", id=f"note-{label}")
        self.notes.append(note)
        for paragraph in body.iter(_TEXT + "p"):
            _say(note, " " if len(note) or note.text else "")
            self.words(paragraph, note, boxes, 1)

    def formula(self, element: Any) -> str:
        math = next((e for e in element.iter() if local(e) == "math"), None)
        if math is None:
            place = element.get(_XLINK, "").removeprefix("./").rstrip("/")
            math = self.package.xml(f"{place}/content.xml") if place else None
        return math_text(math) if math is not None and local(math) == "math" else ""

    def list(self, element: Any, target: Any, depth: int, style: str = "", level: int = 1) -> None:
        style = element.get(_TEXT + "style-name") or style
        shape = self.list_shape(style, level)
        made = lxml.etree.SubElement(target, "ul" if shape is None else "ol")
        counts = self.counts.setdefault(style, {})
        goes_on = element.get(_TEXT + "continue-numbering") == "true" or element.get(_TEXT + "continue-list")
        if level == 1 and not goes_on:
            counts.clear()
        for item in element:
            if local(item) not in ("list-item", "list-header"):
                continue
            marker = ""
            if shape is not None and local(item) == "list-item":
                start = int(shape.get(_TEXT + "start-value", 1)) - 1
                counts[level] = int(item.get(_TEXT + "start-value", counts.get(level, start) + 1))
                for deeper in [other for other in counts if other > level]:
                    del counts[deeper]
                marker = self.marker(style, level)
            entry = target  # a numbered heading is no item
            if next(item.iter(_TEXT + "h"), None) is None:
                entry = lxml.etree.SubElement(made, "li")
                if shape is not None:
                    entry.set(MARKER, marker)
            for part in item:
                if local(part) == "list" and depth < _DEEPEST:
                    self.list(part, entry, depth + 1, style, level + 1)
                elif local(part) == "h":
                    self.paragraph(part, entry, f"h{min(6, int(part.get(_TEXT + 'outline-level', 1)))}", marker)
                else:
                    self.blocks([part], entry, depth + 1)

    def marker(self, style: str, level: int) -> str:
        """The number of the last item of a level, with those of the levels above where they are shown too."""
        shape = self.list_shape(style, level)
        shown = int(shape.get(_TEXT + "display-levels", 1))
        parts: list[str] = []
        for place in range(level - shown + 1, level + 1):
            of = self.list_shape(style, place)
            if of is not None:
                parts.append(_count(self.counts[style].get(place, 1), of.get(_STYLE + "num-format", "")))
        count = ".".join(filter(None, parts))
        return f"{shape.get(_STYLE + 'num-prefix', '')}{count}{shape.get(_STYLE + 'num-suffix', '')}" if count else ""

    def list_shape(self, style: str, level: int) -> Any:
        """The definition of a numbered level; None for bullets."""
        found = self.lists.get(style)
        for entry in found if found is not None else ():
            if entry.get(_TEXT + "level") == str(level) and local(entry) == "list-level-style-number":
                return entry
        return None

    def heading_number(self, level: int, element: Any) -> str:
        if element.get(_TEXT + "is-list-header") == "true":
            return ""
        self.headings = [*self.headings[:level], *[0] * (level - len(self.headings))]
        self.headings[level - 1] += 1
        if level not in self.outline:
            return ""
        _, prefix, suffix = self.outline[level]
        parts = [_count(self.headings[n], self.outline[n + 1][0]) for n in range(level) if n + 1 in self.outline]
        return prefix + ".".join(parts) + suffix

    def table(self, element: Any, target: Any, depth: int) -> None:
        made = lxml.etree.SubElement(target, "table")
        for row in element.iter(_TABLE + "table-row"):
            if row.get(_TABLE + "visibility") in ("collapse", "filter"):
                continue
            if next(row.iterancestors(_TABLE + "table")) is not element:
                continue
            is_head = local(row.getparent()) == "table-header-rows"
            line = lxml.etree.SubElement(made, "tr")
            for cell in row:
                if local(cell) != "table-cell":
                    continue
                entry = lxml.etree.SubElement(line, "th" if is_head else "td")
                for name, tag in (("number-columns-spanned", "colspan"), ("number-rows-spanned", "rowspan")):
                    if cell.get(_TABLE + name):
                        entry.set(tag, cell.get(_TABLE + name))
                if depth < _DEEPEST:
                    self.blocks(cell, entry, depth + 1)


def _count(number: int, shape: str) -> str:
    match shape:
        case "a":
            return letters(number)
        case "A":
            return letters(number).upper()
        case "i":
            return roman(number)
        case "I":
            return roman(number).upper()
    return str(number) if shape else ""


def _say(block: Any, text: str | None) -> None:
    """Adds words at the end of an element."""
    if not text:
        return
    if len(block):
        block[-1].tail = (block[-1].tail or "") + text
    else:
        block.text = (block.text or "") + text
