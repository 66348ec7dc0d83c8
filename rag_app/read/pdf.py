"""PDF into text, page by page. What is laid out stays as pypdf reads it: no words are joined, moved or left out."""

import io
import logging
from itertools import accumulate

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.title import property_title

logging.getLogger("pypdf").addHandler(logging.NullHandler())  # else its notes on odd files go to standard error

_RUBBISH = 0.2
"""Share of characters without a meaning above which a font's encoding is taken to be missing."""


def read_pdf(data: bytes) -> Extracted:
    """The text, the offset at which each page begins, and the title in the file's properties.

    Pages are joined by a form feed and nothing else, as a sentence may run on from one to the next. Raises ReadError
    with the code "broken", "encrypted" or "no_text".
    """
    try:
        pages, title = _extract(data)
    except (DependencyError, FileNotDecryptedError) as error:
        raise ReadError("The PDF is encrypted: save it without a password.", code="encrypted") from error
    except Exception as error:  # pypdf lets KeyError, RecursionError, zlib.error and more out of broken files
        raise ReadError("The PDF is broken and cannot be read: export it again.", code="broken") from error
    whole = "\f".join(pages)
    if not whole.strip():
        raise ReadError(
            "The PDF has no text, it is probably scanned: run text recognition (OCR) on it.", code="no_text"
        )
    unmeaning = sum(c == "\ufffd" or "\ue000" <= c <= "\uf8ff" for c in whole)
    if unmeaning > _RUBBISH * len("".join(whole.split())):
        raise ReadError(
            "The PDF's letters have no readable encoding: export it again, or run OCR on it.", code="no_text"
        )
    starts = accumulate((len(page) + 1 for page in pages[:-1]), initial=0)
    return Extracted(whole, "plain", property_title(title), page_starts=tuple(starts))


def _extract(data: bytes) -> tuple[list[str], str]:
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):  # the empty password opens a file that only forbids printing
        raise FileNotDecryptedError("a password is needed")
    pages = [_clean(page.extract_text()) for page in reader.pages]
    title = reader.metadata.title if reader.metadata else None
    return pages, _clean(title) if isinstance(title, str) else ""


def _clean(text: str) -> str:
    """Text that can be stored: surrogate pairs joined, characters that are none marked as unreadable (U+FFFD)."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return "".join(c if c >= " " or c in "\n\t" else "\ufffd" for c in text).strip("\n").rstrip()
