"""Heads and feet of pages in a plain text that was laid out for printing, as RFCs and manual pages are."""

import re
from collections import Counter

from rag_app.document import Span

_LINE = re.compile(r"[^\n\f]*(?:\n|\f|\Z)")
_FOOT = re.compile(r"(?:.*\s)?\[page \d{1,4}\]", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_WIDE_GAP = re.compile(r"\S {3,}\S")


def page_margins(text: str, start: int = 0) -> list[Span]:
    """The lines that belong to the paper, in order: "[Page 4]" at the foot, and what stands at the head of page after
    page, or in parts with wide gaps between them."""
    if "\f" not in text and "[page " not in text.lower():
        return []
    feet: list[Span] = []
    heads: list[tuple[str, Span]] = []
    new_page = False
    for match in _LINE.finditer(text, start):
        line = match[0].strip()
        if line and _FOOT.fullmatch(line):
            feet.append(match.span())
            new_page = True
        elif line and new_page:
            heads.append((_DIGITS.sub("#", line), match.span()))
            new_page = False
        new_page |= match[0].endswith("\f")
    counts = Counter(key for key, _ in heads)
    repeated = [span for key, span in heads if counts[key] > 2 or (feet and (counts[key] > 1 or _WIDE_GAP.search(key)))]
    return sorted([*feet, *repeated])
