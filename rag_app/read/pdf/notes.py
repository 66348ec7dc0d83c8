"""Footnotes at the end of a page: marked as such, whole, and with their numbers as they are referred to."""

import re

from rag_app.read.numerals import SUPERSCRIPTS
from rag_app.read.pdf.paragraphs import Block, Paragraph

_NOTE_NUMBER = re.compile(r"^\(?(\d{1,3})[).]?\s+(?=\S)")
_RAISED = str.maketrans(SUPERSCRIPTS)


def mark_notes(blocks: list[Block], body_size: float) -> list[Block]:
    """Footnotes at the end of a page are marked, and put before the last paragraph where it may go on overleaf."""
    count = 0
    for block in reversed(blocks):
        if not (isinstance(block, Paragraph) and block.size <= 0.93 * body_size):
            break
        count += 1
    notes = blocks[len(blocks) - count :]
    while notes and not (isinstance(notes[0], Paragraph) and _is_note(notes[0])):
        notes.pop(0)
    if not notes or len(notes) == len(blocks):
        return blocks
    kept: list[Block] = []
    for note in notes:
        if isinstance(note, Paragraph):
            note.is_note, note.is_item, note.indent = True, False, 0
            if kept and isinstance(kept[-1], Paragraph) and not _is_note(note):  # goes on with the note above
                kept[-1].pieces += note.pieces
                continue
            note.pieces[0].text = _NOTE_NUMBER.sub(_raised, note.pieces[0].text)
        kept.append(note)
    others = blocks[: len(blocks) - len(notes)]
    if isinstance(others[-1], Paragraph) and others[-1].is_closed:
        return [*others, *kept]
    return [*others[:-1], *kept, others[-1]]


def _raised(number: re.Match[str]) -> str:
    """The number of a note as it is referred to, so that both are known to belong together."""
    return number[1].translate(_RAISED) + " "


def _is_note(block: Paragraph) -> bool:
    return bool(re.match(r"[⁰¹²³⁴-⁹*†‡§ᵃ-ᶻ]|\(?\d{1,3}[).]?\s", block.text))
