"""An HTML tree as the blocks of a Markdown text: headings, paragraphs, lists, quotes, fences and tables."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import lxml.etree

from rag_app.read.html_table import read_table

_BLOCKS = set(
    re.findall(
        r"\w+",
        """html body main article section header footer aside div p address blockquote pre figure figcaption hgroup hr
        h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd table caption thead tbody tfoot tr td th details summary dialog
        search form fieldset legend center frameset noframes""",
    )
)
"""What begins and ends a block; all else, unknown elements too, stands within a line, as in a browser."""
_LISTS = ("ul", "ol", "menu", "dir", "dl")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DEEPEST = 120
"""Levels of elements whose structure is followed; below, only the words are kept. Real pages stay under 50."""
_DEEPEST_LIST = 12
"""Levels of lists and quotes; what lies deeper joins the item above it, as Markdown parsers have a limit too."""
_SUPERSCRIPT = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_STRUCTURE = re.compile(
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|```|~~~|=+\s*$|-+\s*$|[-*_](?:\s*[-*_]){2,}\s*$|<(?=[A-Za-z/!?])|\[(?=[^\]]*\]:)|\|"
)
_ENDS_IN_WORDS = re.compile(r"\w\W{0,3}\Z")
_NUMBERED = re.compile(r"(\d{1,9})[.)](?=\s|$)")
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|highlight)-([\w+#.-]+)")


FIRST_MARK, LAST_MARK = 0x100000, 0x10FFFD
"""Private-use characters that may stand behind links, to find their places in the finished text; see `page.py`."""
_MARKS = re.compile(f"[{chr(FIRST_MARK)}-{chr(LAST_MARK)}]")


def markdown_blocks(root: Any, mark: Callable[[Any], str] | None = None) -> list[str]:
    """The blocks of an lxml element, in order; joined by blank lines they are one Markdown text.

    Args:
        mark: gives for each link the mark that is set behind it, or "".
    """
    return _Converter(root, mark or (lambda _: "")).blocks(root, 0)


class _Converter:
    def __init__(self, root: Any, mark: Callable[[Any], str]) -> None:
        self._mark = mark
        self._holds_blocks: set[Any] = set()  # inline elements (a link, a span) that wrap blocks are walked as blocks
        for element in root.iter(*_BLOCKS):
            for above in element.iterancestors():
                if above in self._holds_blocks:
                    break
                self._holds_blocks.add(above)

    def blocks(self, parent: Any, depth: int) -> list[str]:
        """The Markdown blocks within an element, in order."""
        if depth > _DEEPEST:
            return list(_paragraphs(self._inline(parent)))
        blocks: list[str] = []
        run = [_collapse(parent.text)]
        for child in parent:
            if child.tag in _BLOCKS or child in self._holds_blocks:
                blocks += _paragraphs("".join(run))
                blocks += self._block(child, depth + 1)
                run = []
            else:
                run.append(self._inline(child))
            run.append(_collapse(child.tail))
        blocks += _paragraphs("".join(run))
        return blocks

    def _block(self, element: Any, depth: int) -> list[str]:
        tag = element.tag
        if tag == "a":
            inner = self.blocks(element, depth)
            for number in reversed(range(len(inner))):
                if _ENDS_IN_WORDS.search(inner[number]):
                    inner[number] += self._mark(element)
                    break
            return inner
        if tag in HEADINGS:
            text = _one_line(self._inline(element))
            return [f"{'#' * HEADINGS[tag]} {text}"] if text else []
        if tag == "pre":
            return _fence(element)
        if tag in (*_LISTS, "blockquote") and len(list(element.iterancestors(*_LISTS, "blockquote"))) >= _DEEPEST_LIST:
            return self.blocks(element, depth)
        if tag in _LISTS:
            return self._list(element, depth)
        if tag in ("li", "dd"):
            return [_item("- ", self.blocks(element, depth))]
        if tag == "blockquote":
            quoted = "\n\n".join(self.blocks(element, depth))
            return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
        if tag == "table" and (table := read_table(element, self._cell)):
            caption = element.find("caption")
            return [*([] if caption is None else self.blocks(caption, depth)), table]
        return self.blocks(element, depth)

    def _list(self, element: Any, depth: int) -> list[str]:
        number = _int(element.get("start"), 1)
        items = [_item("- ", [text]) for text in _paragraphs(_collapse(element.text))]  # words outside of any item
        for child in element:
            belongs = child.tag == "dd" or child.tag in _LISTS  # to the item above: a definition, a list between items
            inner = self._block(child, depth) if belongs else self.blocks(child, depth)
            inner += _paragraphs(_collapse(child.tail))
            if inner and belongs and items:
                items[-1] += "\n" + _indent("\n\n".join(inner), "   " if element.tag == "ol" else "  ")
            elif inner and element.tag == "ol":
                number = _int(child.get("value"), number)
                items.append(_item(f"{number}. ", inner))
                number += 1
            elif inner:
                items.append(_item("- ", inner))
        return [("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)] if items else []

    def _inline(self, element: Any, depth: int = 0) -> str:
        """An element's words as one run (a `<br>` is a line break, a block in it a space), code in backticks."""
        tag = element.tag
        if tag == "br":
            return "\n"
        if tag == "img":
            return _collapse(element.get("alt"))
        if tag in ("code", "tt", "samp"):
            return _code(_collapse("".join(element.itertext())))
        if depth > _DEEPEST:
            return _collapse(" ".join(element.itertext()))
        parts = [_collapse(element.text)]
        for child in element:
            words = self._inline(child, depth + 1)
            parts += [f" {words} " if child.tag in _BLOCKS else words, _collapse(child.tail)]
        text = "".join(parts)
        if tag == "a":
            words = text.rstrip(" \n")
            return words + self._mark(element) + text[len(words) :] if words else text
        if tag == "li":
            return f"• {text}"
        if tag in ("del", "s", "strike") and text.strip():
            return f"~~{text}~~"  # what was struck out must not read as valid
        if tag == "sup" and re.fullmatch(r"[0-9+\-−]+", text):
            return text.translate(_SUPERSCRIPT)  # 10 to the 6th must not read as 106
        return f'"{text}"' if tag == "q" else text

    def _cell(self, cell: Any) -> str:
        return _one_line(self._inline(cell)).replace("|", "\\|")


def _one_line(text: str) -> str:
    return re.sub(r"[ \n]+", " ", text).strip(" ")


def _collapse(text: str | None) -> str:
    return re.sub(r"[ \t\r\n\f]+", " ", text) if text else ""


def _paragraphs(text: str) -> Iterator[str]:
    """A run of inline text as paragraphs, in which nothing can be taken for a heading, a list or a table."""
    for paragraph in re.split(r" *\n *\n[ \n]*", text):
        lines = filter(None, map(_one_line, paragraph.split("\n")))
        if joined := "  \n".join(map(_escape, lines)):
            yield joined


def _escape(line: str) -> str:
    bare = _MARKS.sub("", line)
    if _NUMBERED.match(bare):
        point = re.search("[.)]", line).start()  # type: ignore[union-attr]
        return f"{line[:point]}\\{line[point:]}"
    return "\\" + line if _STRUCTURE.match(bare) else line


def _code(text: str) -> str:
    text = text.strip(" ")
    if not text:
        return ""
    ticks = "`" * (_longest_run("`", text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _fence(element: Any) -> list[str]:
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
    ticks = "`" * max(3, _longest_run("`", code) + 1)
    around = [*islice(element.iterancestors(), 2), element, *element.iter("code")]
    language = _LANGUAGE.search(" ".join(e.get("class", "") for e in around))
    return [f"{ticks}{language[1] if language else ''}\n{code}\n{ticks}"]


def _item(marker: str, blocks: list[str]) -> str:
    tight = all(re.match(r"(?:[-*+]|\d+\.) ", block) for block in blocks[1:])
    return marker + _indent(("\n" if tight else "\n\n").join(blocks), " " * len(marker)).lstrip(" ")


def _indent(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def _longest_run(character: str, text: str) -> int:
    return max(map(len, re.findall(f"{character}+", text)), default=0)


def _int(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,8}", text) else default
