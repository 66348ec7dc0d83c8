"""Blocks of pages into one plain text, in which headings are underlined and rows of tables stand between pipes.

A paragraph is one line. One that runs over columns or pages is one too, and the page that its later words stand on
begins in the middle of it.
"""

import re
from collections import Counter
from collections.abc import Sequence

from rag_app.read.pdf.hyphens import begun_line
from rag_app.read.pdf.paragraphs import Block, Paragraph, TableBlock
from rag_app.read.pdf.tables.grids import Row, Table

UNDERLINES = "=-~^+."
"""What stands below a heading of each level, the outermost first."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def write_pages(pages: Sequence[Sequence[Block]]) -> tuple[str, tuple[int, ...]]:
    """The text of all pages and the offset at which each begins."""
    blocks = _joined([block for page in pages for block in page])
    return _Writer(_words(blocks), len(pages)).write(blocks)


def _words(blocks: list[Block]) -> Counter[str]:
    """How often each word stands in the text, by which a hyphen at a line's end is judged."""
    words = Counter[str]()
    for block in blocks:
        if isinstance(block, Paragraph):
            for piece in block.pieces:
                words.update(word.lower() for word in _WORD.findall(piece.text))
    return words


def _joined(blocks: list[Block]) -> list[Block]:
    """The blocks, with those as one that a page or column break has torn apart."""
    result: list[Block] = []
    for block in blocks:
        last = result[-1] if result else None
        before = result[-2] if len(result) > 1 else None
        if isinstance(last, Paragraph) and isinstance(block, Paragraph) and _runs_on(before, last, block):
            last.pieces += block.pieces
            last.last_right, last.right = block.last_right, block.right
        elif isinstance(last, TableBlock) and isinstance(block, TableBlock) and _is_continued(last, block):
            rows = block.table.rows
            repeated = (
                block.table.headers if block.table.headers else int(_cells(rows[:1]) == _cells(last.table.rows[:1]))
            )
            last.table.rows += rows[repeated:]
            last.more += [(len(last.table.rows) - len(rows) + repeated, block.page)]
        else:
            result.append(block)
    return result


def _runs_on(before: Block | None, above: Paragraph, below: Paragraph) -> bool:
    if any(block.level or block.is_note or block.is_alone for block in (above, below)) or not below.starts_column:
        return False
    if above.is_closed or abs(above.size - below.size) > 0.08 * above.size or above.bold != below.bold:
        return False
    if below.text[:1].islower():
        return True
    if isinstance(before, Paragraph) and before.is_item and above.is_item and not before.is_closed:
        return False  # items of a list that are no sentences
    return above.is_full and not below.is_item and not above.text.endswith(":")


def _is_continued(above: TableBlock, below: TableBlock) -> bool:
    """Whether a table goes on overleaf: its columns stand where they stood, under no header or the same one."""
    one, other = above.table, below.table
    if below.page == above.last_page or len(one.columns) != len(other.columns):
        return False
    if any(abs(a - b) > 8 for a, b in zip(one.columns, other.columns, strict=True)):
        return False
    return not other.headers or _cells(other.rows[: other.headers]) == _cells(one.rows[: one.headers])


def _cells(rows: list[Row]) -> list[list[str]]:
    return [row.cells for row in rows]


class _Writer:
    def __init__(self, words: Counter[str], pages: int) -> None:
        self.words, self.pages = words, pages
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = [0]
        self.last: Block | None = None

    def write(self, blocks: list[Block]) -> tuple[str, tuple[int, ...]]:
        for block in blocks:
            if self.last is not None:
                self.put("\n" if _same_list(self.last, block) else "\n\n")
            if isinstance(block, TableBlock):
                self.table(block)
            else:
                self.paragraph(block)
            self.last = block
        while len(self.starts) < self.pages:
            self.put("\n")
            self.starts.append(self.length)
        return "".join(self.parts), tuple(self.starts)

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def turn_to(self, page: int) -> None:
        """Begins a page here, and the empty ones before it; each begins at a place of its own."""
        while len(self.starts) <= page:
            if self.starts[-1] == self.length:
                self.put("\n")
            self.starts.append(self.length)

    def paragraph(self, block: Paragraph) -> None:
        self.turn_to(block.pieces[0].page)
        self.put("  " * block.indent)
        begun = self.length
        for number, piece in enumerate(block.pieces):
            if number:
                self.join(piece.text)
                self.turn_to(piece.page)
            self.put(piece.text)
        if block.level:
            self.put("\n" + UNDERLINES[block.level - 1] * max(3, self.length - begun))

    def join(self, below: str) -> None:
        """Puts what parts a line from the one above."""
        above = self.parts.pop()
        self.length -= len(above)
        self.put(begun_line(above, below, self.words))

    def table(self, block: TableBlock) -> None:
        table = block.table
        self.turn_to(block.page)
        turns = dict(block.more)
        if table.headers:
            self.put(_line(_one_header(table)) + "\n" + _line(["---"] * len(table.rows[0].cells)))
        for number, row in enumerate(table.rows[table.headers :], start=table.headers):
            if number:
                self.put("\n")
            if number in turns:
                self.turn_to(turns[number])
            self.put(_line(row.cells[:1] if row.is_whole else row.cells))


def _one_header(table: Table) -> list[str]:
    """The header rows as one: what stands below each other belongs together."""
    rows = [row.spread or row.cells for row in table.rows[: table.headers]]
    return [" ".join(dict.fromkeys(cell for cell in column if cell)) for column in zip(*rows, strict=True)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _same_list(above: Block, below: Block) -> bool:
    return isinstance(above, Paragraph) and isinstance(below, Paragraph) and above.is_item and below.is_item
