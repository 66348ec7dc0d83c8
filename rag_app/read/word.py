"""Word (.docx) into Markdown, through mammoth's HTML."""

import io
import zipfile

import lxml.etree
import mammoth

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.html import html_to_markdown
from rag_app.read.title import property_title

_MOST_XML = 100_000_000
"""Bytes of XML, unpacked, that a Word file may hold: some ten million words. More is a zip bomb."""
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
_OLE = b"\xd0\xcf\x11\xe0"


def read_word(data: bytes) -> Extracted:
    """The text as Markdown, and the title in the file's properties; pictures are left out.

    Raises ReadError with the code "broken", "encrypted" or "too_large".
    """
    if data.startswith(_OLE):
        raise ReadError(
            "The Word file is password-protected or an old .doc: save it as .docx without one.", code="encrypted"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist() if part.filename.endswith((".xml", ".rels")))
            if unpacked > _MOST_XML:
                raise ReadError("The Word file unpacks to more than 100 MB of text: split it up.", code="too_large")
            title = _title(archive)
        html = mammoth.convert_to_html(
            io.BytesIO(data), style_map=_STYLES, include_embedded_style_map=False, convert_image=lambda image: []
        ).value
    except ReadError:
        raise
    except Exception as error:  # zipfile, expat and mammoth let many kinds out of broken files
        raise ReadError(
            "The Word file is broken and cannot be read: open it in Word and save it again.", code="broken"
        ) from error
    return Extracted(html_to_markdown(html)[1], title=property_title(title))


def _title(archive: zipfile.ZipFile) -> str:
    if "docProps/core.xml" not in archive.namelist():
        return ""
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True)
    root = lxml.etree.fromstring(archive.read("docProps/core.xml"), parser)
    return (root.findtext("{http://purl.org/dc/elements/1.1/}title") or "").strip()
