"""A document: its exact text and what is known about it."""

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Literal

from rag_app.principal import AccessRule

Span = tuple[int, int]
"""Start and end in code points of `Document.text`; the end is exclusive."""
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Unicode's classes of the characters that turn the direction in which the text around them is shown."""


def is_showable(character: str) -> bool:
    """Whether an id or a path may hold this character: not a control character, a line separator, half a surrogate
    pair, or one that makes what stands around it look like something else."""
    return (
        unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        and unicodedata.bidirectional(character) not in _TURNING
    )


@dataclass(frozen=True, slots=True)
class Document:
    """One source text as it was read.

    `text` is the decoded text of the whole file (front matter and CRLF kept, byte order mark dropped), or the text
    extracted from a PDF, Word or HTML file. All offsets anywhere in rag_app are code points in it.
    """

    document_id: str
    title: str
    text: str
    path: str
    """Place within the folder it was read from, with forward slashes; or its URL."""
    source: str
    """What a citation names as the source: `source_path` or `source_name` of the front matter, else `path`."""
    sha256: str
    """Of the file's bytes together with its side file's; of a web page's title and text."""
    markup: Literal["markdown", "plain"]
    """How `text` is structured: Markdown (also what HTML and Word are extracted to), or bare paragraphs."""
    body_start: int = 0
    """Where the text begins after the front matter, which is never part of a passage."""
    page_starts: tuple[int, ...] = ()
    """For a PDF, the offset at which each page begins (page 1 first); else empty."""
    version: str | None = None
    effective_date: date | None = None
    supersedes: tuple[str, ...] = ()
    """Ids of the documents that this one replaces."""
    retrieved: date | None = None
    """For a web page, the day on which its text was fetched."""
    links: tuple[tuple[int, str], ...] = ()
    """For a web page, where links end in `text` and the pages that they lead to, in the index or not."""
    notes: tuple[str, ...] = ()
    """What of the file is not in `text` though it may matter (a scanned page, a tracked deletion), each a sentence."""
    access: AccessRule | None = None
    """What the document itself says about its readers; None where it says nothing."""
    unread_access: tuple[str, ...] = ()
    """Where it says nothing: names of fields of other systems that seem to say who may read it."""

    @property
    def body_sha(self) -> str:
        """SHA-256 of the text after the front matter."""
        return hashlib.sha256(self.text[self.body_start :].encode("utf-8", "surrogatepass")).hexdigest()

    def page_at(self, offset: int) -> int | None:
        """The page (from 1) that holds `offset`; None where the source has no pages."""
        page = None
        for number, start in enumerate(self.page_starts, start=1):
            if start > offset:
                break
            page = number
        return page
