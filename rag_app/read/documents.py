"""Files into documents, each with its exact text, or a problem with its reason."""

import hashlib
import os
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from rag_app.document import Document, is_showable
from rag_app.errors import ReadError, SetupError
from rag_app.read.access_signs import is_own, signs_at_beginning, signs_in_text
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.files import SIDE_FILE_SUFFIX, list_files, read_bytes
from rag_app.read.formats.docling_file import require_docling
from rag_app.read.front_matter import Fields, begins_another, read_fields
from rag_app.read.guard import read_guarded
from rag_app.read.kinds import DOCLING, Kind, kind_of, reason_not_read
from rag_app.read.numerals import SYMBOLS
from rag_app.read.spread import Spread, here
from rag_app.read.title import file_title, first_heading

PdfReader = Literal["layout", "docling"]
MAX_BYTES = 50_000_000
READER_VERSION = "12"
"""Changed whenever a file may become another document than before; an update then reads everything again."""
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A file that did not become a document."""

    path: str
    """Place within the folder, with forward slashes; "." is the folder itself."""
    code: str
    """unsupported, too_large, unreadable, link, name, empty, binary, encoding, broken, encrypted, no_text,
    front_matter, side_file or duplicate_id; of a build also duplicate and nobody."""
    reason: str
    """What is wrong and what to do, in a sentence."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file whose document is known."""

    path: str
    document_id: str


def read_folder(
    folder: Path,
    *,
    max_bytes: int = MAX_BYTES,
    known: Mapping[tuple[str, str], str] | None = None,
    links: bool = True,
    pdf_reader: PdfReader = "layout",
    spread: Spread = here,
) -> Iterator[Document | Problem | Unchanged]:
    """Every file under `folder`, read when its turn comes, in the order of their paths.

    Hidden files are passed over. Whatever else is wrong with a file becomes a Problem. Two documents may have one id:
    which of them keeps it depends on who may read them (`index/build/claims.py`). A file whose path and SHA-256 are in
    `known`, with the id of its document, is hashed and not parsed; `links` says whether links within the folder are
    followed. With `pdf_reader` "docling" that library reads PDFs; `spread` reads files elsewhere. Raises SetupError at
    once where there is no such folder, or no docling where it is asked for.
    """
    if not folder.is_dir():
        raise SetupError(f"There is no folder {folder}: check the path.", folder=str(folder))
    if pdf_reader == "docling":
        require_docling()
    document_of = {path: (sha256, document_id) for (path, sha256), document_id in (known or {}).items()}
    files = (
        (path, obstacle, document_of.get(path.relative_to(folder).as_posix())) for path, obstacle in list_files(folder)
    )
    return spread(partial(_read_one, folder, max_bytes, links, pdf_reader), files)


def _read_one(
    folder: Path,
    max_bytes: int,
    links: bool,
    pdf_reader: PdfReader,
    file: tuple[Path, ReadError | None, tuple[str, str] | None],
) -> Document | Problem | Unchanged:
    """A file, with what keeps it from being read, and the SHA-256 and id of its document where that is known."""
    path, obstacle, known = file
    place = path.relative_to(folder).as_posix()
    try:
        if obstacle:
            raise obstacle
        loaded = _load(path, folder, max_bytes, links)
        if known is not None and known[0] == loaded.sha256:
            return Unchanged(loaded.place, known[1])
        return _parse(loaded, pdf_reader)
    except ReadError as error:
        return Problem(path=_printable(place), code=error.details["code"], reason=str(error))


def read_file(path: Path, root: Path, *, max_bytes: int = MAX_BYTES) -> Document:
    """One file as a Document; `root` is the folder that its path and id are counted from.

    Raises ReadError whose `details["code"]` is that of a Problem.
    """
    return _parse(_load(path, root, max_bytes, links=True))


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    place: str
    kind: Kind
    data: bytes
    side_data: bytes | None
    sha256: str


def _load(path: Path, root: Path, max_bytes: int, links: bool) -> _File:
    place = path.relative_to(root).as_posix()
    if _printable(place) != place:
        raise ReadError("The file's name holds characters that cannot be shown: rename it.", code="name")
    if not _derived_id(place).strip():
        raise ReadError("The file's name consists of spaces: rename it.", code="name")
    kind = kind_of(path.suffix)
    if kind is None:
        raise ReadError(reason_not_read(path.name, path.suffix), code="unsupported")
    data = read_bytes(path, root, max_bytes, links=links)
    sha256 = hashlib.sha256(data)
    side_path = path.with_name(path.name + SIDE_FILE_SUFFIX)
    side_data = read_bytes(side_path, root, max_bytes, links=links) if os.path.lexists(side_path) else None
    if side_data is not None:
        sha256 = hashlib.sha256(sha256.digest() + side_data)
    return _File(path, place, kind, data, side_data, sha256.hexdigest())


def _parse(file: _File, pdf_reader: PdfReader = "layout") -> Document:
    side_file = "" if file.side_data is None else _decode_side_file(file.side_data)
    if not file.data.strip():
        raise ReadError("The file is empty: fill it or remove it.", code="empty")
    kind = DOCLING if pdf_reader == "docling" and file.kind.name == DOCLING.name else file.kind
    found = read_guarded(kind, file.data)
    fields = read_fields(found.front_matter, side_file)
    unread_access = _unread_access(found, fields)
    if not found.text[found.body_start :].strip().strip("\ufeff"):
        raise ReadError("The file has no text of its own: fill it or remove it.", code="empty")
    return Document(
        document_id=fields.document_id or _derived_id(file.place),
        title=fields.title or _title(found) or file_title(file.place),
        text=found.text.translate(SYMBOLS),
        path=file.place,
        source=fields.source or file.place,
        sha256=file.sha256,
        markup=found.markup,
        body_start=found.body_start,
        page_starts=found.page_starts,
        version=fields.version,
        effective_date=fields.effective_date,
        supersedes=fields.supersedes,
        notes=found.notes,
        access=fields.access,
        unread_access=unread_access,
    )


def _unread_access(found: Extracted, fields: Fields) -> tuple[str, ...]:
    """Names of what seems to say who may read the file, where neither front matter nor side file does.

    A text whose readers are stated may be about such fields, unless it opens with another block of them. Raises
    ReadError (code "front_matter") where our own fields stand in a place where they are not read: a rule by pattern
    could show the document to people whom they mean to shut out.
    """
    body = found.text[found.body_start :]
    stated = fields.access is not None
    signs = signs_at_beginning(body) if found.body_start and begins_another(body) else ()
    if not stated:
        signs += signs_in_text(body) + found.access_signs + fields.unread_access
    if any(map(is_own, signs)):
        raise ReadError(
            "It seems to say who may read it, but not in front matter: begin the file with a line of three dashes "
            "(---) and close the block with another, or say it in a side file; mere examples belong in a code block.",
            code="front_matter",
        )
    return () if stated else tuple(dict.fromkeys(signs))


def _title(found: Extracted) -> str:
    """The text's own title, "" where it has none of a title's length."""
    title = found.title
    if not title and found.titled_by_heading and found.markup == "markdown":
        title = first_heading(found.text[found.body_start :])
    return title if len(title) <= _LONGEST_TITLE else ""


def _decode_side_file(data: bytes) -> str:
    try:
        return decode(data)
    except ReadError as error:
        raise ReadError(f"The side file is wrong. {error}", code="side_file") from error


def _derived_id(place: str) -> str:
    """A Markdown file's path without `.md`, any other file's whole path.

    It depends on nothing but the file itself: an id that changed with the files beside it would tell of them.
    """
    return unicodedata.normalize("NFC", place.removesuffix(".md"))


def _printable(text: str) -> str:
    """The text with what cannot be stored or shown (undecodable bytes, control characters) written out."""
    return "".join(c if is_showable(c) else ascii(c)[1:-1] for c in text)
