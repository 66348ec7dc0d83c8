"""E-books (.epub): the chapters in reading order."""

import re
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from rag_app.errors import ReadError
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.office.package import Package, local
from rag_app.read.title import property_title

_CONTAINER = "META-INF/container.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_LINK = re.compile(r"<link\b[^<>]{1,1000}>", re.IGNORECASE)
_HREF = re.compile(r"\shref\s*=\s*[\"']([^\"']+\.css)[\"']", re.IGNORECASE)
_PAGES = ("application/xhtml+xml", "text/html")


def read_epub(data: bytes) -> Extracted:
    """All chapters of the spine as Markdown. Raises ReadError (also "encrypted" for a book with copy protection)."""
    package = Package(data, "EPUB")
    container = package.xml(_CONTAINER)
    if container is None:
        raise package.broken()
    name = next((e.get("full-path", "") for e in container.iter() if local(e) == "rootfile"), "")
    book = package.xml(name)
    if book is None:
        raise package.broken()
    protected = package.xml("META-INF/encryption.xml")
    ciphers = [e for e in protected.iter() if local(e) == "CipherReference"] if protected is not None else []
    locked = {unquote(cipher.get("URI", "")) for cipher in ciphers}
    items = {e.get("id"): e for e in book.iter() if local(e) == "item"}
    parts: list[str] = []
    notes: list[str] = []
    for reference in (e for e in book.iter() if local(e) == "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
            continue
        place = normpath(join(dirname(name), unquote(item.get("href", ""))))
        if place in locked:
            raise ReadError("The EPUB is copy-protected: its text cannot be read.", code="encrypted")
        if place not in package.names:
            notes.append(f"The chapter {place} is missing in the file.")
            continue
        page = decode(package.read(place), html=True)
        text = html_to_markdown(_styles(package, place, page) + page)[1].strip("\n")
        parts += [text] if text else []
    title = property_title(book.findtext(f".//{_DC}title") or "")
    return Extracted("\n\n".join(parts) + "\n", title=title, notes=tuple(notes))


def _styles(package: Package, place: str, page: str) -> str:
    """The book's own style sheets that a chapter names, as a `<style>` element: they may hide some of it."""
    hrefs = (found[1] for link in _LINK.findall(page) if (found := _HREF.search(link)))
    names = dict.fromkeys(normpath(join(dirname(place), unquote(href))) for href in hrefs)
    sheets = [decode(package.read(name)).replace("</", "") for name in names if name in package.names]
    return f"<style>{''.join(sheets)}</style>" if sheets else ""
