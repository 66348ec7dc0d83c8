"""What a text is made of: sections, and blocks with their exact places. `blocks.py` finds them."""

import re
from dataclasses import dataclass
from typing import Literal

from rag_app.document import Span
from rag_app.text.table_groups import names_of_groups

BlockKind = Literal["paragraph", "list_item", "table_row", "code"]

_CHECK_BOX = re.compile(r"\\?\[[xX ]\\?\]\s")
_ENDED = re.compile(r"""[.!?:;…。！？：；؟।۔|>][)\]}"'”’»」』）*_`~]*\s*$""")


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A stretch of text under one heading. Two sections may have the same path; they are told apart by identity."""

    path: tuple[str, ...]
    """Heading texts without markup, outermost first; empty before the first heading."""
    start: int
    """Where the heading begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A paragraph, the own text of a list item, a table row, or a code block."""

    kind: BlockKind
    lines: tuple[Span, ...]
    """The text line by line, without what belongs to the page and not to the text: line ends, `> ` and indentation.
    A code block, in which indentation is text, is one span over whole lines."""
    section: Section
    item: "Block | None"
    """The list item that the block lies in; for a list item, the one it is nested in."""
    above: "Block | None"
    """The block directly above, in the same section; for an item or a row, the one above its list or table."""
    header: Span | None = None
    """For a table row, the table's header row."""
    whole: bool = False
    """True where the text is never cut into sentences: a term with its definition."""
    group: Span | None = None
    """For a table row, what a row above it says of all rows below: "Boats", with nothing else in its row."""

    @property
    def start(self) -> int:
        return self.lines[0][0]

    @property
    def end(self) -> int:
        return self.lines[-1][1]


Position = tuple[Section, tuple[tuple[int, str], ...]]
"""A section, and the levels and texts of the headings above it."""


class BlockBuilder:
    """Collects blocks in reading order and keeps what the next one needs: the section, and the block above."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.position: Position = (Section((), start), ())
        self.above: Block | None = None
        """The block just added; None where a heading or rule came after it."""

    def open_section(self, level: int, heading: str, start: int) -> None:
        """Begins a section under a heading of `level`, 1 the outermost. An empty heading only ends the one before."""
        headings = tuple(entry for entry in self.position[1] if entry[0] < level)
        if heading:
            headings += ((level, heading),)
        self.position = Section(tuple(text for _, text in headings), start), headings
        self.above = None

    def return_to(self, position: Position) -> None:
        """Goes back to an earlier section: headings inside a quotation or a list item end with it."""
        if self.position[0] is not position[0]:
            self.position = position
            self.above = None

    def add(
        self,
        kind: BlockKind,
        lines: list[Span],
        item: Block | None,
        above: Block | None,
        header: Span | None = None,
        whole: bool = False,
        group: Span | None = None,
    ) -> Block:
        """Adds a block; see the fields of `Block`."""
        block = Block(kind, tuple(lines), self.position[0], item, above, header, whole, group)
        self.blocks.append(block)
        self.above = block
        return block

    def add_rows(self, rows: list[list[Span]], item: Block | None, header: Span | None) -> None:
        """Adds the rows of a table, each of one or more lines."""
        above = self.above
        texts = [[self.text[start:end] for start, end in row] for row in rows]
        for row, group in zip(rows, names_of_groups(texts, [row[0][0] for row in rows]), strict=True):
            self.add("table_row", row, item, above, header, group=group)

    def trimmed(self, start: int, end: int) -> Span:
        """The span without white space at its ends; empty where there is nothing else."""
        piece = self.text[start:end]
        start += len(piece) - len(piece.lstrip())
        return start, start + len(piece.strip())

    def runs_on(self, before: Span, after: Span) -> bool:
        """Whether a sentence plainly runs on from one line to the other, past a blank line, comment or page break."""
        return begins_small(self.text[after[0] : after[1]]) and not is_ended(self.text[before[0] : before[1]])


def begins_small(line: str) -> bool:
    """Whether the words of a line begin with a small letter; the sign in a check box is none of them."""
    return line.lstrip("\"'“‘«([*_")[:1].islower() and not _CHECK_BOX.match(line)


def is_ended(line: str) -> bool:
    """Whether a line ends as a sentence, an introduction or markup does."""
    return bool(_ENDED.search(line))
