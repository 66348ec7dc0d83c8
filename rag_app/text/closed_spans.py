"""What no cut between sentences may open: inline code, tags, brackets, quotations and cells of HTML tables."""

import re
from bisect import bisect_left

from rag_app.document import Span
from rag_app.text.markdown import code_spans

OPENING = "\"'“”‘«»„「『(（[*_~¿¡"
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPECIAL = re.compile(r"\\.|</?(?:li|tr|td|th|dd|dt)\b|[()\[\]{}（）【】「」『』《》“”„«»\"]", re.IGNORECASE)
_OPENER_OF = {")": "(", "]": "[", "}": "{", "）": "（", "】": "【", "」": "「", "』": "『", "》": "《"}
_MAX_OPEN = 50  # unclosed brackets that are remembered


def closed_spans(masked: str) -> list[Span]:
    """Inline code, tags, brackets, quotations and cells of HTML tables, which no cut may open; merged, in order."""
    code = code_spans(masked)
    code_starts = [start for start, _ in code]
    spans = code + [match.span() for match in TAG.finditer(masked)]
    opened: list[tuple[str, int]] = []

    def close(opener: str, end: int) -> bool:
        for index in range(len(opened) - 1, max(-1, len(opened) - 1 - _MAX_OPEN), -1):
            if opened[index][0] == opener:
                spans.append((opened[index][1], end))
                del opened[index:]
                return True
        return False

    for match in _SPECIAL.finditer(masked):
        mark, (start, end) = match[0].lower(), match.span()
        around = bisect_left(code_starts, end) - 1
        if mark[0] == "\\" or (around >= 0 and end <= code[around][1]):
            continue
        if mark in _OPENER_OF or mark.startswith("</"):
            close(_OPENER_OF.get(mark) or "<" + mark[2:], end)
        elif mark == "”":
            _ = close("“", end) or close("„", end)
        elif mark == "“":
            _ = close("„", end) or opened.append((mark, start))
        elif mark in "«»":  # both ways round are in use
            _ = close("»" if mark == "«" else "«", end) or opened.append((mark, start))
        elif mark == '"':
            may_open = not masked[start - 1 : start].strip(OPENING + "—–-/ ") and masked[end : end + 1].strip() != ""
            may_close = masked[start - 1 : start].strip() != ""
            if not (may_close and close(mark, end)) and may_open:
                opened.append((mark, start))
        else:
            opened.append((mark, start))
    return _merged(sorted(spans))


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
