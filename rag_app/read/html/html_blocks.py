"""An HTML tree as the blocks of a Markdown text: headings, paragraphs, lists, quotes, fences and tables."""

import re
from collections.abc import Callable
from typing import Any

from rag_app.read.html.footnote_marks import NOTE
from rag_app.read.html.html_pieces import (
    code_words,
    collapse,
    definition_parts,
    escape,
    fence,
    indent,
    item_numbers,
    joined_items,
    list_item,
    numbered_item,
    one_line,
    opens_structure,
    paragraphs,
    termed,
)
from rag_app.read.html.html_table import has_loose_words, own_rows, read_table
from rag_app.read.html.mathml import math_text, shifted
from rag_app.read.html.visibility import BLOCKS

_LISTS = ("ul", "ol", "menu", "dir", "dl")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DEEPEST = 120
"""Levels of elements whose structure is followed; below, only the words are kept. Real pages stay under 50."""
_DEEPEST_LIST = 12
"""Levels of lists and quotes; what lies deeper joins the item above it, as Markdown parsers have a limit too."""
_ENDS_IN_WORDS = re.compile(r"\w\W{0,3}\Z")


def markdown_blocks(root: Any, mark: Callable[[Any], str] | None = None) -> list[str]:
    """The blocks of an lxml element, in order; joined by blank lines they are one Markdown text.

    Args:
        mark: gives for each link the mark that is set behind it, or "".
    """
    return _Converter(root, mark or (lambda _: "")).blocks(root, 0)


def _would_join(blocks: list[str], inner: list[str]) -> bool:
    return bool(blocks and inner) and blocks[-1].startswith("- ") and inner[0].startswith("- ")


class _Converter:
    def __init__(self, root: Any, mark: Callable[[Any], str]) -> None:
        self._mark = mark
        self._holds_blocks: set[Any] = set()  # inline elements (a link, a span) that wrap blocks are walked as blocks
        for element in root.iter(*BLOCKS):
            for above in element.iterancestors():
                if above in self._holds_blocks:
                    break
                self._holds_blocks.add(above)

    def blocks(self, parent: Any, depth: int) -> list[str]:
        """The Markdown blocks within an element, in order."""
        if depth > _DEEPEST:
            return list(paragraphs(self._inline(parent)))
        blocks: list[str] = []
        run = [collapse(parent.text)]
        last = ""
        for child in parent:
            if child.tag in BLOCKS or child in self._holds_blocks:
                blocks += paragraphs("".join(run))
                inner = self._block(child, depth + 1)
                if child.tag in ("ul", "ol") and {last, child.tag} == {"ul", "ol"} and _would_join(blocks, inner):
                    blocks.append("<!-- -->")  # or both lists were one, under one introduction
                blocks += inner
                last = child.tag if inner else last
                run = []
            else:
                run.append(self._inline(child))
            run.append(collapse(child.tail))
        blocks += paragraphs("".join(run))
        return blocks

    def _block(self, element: Any, depth: int) -> list[str]:
        tag = element.tag
        if element.get(NOTE):  # without what stood around its number
            words = re.sub(r"^\[\s*\]\s*|^[.:)]\s+", "", one_line(self._inline(element)))
            return [f"[^{element.get(NOTE)}]: {words}"]
        if tag == "a":
            inner = self.blocks(element, depth)
            for number in reversed(range(len(inner))):
                if _ENDS_IN_WORDS.search(inner[number]):
                    inner[number] += self._mark(element)
                    break
            return inner
        if tag == "details" and (summary := element.find("summary")) is not None and self._is_short(element):
            return self._details(element, summary, depth)
        if tag in HEADINGS:
            text = one_line(self._inline(element))
            return [f"{'#' * HEADINGS[tag]} {text}"] if text else []
        if tag == "pre":
            return fence(element)
        if tag in (*_LISTS, "blockquote") and len(list(element.iterancestors(*_LISTS, "blockquote"))) >= _DEEPEST_LIST:
            return self.blocks(element, depth)
        if tag in _LISTS:
            return self._list(element, depth)
        if tag in ("li", "dd"):
            return [list_item("- ", self.blocks(element, depth))]
        if tag == "blockquote":
            quoted = "\n\n".join(self.blocks(element, depth))
            return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
        if tag == "table" and (table := read_table(element, self._cell)):
            caption = element.find("caption")
            return [*([] if caption is None else self.blocks(caption, depth)), *table]
        return self.blocks(element, depth)

    def _is_short(self, element: Any) -> bool:
        """Whether no heading stands in details, which would begin a section within an item."""
        return next(element.iter(*HEADINGS), None) is None

    def _details(self, element: Any, summary: Any, depth: int) -> list[str]:
        """Details as an item of a list of their own: what they say is said under their summary."""
        title = one_line(self._inline(summary))
        summary.clear(keep_tail=True)
        inner = self.blocks(element, depth)
        if not title or not inner or len(list(element.iterancestors(*_LISTS, "blockquote"))) >= _DEEPEST_LIST:
            return [*([escape(title)] if title else []), *inner]
        if len(inner) == 1 and not opens_structure(inner[0]):
            return [list_item("* ", [f"{termed(title)} {inner[0]}"])]
        return [list_item("* ", [escape(title), *inner])]

    def _list(self, element: Any, depth: int) -> list[str]:
        if element.tag == "dl":
            return self._definitions(element, depth)
        numbers = item_numbers(element) if element.tag == "ol" else None
        items = [list_item("- ", [text]) for text in paragraphs(collapse(element.text))]  # words outside of any item
        for child in element:
            belongs = child.tag == "dd" or child.tag in _LISTS  # to the item above: a list between items
            inner = self._block(child, depth) if belongs else self.blocks(child, depth)
            inner += paragraphs(collapse(child.tail))
            if not inner:
                continue
            if belongs and items:
                items[-1] += "\n" + indent("\n\n".join(inner), "   " if numbers else "  ")
            elif numbers:
                items.append(numbered_item(numbers(child), inner))
            else:
                items.append(list_item("- ", inner))
        return joined_items(items)

    def _definitions(self, element: Any, depth: int) -> list[str]:
        """A definition list: each term with its text as one item. Terms that share a text stand together."""
        items = [list_item("- ", [text]) for text in paragraphs(collapse(element.text))]
        terms: list[str] = []
        texts: list[list[str]] = []

        def end_group() -> None:
            term = ", ".join(terms)
            if len(texts) == 1 and term and not opens_structure(texts[0][0]):
                items.append(list_item("- ", [f"{termed(term)} {texts[0][0]}", *texts[0][1:]]))
            elif term or texts:
                items.append(
                    list_item("- ", [*([escape(term)] if term else []), *(list_item("- ", text) for text in texts)])
                )
            terms.clear()
            texts.clear()

        for child in definition_parts(element):
            is_term = child.tag == "dt"
            if is_term and texts:
                end_group()
            if is_term and not self._has_blocks(child):
                terms += filter(None, [one_line(self._inline(child))])
                inner = []
            else:
                inner = self.blocks(child, depth)
            inner += paragraphs(collapse(child.tail))
            if inner:
                texts.append(inner)
        end_group()
        return joined_items(items)

    def _has_blocks(self, element: Any) -> bool:
        return element in self._holds_blocks

    def _inline(self, element: Any, depth: int = 0) -> str:
        """An element's words as one run (a `<br>` is a line break, a block in it a space), code in backticks."""
        tag = element.tag
        if tag == "br":
            return "\n"
        if tag == "img":
            return collapse(element.get("alt"))
        if tag == "math":
            return math_text(element)
        if tag in ("code", "tt", "samp"):
            return code_words(collapse("".join(element.itertext())))
        if depth > _DEEPEST:
            return collapse(" ".join(element.itertext()))
        if tag == "table" and not has_loose_words(element):  # in a cell of another table
            rows = ([self._inline(cell, depth + 1).strip() for cell in row] for row in own_rows(element))
            return "; ".join(", ".join(filter(None, row)) for row in rows)
        parts = [collapse(element.text)]
        for child in element:
            words = self._inline(child, depth + 1)
            parts += [f" {words} " if child.tag in BLOCKS else words, collapse(child.tail)]
        text = "".join(parts)
        if tag == "a":
            words = text.rstrip(" \n")
            return words + self._mark(element) + text[len(words) :] if words else text
        if tag == "li":
            return f"• {text}"
        if tag in ("sup", "sub"):
            return shifted(text, 1 if tag == "sup" else -1)
        return f'"{text}"' if tag == "q" else text

    def _cell(self, cell: Any) -> str:
        return one_line(self._inline(cell))
