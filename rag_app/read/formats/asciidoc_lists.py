"""Lists of AsciiDoc as Markdown: bullets, numbers, terms with their texts, and what a `+` attaches to an item."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rag_app.read.formats.asciidoc_inline import State, after_condition, inline
from rag_app.read.html.html_pieces import joined_items, list_item, numbered_item, opens_structure, termed
from rag_app.read.numerals import letters, roman

_ITEM = re.compile(r"\s*(?P<mark>\*{1,5}|\.{1,5}|-|\d+\.|<(?:\d+|\.)>)\s+(?P<text>\S.*)")
_TERM = re.compile(r"\s*(?P<term>[^\s:/].*?|\S)(?P<mark>:{2,4}|;;)(?:\s+(?P<text>\S.*))?")
_ATTRIBUTES = re.compile(r"\[(?P<inside>[^\[\]]*)\]")
_BLOCK = re.compile(r"-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```.*|[|,:!]===|={1,6} \S.*|\.[^\s.].*")
_STYLES = ("arabic", "loweralpha", "lowerroman", "upperalpha", "upperroman")
Read = Callable[[list[str], int, State], int]
"""Reads what begins at a line into a state; returns the number of the line after it."""


@dataclass(slots=True)
class _Item:
    words: list[str] = field(default_factory=list)
    term: str = ""
    parts: "list[str | _List]" = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        return bool(self.words or self.parts)


@dataclass(slots=True)
class _List:
    mark: str
    style: str
    first: int
    """The number of its first item."""
    items: list[_Item] = field(default_factory=list)


def begins_item(line: str) -> bool:
    """Whether a line is an item of a list, or a term."""
    return bool(_match(line))


def _match(line: str) -> re.Match[str] | None:
    return None if _BLOCK.fullmatch(line) else _ITEM.fullmatch(line) or _TERM.fullmatch(line)


def read_list(lines: list[str], at: int, state: State, read: Read) -> int:
    """Reads the list that begins at a line into one block; returns the number of the line after it."""
    opened: list[_List] = []
    outer: list[_List] = []
    options, state.options = state.options, ""
    gap = False
    while at < len(lines):
        line = lines[at].rstrip()
        following = lines[at + 1].rstrip() if at + 1 < len(lines) else ""
        if (after := after_condition(lines, at, state)) is not None:
            at = after
            continue
        if not line:
            gap = True
        elif line.strip() == "+":
            at = _attach(lines, at + 1, state, read, opened[-1].items[-1])
            gap = False
            continue
        elif line.startswith("//") and not line.startswith("////"):
            if gap:
                break
        elif (attributes := _ATTRIBUTES.fullmatch(line)) and _match(following):
            if gap:
                break  # a list of its own
            options = attributes["inside"]
        elif found := _match(line):
            _open(opened, outer, found, options)
            options, gap = "", False
        elif _BLOCK.fullmatch(line) or (gap and not lines[at][:1].isspace() and opened[-1].items[-1].is_begun):
            break
        elif opened[-1].items[-1].parts or (gap and opened[-1].items[-1].words):
            opened[-1].items[-1].parts.append(inline(line.strip(), state))
        else:
            opened[-1].items[-1].words.append(line.strip())
        at += 1
    if state.after_list == len(state.blocks):
        state.blocks.append("<!-- -->")  # or both were one list
    state.blocks.append(_written(outer[0], state, 0))
    state.after_list = len(state.blocks)
    return at


def _mark(found: re.Match[str]) -> str:
    mark = found["mark"]
    return "." if mark[0].isdigit() else "<" if mark[0] == "<" else mark


def _open(opened: list[_List], outer: list[_List], found: re.Match[str], options: str) -> None:
    """Adds an item to the open list of its mark, or to a new one within the last item."""
    mark = _mark(found)
    marks = [each.mark for each in opened]
    if mark in marks:
        del opened[marks.index(mark) + 1 :]
    if mark not in marks or (options and len(opened) > 1):
        if mark in marks:
            opened.pop()
        style = next((name for name in re.split(r"[,\s%]+", options) if name in _STYLES), "")
        style = style or _STYLES[min(3, sum(each.mark[0] == "." for each in opened))]
        start = re.search(r"start=\"?(\d+)", options) or re.match(r"\d+", found["mark"])
        new = _List(mark, style, int(start[start.lastindex or 0]) if start else 1)
        if opened:
            opened[-1].items[-1].parts.append(new)
        else:
            outer.append(new)
        opened.append(new)
    item = _Item([found["text"]] if found["text"] else [])
    if "term" in found.re.groupindex:
        item.term = found["term"]
    elif mark == "<":
        number = found["mark"].strip("<>").replace(".", str(len(opened[-1].items) + 1))
        item.words.insert(0, f"<{number}>")
    opened[-1].items.append(item)


def _attach(lines: list[str], at: int, state: State, read: Read, item: _Item) -> int:
    """Reads the block that a `+` attaches to an item."""
    inner = state.inner()
    while at < len(lines) and not lines[at].strip():
        at += 1
    while at < len(lines) and not inner.blocks:
        line = lines[at].rstrip()
        if begins_item(line) or (inner.run and (not line or line.strip() == "+")):
            break
        if not inner.run and re.match(r" +\S", line):
            lines[at] = line.lstrip()
        at = read(lines, at, inner)
    inner.flush()
    item.parts += inner.blocks
    return at


def _written(of: _List, state: State, depth: int) -> str:
    items: list[str] = []
    terms: list[str] = []
    for number, item in enumerate(of.items):
        parts = [part if isinstance(part, str) else _written(part, state, depth + 1) for part in item.parts]
        words = " ".join(inline(" ".join(item.words), state).split())
        inner = [*([words] if words else []), *parts]
        if item.term:
            terms.append(" ".join(inline(item.term, state).split()))
            if not inner and number + 1 < len(of.items):
                continue  # the next term has the text of both
            term = ", ".join(terms)
            terms = []
            if inner and not opens_structure(inner[0]):
                inner[0] = f"{termed(term)} {inner[0]}"
            else:
                inner.insert(0, term)
            items.append(list_item("- ", inner))
        elif of.mark[0] == ".":
            items.append(numbered_item(_number(of.first + number, of.style), inner))
        else:
            items.append(list_item("- ", inner))
    return "\n\n".join(joined_items(items))


def _number(number: int, style: str) -> str:
    shown = {"loweralpha": letters, "upperalpha": letters, "lowerroman": roman, "upperroman": roman}.get(style, str)(
        number
    )
    return f"{shown.upper() if style.startswith('upper') else shown}."
