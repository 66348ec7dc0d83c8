"""What a Markdown text holds that is not valid for its readers: `~~struck~~` words, and HTML that strikes or hides."""

import re
from bisect import bisect_left

from rag_app.document import Span
from rag_app.text.markdown import code_spans, parse_tokens

_PARAGRAPH = re.compile(r"(?:[^\r\n]*\S[^\r\n]*(?:\r\n|[\r\n]|\Z))+")
_TILDES = re.compile(r"(?<!~)~~(?!~)")
_HIDING_TAG = re.compile(
    r"<(?:(del|s|strike)(?:\s[^<>]*)?|([a-z][a-z0-9]*)\s(?:[^<>]*?[\s;\"'])?(?:hidden(?=[\s>=/])|display\s*:\s*none|"
    r"visibility\s*:\s*hidden|text-decoration(?:-line)?\s*:\s*line-through)[^<>]*)>",
    re.I,
)
_LINE_HEAD = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+[ \t>]*)*")
_MORE_IN_LINE = re.compile(r"[^\S\r\n]*[^\s]")
_VOID = ("br", "hr", "img", "input", "link", "meta", "wbr")


def may_hide(text: str) -> bool:
    """Whether a Markdown text has signs that strike out or hide."""
    return "~~" in text or bool(_HIDING_TAG.search(text))


def unseen_spans(text: str, code: list[Span]) -> list[Span]:
    """The struck and hidden parts of `text` in order, none overlapping; `code` are the places of its code blocks."""
    if not may_hide(text):
        return []
    masked = _without_code(text, code)
    spans = sorted([*_struck(masked), *_hidden(masked)])
    joined: list[Span] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def blank_unseen(text: str, start: int = 0) -> str:
    """Markdown in which what is struck or hidden in `text[start:]` is spaces, so that every place stays what it was."""
    if not may_hide(text):
        return text
    tokens, _, starts = parse_tokens(text[start:])
    blocks = (token.map for token in tokens if token.type in ("fence", "code_block") and token.map)
    spans = unseen_spans(text, [(start + starts[first], start + starts[end]) for first, end in blocks])
    return _held_in_place(blanked(text, spans), spans)


def _held_in_place(text: str, spans: list[Span]) -> str:
    """`text` whose `spans` are spaces, with a space that does not indent where words follow them in a line that they
    begin: "~~Dogs~~ Cats may enter." is no item of the list above it, and no code."""
    pieces: list[str] = []
    done = 0
    for begin, end in spans:
        line = max(text.rfind("\n", begin, end), text.rfind("\r", begin, end)) + 1  # 0: the span has no line end
        first = line or begin
        before = "" if line else text[max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) + 1 : begin]
        if first < end and _LINE_HEAD.fullmatch(before) and _MORE_IN_LINE.match(text, end):
            pieces += text[done:first], "\u00a0"
            done = first + 1
    return "".join(pieces) + text[done:]


def blanked(text: str, spans: list[Span]) -> str:
    """`text` with spaces for all but the line ends of the spans, which are in order."""
    pieces: list[str] = []
    done = 0
    for begin, end in spans:
        pieces += text[done:begin], re.sub(r"[^\r\n]", " ", text[begin:end])
        done = end
    return "".join(pieces) + text[done:]


def without_spans(lines: list[Span], unseen: list[Span]) -> list[Span]:
    """What is left of `lines` without `unseen`, as spans."""
    if not unseen:
        return lines
    left: list[Span] = []
    for start, end in lines:
        at = max(0, bisect_left(unseen, (start, start)) - 1)
        while start < end and at < len(unseen) and unseen[at][0] < end:
            hidden_start, hidden_end = unseen[at]
            if hidden_end > start:
                if start < hidden_start:
                    left.append((start, hidden_start))
                start = hidden_end
            at += 1
        if start < end:
            left.append((start, end))
    return left


def _without_code(text: str, code: list[Span]) -> str:
    """`text` with its code overwritten by spaces, length for length."""
    text = blanked(text, code)
    if "`" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for paragraph in _PARAGRAPH.finditer(text):
        for start, end in code_spans(paragraph[0]):
            pieces += text[done : paragraph.start() + start], " " * (end - start)
            done = paragraph.start() + end
    return "".join(pieces) + text[done:]


def _struck(text: str) -> list[Span]:
    spans: list[Span] = []
    for paragraph in _PARAGRAPH.finditer(text):
        opened = -1
        for mark in _TILDES.finditer(text, paragraph.start(), paragraph.end()):
            if opened >= 0 and not text[mark.start() - 1].isspace():
                spans.append((opened, mark.end()))
                opened = -1
            elif opened < 0 and not text[mark.end() : mark.end() + 1].isspace():
                opened = mark.start()
    return spans


def _hidden(text: str) -> list[Span]:
    spans: list[Span] = []
    never_closed: set[str] = set()
    at = 0
    while opening := _HIDING_TAG.search(text, at):
        at = opening.end()
        tag = (opening[1] or opening[2]).lower()
        if tag in _VOID or tag in never_closed or opening[0].endswith("/>"):
            continue
        depth = 1
        for other in re.finditer(rf"<(/?){tag}\b[^<>]*>", text[at:], re.I):
            depth += -1 if other[1] else 1
            if not depth:
                at += other.end()
                spans.append((opening.start(), at))
                break
        else:
            never_closed.add(tag)
    return spans
