"""The blocks of a text: where its headings, paragraphs, list items, table rows and code blocks are.

Not content, and so in no block: markers of lists and quotations, fences, rules, a table's header row (its rows know
it) and delimiter row, comments, link definitions, lines that are only a tag (`[!NOTE]`, `r[rule.id]`, `{#id}`), what
is struck out, and HTML that shows no words.
"""

import re
from bisect import bisect_left
from itertools import dropwhile, pairwise
from typing import Literal

from markdown_it.token import Token

from rag_app.document import Span
from rag_app.text.block import Block, BlockBuilder, is_ended
from rag_app.text.containers import Container, OpenList
from rag_app.text.markdown import LEAVES, blank_comments, heading_text, parse_tokens
from rag_app.text.plain.grid_table import grid_rows, is_grid
from rag_app.text.plain.plain_text import parse_plain
from rag_app.text.sentences import count_words, is_run_in_heading
from rag_app.text.unseen import unseen_spans, without_spans

_MAX_HEADING_WORDS = 15  # an underlined "heading" longer than this is a paragraph with a rule below it
_TAG_LINE = re.compile(r"\[![\w-]+\][+-]?|[A-Za-z]{1,8}\[[\w.:/-]+\]|\{[#.:][^{}]*\}|(?:<a\b[^<>]*>\s*</a>\s*)+")
_HTML_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_SPOKEN_ATTRIBUTE = re.compile(r"""\b(?:alt|title|caption|summary|aria-label)\s*=\s*["'][^"']*\w""", re.IGNORECASE)
_UNREADABLE_HTML = re.compile(r"\s*<(?:script|style)\b", re.IGNORECASE)
_PREFORMATTED = re.compile(r"\s*<(?:pre|textarea)\b", re.IGNORECASE)
_CONTAINER_MARKERS = re.compile(r"(?:[>*+\s-]|\d{1,9}[.)](?=\s|$))*")
_DEFINITION_LINE = re.compile(r":\s+\S")
_FOOTNOTE_LINE = re.compile(r"\[\^[^\]\s]{1,40}\]:(?=\s|$)")
_MAX_DEFINITION_WORDS = 80  # a longer definition is cut into sentences, as a list item is


def parse_blocks(text: str, markup: Literal["markdown", "plain"] = "markdown", start: int = 0) -> list[Block]:
    """The blocks of `text[start:]` in reading order; places are code points of `text`. Any text has some reading."""
    return parse_plain(text, start) if markup == "plain" else _MarkdownReader(text, start).read()


class _MarkdownReader:
    """One pass over the parser's tokens. A paragraph waits in `run` until it is known that nothing continues it."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.offset = text, start
        self.build = BlockBuilder(text, start)
        self.containers = [Container(self.build.position)]
        self.lists: list[OpenList] = []
        self.run: list[Span] = []
        self.run_end = -1  # number of the line after it

    def read(self) -> list[Block]:
        tokens, env, starts = parse_tokens(self.text[self.offset :])
        self.line_starts = [self.offset + start for start in starts]
        code = [token.map for token in tokens if token.type in ("fence", "code_block") and token.map]
        self.unseen = unseen_spans(self.text, [(self.line_starts[first], self.line_starts[end]) for first, end in code])
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
        if self.run and first != self.run_end and not self.goes_on(lines[0]):
            self.flush()
        self.run += lines
        self.run_end = end

    def goes_on(self, line: Span) -> bool:
        """Whether a line belongs to the waiting text although a blank line stands between: ":   text" below a term."""
        if _DEFINITION_LINE.match(self.text, *line):
            return count_words(self.text[self.run[0][0] : self.run[-1][1]]) <= _MAX_DEFINITION_WORDS
        return self.build.runs_on(self.run[-1], line)

    def is_definition(self) -> bool:
        """Whether the waiting text is a definition or footnote, below which indented text is no code."""
        return any(
            _DEFINITION_LINE.match(self.text, *line) or _FOOTNOTE_LINE.match(self.text, *line) for line in self.run
        )

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
        if token.type == "code_block" and self.is_definition():
            self.run += [line for line in self.spans(token) if line[0] < line[1]]
            return
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
        self.build.add_rows([[row] for row in rows if self.has_cells(row)], self.containers[-1].item, header)

    def has_cells(self, row: Span) -> bool:
        return any(self.text[start:end].strip("| \t~") for start, end in without_spans([row], self.unseen))

    def add_grid(self, lines: list[Span]) -> None:
        rows, header = grid_rows(self.text, lines)
        self.build.add_rows([row for row in rows if any(map(self.has_cells, row))], self.containers[-1].item, header)

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
        self.lists.append(OpenList(token.type + token.markup, above, number))

    def open_container(self, token: Token) -> None:
        self.flush()
        outer = self.containers[-1]
        opened = Container(self.build.position, outer.item)
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
        if is_grid([self.text[slice(*line)] for line in lines]):
            self.add_grid(lines)
            return
        if lines and all(self.text[start] == "|" for start, _ in lines):  # rows that have lost their header
            self.add_rows(lines, None)
            return
        seen = without_spans(lines, self.unseen)
        if seen != lines:
            lines = [span for span in (self.build.trimmed(*span) for span in seen) if span[0] < span[1]]
        if not lines or not _shows_words("\n".join(self.text[slice(*line)] for line in lines)):
            return
        notes = [n for n, line in enumerate(lines) if n and _FOOTNOTE_LINE.match(self.text, *line)]
        for first, end in pairwise([0, *notes, len(lines)]):
            self.add_lines(lines[first:end])

    def add_lines(self, lines: list[Span]) -> None:
        container, above, kind = self.containers[-1], self.build.above, "paragraph"
        if container.own_list is not None:
            kind, above, container.own_list = "list_item", container.own_list.above, None
        if container.number:  # a step's number may be referred to: it is kept, where a bullet says nothing
            marker = self.text.rfind(container.number, self.offset, lines[0][0])
            if not self.text[marker + len(container.number) : lines[0][0]].strip():
                lines[0] = (marker, lines[0][1])
            container.number = ""
        whole = any(_DEFINITION_LINE.match(self.text, *line) for line in lines[1:])
        if whole and kind == "paragraph" and count_words(self.text[lines[0][0] : lines[-1][1]]) > _MAX_DEFINITION_WORDS:
            block = self.build.add("list_item", lines, container.item, above)
        else:
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
