"""A zipped document (Office, OpenDocument, EPUB): its parts, within limits, as XML that brings nothing in."""

import io
import zipfile
from typing import Any

import lxml.etree

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names

_MOST = 100_000_000
"""Bytes, unpacked, of the parts with text: some ten million words. More is a zip bomb."""
_TEXT_PARTS = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")
_ODF_NAME = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}name"
_OLE = b"\xd0\xcf\x11\xe0"


class Package:
    """The parts of a zipped document."""

    def __init__(self, data: bytes, what: str) -> None:
        """`what` names the kind of file in errors. Raises ReadError ("broken", "encrypted" or "too_large")."""
        self.what = what
        if data.startswith(_OLE):
            raise ReadError(
                f"The {what} file is password-protected or of an old kind: save it in today's format without a "
                "password.",
                code="encrypted",
            )
        try:
            self.archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise self.broken() from error
        parts = self.archive.infolist()
        if any(part.flag_bits & 1 for part in parts):
            raise ReadError(f"The {what} file is encrypted: save it without a password.", code="encrypted")
        if sum(part.file_size for part in parts if part.filename.lower().endswith(_TEXT_PARTS)) > _MOST:
            raise ReadError(f"The {what} file unpacks to more than 100 MB of text: split it up.", code="too_large")
        self.names = set(self.archive.namelist())

    def broken(self) -> ReadError:
        return ReadError(
            f"The {self.what} file is broken and cannot be read: open it and save it again.", code="broken"
        )

    def read(self, name: str) -> bytes:
        """The bytes of a part. Raises ReadError ("broken", or "too_large" where it unpacks to more than it says)."""
        try:
            with self.archive.open(name) as part:
                data = part.read(_MOST + 1)
        except Exception as error:  # zipfile and zlib let many kinds out of broken files
            raise self.broken() from error
        if len(data) > _MOST:
            raise ReadError(f"The {self.what} file unpacks to more than 100 MB: split it up.", code="too_large")
        return data

    def xml(self, name: str) -> Any:
        """The root element of a part; None where there is none. Raises ReadError (code "broken")."""
        if name not in self.names:
            return None
        return parse_xml(self.read(name), self.broken())

    def title(self) -> str:
        """The title in the file's properties; "" without one."""
        root = self.xml("docProps/core.xml")
        return "" if root is None else (root.findtext("{http://purl.org/dc/elements/1.1/}title") or "").strip()

    def access_signs(self) -> tuple[str, ...]:
        """Properties of the file's own that seem to say who may read it, such as the sensitivity labels of Office."""
        office, open_document = self.xml("docProps/custom.xml"), self.xml("meta.xml")
        found = list(office) if office is not None else []
        found += [e for e in open_document.iter() if local(e) == "user-defined"] if open_document is not None else []
        return access_names((e.get("name") or e.get(_ODF_NAME) or "", "".join(e.itertext())) for e in found)


def parse_xml(data: bytes, broken: ReadError) -> Any:
    """The root of XML without entities of its own; raises `broken` for what is no XML."""
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml.etree.fromstring(data, parser)
    except (lxml.etree.XMLSyntaxError, ValueError) as error:
        raise broken from error
    if root.getroottree().docinfo.internalDTD is not None and b"<!ENTITY" in data:
        raise broken
    return root


def local(element: Any) -> str:
    """An element's name without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
