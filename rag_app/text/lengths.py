"""How long statements are: lines that are no prose stand alone, and long code and text without an end are cut."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from rag_app.document import Span

MAX_LETTERS = 3000
"""A statement has no more characters: what has no end is cut at line ends."""
MAX_CODE_LINES = 60
_FEW_LINES, _MANY_LINES = 4, 8
_CODE_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n]|(?<=[^\r\n])$)")
_CODE_INDENT = re.compile(r"[ \t>]*")
_BLANK = re.compile(r"\s*")
_RECORD = re.compile(
    r"[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.:]\d\d[-/.:]\d\d|\d{9,}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
    r"|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+\w{1,3}\s+\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
"""How a line of a log begins: with a date, a time or a level."""


def bounded(text: str, span: Span) -> Iterator[Span]:
    """A span, or pieces of one that has no end: cut at line ends, else between words, else anywhere."""
    start, end = span
    while end - start > MAX_LETTERS:
        limit = start + MAX_LETTERS
        cut = max(text.rfind("\n", start + 1, limit), text.rfind("\r", start + 1, limit))
        if cut < 0:
            cut = text.rfind(" ", start + 1, limit)
        if cut < 0 or not text[start:cut].strip():
            cut = limit
        yield start, start + len(text[start:cut].rstrip())
        blank = _BLANK.match(text, cut, end)
        start = blank.end() if blank else cut
    if start < end:
        yield start, end


def lines_apart(text: str, lines: tuple[Span, ...], sentence: Span) -> list[Span]:
    """A sentence of a block with these lines, or its own lines where they are no prose: records of a log, each with
    what is indented below it, or many lines that hardly ever go on in small letters."""
    first, last = (bisect_right(lines, (at, len(text))) - 1 for at in (sentence[0], sentence[1] - 1))
    if last - first + 1 < _FEW_LINES:
        return [sentence]
    own = [(max(start, sentence[0]), min(end, sentence[1])) for start, end in lines[first : last + 1]]
    own = [(start, end) for start, end in own if start < end]
    records = [at for at, line in enumerate(own) if _RECORD.match(text, *line)]
    if len(records) * 2 >= len(own):
        starts = [0, *(at for at in records if at)]
        return [(own[at][0], own[after - 1][1]) for at, after in pairwise([*starts, len(own)])]
    small = sum(text[start].islower() for start, _ in own)
    return own if small * 4 <= len(own) and len(own) >= _MANY_LINES else [sentence]


def code_parts(text: str, start: int, end: int) -> list[Span]:
    """Runs of whole lines, each up to a blank line below which the code is back at its outermost indentation."""
    code = text[start:end]
    lines = [match.span() for match in _CODE_LINE.finditer(code)]
    if len(lines) <= MAX_CODE_LINES:
        return [(start, end)]
    indents = [_CODE_INDENT.match(code, *line).end() - line[0] for line in lines]  # type: ignore[union-attr]
    filled = [bool(code[start:end].strip(" \t\r\n>")) for start, end in lines]
    outermost = min(indent for indent, is_filled in zip(indents, filled, strict=True) if is_filled)
    seams = [n for n in range(1, len(lines)) if filled[n] and not filled[n - 1] and indents[n] == outermost]
    parts: list[Span] = []
    first = 0
    for seam, following in pairwise([*seams, len(lines)]):
        if following - first > MAX_CODE_LINES:
            parts.append((first, seam))
            first = seam
    parts.append((first, len(lines)))
    return [(start + lines[first][0], start + len(code[: lines[last - 1][1]].rstrip())) for first, last in parts]
