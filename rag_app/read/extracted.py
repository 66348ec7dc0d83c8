"""What a reader makes of a file's bytes, before anything is known about the document."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one file."""

    text: str
    markup: Literal["markdown", "plain"] = "markdown"
    """How `text` is structured."""
    title: str = ""
    """From a page's <title> or a file's properties; "" without one."""
    titled_by_heading: bool = True
    """Whether the first heading is the title of a text that has none; not where headings name parts of a table."""
    front_matter: str = ""
    body_start: int = 0
    """Where the text begins after front matter."""
    access_signs: tuple[str, ...] = ()
    """Names of what seems to say who may read the file and is not read (`access_signs.py`)."""
    page_starts: tuple[int, ...] = ()
    """For a PDF, the offset at which each page begins; else empty."""
    notes: tuple[str, ...] = ()
    """What of the file is not in `text` although it may matter, each a sentence for the build report."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of one file."""

    made: Any
    """What its reader made of it; None where it could not be read."""
    code: str = ""
    reason: str = ""
    swelled: bool = False
    """Whether memory ran out, so that the process had better end."""
