"""The lines of plain text, with what tells headings, rows and prose apart."""

import re
from dataclasses import dataclass
from itertools import pairwise

from rag_app.document import Span

_LINE = re.compile(r"([^\r\n\f\x85\u2028\u2029]*)(\r\n|[\r\n\f\x85\u2028\u2029]|$)")
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—]?\s*\d{1,4}\s*[-–—]?(?:\s*(?:/|of)\s*\d{1,4})?", re.IGNORECASE)
_TAB = re.compile(r" *\t *")
_WIDE_GAP = re.compile(r"(?<=[^\s.])[ ]?(?:\.{5,}|(?:\.[ ]){4,}\.?)[ ]*(?=\S)|(?<![.!?:;,\s])[ ]{2,}")
"""Also the dots that lead from a name to its value."""
_PIPED = re.compile(r"\|.*\|")
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[-=_~*#+^.\"'`:─━═]{3,}|(?:[-=*_] ){2,}[-=*_]")
_DELIMITER = re.compile(r"(?=.*-{2}|.*={2})[|+: \t=-]+")
BULLETS = "•‣▪▫▸►▶◦●○∙■□◾◻◆◇❖❏❐❑❒➢➤➔"
SPEAKING_BULLETS = "✓✔✗✘✖✕✅❌☐☑☒"
"""Bullets that say something about the item, and stay with it."""
LIST_MARKER = re.compile(
    rf"(?P<bullet>[{BULLETS}{SPEAKING_BULLETS}]\s*|(?:[-+·–—→⇒]|\*{{1,4}})\s+|o[ \t]{{2,}})(?=\S)"
    r"|(?:(?P<clause>\d{1,3}(?:\.\d{1,3})+)\.?"
    r"|\(?(?P<number>\d{1,3})[.)]"
    r"|\((?P<letter>[a-zA-Z]|[ivx]{1,5})\)"
    r"|(?P<small>[a-z]|[ivx]{1,5})\))\s+(?=\S)"
)


@dataclass(slots=True)
class Line:
    """One line of plain text."""

    span: Span
    """Without white space at the ends."""
    text: str
    indent: int
    page_break_before: bool
    page_break_after: bool
    cells: list[Span]
    """Where the parts between tabs, pipes or wide gaps begin and end, counted from the beginning of the line."""

    @property
    def is_page_number(self) -> bool:
        return (self.page_break_before or self.page_break_after) and bool(_PAGE_NUMBER.fullmatch(self.text))

    @property
    def is_rule(self) -> bool:
        """Whether the line is drawn and holds no words."""
        return bool(_RULE.fullmatch(self.text) or self.is_delimiter)

    @property
    def is_delimiter(self) -> bool:
        """Whether the line parts a table's header from its rows, or one row of a drawn table from the next."""
        return bool(_DELIMITER.fullmatch(self.text))

    @property
    def is_piped(self) -> bool:
        return bool(_PIPED.fullmatch(self.text)) and not self.is_delimiter

    @property
    def has_tabs(self) -> bool:
        return "\t" in self.text


def read_lines(text: str, start: int) -> list[Line]:
    """The lines of `text[start:]`, blank ones included."""
    lines: list[Line] = []
    page_break = False
    for match in _LINE.finditer(text, start):
        content = match[1]
        stripped = content.strip()
        indent = len(content) - len(content.lstrip())
        begin = match.start() + indent
        ends_page = match[2] == "\f"
        cells = _cells(content.rstrip(), indent)
        lines.append(Line((begin, begin + len(stripped)), stripped, indent, page_break, ends_page, cells))
        page_break = ends_page
    filled = [number for number, line in enumerate(lines) if line.text]
    for above, below in pairwise(filled):  # blank lines around a page break do not hide it
        breaks = any(line.page_break_before for line in lines[above + 1 : below + 1])
        lines[above].page_break_after = lines[below].page_break_before = breaks
    return lines


def _cells(content: str, indent: int) -> list[Span]:
    """Every tab parts two cells, so that an empty one stays a cell; between pipes likewise."""
    if content[indent : indent + 1] == "|" and len(content) > indent + 1:
        pipes = [match.start() for match in _PIPE.finditer(content, indent)]
        return [(left + 1, right) for left, right in pairwise(pipes)] or [(indent, len(content))]
    parter = _TAB if "\t" in content[indent:] else _WIDE_GAP
    gaps = [gap.span() for gap in parter.finditer(content, indent)]
    starts, ends = [indent, *(gap[1] for gap in gaps)], [*(gap[0] for gap in gaps), len(content)]
    return list(zip(starts, ends, strict=True))
