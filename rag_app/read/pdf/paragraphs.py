"""Lines of a column into paragraphs, list items, headings and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

from rag_app.read.pdf.columns import Column
from rag_app.read.pdf.segments import Segment
from rag_app.read.pdf.tables.grids import Table
from rag_app.read.pdf.tables.labels import follows
from rag_app.text.plain.plain_lines import BULLETS, SPEAKING_BULLETS

_BULLET = re.compile(rf"[{BULLETS}▢{SPEAKING_BULLETS}]|o(?=\s)")
_NUMBERED = re.compile(r"(?:\(?(?:(?P<number>\d{1,3})|[a-zA-Z]|[ivxlc]{1,6})[.)]|\d{1,3}(?:\.\d{1,3})+\.?|[*·→⇒–—-])\s")
_LETTERED = re.compile(r"\(?([a-zA-Z]{1,5})[.)]\s")
_LEADER = re.compile(r"(?:\. ?){5,}\s*[\divxlc]{0,6}$", re.IGNORECASE)
"""Dots that lead to a page number: a line of a table of contents."""
_CLOSED = re.compile(r"""[.!?:;。！？；][)\]}"'”’»⁰¹²³⁴-⁹*†‡]*$""")
_PARTED = re.compile(r"\w[-‐]$")
_NUMBER = re.compile(
    r"(?:§+|art(?:icle|ikel|\.)|section|chapter|kapitel|abschnitt|part|teil|annex|anhang|anlage|schedule)"
    r"\s*(?:\d{1,3}[a-z]?|[IVXLC]+)\.?",
    re.IGNORECASE,
)
_APART = 1.3
"""Of the usual distance of lines: a wider one parts paragraphs."""
_FAR = 4.0
"""Of the usual distance of lines: what stands further below is in no item."""
_INDENT = 0.8
_NEAR = 5
"""Lines above and below by which it is seen how far lines run before they wrap."""
_SENTENCE_WORDS = 4
_LABEL_WORDS = 4


@dataclass(slots=True)
class Piece:
    """A line of a paragraph and the page that it stands on, from 0."""

    text: str
    page: int


@dataclass(slots=True)
class Paragraph:
    """Lines that are one text."""

    pieces: list[Piece]
    size: float
    bold: bool
    left: float
    right: float
    """Edge up to which lines of the column run."""
    indent: int = 0
    """Levels further in than the column."""
    is_item: bool = False
    is_note: bool = False
    """True for a footnote."""
    level: int = 0
    """Of a heading, 1 the outermost; 0 for text."""
    boxed: bool = False
    """True where it stands with other text in a box."""
    is_alone: bool = False
    """True for a label with its value."""
    starts_column: bool = False
    """True for the first text of a page or column: it may go on with what stands before."""
    last_right: float = 0.0
    """Where the last line ends."""
    first_width: float = 0.0
    """How wide the first word is."""

    @property
    def text(self) -> str:
        return " ".join(piece.text for piece in self.pieces)

    @property
    def is_closed(self) -> bool:
        return bool(_CLOSED.search(self.pieces[-1].text))

    @property
    def is_full(self) -> bool:
        """Whether the last line reaches so far that the next word may not have fitted."""
        return self.last_right > self.right - 4 * self.size


@dataclass(slots=True)
class TableBlock:
    """A table, which may go on overleaf."""

    table: Table
    page: int
    more: list[tuple[int, int]] = field(default_factory=list)
    """Rows (their numbers) with which a later page begins, and that page."""

    @property
    def last_page(self) -> int:
        return self.more[-1][1] if self.more else self.page


Block = Paragraph | TableBlock
Kind = Literal["bullet", "number", ""]


def make_blocks(column: Column, page: int) -> Iterator[Block]:
    """The blocks of a column from top to bottom."""
    lines: list[Segment] = []
    blocks: list[Block] = []
    for item in column.items:
        if isinstance(item, Table):
            blocks += _paragraphs(lines, column, page)
            lines = []
            blocks.append(TableBlock(item, page))
        else:
            lines.append(item)
    blocks += _paragraphs(lines, column, page)
    if blocks and isinstance(blocks[0], Paragraph):
        blocks[0].starts_column = True
    yield from blocks


def _paragraphs(lines: list[Segment], column: Column, page: int) -> Iterator[Paragraph]:
    if not lines:
        return
    usual = _usual_step(lines)
    run, left = [lines[0]], lines[0].left
    item_left: float | None = lines[0].left if marker_kind(lines[0].text) else None
    number = _number(lines[0].text)
    bare = False
    for at, (above, line) in enumerate(pairwise(lines), start=1):
        edge = max(near.right for near in lines[max(0, at - _NEAR) : at + _NEAR])
        if line.left < above.left - _INDENT * line.size:
            edge = max(edge, column.right)
        following = lines[at + 1] if at + 1 < len(lines) else None
        if (
            _introduces(line, following, run)
            or _parts(above, line, run, edge, usual, number if item_left is not None else None)
            or (bare and _closes_list(lines[at : at + _NEAR], run, usual))
        ):
            bare = bool(marker_kind(run[0].text)) and run[-1].text[-1:].isalnum()
            yield _paragraph(run, column, page, item_left, left)
            left = (
                left if line.base - above.base < 0.2 * line.size else line.left
            )  # boxes to tick in one line are level
            if line.base - above.base > _FAR * usual:
                item_left = None
            kind = marker_kind(line.text)
            if kind:
                item_left = line.left
                number = _number(line.text)
            elif item_left is not None and line.left < item_left + 0.5 * line.size:
                item_left = None
            run = [line]
        else:
            run.append(line)
    yield _paragraph(run, column, page, item_left, left)


def _introduces(line: Segment, following: Segment | None, run: list[Segment]) -> bool:
    """Whether a line behind a list introduces the next one: "Never do:" above an item, as far out as the marker."""
    return (
        following is not None
        and line.text.endswith(":")
        and line.text[:1].isupper()
        and bool(marker_kind(following.text))
        and bool(marker_kind(run[0].text))
        and line.left <= run[0].left + 0.3 * line.size
    )


def _closes_list(lines: list[Segment], run: list[Segment], usual: float) -> bool:
    """Whether a sentence that is no part of a list begins below one whose items end without a full stop: in capitals,
    as far out as the marker, and with a full stop at its end."""
    first = lines[0]
    if not marker_kind(run[0].text) or not first.text[:1].isupper() or first.left > run[0].left + 0.3 * first.size:
        return False
    end = next(
        (n for n, (a, b) in enumerate(pairwise(lines), 1) if marker_kind(b.text) or b.base - a.base > _APART * usual),
        len(lines),
    )
    words = sum(len(line.words) for line in lines[:end])
    return words >= _SENTENCE_WORDS and run[-1].text[-1:].isalnum() and bool(_CLOSED.search(lines[end - 1].text))


def _usual_step(lines: list[Segment]) -> float:
    """The distance of lines within paragraphs."""
    steps = [b.base - a.base for a, b in pairwise(lines) if abs(a.size - b.size) < 0.1 * a.size]
    close = [step for step in steps if 0 < step < 2.2 * lines[0].size]
    usual = median(close) if close else 1.25 * lines[0].size
    tight = min(close, default=usual)
    return tight if usual > 1.5 * tight else usual


def _parts(above: Segment, line: Segment, run: list[Segment], edge: float, usual: float, number: int | None) -> bool:
    """Whether a new paragraph begins with a line."""
    step = line.base - above.base
    open_above = not _CLOSED.search(above.text)
    goes_on = open_above and (line.text[:1].islower() or bool(_PARTED.search(above.text)))
    if above.alone or line.alone or _LEADER.search(above.text):
        return True
    if step <= 0 or abs(line.size - above.size) > 0.08 * max(line.size, above.size):
        return True
    if len(run) == 1 and above.bold and _names(above, line):
        return False
    if line.first_rise == 1 and len(line.words) > 1 and not line.words[1].joined:
        return True
    if step > _APART * usual and not (goes_on and step < 1.8 * usual):
        return True
    if line.bold != above.bold and (not goes_on or edge - above.right > line.first_width + 2 * line.size):
        return True
    if _begins_item(above, line, run, edge, number):
        return True
    if marker_kind(run[0].text) and line.left < run[0].left - 0.3 * line.size:
        return True
    if not open_above and _begins_bold(run[0]) and _begins_bold(line):
        return True
    if goes_on:
        return False
    slack = edge - above.right
    had_room = slack > line.first_width + (0.6 if not open_above else 1.0) * line.size
    if had_room and (not open_above or line.text[:1].isupper()):
        return True
    if line.left - above.left > _INDENT * line.size and not marker_kind(run[0].text):
        return not open_above
    hanging = len(run) > 1 or marker_kind(run[0].text)
    return above.left - line.left > _INDENT * line.size and bool(hanging) and not open_above


def _names(above: Segment, line: Segment) -> bool:
    """Whether a bold line is of one text with the one below it: "WARNING" in a box, or "§ 2" above its title."""
    if above.boxed and line.boxed and not line.bold:
        return len(above.words) <= _LABEL_WORDS
    return (
        line.bold and bool(_NUMBER.fullmatch(above.text)) and line.text[:1].isupper() and not _CLOSED.search(line.text)
    )


def _begins_bold(line: Segment) -> bool:
    """Whether a line begins with a term in bold and goes on in other letters, as entries of a list of terms do."""
    return line.words[0].bold and not line.bold


def _begins_item(above: Segment, line: Segment, run: list[Segment], edge: float, number: int | None) -> bool:
    """Whether a line opens a list item. A number that a line wrap put in front opens none."""
    kind = marker_kind(line.text)
    if not kind:
        return False
    if kind == "bullet" or _CLOSED.search(above.text):
        return True
    if edge - above.right > line.first_width + 2 * line.size:
        return True  # there would have been room for it in the line above
    if (number is not None and _number(line.text) == number + 1) or _is_next(run[0].text, line.text):
        return True
    return bool(marker_kind(run[0].text)) and line.left <= run[0].left + 0.3 * line.size < above.left


def marker_kind(text: str) -> Kind:
    """The kind of list marker that a text begins with."""
    if _BULLET.match(text):
        return "bullet"
    return "number" if _NUMBERED.match(text) else ""


def _is_next(item: str, line: str) -> bool:
    """Whether a line begins with the sign of an item, or the letter that follows its: "(b)" below "(a)"."""
    if item[0] == line[0] and item[0] in "*·→⇒–—-":
        return bool(marker_kind(item))
    before, after = _LETTERED.match(item), _LETTERED.match(line)
    return before is not None and after is not None and follows(before[1].lower(), after[1].lower())


def _number(text: str) -> int:
    match = _NUMBERED.match(text)
    return int(match["number"]) if match and match["number"] else 0


def _paragraph(run: list[Segment], column: Column, page: int, item_left: float | None, left: float) -> Paragraph:
    first, last = run[0], run[-1]
    is_item = bool(marker_kind(first.text))
    inside = item_left is not None and (is_item or first.left > item_left + 0.5 * first.size)
    return Paragraph(
        [Piece(line.text, page) for line in run],
        first.size,
        all(line.bold for line in run),
        first.left,
        column.right,
        indent=max(0, round((left - column.left) / first.size)) if inside else 0,
        is_item=is_item,
        boxed=all(line.boxed for line in run),
        is_alone=any(line.alone for line in run),
        last_right=last.right,
        first_width=first.first_width,
    )
