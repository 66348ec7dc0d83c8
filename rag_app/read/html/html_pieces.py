"""The pieces of Markdown that an HTML tree becomes: escaped paragraphs, code, list items and their numbers."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import lxml.etree

from rag_app.read.numerals import letters, roman

_STRUCTURE = re.compile(
    r"[-+*#](?=$)|>|```|~~~|=+\s*$|-+\s*$|[-*_](?:\s*[-*_]){2,}\s*$|<(?=[A-Za-z/!?])|\[(?!\^)(?=[^\]]*\]:)|\|"
)
_TYPED_MARK = re.compile(r"(#{1,6}|[+*]|-(?= *[\d.,]+\b)) ")
"""Signs that mean themselves: a star, a number sign, the minus of "- 5 °C". Markdown takes none of them for its own
before a no-break space, which shows like a space."""
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight)-([\w+#.-]+)")


MARKER = "data-marker"
"""Attribute of an item of an ordered list: the number that is shown before it, as it is."""
FIRST_MARK, LAST_MARK = 0x100000, 0x10FFFD
"""Private-use characters that may stand behind links, to find their places in the finished text; see `page.py`."""
_MARKS = re.compile(f"[{chr(FIRST_MARK)}-{chr(LAST_MARK)}]")


def one_line(text: str) -> str:
    return re.sub(r"[ \n]+", " ", text).strip(" ")


def collapse(text: str | None) -> str:
    return re.sub(r"[ \t\r\n\f]+", " ", text) if text else ""


def paragraphs(text: str) -> Iterator[str]:
    """A run of inline text as paragraphs, in which nothing can be taken for a heading, a list or a table."""
    for paragraph in re.split(r" *\n *\n[ \n]*", text):
        lines = filter(None, map(one_line, paragraph.split("\n")))
        if joined := "  \n".join(map(escape, lines)):
            yield joined


def escape(line: str) -> str:
    """A line that Markdown reads as words. Typed numbers and dashes stay: they make the list that they were typed for,
    while a backslash before them would be shown."""
    bare = _MARKS.sub("", line)
    if mark := _TYPED_MARK.match(bare):
        at = [place for place, c in enumerate(line) if not _MARKS.match(c)][len(mark[1])]
        return f"{line[:at]}\u00a0{line[at + 1 :]}"
    return "\\" + line if _STRUCTURE.match(bare) else line


def code_words(text: str) -> str:
    text = text.strip(" ")
    if not text:
        return ""
    ticks = "`" * (longest_run("`", text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(element: Any) -> list[str]:
    parts: list[str] = []
    for event, child in lxml.etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            parts.append(child.text or "")
        elif child is not element:
            own_line = child.tag in ("div", "p", "li", "tr") and not parts[-1].endswith("\n")
            parts.append(("\n" if own_line or child.tag == "br" else "") + (child.tail or ""))
    code = "".join(parts).replace("\r\n", "\n").removeprefix("\n").rstrip("\n")
    if not code.strip():
        return []
    ticks = "`" * max(3, longest_run("`", code) + 1)
    around = [*islice(element.iterancestors(), 2), element, *element.iter("code")]
    language = _LANGUAGE.search(" ".join(e.get("class", "") for e in around))
    return [f"{ticks}{language[1] if language else ''}\n{code}\n{ticks}"]


def definition_parts(element: Any) -> Iterator[Any]:
    """The terms and texts of a definition list, which may stand in groups."""
    for child in element:
        words = child.text, child.tail, *(inner.tail for inner in child)
        only_parts = len(child) and all(inner.tag in ("dt", "dd") for inner in child)
        if child.tag == "div" and only_parts and not any(text and text.strip() for text in words):
            yield from child
        else:
            yield child


def item_numbers(element: Any) -> Callable[[Any], str]:
    """Gives for each item of an ordered list, in order, the number that a browser shows, as "3.", "c." or "iv."."""
    styled = re.search(r"list-style(?:-type)?\s*:\s*([\w-]+)", element.get("style") or "")
    style = element.get("type") or (styled[1] if styled else "")
    step = -1 if element.get("reversed") is not None else 1
    number = to_int(element.get("start"), len(element.findall("li")) if step < 0 else 1) - step

    def show(item: Any) -> str:
        nonlocal number
        if item.get(MARKER) is not None:
            return item.get(MARKER)
        number = to_int(item.get("value"), number + step)
        shape = item.get("type") or style
        if shape in ("a", "lower-alpha", "lower-latin"):
            return f"{letters(number)}."
        if shape in ("A", "upper-alpha", "upper-latin"):
            return f"{letters(number).upper()}."
        if shape in ("i", "lower-roman"):
            return f"{roman(number)}."
        if shape in ("I", "upper-roman"):
            return f"{roman(number).upper()}."
        return "" if shape == "none" else f"{number}."

    return show


def numbered_item(number: str, inner: list[str]) -> str:
    """An item with its number; what Markdown does not count by stands at the beginning of its words."""
    if re.fullmatch(r"\d{1,9}[.)]", number):
        return list_item(number + " ", inner)
    if number and opens_structure(inner[0]):
        return list_item("- ", [number, *inner])
    return list_item("- ", [f"{number} {inner[0]}".lstrip(" "), *inner[1:]])


def opens_structure(block: str) -> bool:
    """Whether a block is a list, table, quote, heading or code, before which no words can be put."""
    return bool(re.match(r"[-*|>#] |```|\||\d{1,9}[.)] ", block))


def termed(term: str) -> str:
    """A term before its text: with a colon, unless it ends in a sign of its own."""
    return escape(term) + ("" if term.endswith((":", "?", "!", ".", "：", "？")) else ":")


def joined_items(items: list[str]) -> list[str]:
    return [("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)] if items else []


def list_item(marker: str, blocks: list[str]) -> str:
    tight = all(re.match(r"(?:[-*+]|\d+\.) ", block) for block in blocks[1:])
    return marker + indent(("\n" if tight else "\n\n").join(blocks), " " * len(marker)).lstrip(" ")


def indent(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def longest_run(character: str, text: str) -> int:
    return max(map(len, re.findall(f"{character}+", text)), default=0)


def to_int(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,8}", text.strip()) else default
