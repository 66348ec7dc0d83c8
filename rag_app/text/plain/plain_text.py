"""The blocks of plain text, such as a PDF gives: lines wrap inside sentences, pages break, columns are only aligned.

Blank lines part paragraphs; bullets and numbers at the beginning of a line make list items; lines between pipes, below
an underlined header, or whose columns stand below each other are table rows (`plain_tables.py`); underlined lines, and
short ones that stand alone with a section number or in capitals, are headings (`plain_headings.py`). Whatever is in
doubt stays together: a long statement is whole, a wrong cut changes what is said.
"""

import re
from itertools import takewhile

from rag_app.document import Span
from rag_app.text.block import Block, BlockBuilder
from rag_app.text.plain.plain_headings import find_headings
from rag_app.text.plain.plain_lines import BULLETS, LIST_MARKER, SPEAKING_BULLETS, Line, read_lines
from rag_app.text.plain.plain_tables import PlainRow, find_tables

_PLAIN_BULLET = re.compile(rf"[{BULLETS}{SPEAKING_BULLETS}]\s*(?=\S)")
_CLOSED = re.compile(r"""[.!?:;。！？：；؟।][)\]}"'”’»」』）]*$""")
_WRAPPED = 0.7  # a line this long, compared with the longest, was broken by the page and not by its writer
_UNFINISHED = re.compile(r"""[^.!?;\s"'”’»)\]][)\]"'”’»]*$""")
_ROMAN = frozenset("i ii iii iv v vi vii viii ix x xi xii".split())
_INNER = {
    "letter": ("number", "bracketed", "clause"),
    "small": ("number", "bracketed", "clause"),
    "roman": ("letter", "small", "number", "bracketed", "clause"),
    "number": ("bracketed",),
    "bracketed": ("number", "clause"),
}
"""Which kinds of marker a kind is usually nested in."""
_AHEAD = 12
_STAMPED = re.compile(
    r"[\[(]?(?:\d{4}-\d\d-\d\d[T ,]+|\d{1,2}[/.]\d{1,2}[/.]\d{2,4},? )?"
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AP]M)?[\])]?"
    r"(?:\s*[-–—]\s*\d{1,2}:\d\d)?(?:[\s:–—-]+(?![\sa-z])|$)"
)
"""How lines of chats and programmes begin: with a time, and no small letter behind it."""
_FEWEST_STAMPED = 3
_NEAR = 50
"""Blocks above an item among which an earlier item of its numbering is looked for."""


def parse_plain(text: str, start: int = 0) -> list[Block]:
    """The blocks of `text[start:]`, read as plain text."""
    return _PlainReader(text, start).read()


class _PlainReader:
    """One pass over the lines. Lines wait in `run` until it is known that nothing continues them."""

    def __init__(self, text: str, start: int) -> None:
        self.build = BlockBuilder(text, start)
        self.lines = read_lines(text, start)
        self.longest = max((len(line.text) for line in self.lines), default=0)
        self.run: list[Span] = []
        self.items: list[tuple[int, str, Block]] = []
        """The list items that are open, with their indentation and kind of marker, outermost first."""
        self.opening: tuple[int, str, Block | None] | None = None
        """Indentation and kind of marker of the item that waits in `run`, and what stands above its list."""
        self.numbers = {"number": 0, "bracketed": 0}
        """The last of each kind."""
        self.is_stamped = sum(bool(_STAMPED.match(line.text)) for line in self.lines) >= _FEWEST_STAMPED
        self.above_table: Block | None = None

    def read(self) -> list[Block]:
        rows = find_tables(self.lines)
        levels = find_headings(self.lines, rows)
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
                self.add_row(rows[index])
            elif index in levels:
                self.flush()
                self.items = []
                if levels[index]:
                    self.build.open_section(levels[index], " ".join(line.text.split()), line.span[0])
            elif line.is_rule and not any(map(str.isalnum, line.text)):
                gap = True
                continue
            elif marker := self.item_marker(index, gap):
                self.open_item(line, marker)
            elif self.is_stamped and _STAMPED.match(line.text):
                self.flush()
                self.run = [line.span]
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

    def ends_on_page(self, line: Line) -> bool:
        """Whether the text above a page break ends there, as far as one can see."""
        if not self.run or self.build.runs_on(self.run[-1], line.span):
            return False
        last = self.build.text[self.run[-1][0] : self.run[-1][1]]
        return bool(_CLOSED.search(last)) or len(last) < _WRAPPED * self.longest

    def item_marker(self, index: int, gap: bool) -> re.Match[str] | None:
        """The marker that opens a list item; a dash or number that a line wrap put in front opens none."""
        line = self.lines[index]
        marker = LIST_MARKER.match(line.text)
        if not marker:
            return None
        if marker["clause"] and line.text[marker.end()].islower() and not gap:
            return marker if self.is_next_clause(marker["clause"]) else None
        if gap or not self.run or _PLAIN_BULLET.match(line.text):
            return marker
        above = self.build.text[self.run[-1][0] : self.run[-1][1]]
        in_list = self.opening is not None or bool(self.items)
        if marker["number"] and not _CLOSED.search(above):
            follows = in_list and int(marker["number"]) == self.numbers[self.kind_of(line, marker)] + 1
            return marker if follows or (marker["number"] == "1" and self.begins_count(index)) else None
        return marker if _CLOSED.search(above) or in_list else None

    def begins_count(self, index: int) -> bool:
        """Whether the number 1 in a line is the first of a list: a line below it begins with 2, as far in."""
        line = self.lines[index]
        below = takewhile(lambda other: other.text, self.lines[index + 1 : index + _AHEAD])
        second = re.compile(r"\(2\)" if line.text[0] == "(" else r"2[.)]")
        return any(other.indent == line.indent and second.match(other.text) for other in below)

    def is_next_clause(self, clause: str) -> bool:
        """Whether the open item has the number before this one: "2.1" above "2.2"."""
        above = LIST_MARKER.match(self.build.text, *self.run[0]) if self.run and self.opening else None
        outer, _, last = clause.rpartition(".")
        return above is not None and above["clause"] == f"{outer}.{int(last) - 1}"

    def is_outside(self, line: Line) -> bool:
        """Whether a line begins further out than the marker of the item above it; or as far out, in capitals, below a
        short line that ends the item."""
        if self.opening is None or line.indent != self.opening[0]:
            return self.opening is not None and line.indent < self.opening[0]
        last = self.build.text[self.run[-1][0] : self.run[-1][1]]
        return line.text[:1].isupper() and bool(_CLOSED.search(last)) and len(last) < _WRAPPED * self.longest

    def open_item(self, line: Line, marker: re.Match[str]) -> None:
        self.flush()
        above, kind = self.build.above, self.kind_of(line, marker)
        begins = marker["number"] in (None, "0", "1")
        while self.items and self.items[-1][0] >= line.indent and not (begins and self.is_inside(line.indent, kind)):
            indent, inner, item = self.items.pop()
            begins |= (indent, inner) == (line.indent, kind)  # an item of the same list
            above = item if self.is_outer(kind, marker, inner, item) else item.above
        self.opening = line.indent, kind, above
        if marker["number"]:  # letters and bullets stand inside a numbering, which goes on behind them
            self.numbers[kind] = int(marker["number"])
        # A number or letter may be referred to and is kept; a mere bullet says nothing.
        mute = marker["bullet"] and line.text[0] not in SPEAKING_BULLETS
        self.run = [(line.span[0] + (marker.end() if mute else 0), line.span[1])]

    def kind_of(self, line: Line, marker: re.Match[str]) -> str:
        """The kind of a marker; "(i)" is a roman number unless it comes behind "(h)"."""
        if marker["clause"]:
            return f"clause{marker['clause'].count('.')}"
        kind = "bracketed" if marker["number"] and line.text[0] == "(" else marker.lastgroup or ""
        sign = marker["letter"] or marker["small"]
        if sign not in _ROMAN:
            return kind
        for indent, other, item in reversed(self.items):
            if indent == line.indent and other == kind:
                before = self.build.text[item.start : item.end].lstrip("(")[:1]
                return kind if len(sign) == 1 and ord(sign) == ord(before) + 1 else "roman"
        return "roman"

    def is_outer(self, kind: str, marker: re.Match[str], inner: str, item: Block) -> bool:
        """Whether an item goes on with a numbering around the list that ends above it, and so is not introduced by the
        line above that list: "3. Limits" below "We grant a license: (a) ... (b) ..."."""
        family = kind.rstrip("0123456789")
        if inner != "bullet":
            return family in _INNER.get(inner, ())
        if family not in ("number", "bracketed", "clause") or marker["number"] == "1":
            return False
        siblings = (other for other in reversed(self.build.blocks[-_NEAR:]) if other.above is item.above)
        return not any(self.build.text[other.start].isdigit() for other in siblings)

    def is_inside(self, indent: int, kind: str) -> bool:
        """Whether an item of this kind belongs to the last open one, although it is not further in: "(a)" below "(1)
        Guests may not:", where no letter is open yet."""
        at, other, last = self.items[-1]
        if any(at == indent and kind == open_kind for at, open_kind, _ in self.items):
            return False
        text = self.build.text[last.start : last.end]
        if at != indent:
            return False
        return (
            text.endswith((":", "："))
            or (other.rstrip("0123456789") in _INNER.get(kind, ()) and bool(_UNFINISHED.search(text)))
            or (kind.startswith("clause") and other.startswith("clause") and kind > other)
        )

    def add_row(self, row: PlainRow) -> None:
        self.flush()
        if row.begins_table:
            self.items = []
            self.above_table = self.build.above
        if row.lines:
            self.build.add("table_row", list(row.lines), None, self.above_table, row.header, group=row.group)

    def flush(self) -> None:
        lines, self.run = self.run, []
        opening, self.opening = self.opening, None
        item = self.items[-1][2] if self.items else None
        if lines and opening:
            self.items.append((*opening[:2], self.build.add("list_item", lines, item, opening[2])))
        elif lines:
            self.build.add("paragraph", lines, item, self.build.above)
