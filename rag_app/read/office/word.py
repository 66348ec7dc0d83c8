"""Word (.docx) into Markdown: a pass over its XML, then mammoth's HTML."""

import io
import re
import zipfile
from typing import Any

import lxml.etree
import lxml.html
import mammoth

from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import tree_to_markdown
from rag_app.read.html.html_pieces import MARKER
from rag_app.read.office.margins import drop_page_fields, margin_words
from rag_app.read.office.package import Package
from rag_app.read.office.word_numbers import Numbering
from rag_app.read.office.word_styles import RunStyles, W
from rag_app.read.office.word_xml import NUMBER_END, NUMBER_START, Changes, lift_text_boxes, prepare, text_paragraph
from rag_app.read.title import property_title

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='Code'] => pre:separator('\\n')
p[style-name='macro'] => pre:separator('\\n')
p[style-name='List Bullet 2'] => ul|ol > li > ul > li:fresh
p[style-name='List Bullet 3'] => ul|ol > li > ul|ol > li > ul > li:fresh
p[style-name='List Number 2'] => ul|ol > li > ol > li:fresh
p[style-name='List Number 3'] => ul|ol > li > ul|ol > li > ol > li:fresh
p[style-name='List Continue'] => ul|ol > li > p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
"""
_DOCUMENT = "word/document.xml"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_MARGIN = re.compile(r"word/(?:header|footer)\d*\.xml")
_NUMBER = re.compile(f"{NUMBER_START}([^{NUMBER_END}]*){NUMBER_END}")


def read_word(data: bytes) -> Extracted:
    """The text as Markdown, and the title in the file's properties; pictures are left out.

    Raises ReadError with the code "broken", "encrypted" or "too_large".
    """
    package = Package(data, "Word")
    main = _main_part(package)
    changes = Changes()
    changed = _prepared(package, main, changes)
    try:
        html = mammoth.convert_to_html(
            changed, style_map=_STYLES, include_embedded_style_map=False, convert_image=lambda image: []
        ).value
    except Exception as error:  # expat and mammoth let many kinds out of broken files
        raise package.broken() from error
    if not html:
        return Extracted("")
    root = lxml.html.document_fromstring(f"<html><body>{html}</body></html>")
    _set_numbers(root)
    return Extracted(
        tree_to_markdown(root),
        title=property_title(package.title()),
        access_signs=package.access_signs(),
        notes=_notes(package, changes),
    )


def _main_part(package: Package) -> str:
    if _DOCUMENT in package.names:
        return _DOCUMENT
    relations = package.xml("_rels/.rels")
    for relation in relations if relations is not None else ():
        target = relation.get("Target", "").lstrip("/")
        if relation.get("Type", "").endswith("/officeDocument") and target in package.names:
            return target
    raise package.broken()


def _prepared(package: Package, main: str, changes: Changes) -> io.BytesIO:
    """The file with its parts changed, unpacked."""
    styles = package.xml("word/styles.xml")
    runs = RunStyles(styles)
    new: dict[str, bytes] = {}
    document = package.xml(main)
    _put_margins_first(package, document, runs)
    for name, root in ((main, document), *((name, package.xml(name)) for name in _NOTES)):
        if root is not None:
            prepare(root, runs, Numbering(package.xml("word/numbering.xml"), styles), changes)
            new[name] = lxml.etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    if styles is not None:
        _keep_names(styles)
        new["word/styles.xml"] = lxml.etree.tostring(styles, encoding="UTF-8", xml_declaration=True)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in package.names:
            if name in new or name.endswith((".xml", ".rels")):
                archive.writestr(name, new[name] if name in new else package.read(name))
            else:
                archive.writestr(name, b"")  # pictures, which are not read
    target.seek(0)
    return target


def _keep_names(styles: Any) -> None:
    """Takes out of the styles all that mammoth does not read: a template's hundred styles took longer than the text."""
    for child in list(styles):
        if child.tag != W + "style":
            styles.remove(child)
            continue
        kept = (W + "name", W + "pPr") if child.get(W + "type") == "numbering" else (W + "name",)
        for part in list(child):
            if part.tag not in kept:
                child.remove(part)


def _put_margins_first(package: Package, document: Any, runs: RunStyles) -> None:
    """Copies what page headers and footers say to the beginning of the text, once, without page numbers."""
    body = document.find(W + "body")
    if body is None:
        return
    said = {"".join(p.itertext(W + "t")).strip() for p in body.iter(W + "p")}
    found: list[Any] = []
    for name in sorted(filter(_MARGIN.fullmatch, package.names)):
        part = package.xml(name)
        lift_text_boxes(part)
        for paragraph in part.iter(W + "p"):
            drop_page_fields(paragraph)
            seen = (run for run in paragraph.iter(W + "r") if not runs.is_unseen(run))
            text = margin_words("".join(word for run in seen for word in run.itertext(W + "t")))
            if text and text not in said:
                said.add(text)
                found.append(text_paragraph(text))
    body[:0] = found


def _set_numbers(root: Any) -> None:
    """Puts each number where it is shown: as the marker of a list item, else before the words."""
    for element in list(root.iter("*")):
        if not element.text or NUMBER_START not in element.text:
            continue
        match = _NUMBER.match(element.text)
        if match and element.tag == "li" and element.getparent().tag == "ol":
            element.set(MARKER, match[1])
            element.text = element.text[match.end() :]
        else:
            element.text = _NUMBER.sub(lambda found: f"{found[1]} ", element.text)


def _notes(package: Package, changes: Changes) -> tuple[str, ...]:
    notes: list[str] = []
    if changes.tracked:
        notes.append(f"{changes.tracked} tracked changes were read as accepted.")
    comments = package.xml("word/comments.xml")
    count = 0 if comments is None else sum(1 for _ in comments.iter(W + "comment"))
    if count:
        notes.append(f"{count} comments in the margin were not read.")
    if changes.drawings:
        notes.append(f"{changes.drawings} charts or diagrams were not read: say in the text what they show.")
    return tuple(notes)
