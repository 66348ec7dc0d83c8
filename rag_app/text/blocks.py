"""The blocks of a text: where its headings, paragraphs, list items, table rows and code blocks are.

Not content, and so in no block: markers of lists and quotations, fences, rules, a table's header row (its rows know
it) and delimiter row, comments, link definitions, lines that are only a tag (`[!NOTE]`, `r[rule.id]`, `{#id}`), and
HTML that shows no words.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal

from markdown_it.token import Token

from rag_app.document import Span
from rag_app.text.block import Block, BlockBuilder, Position, is_ended
from rag_app.text.markdown import LEAVES, blank_comments, heading_text, parse_tokens
from rag_app.text.plain import parse_plain
from rag_app.text.sentences import is_run_in_heading

_MAX_HEADING_WORDS = 15  # an underlined "heading" longer than this is a paragraph with a rule below it
_TAG_LINE = re.compile(r"\[![\w-]+\][+-]?|[A-Za-z]{1,8}\[[\w.:/-]+\]|\{[#.:][^{}]*\}|(?:<a\b[^<>]*>\s*</a>\s*)+")
_HTML_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_SPOKEN_ATTRIBUTE = re.compile(r"""\b(?:alt|title|caption|summary|aria-label)\s*=\s*["'][^"']*\w""", re.IGNORECASE)
_UNREADABLE_HTML = re.compile(r"\s*<(?:script|style)\b", re.IGNORECASE)
_PREFORMATTED = re.compile(r"\s*<(?:pre|textarea)\b", re.IGNORECASE)
_CONTAINER_MARKERS = re.compile(r"(?:[>*+\s-]|\d{1,9}[.)](?=\s|$))*")
_DEFINITION_LINE = re.compile(r":\s+\S")


def parse_blocks(text: str, markup: Literal["markdown", "plain"] = "markdown", start: int = 0) -> list[Block]:
    """The blocks of `text[start:]` in reading order; places are code points of `text`. Any text has some reading."""
    return parse_plain(text, start) if markup == "plain" else _MarkdownReader(text, start).read()


@dataclass(slots=True)
class _List:
    marker: str
    above: Block | None
    """What stands above the first item."""
    number: int
    """Of the last item."""
    blocks_at_end: int = 0


@dataclass(slots=True)
class _Container:
    """A list item or quotation that is open, or the page itself."""

    position: Position
    item: Block | None = None
    """The list item whose text is read; in a quotation, and before an item's own text, the one around."""
    own_list: _List | None = None
    """The list of an item whose own text is still to come."""
    number: str = ""
    """`3.` of an item, where nothing stands between it and the item's own text."""
    closed_list: _List | None = None
    """The last list that ended in this container, while another could be its continuation."""


class _MarkdownReader:
    """One pass over the parser's tokens. A paragraph waits in `run` until it is known that nothing continues it."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.offset = text, start
        self.build = BlockBuilder(text, start)
        self.containers = [_Container(self.build.position)]
        self.lists: list[_List] = []
        self.run: list[Span] = []
        self.run_end = -1  # number of the line after it

    def read(self) -> list[Block]:
        tokens, env, starts = parse_tokens(self.text[self.offset :])
        self.line_starts = [self.offset + start for start in starts]
        for index, token in enumerate(tokens):
            match token.type:
                case "paragraph_open":
                    self.add_text(token)
                case "html_block":
                    self.add_html(token)
                case "heading_open":
                    self.add_heading(token, heading_text(tokens[index + 1], env))
                case "fence" | "code_block":
                    self.add_code(token)
                case "table_open":
                    self.add_table(token)
                case "hr":
                    self.add_rule()
                case "bullet_list_open" | "ordered_list_open":
                    self.open_list(token)
                case "list_item_open" | "blockquote_open":
                    self.open_container(token)
                case "bullet_list_close" | "ordered_list_close":
                    closed = self.lists.pop()
                    closed.blocks_at_end = len(self.build.blocks)
                    self.containers[-1].closed_list = closed
                case "list_item_close" | "blockquote_close":
                    self.flush()
                    self.build.return_to(self.containers.pop().position)
        self.flush()
        self.add_left_out({line for token in tokens if token.type in LEAVES for line in range(*token.map or (0, 0))})
        return self.build.blocks

    def spans(self, token: Token) -> list[Span]:
        """The content of the token's lines; empty spans stay, so that they can be counted."""
        return [self.build.trimmed(self.offset + start, self.offset + end) for start, end in token.meta["lines"]]

    def add_text(self, token: Token, lines: list[Span] | None = None) -> None:
        """A paragraph. What follows without a blank line (after a comment, or HTML) belongs to the same text."""
        lines = [line for line in lines or self.spans(token) if line[0] < line[1]]
        first, end = token.map or (0, 0)
        if not self.run or first != self.run_end:
            lines = list(dropwhile(self.is_tag, lines))
        if not lines:
            self.flush()
            self.containers[-1].number = ""
            return
        if self.run and first != self.run_end and not self.build.runs_on(self.run[-1], lines[0]):
            self.flush()
        self.run += lines
        self.run_end = end

    def is_tag(self, line: Span) -> bool:
        return bool(_TAG_LINE.fullmatch(self.text[slice(*line)]))

    def add_html(self, token: Token) -> None:
        if _UNREADABLE_HTML.match(token.content):
            return
        if _PREFORMATTED.match(token.content):
            self.flush()
            self.add_code(token)
        elif _shows_words(token.content):
            self.add_text(token)
        elif self.run and token.map and token.map[0] == self.run_end:
            self.run_end = token.map[1]
        else:
            self.containers[-1].closed_list = None  # a comment is how Markdown sets two lists apart

    def add_heading(self, token: Token, heading: str) -> None:
        first, end = token.map or (0, 0)
        if "lines" in token.meta and (end - first > 2 or len(heading.split()) > _MAX_HEADING_WORDS):
            self.add_text(token, self.spans(token)[:-1])
            self.end_matter()
            return
        self.end_matter()
        self.build.open_section(int(token.tag[1:]), heading, self.line_starts[first])

    def add_rule(self) -> None:
        """A rule ends what stands above it, unless that plainly goes on: an introduction, or half a sentence."""
        last = self.text[slice(*self.run[-1])] if self.run else ""
        if is_ended(last) or is_run_in_heading(last):
            introduction = last.rstrip("*_` ").endswith((":", "："))
            self.end_matter(keep_above=introduction)
        elif not last:
            self.end_matter()

    def end_matter(self, *, keep_above: bool = False) -> None:
        """A heading or rule: what comes below has nothing above it."""
        self.flush()
        if not keep_above:
            self.build.above = None
        self.containers[-1].closed_list = None
        self.containers[-1].number = ""

    def add_code(self, token: Token) -> None:
        """A code block without its fences, from the beginning of its first line."""
        self.flush()
        first, end = token.map or (0, 0)
        if token.type == "fence":
            first += 1
            end = first + token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
        start, stop = self.line_starts[first], self.line_starts[min(end, len(self.line_starts) - 1)]
        if token.type != "fence":
            content = self.offset + token.meta["lines"][0][0]
            if self.text[start:content].strip(" \t>"):  # a list marker stands before it
                start = content
        code = self.text[start:stop]
        if not code.strip():
            return
        blank = len(code) - len(code.lstrip())
        start = max(start, *(start + code.rfind(newline, 0, blank) + 1 for newline in "\r\n"))
        self.containers[-1].number = ""
        end = stop - len(code) + len(code.rstrip())
        self.build.add("code", [(start, end)], self.containers[-1].item, self.build.above)

    def add_table(self, token: Token) -> None:
        self.flush()
        header, _, *rows = self.spans(token)
        self.containers[-1].number = ""
        if not any(self.has_cells(row) for row in rows):
            self.add_rows([header], None)
        else:
            self.add_rows(rows, header if self.has_cells(header) else None)

    def add_rows(self, rows: list[Span], header: Span | None) -> None:
        above = self.build.above
        for row in filter(self.has_cells, rows):
            self.build.add("table_row", [row], self.containers[-1].item, above, header)

    def has_cells(self, row: Span) -> bool:
        return bool(self.text[row[0] : row[1]].strip("| \t"))

    def open_list(self, token: Token) -> None:
        """A list, or the next piece of one that a tag line, or code between numbered steps, has torn apart."""
        self.flush()
        number = int(token.attrs.get("start", 1))
        last = self.containers[-1].closed_list
        goes_on = (
            last is not None
            and last.marker == token.type + token.markup
            and (
                last.blocks_at_end == len(self.build.blocks)
                or (token.type == "ordered_list_open" and number == last.number + 1)
            )
        )
        above = last.above if last and goes_on else self.build.above
        self.lists.append(_List(token.type + token.markup, above, number))

    def open_container(self, token: Token) -> None:
        self.flush()
        outer = self.containers[-1]
        opened = _Container(self.build.position, outer.item)
        outer.number = ""
        if token.type == "list_item_open":
            opened.own_list = self.lists[-1]
            if token.info:
                opened.number = token.info + token.markup
                self.lists[-1].number = int(token.info)
        self.containers.append(opened)

    def flush(self) -> None:
        """Makes a block of the waiting text; text that shows nothing is dropped."""
        lines, self.run = self.run, []
        if not lines or not _shows_words("\n".join(self.text[slice(*line)] for line in lines)):
            return
        if all(self.text[start] == "|" for start, _ in lines):  # rows that have lost their header
            self.add_rows(lines, None)
            return
        container, above, kind = self.containers[-1], self.build.above, "paragraph"
        if container.own_list is not None:
            kind, above, container.own_list = "list_item", container.own_list.above, None
        if container.number:  # a step's number may be referred to: it is kept, where a bullet says nothing
            marker = self.text.rfind(container.number, self.offset, lines[0][0])
            if not self.text[marker + len(container.number) : lines[0][0]].strip():
                lines[0] = (marker, lines[0][1])
            container.number = ""
        whole = any(_DEFINITION_LINE.match(self.text, *line) for line in lines[1:])
        block = self.build.add(kind, lines, container.item, above, whole=whole)
        if kind == "list_item":
            container.item = block

    def add_left_out(self, covered: set[int]) -> None:
        """Lines that lie deeper than the parser reads become paragraphs of the section around them."""
        left_out: list[Block] = []
        for number, (start, end) in enumerate(zip(self.line_starts, self.line_starts[1:], strict=False)):
            if number in covered:
                continue
            markers = _CONTAINER_MARKERS.match(self.text, start, end)
            line = self.build.trimmed(markers.end() if markers else start, end)
            if line[0] < line[1]:
                before = bisect_left(self.build.blocks, line[0], key=lambda block: block.start)
                section = self.build.blocks[before - 1].section if before else self.containers[0].position[0]
                left_out.append(Block("paragraph", (line,), section, None, None))
        if left_out:
            self.build.blocks = sorted(self.build.blocks + left_out, key=lambda block: block.start)


def _shows_words(markup: str) -> bool:
    """Whether a reader of the page would see something of this Markdown or HTML."""
    shown = blank_comments(markup)
    return bool(_SPOKEN_ATTRIBUTE.search(shown) or _HTML_TAG.sub("", shown).strip())
