"""Markdown's marks within a statement: emphasis and code as HTML, or taken out; nothing else becomes markup.

Text of documents cannot bring in HTML, pictures or scripts. A link becomes one where it leads to a web address.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_TAGS = ("em", "strong", "s")


def marked_html(text: str) -> str:
    """One line of Markdown as escaped HTML."""
    return "".join(_html(_tokens(text)))


def without_marks(text: str) -> str:
    """One line of Markdown as a reader of the rendered page sees it."""
    return "".join(_plain(token) for token in _tokens(text))


def _tokens(text: str) -> list[Token]:
    parsed = _parser().parseInline(text)
    return [token for block in parsed for token in block.children or ()]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes a tenth of a second, which `import rag_app` need not

    return MarkdownIt("commonmark", {"html": False}).enable("strikethrough")


def _html(tokens: Iterable[Token]) -> Iterable[str]:
    links: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            address = str(token.attrs.get("href", ""))
            links.append(address.startswith(("https://", "http://")))
            if links[-1]:
                yield f'<a href="{escape(address)}" rel="noopener noreferrer" target="_blank">'
        elif token.type == "link_close":
            if links.pop():
                yield "</a>"
        elif token.tag in _TAGS and token.nesting:
            yield f"<{'/' if token.nesting < 0 else ''}{token.tag}>"
        elif token.type == "code_inline":
            yield f"<code>{escape(token.content)}</code>"
        else:
            yield escape(_plain(token))


def _plain(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.nesting or token.type == "strong_open":
        return ""
    return token.content  # of a picture, the text that stands in for it
