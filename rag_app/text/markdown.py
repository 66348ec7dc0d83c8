"""Markdown as block tokens with exact places, by markdown-it-py (CommonMark and tables)."""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, code, html_block, lheading, paragraph, reference, table
from markdown_it.token import Token

from rag_app.document import Span

_MAX_NESTING = 60  # levels of lists and quotations; the parser leaves out what lies deeper, and its own default is 20
_TRAILING_ANCHOR = re.compile(r"(?:\s*\{\s*[#.:][^{}]*\}|\s+#+|\s*[¶🔗])\s*$")

LEAVES = frozenset(
    ("paragraph_open", "html_block", "heading_open", "fence", "code_block", "table_open", "hr", "definition")
)
"""Token types that stand for lines of the text; all others are containers and inner parts."""

_LOCATED = (  # with the rules that each may interrupt, as the parser sets them up: replacing a rule would clear them
    ("table", table, ["paragraph", "reference"]),
    ("code", code, []),
    ("html_block", html_block, ["paragraph", "reference", "blockquote"]),
    ("lheading", lheading, []),
    ("paragraph", paragraph, []),
)


def parse_tokens(source: str) -> tuple[list[Token], dict[str, Any], list[int]]:
    """The block tokens of `source`, the parser's environment (link definitions), and where each line begins.

    `token.meta["lines"]` of a paragraph, underlined heading, table, indented code or HTML block holds a span of
    `source` per line, from the first character of its content (after indentation and the markers of lists and
    quotations) to the line's end.
    """
    # The parser makes line ends alike, which would move every place after a "\r\n": do it here, length for length.
    source = source.replace("\r\n", " \n").replace("\r", "\n")
    env: dict[str, Any] = {}
    tokens = _parser().parse(source, env)
    return tokens, env, [0] + [match.end() for match in re.finditer("\n", source)] + [len(source)]


def heading_text(inline: Token, env: dict[str, Any]) -> str:
    """A heading's words: no emphasis, links, HTML or trailing anchors; white space collapsed."""
    parts: list[Token] = []
    _parser().inline.parse(inline.content, _parser(), env, parts)
    words = "".join(
        " " if part.type in ("softbreak", "hardbreak") else part.content
        for part in parts
        if part.type not in ("html_inline",)
    )
    return _TRAILING_ANCHOR.sub("", " ".join(words.split()))


def code_spans(text: str) -> list[Span]:
    """Inline code, with its backticks: a run of backticks to the next run of the same length (CommonMark 6.1)."""
    runs = [match.span() for match in re.finditer("`+", text)]
    closers: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        closers.setdefault(runs[index][1] - runs[index][0], []).append(index)
    spans: list[Span] = []
    done = 0
    for index, (start, end) in enumerate(runs):
        later = closers[end - start]
        while later and later[-1] <= index:
            later.pop()
        if start >= done and later and not _is_escaped(text, start):
            done = runs[later[-1]][1]
            spans.append((start, done))
    return spans


def _is_escaped(text: str, at: int) -> bool:
    before = text[max(0, at - 20) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def blank_comments(text: str) -> str:
    """`text` with each HTML comment outside inline code overwritten by spaces, length for length."""
    if "<!--" not in text:
        return text
    code = code_spans(text)
    pieces: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        around = bisect_left(code, (start,)) - 1
        if around >= 0 and start < code[around][1]:
            pieces.append(text[done : code[around][1]])
            done = code[around][1]
        else:
            pieces += text[done:start], " " * (end + 3 - start)
            done = end + 3
    return "".join(pieces) + text[done:]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING, "inline_definitions": True})
    md.enable("table").disable("inline")  # inline markup is read for headings only
    for name, rule, interrupts in _LOCATED:
        md.block.ruler.at(name, _noting_places(rule), {"alt": interrupts})
    md.block.ruler.at("reference", _no_footnote, {"alt": []})
    return md


def _no_footnote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The rule for link definitions, which would also take a footnote of one word: "[^1]: Adults"."""
    if state.src.startswith("[^", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    return reference(state, start_line, end_line, silent)


def _noting_places(rule: Callable[[StateBlock, int, int, bool], bool]) -> Callable[[StateBlock, int, int, bool], bool]:
    """The block rule, leaving the place of each line's content on its token: only the running rule knows it."""

    def run(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not rule(state, start_line, end_line, silent):
            return False
        if not silent:
            state.tokens[count].meta["lines"] = [
                (state.bMarks[line] + state.tShift[line], state.eMarks[line])
                for line in range(start_line, min(state.line, state.lineMax))
            ]
        return True

    return run
