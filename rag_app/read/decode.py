"""Bytes into text, exactly: which encoding a file is in, and whether it is text at all.

In order: a byte order mark; what an HTML page declares about itself; UTF-16 without a mark where that is plain; UTF-8;
CP1252 (of which Latin-1 text is a part). Text that none of these gives believably is an error, never a guess.
"""

import codecs
import re
import unicodedata

from rag_app.errors import ReadError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SIGNATURES = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive (or an Office file)",
    b"\xd0\xcf\x11\xe0": "an old Office file",
    b"\x89PNG": "an image",
    b"GIF8": "an image",
    b"\xff\xd8\xff": "an image",
    b"\x1f\x8b": "a compressed file",
    b"\x7fELF": "a program",
}
_DECLARED = re.compile(
    rb"""<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""", re.I
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_DECLARED_WITHIN = 4096
"""Bytes in which a page's declaration is looked for; browsers look in the first 1024."""
_CHARSETS = re.compile(
    r"utf-8|iso8859-\d+|cp\d+|koi8-[rut]|shift_jis\w*|euc_\w+|iso2022_jp\w*|gb2312|gbk|gb18030|big5\w*|mac-\w+|tis-620"
)
"""Python's names of the codecs that pages use; its others (utf-7, unicode_escape, zip, ...) are not for pages."""
_WIDER = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
"""What browsers read instead: supersets under which mislabelled pages come out right (WHATWG Encoding Standard)."""
_HIGH_SHARE = 0.4
_HIGH_RUN = re.compile(r"[^\x00-\x7f]{5}")
"""Western text has few accented letters and never five in a row; Cyrillic or Japanese read as CP1252 has both."""
_FEW_CONTROLS = 0.1


def decode(data: bytes, *, html: bool = False, charset: str = "") -> str:
    """The text of `data`, its byte order mark dropped, everything else kept.

    With `html`, the encoding that the page declares in `<meta>` or `<?xml ?>` is followed; `charset`, what the server
    says, overrides that. Raises ReadError with the code "binary" or "encoding".
    """
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise ReadError(f"The file is {kind}, not text: give it the suffix that fits, or remove it.", code="binary")
    text = _decode(data, html, charset)
    controls = sum(map(text.count, _CONTROLS))
    if "\0" in text or controls > _FEW_CONTROLS * len(text):
        raise ReadError("The file holds binary data, not text: remove it or export it as text.", code="binary")
    return text


_CONTROLS = [chr(code) for code in [*range(0x20), *range(0x7F, 0xA0)] if chr(code) not in "\t\n\r\f\v\x85"]


def _decode(data: bytes, html: bool, charset: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data[len(mark) :], encoding, "its byte order mark says")
    if charset.lower() in ("utf-8", "utf8") and _is_utf8(data):
        return data.decode("utf-8")
    if said := _codec(charset, data):
        return _strictly(data, said, "its server says")
    if html and (declared := _declared(data)):
        return _strictly(data, declared, "the page declares")
    if b"\0" in data:
        return _utf16_without_mark(data) or data.decode("latin-1")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _western(data, error.start)


def _strictly(data: bytes, encoding: str, says: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ReadError(
            f"The file is not the {encoding} that {says}: save it again as UTF-8.", code="encoding"
        ) from error


def _declared(data: bytes) -> str | None:
    found = _DECLARED.search(_COMMENT.sub(b"", data[:_DECLARED_WITHIN]))
    return _codec((found[1] or found[2]).decode("ascii", "replace"), data) if found else None


def _codec(charset: str, data: bytes) -> str | None:
    """Python's codec for a declared encoding; None where it says nothing that is not tried anyway."""
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    name = _WIDER.get(name, name)
    if not _CHARSETS.fullmatch(name) or name == "utf-8" or (name == "cp1252" and _is_utf8(data)):
        return None  # what is tried anyway: a page that wrongly says UTF-8 may be CP1252, and the other way round
    return name


def _utf16_without_mark(data: bytes) -> str | None:
    """Text where one byte order gives only assigned characters and more of ASCII than the other order does."""
    readings: list[tuple[int, str]] = []
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        characters = set(text)
        if not any(unicodedata.category(c) in ("Cn", "Co") or c in _CONTROLS for c in characters):
            readings.append((sum(c < "\x80" for c in text), text))
    readings.sort(reverse=True)
    if not readings or not readings[0][0] or (len(readings) > 1 and readings[0][0] == readings[1][0]):
        return None
    return readings[0][1]


def _western(data: bytes, first_bad: int) -> str:
    replaced = data.decode("utf-8", "replace")
    damaged = replaced.count("\ufffd")
    sound = sum(c > "\x7f" for c in replaced) - damaged
    if sound >= damaged:  # CP1252 hardly ever looks like valid UTF-8; as CP1252 all of it would come out wrong
        raise ReadError(
            f"The file is UTF-8 with a damaged byte at {first_bad}: save it again as UTF-8.", code="encoding"
        )
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    foreign = sum(c > "\x7f" for c in text)
    if not text or (foreign > _HIGH_SHARE * len("".join(text.split())) and _HIGH_RUN.search(text)):
        raise ReadError(
            "The file's encoding is not clear (not UTF-8, UTF-16 or Latin-1): save it as UTF-8.", code="encoding"
        )
    return text


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
