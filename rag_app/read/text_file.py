"""Markdown and plain text: the file itself is the text, front matter and all."""

from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.front_matter import refuse_stray_access, split_front_matter


def read_markdown(data: bytes) -> Extracted:
    """The decoded file. Raises ReadError."""
    text = decode(data)
    front_matter, body_start = split_front_matter(text, always=True)
    if not body_start:
        refuse_stray_access(text)
    return Extracted(text, "markdown", front_matter=front_matter, body_start=body_start)


def read_text(data: bytes) -> Extracted:
    """The decoded file; a block at its head that has none of our fields is text. Raises ReadError."""
    text = decode(data)
    front_matter, body_start = split_front_matter(text, always=False)
    if not body_start:
        refuse_stray_access(text)
    return Extracted(text, "plain", front_matter=front_matter, body_start=body_start)
