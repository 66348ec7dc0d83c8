"""The blocks of plain text, such as a PDF gives: lines wrap inside sentences, pages break, columns are only aligned.

Blank lines part paragraphs; bullets and numbers at the beginning of a line make list items; lines whose columns stand
below each other are table rows; a short line that stands alone, in capitals or with a section number, is a heading
where text follows. Whatever is in doubt stays together: a long statement is whole, a wrong cut changes what is said.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from rag_app.document import Span
from rag_app.text.block import Block, BlockBuilder

_LINE = re.compile(r"([^\r\n\f\x85\u2028\u2029]*)(\r\n|[\r\n\f\x85\u2028\u2029]|$)")
_PLAIN_BULLET = re.compile(r"[•‣▪◦●○∙]\s*(?=\S)")
_MARKER = re.compile(
    r"(?P<bullet>[•‣▪◦●○∙]\s*|[-*+·–—]\s+)(?=\S)|(?:\(?(?P<number>\d{1,3})[.)]|\((?P<letter>[a-zA-Z]|[ivx]{1,5})\)|(?P<small>[a-z])\))\s+(?=\S)"
)
_SECTION_NUMBER = re.compile(r"\d{1,3}((?:\.\d{1,3})*)\.?\s+(?=[^\W\d_])")
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—]?\s*\d{1,4}\s*[-–—]?(?:\s*(?:/|of)\s*\d{1,4})?", re.IGNORECASE)
_COLUMN_GAP = re.compile(r"(?<! )[ ]*\t\s*|(?<![.!?:;,\s])[ ]{2,}")
_CLOSED = re.compile(r"""[.!?:;。！？：；؟।][)\]}"'”’»」』）]*$""")
_MAX_HEADING_WORDS = 8
_WRAPPED = 0.7  # a line this long, compared with the longest, was broken by the page and not by its writer


@dataclass(slots=True)
class _Line:
    span: Span
    """Without white space at the ends."""
    text: str
    indent: int
    page_break_before: bool
    page_break_after: bool
    cells: list[Span]
    """Where the parts between wide gaps begin and end, counted from the beginning of the line."""

    @property
    def is_page_number(self) -> bool:
        return (self.page_break_before or self.page_break_after) and bool(_PAGE_NUMBER.fullmatch(self.text))


def parse_plain(text: str, start: int = 0) -> list[Block]:
    """The blocks of `text[start:]`, read as plain text."""
    return _PlainReader(text, start).read()


class _PlainReader:
    """One pass over the lines. Lines wait in `run` until it is known that nothing continues them."""

    def __init__(self, text: str, start: int) -> None:
        self.build = BlockBuilder(text, start)
        self.lines = _lines(text, start)
        self.longest = max((len(line.text) for line in self.lines), default=0)
        self.run: list[Span] = []
        self.items: list[tuple[int, str, Block]] = []
        """The list items that are open, with their indentation and kind of marker, outermost first."""
        self.opening: tuple[int, str, Block | None] | None = None
        """Indentation and kind of marker of the item that waits in `run`, and what stands above its list."""
        self.number = 0

    def read(self) -> list[Block]:
        rows = _tables(self.lines)
        levels = _heading_levels(self.lines, rows)
        gap, new_page = True, False
        for index, line in enumerate(self.lines):
            new_page |= line.page_break_before
            gap |= not line.text
            if not line.text or line.is_page_number:
                continue
            if new_page and not gap:
                gap = self.ends_on_page(line)
            new_page = False
            if index in rows:
                self.add_row(*rows[index])
            elif index in levels:
                self.flush()
                self.items = []
                self.build.open_section(levels[index], " ".join(line.text.split()), line.span[0])
            elif marker := self.item_marker(line, gap):
                self.open_item(line, marker)
            elif not self.run or ((gap or self.is_outside(line)) and not self.build.runs_on(self.run[-1], line.span)):
                self.flush()
                while self.items and (not gap or line.indent <= self.items[-1][0]):
                    self.items.pop()
                self.run = [line.span]
            else:
                self.run.append(line.span)
            gap = False
        self.flush()
        return self.build.blocks

    def ends_on_page(self, line: _Line) -> bool:
        """Whether the text above a page break ends there, as far as one can see."""
        if not self.run or self.build.runs_on(self.run[-1], line.span):
            return False
        last = self.build.text[self.run[-1][0] : self.run[-1][1]]
        return bool(_CLOSED.search(last)) or len(last) < _WRAPPED * self.longest

    def item_marker(self, line: _Line, gap: bool) -> re.Match[str] | None:
        """The marker that opens a list item; a dash or number that a line wrap put in front opens none."""
        marker = _MARKER.match(line.text)
        if not marker or gap or not self.run or _PLAIN_BULLET.match(line.text):
            return marker
        above = self.build.text[self.run[-1][0] : self.run[-1][1]]
        in_list = self.opening is not None or bool(self.items)
        follows = marker["bullet"] or marker["number"] is None or int(marker["number"]) == self.number + 1
        return marker if _CLOSED.search(above) or (in_list and follows) else None

    def is_outside(self, line: _Line) -> bool:
        """Whether a line begins further out than the marker of the item above it."""
        return self.opening is not None and line.indent < self.opening[0]

    def open_item(self, line: _Line, marker: re.Match[str]) -> None:
        self.flush()
        above, kind = self.build.above, marker.lastgroup or ""
        while self.items and self.items[-1][0] >= line.indent and not self.is_inside(line.indent, kind):
            above = self.items.pop()[2].above
        self.opening = line.indent, kind, above
        self.number = int(marker["number"] or 0)
        # A number or letter may be referred to and is kept; a bullet says nothing.
        self.run = [(line.span[0] + (marker.end() if marker["bullet"] else 0), line.span[1])]

    def is_inside(self, indent: int, kind: str) -> bool:
        """Whether an item of this kind belongs to the last open one, although it is not further in: "(a)" below "(1)
        Guests may not:", where no letter is open yet."""
        if any(at == indent and kind == other for at, other, _ in self.items):
            return False
        return self.items[-1][0] == indent and self.build.text[: self.items[-1][2].end].endswith((":", "："))

    def add_row(self, lines: list[Span], header: Span | None, is_first: bool) -> None:
        self.flush()
        if is_first:
            self.items = []
            self.above_table = self.build.above
        if lines:
            self.build.add("table_row", lines, None, self.above_table, header)

    def flush(self) -> None:
        lines, self.run = self.run, []
        opening, self.opening = self.opening, None
        item = self.items[-1][2] if self.items else None
        if lines and opening:
            self.items.append((*opening[:2], self.build.add("list_item", lines, item, opening[2])))
        elif lines:
            self.build.add("paragraph", lines, item, self.build.above)


def _lines(text: str, start: int) -> list[_Line]:
    lines: list[_Line] = []
    page_break = False
    for match in _LINE.finditer(text, start):
        content = match[1]
        stripped = content.strip()
        indent = len(content) - len(content.lstrip())
        begin = match.start() + indent
        gaps = [gap.span() for gap in _COLUMN_GAP.finditer(content.rstrip(), indent)]
        starts, ends = [indent, *(gap[1] for gap in gaps)], [*(gap[0] for gap in gaps), indent + len(stripped)]
        cells = list(zip(starts, ends, strict=True))
        ends_page = match[2] == "\f"
        lines.append(_Line((begin, begin + len(stripped)), stripped, indent, page_break, ends_page, cells))
        page_break = ends_page
    filled = [number for number, line in enumerate(lines) if line.text]
    for above, below in pairwise(filled):  # blank lines around a page break do not hide it
        breaks = any(line.page_break_before for line in lines[above + 1 : below + 1])
        lines[above].page_break_after = lines[below].page_break_before = breaks
    return lines


def _heading_levels(lines: list[_Line], rows: dict[int, tuple]) -> dict[int, int]:
    """The level of each line that is plainly a heading. Look-alikes in a row are a list, or a notice in capitals."""
    levels: dict[int, int] = {}
    filled = [index for index, line in enumerate(lines) if line.text]
    for position, index in enumerate(filled):
        line = lines[index]
        alone = (position == 0 or filled[position - 1] < index - 1 or line.page_break_before) and (
            position + 1 < len(filled) and filled[position + 1] > index + 1
        )
        if not alone or index in rows or len(line.text.split()) > _MAX_HEADING_WORDS or line.text[-1] in ".!?:;,":
            continue
        number = _SECTION_NUMBER.match(line.text)
        if number and not line.text[number.end()].islower():
            levels[index] = number[1].count(".") + 2
        elif line.text.isupper() and sum(map(str.isalpha, line.text)) >= 4:
            levels[index] = 1
    in_row = {
        index
        for above, below in pairwise(filled)
        if above in levels and levels.get(above) == levels.get(below)
        for index in (above, below)
    }
    return {index: level for index, level in levels.items() if index not in in_row}


def _tables(lines: list[_Line]) -> dict[int, tuple[list[Span], Span | None, bool]]:
    """For each line of a table: the row that begins there (empty in a row's later lines), its header, whether it is
    the table's first line."""
    found: dict[int, tuple[list[Span], Span | None, bool]] = {}
    index = 0
    while index < len(lines):
        first = index
        index += 1
        if len(lines[first].cells) < 2 or _MARKER.match(lines[first].text):
            continue
        table = [[first]]
        while index < len(lines) and (line := lines[index]).text and not line.page_break_before:
            if _stands_below(line, lines[first]):
                table.append([index])
            elif len(line.cells) == 1 and line.indent >= lines[first].cells[1][0]:
                table[-1].append(index)  # a cell that goes on in the next line
            else:
                break
            index += 1
        if len(table) < 2:
            index = first + 1
            continue
        header = lines[first].span if _is_header(lines, table) else None
        for row in table:
            spans = [lines[number].span for number in row]
            found[row[0]] = spans, header if row[0] != first else None, row[0] == first
            found.update({number: ([], None, False) for number in row[1:]})
    return found


def _stands_below(line: _Line, first: _Line) -> bool:
    """Whether each cell begins or ends where one of the table's first row does, or tabs part as many cells."""
    if len(line.cells) < 2 or _MARKER.match(line.text):
        return False
    if "\t" in line.text and "\t" in first.text:
        return len(line.cells) == len(first.cells)
    return all(
        any(abs(start - other_start) <= 1 or abs(end - other_end) <= 1 for other_start, other_end in first.cells[1:])
        for start, end in line.cells[1:]
    )


def _is_header(lines: list[_Line], table: list[list[int]]) -> bool:
    """A first row without figures above rows with figures. It stays a row of its own too, as this is a guess."""
    with_figures = [any(re.search(r"\d", lines[number].text) for number in row) for row in table]
    return len(table) > 2 and len(table[0]) == 1 and not with_figures[0] and sum(with_figures) * 2 > len(table) - 1
