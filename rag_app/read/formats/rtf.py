"""Rich text (.rtf) as Markdown: paragraphs, headings, lists as they are numbered, tables, text boxes and footnotes.

Own code: striprtf 0.0.35 shows hidden, struck and deleted text, and knows neither headings nor cells over columns.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names, signs_at_beginning
from rag_app.read.extracted import Extracted
from rag_app.read.formats.rtf_tokens import Group, Source, Token, is_unread
from rag_app.read.html.html_pieces import escape
from rag_app.read.html.mathml import shifted
from rag_app.read.pipe_table import Grid, header_rows, joined_header, pipe_table

_NUMBER = re.compile(r"\d{1,9}[.)]")
_TYPED = re.compile(r"\s*([•–·o-]|\(?\d{1,3}[.)]|\(?[a-zA-Z]{1,4}[.)]) *\t\s*(\S.*)", re.S)
_BULLET = re.compile(r"[^\w()]{0,3}|o")
_DELETED = "Deletions in tracked changes"
_EMBEDDED = "Pictures or embedded files"
_PROPERTY = ("propname", "staticval")
_MARKERS = ("listtext", "pntext")
_SAME_EDGE = 40
"""Twips by which the edges of cells of one column may differ."""
_SPARE, _GROWTH = 10_000, 8
"""A table may have so many times its cells, and some more, where cells reach over columns."""
_HEADING = re.compile(r"(?:heading|überschrift|titre|rubrik|kop) ?([1-6])\b", re.I)


@dataclass(slots=True)
class _Paragraph:
    words: list[str] = field(default_factory=list)
    marker: list[str] = field(default_factory=list)
    """The number or bullet that is shown before it."""
    level: int = 0
    heading: int = 0
    left: int = 0
    """Its indentation in twips."""
    hangs: bool = False
    """Whether its first line begins further out."""
    in_table: bool = False


@dataclass(slots=True)
class _Row:
    cells: list[str] = field(default_factory=list)
    kinds: list[tuple[str, int]] = field(default_factory=list)
    """For each cell what it is merged with ("left", "above" or ""), and where it ends, in twips."""
    is_header: bool = False


def read_rtf(data: bytes) -> Extracted:
    """The text as Markdown. Raises ReadError."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ReadError("The file is no RTF: save it again, or as .docx.", code="broken")
    reader = _Reader()
    for token in Source(data).tokens():
        reader.take(token)
    reader.end_paragraph()
    reader.end_table()
    text = _with_pairs("\n".join(reader.lines).strip("\n"))
    if not text:
        raise ReadError("The file holds no text.", code="no_text")
    notes = [f"{what} were not read: {count}." for what, count in reader.lost.items()]
    parts = [text, *(f"[^{number}]: {_with_pairs(note)}" for number, note in enumerate(reader.notes, start=1))]
    title = " ".join(_with_pairs("".join(reader.title)).split())
    said = ["".join(words).strip() for _, words in reader.properties]
    signs = (*signs_at_beginning(text), *access_names(zip(said[::2], said[1::2], strict=False)))
    return Extracted("\n\n".join(parts) + "\n", title=title, access_signs=signs, notes=tuple(notes))


def _with_pairs(text: str) -> str:
    """`text` in which two halves of a character are one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Reader:
    """Takes tokens one by one; lines of Markdown gather in `lines`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.title: list[str] = []
        self.properties: list[tuple[str, list[str]]] = []
        """The names and values of the document's own properties, in turn."""
        self.notes: list[str] = []
        self.lost: dict[str, int] = {}
        self.now = _Paragraph()
        self.waiting: list[tuple[_Paragraph, Group]] = []
        """What a text box or a footnote stands within."""
        self.row = _Row()
        self.rows: list[_Row] = []
        self.cell: list[str] = []
        self.styles: dict[int, int] = {}
        self.widths: list[int] = []
        """Of the markers of the list items that are open."""
        self.lefts: list[int] = []
        """Indentations of the items that are open, where numbers and bullets are only typed."""
        self.kinds: list[bool] = []
        """For each of them whether it is a bullet."""
        self.merged = ""

    def take(self, token: Token) -> None:
        """Reads a token."""
        group = token.group
        if token.kind == "destination":
            self._enter(token.value, group)
        elif token.kind == "title" or (token.kind in _PROPERTY and group.destination == "userprops"):
            group.destination = token.kind
            if token.kind in _PROPERTY:
                self.properties.append((token.kind, []))
        elif token.kind == "}":
            self._leave(group)
        elif token.kind == "text":
            self._text(token.value, group)
        elif group.destination == "stylesheet" and token.kind == "s":
            group.style = token.number or 0
        elif not is_unread(group) and group.destination not in _MARKERS:
            self._control(token.kind, token.number)

    def _enter(self, destination: str, group: Group) -> None:
        if destination in ("pict", "object"):
            self.lost[_EMBEDDED] = self.lost.get(_EMBEDDED, 0) + 1
        elif destination == "annotation":
            self.lost["Comments"] = self.lost.get("Comments", 0) + 1
        elif destination in ("footnote", "shptxt"):
            if destination == "footnote" and group.is_shown:
                self.now.words.append(f"[^{len(self.notes) + 1}]")
            self.waiting.append((self.now, group))
            self.now = _Paragraph()

    def _leave(self, group: Group) -> None:
        if not self.waiting or self.waiting[-1][1] is not group:
            return
        inner, (self.now, _) = self.now, self.waiting.pop()
        words = " ".join("".join(inner.words).split())
        if group.destination == "footnote" and group.is_shown:
            self.notes.append(words)
        elif words and group.is_shown:
            self.lines += [escape(words), ""]

    def _text(self, words: str, group: Group) -> None:
        if group.destination == "title":
            self.title.append(words)
        elif group.destination in _PROPERTY:
            self.properties[-1][1].append(words)
        elif group.destination == "stylesheet" and group.style >= 0 and (found := _HEADING.match(words.strip())):
            self.styles[group.style] = int(found[1])
        elif is_unread(group) or not group.is_shown:
            if group.deleted and words.strip():
                self.lost[_DELETED] = self.lost.get(_DELETED, 0) + 1
        elif group.destination in _MARKERS:
            self.now.marker.append(words)
        else:
            self.now.words.append(shifted(words, group.rise) if group.rise else words)

    def _control(self, word: str, number: int | None) -> None:
        match word:
            case "par" | "sect" | "page":
                self.end_paragraph()
            case "line":
                self.now.words.append("\n")
            case "pard":
                self.now = _Paragraph(self.now.words, self.now.marker)
            case "li":
                self.now.left = number or 0
            case "fi":
                self.now.hangs = (number or 0) < 0
            case "intbl":
                self.now.in_table = True
            case "ilvl":
                self.now.level = min(number or 0, 8)
            case "outlinelevel" if number is not None and number < 6:
                self.now.heading = number + 1
            case "s":
                self.now.heading = self.styles.get(number or 0, 0)
            case "cell" | "nestcell":
                self._end_cell(nested=word == "nestcell")
            case "row":
                self.rows.append(_Row(self.row.cells, list(self.row.kinds), self.row.is_header))
                self.row.cells = []
            case "trowd":
                self.row = _Row(self.row.cells)
            case "trhdr":
                self.row.is_header = True
            case "clmrg" | "clvmrg":
                self.merged = "left" if word == "clmrg" else "above"
            case "cellx":
                self.row.kinds.append((self.merged, number or 0))
                self.merged = ""
            case _:
                pass

    def _end_cell(self, *, nested: bool) -> None:
        words = " ".join("".join([*self.now.marker, " ", *self.now.words]).split())
        self.now = _Paragraph(in_table=True)
        self.cell += [words] if words else []
        if nested:
            self.cell += [";"] if words else []
            return
        self.row.cells.append(" ".join(self.cell).replace(" ;", ";").rstrip("; "))
        self.cell = []

    def end_paragraph(self) -> None:
        """Writes the open paragraph: as part of a cell, a heading, an item of a list or a paragraph."""
        if self.waiting:  # a paragraph of a text box or a footnote
            self.now.words.append(" ")
            return
        now, self.now = self.now, replace(self.now, words=[], marker=[])
        if not now.marker and now.hangs and (typed := _TYPED.match("".join(now.words))):
            now.marker, now.words, now.level = [typed[1]], [typed[2]], self._level(now.left)
        elif not now.left:
            self.lefts = []
        marker = " ".join("".join(now.marker).split())
        lines = [" ".join(line.split()) for line in "".join(now.words).split("\n")]
        lines = [line for line in lines if line]
        if now.in_table:
            self.cell += [" ".join([*([marker] if marker else []), *lines])]
            return
        self.end_table()
        if not lines:
            return
        if now.heading:
            self.lines += [f"{'#' * now.heading} {' '.join([*([marker] if marker else []), *lines])}", ""]
            self.widths, self.kinds = [], []
        elif marker:
            self._item(marker, lines, now.level)
        else:
            self.widths, self.kinds = [], []
            self.lines += ["  \n".join(map(escape, lines)), ""]

    def _level(self, left: int) -> int:
        """The level of an item whose number or bullet is only typed, by how far it is set in."""
        while self.lefts and self.lefts[-1] > left:
            self.lefts.pop()
        if not self.lefts or self.lefts[-1] < left:
            self.lefts.append(left)
        return len(self.lefts) - 1

    def _item(self, marker: str, lines: list[str], level: int) -> None:
        self.widths = self.widths[:level] + [2] * (level - len(self.widths))
        indent = " " * sum(self.widths)
        is_bullet = bool(_BULLET.fullmatch(marker))
        before = self.kinds[level : level + 1]
        self.kinds = [*self.kinds[:level], *[is_bullet] * (level + 1 - len(self.kinds[:level]))]
        if before and before != [is_bullet] and not level:
            self.lines += ["<!-- -->", ""]  # or both lists were one
        if _NUMBER.fullmatch(marker):
            self.lines += [f"{indent}{marker} {' '.join(lines)}", ""]
            self.widths.append(len(marker) + 1)
        else:
            shown = "" if is_bullet else f"{marker} "
            self.lines += [f"{indent}- {shown}{' '.join(lines)}", ""]
            self.widths.append(2)

    def end_table(self) -> None:
        """Writes the rows that were read as a table."""
        rows, self.rows = [row for row in self.rows if any(row.cells)], []
        if not rows:
            return
        self.widths, self.kinds = [], []
        grid = _grid(rows)
        written = grid.rows
        marked = next((at for at, row in enumerate(rows) if not row.is_header), 0)
        count = header_rows(grid, marked)
        if max(map(len, written)) == 1:
            self.lines += [part for row in written for part in (escape(row[0]), "") if row[0]]
        else:
            header = joined_header(grid, count) if count else [""] * max(map(len, written))
            self.lines += [pipe_table(header, written[count:]), ""]


def _grid(rows: list[_Row]) -> Grid:
    """The cells by the columns that they reach over, which their right edges say."""
    edges: list[int] = []
    for edge in sorted(edge for row in rows for _, edge in row.kinds[: len(row.cells)]):
        if not edges or edge > edges[-1] + _SAME_EDGE:
            edges.append(edge)
    if len(edges) * len(rows) > _SPARE + _GROWTH * sum(len(row.cells) for row in rows):
        edges = []  # columns that hardly any two rows share
    grid = Grid(written := list[list[str]]())
    for at, row in enumerate(rows):
        line: list[str] = []
        for text, (kind, edge) in zip_longest(row.cells, row.kinds[: len(row.cells)], fillvalue=("", 0)):
            column = len(line)
            last = max(column, bisect_left(edges, edge - _SAME_EDGE))
            if kind == "above" and at and column < len(written[at - 1]):
                text = written[at - 1][column]
                grid.above.add((at, column))
            elif kind == "left":
                grid.left.add((at, column))
            grid.left.update((at, other) for other in range(column + 1, last + 1))
            line += [str(text), *[""] * (last - column)]
        written.append(line)
    width = max(map(len, written))
    for line in written:
        line += [""] * (width - len(line))
    return grid
