"""HTML into Markdown, so that one structure parser serves pages, Word files and Markdown alike.

Own code over lxml, because each converter tried loses what we promise to keep: trafilatura 2.3 whole headings and code
in lists; markdownify 1.2 the difference between text and markup (fences, pipes, `#`), and it recurses; html-to-markdown
3.21 headings in a page's header, and silently what is nested deeply. Links and emphasis are reduced to their text;
scripts, navigation, and what is hidden or struck out are dropped.
"""

import re
from typing import Any

import lxml.etree
import lxml.html

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names, signs_at_beginning
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.html.footnote_marks import mark_footnotes
from rag_app.read.html.html_blocks import HEADINGS, markdown_blocks
from rag_app.read.html.html_tree import few_attributes, lift_terms, remove_all
from rag_app.read.html.page_parts import join_tabs, lost_parts, prepare_parts
from rag_app.read.html.visibility import keep_visible
from rag_app.text.plain.plain_headings import names_section

_DROPPED = re.findall(
    r"\w+",
    """script style template noscript nav datalist option svg iframe object embed canvas audio video map head rt rp
    progress meter""",
)
_META = re.compile(r"<meta\b([^<>]{1,2000})>", re.I)
_ATTRIBUTE = re.compile(r"(?<![a-z])([a-z]+)\s*=\s*(?:([\"'])(.*?)\2|([^\s\"'>]+))", re.I | re.S)
_SKIPS = re.compile(r"(?:^|[\s_-])skip(?:$|[\s_-])", re.I)
_BREADCRUMBS = re.compile(r"\bbread-?crumbs?\b", re.I)
_HEAD = ("title", "base", "link", "meta", "style", "script", "noscript", "template", "object")


def read_html(data: bytes) -> Extracted:
    """The text of a page. Raises ReadError."""
    page = decode(data, html=True)
    title, text, lost = read_page(page)
    said = [(name, content) for meta in _META.findall(page) for name, content in [_name_and_content(meta)] if name]
    return Extracted(text, title=title, access_signs=(*signs_at_beginning(page), *access_names(said)), notes=lost)


def _name_and_content(meta: str) -> tuple[str, str]:
    """What a meta element is called and holds, "" where it says neither."""
    said = {found[1].lower(): found[3] or found[4] or "" for found in _ATTRIBUTE.finditer(meta)}
    return said.get("name") or said.get("property") or said.get("itemprop") or "", said.get("content", "")


def html_to_markdown(html: str) -> tuple[str, str]:
    """The page's title ("" if it has none) and its text as Markdown.

    Headings, paragraphs, nested lists, pipe tables, quotes and fenced code (its indentation byte for byte) are kept,
    and so is every section. Raises ReadError (code "broken") for a page that no parser gets through.
    """
    return read_page(html)[:2]


def read_page(html: str) -> tuple[str, str, tuple[str, ...]]:
    """The page's title and text as `html_to_markdown` gives them, and what was not read, a sentence each.

    Raises ReadError (code "broken").
    """
    root = parse_html(html)
    if root is None:
        return "", "", ()
    named = line_of(root.find("head/title"))
    prepare_parts(root)
    keep_visible(root)
    lost = tuple(lost_parts(root))
    text = visible_to_markdown(root)
    heading = line_of(next(root.iter("h1"), None))
    title = heading if heading and (not named or heading in named) else named  # "Leave | Our intranet" is "Leave"
    return title, text, lost


def tree_to_markdown(root: Any) -> str:
    """The text of a page's tree, which is changed."""
    prepare_parts(root)
    keep_visible(root)
    return visible_to_markdown(root)


def visible_to_markdown(root: Any) -> str:
    """The text of a page's tree, out of which hidden content is taken."""
    join_tabs(root)
    mark_footnotes(root)
    drop_boilerplate(root)
    _make_headings(root)
    return "\n\n".join(markdown_blocks(root)) + "\n"


def parse_html(html: str) -> Any:
    """The lxml tree of a page; None for an empty one. Raises ReadError (code "broken") if it cannot be parsed."""
    # As bytes, since a str with an encoding declaration is refused; huge_tree, since without it deep pages silently
    # lose text, while with it they are an error.
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml.html.document_fromstring(few_attributes(html).encode("utf-8", "replace"), parser=parser)
    except lxml.etree.ParserError:  # an empty page
        return None
    if any(entry.type_name in ("ERR_RESOURCE_LIMIT", "ERR_NO_MEMORY") for entry in parser.error_log):
        raise ReadError("The page is nested too deeply to be read: export it again, or as PDF.", code="broken")
    _empty_head(root)
    lift_terms(root)
    return root


def _make_headings(root: Any) -> None:
    """Makes headings of paragraphs that only name a section, above what it says; several in a row list sections."""
    level, before = 1, False
    for element in list(root.iter("h1", "h2", "h3", "h4", "h5", "h6", "p")):
        if element.tag != "p":
            level, before = int(element.tag[1]), False
            continue
        names, below = _names_section(element), element.getnext()
        says = below is not None and below.tag in ("p", "ol", "ul") and not (below.tag == "p" and _names_section(below))
        if names and says and not before and not (element.tail or "").strip():
            element.tag = f"h{min(6, level + 1)}"
        before = names


def _names_section(paragraph: Any) -> bool:
    return names_section(" ".join("".join(paragraph.itertext()).split()))


def _empty_head(root: Any) -> None:
    """Moves text out of the head: where a page leaves out `<body>`, the parser takes `<main>` for a part of it."""
    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((n for n, child in enumerate(children) if child.tag not in _HEAD), len(children))
    if first < len(children):
        body = root.find("body")
        body = lxml.etree.SubElement(root, "body") if body is None else body
        children[-1].tail = (children[-1].tail or "") + (body.text or "")
        body.text = None
        body[:0] = children[first:]


def drop_boilerplate(root: Any) -> None:
    """Takes out what is not text: scripts, readings of ruby letters, navigation, edges that are mostly links."""
    remove_all(root.iter(*_DROPPED), apart=False)
    edges: list[Any] = []
    for element in root.iter("footer", "header", "aside", "div", "ul", "ol", "a", "span", "i"):
        tag = element.tag
        if (
            element.get("role") in ("navigation", "search")
            or (
                tag in ("ul", "ol", "div")
                and _BREADCRUMBS.search(f"{element.get('id') or ''} {element.get('class') or ''}")
            )
            or (tag in ("footer", "header", "aside") and _mostly_links(element))
            or (tag == "a" and (_is_permalink(element) or _skips(element)))
        ):
            edges.append(element)
    remove_all(edges)


def _is_permalink(link: Any) -> bool:
    """Whether a link is a mere sign (¶, #, ↑) that leads to a place in the page."""
    if any(map(str.isalnum, link.text_content())) or next(link.iter("img"), None) is not None:
        return False
    return link.get("href", "").startswith("#") or next(link.iterancestors(*HEADINGS), None) is not None


def _skips(link: Any) -> bool:
    """Whether a link only leads past the navigation, to the text of the page."""
    return link.get("href", "").startswith("#") and bool(_SKIPS.search(link.get("class") or ""))


def _mostly_links(element: Any) -> bool:
    """Whether a part at the edge of a page, without a heading, has more words in links than outside them."""
    if next(element.iter("h1", "h2", "h3"), None) is not None:
        return False
    if next(element.iterancestors("main", "article"), None) is not None:
        return False
    total = len("".join(element.text_content().split()))
    linked = sum(len("".join(link.text_content().split())) for link in element.iter("a"))
    return linked > total / 2


def line_of(element: Any) -> str:
    """An element's words on one line; "" for None."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
