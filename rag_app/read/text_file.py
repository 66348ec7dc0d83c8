"""Markdown and plain text: the file itself is the text, front matter and all.

What nobody is to read in it (struck or hidden words, heads and feet of printed pages) is overwritten with spaces, and
columns of a plain text that stand side by side are set below each other.
"""

from rag_app.read.access_signs import signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.front_matter import split_front_matter
from rag_app.read.markdown_dialects import plain_markdown
from rag_app.text.plain.drawn import with_plain_frames
from rag_app.text.plain.page_margins import page_margins
from rag_app.text.plain.ruled_columns import with_piped_columns
from rag_app.text.plain.side_by_side import one_after_the_other
from rag_app.text.unseen import blank_unseen, blanked


def read_markdown(data: bytes) -> Extracted:
    """The decoded file. Raises ReadError."""
    text = decode(data)
    front_matter, body_start = split_front_matter(text, always=True)
    return Extracted(
        blank_unseen(plain_markdown(text, body_start), body_start),
        "markdown",
        front_matter=front_matter,
        body_start=body_start,
        access_signs=() if body_start else signs_at_beginning(text),
    )


def read_text(data: bytes) -> Extracted:
    """The decoded file; a block at its head that has none of our fields is text. Raises ReadError."""
    text = decode(data)
    front_matter, body_start = split_front_matter(text, always=False)
    text = blanked(text, page_margins(text, body_start))
    text = text[:body_start] + with_piped_columns(one_after_the_other(with_plain_frames(text[body_start:])))
    return Extracted(
        text,
        "plain",
        front_matter=front_matter,
        body_start=body_start,
        access_signs=() if body_start else signs_at_beginning(text),
    )
