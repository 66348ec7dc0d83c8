"""What a reader makes of a file's bytes, before anything is known about the document."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one file."""

    text: str
    markup: Literal["markdown", "plain"] = "markdown"
    """How `text` is structured."""
    title: str = ""
    """From a page's <title> or a file's properties; "" without one."""
    front_matter: str = ""
    body_start: int = 0
    """Where the text begins after front matter."""
    page_starts: tuple[int, ...] = ()
    """For a PDF, the offset at which each page begins; else empty."""
    notes: tuple[str, ...] = ()
    """What of the file is not in `text` although it may matter, each a sentence for the build report."""
