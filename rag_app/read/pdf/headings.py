"""Which paragraphs of a document are headings, and of which level."""

import re

from rag_app.read.pdf.paragraphs import Block, Paragraph, marker_kind

_CAPTION = re.compile(r"(?:tab(?:le|elle)?|fig(?:ure)?|abb(?:ildung)?)\.?\s*\d", re.IGNORECASE)
"""What stands above or below a table or figure heads nothing else."""
_MAX_HEADING_WORDS = 15
_MAX_HEADING_LINES = 3
_MAX_TITLE_WORDS = 8
_LARGER = 1.12


def mark_headings(blocks: list[Block], body_size: float, body_bold: bool) -> None:
    """Sets the level of paragraphs that are headings: larger than the text, or in bold where the text is not."""
    found = [block for block in blocks if isinstance(block, Paragraph) and _is_heading(block, body_size, body_bold)]
    sizes = sorted({round(block.size) for block in found if block.size >= _LARGER * body_size}, reverse=True)
    for block in found:
        larger = block.size >= _LARGER * body_size
        block.level = min(6, sizes.index(round(block.size)) + 1 if larger else len(sizes) + 1)
        block.is_item, block.indent = False, 0


def mark_title(blocks: list[Block]) -> None:
    """The first line of a document is its title where it is short and no sentence, and stands apart from the text."""
    first = blocks[0] if len(blocks) > 1 else None
    if not isinstance(first, Paragraph) or first.level or first.is_item or len(first.pieces) > 1 or first.is_alone:
        return
    words = first.text.split()
    if 1 < len(words) <= _MAX_TITLE_WORDS and words[0][:1].isupper() and words[-1][-1].isalpha():
        first.level = 0 if any(map(str.isdigit, first.text)) else 1


def _is_heading(block: Paragraph, body_size: float, body_bold: bool) -> bool:
    text = block.text
    if (
        block.boxed
        or len(block.pieces) > _MAX_HEADING_LINES
        or len(text.split()) > _MAX_HEADING_WORDS
        or text[-1] in ".,;:"
    ):
        return False
    if not any(c.isalpha() or c == "§" for c in text) or marker_kind(text) == "bullet" or text[0] in "*·→⇒–—-":
        return False
    if text[0].islower() or _CAPTION.match(text):
        return False
    return block.size >= _LARGER * body_size or (block.bold and not body_bold and block.size >= 0.95 * body_size)
