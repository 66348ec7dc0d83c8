"""What of a web page is its text: the main part, without navigation, banners, side bars, footers and line numbers.

Pages say it themselves, in `<main>`, `role="main"` or `<article>`; where they do not, the whole page is taken, without
the parts that their roles and class names give away. In doubt a part stays: a line too much is noise, a section too few
is lost.
"""

import re
from collections.abc import Iterator
from typing import Any

from rag_app.read.html.footnote_marks import mark_footnotes
from rag_app.read.html.html_file import drop_boilerplate
from rag_app.read.html.page_parts import join_tabs, prepare_parts
from rag_app.read.html.visibility import keep_visible
from rag_app.text.sentences import count_words

_ENOUGH = 20
"""Words in the main part from which on it is believed to be one."""
_SMALL = 150
"""Words that a banner or a form about the page has at most."""
_FOOTER_SHARE = 0.3
_EDGE_ROLES = ("banner", "contentinfo", "complementary")
_POPUP_ROLES = ("dialog", "alertdialog")
_POPUP = re.compile(r"cookie|consent|gdpr|newsletter|subscribe|feedback|announcement|skip-?(?:link|to)", re.I)
_LINK_LISTS = frozenset(
    """sidebar side-bar breadcrumb breadcrumbs toc table-of-contents tableofcontents menu navbar nav topbar pagination
    pager prev-next related edit-page edit-this-page share social""".split()
)
"""Names of parts that lead elsewhere; dropped where they hold mostly links."""
_LINE_NUMBERS = re.compile(r"line-?no|line-?num|linenodiv|ln-numbers|blob-num|gutter", re.I)
_PARTS = ("div", "section", "aside", "form", "header", "footer", "ul", "ol", "p", "dialog", "table", "details")


def main_content(root: Any) -> Any:
    """The element that holds a page's text; what is no text was taken out of the tree, which is changed."""
    for element in list(root.iter("td", "th", "span", "div", "pre", "a", "code")):
        if _LINE_NUMBERS.search(_names(element)) and not "".join(element.itertext()).strip(" \t\r\n0123456789"):
            element.drop_tree()
    prepare_parts(root)
    keep_visible(root)
    join_tabs(root)
    mark_footnotes(root)
    drop_boilerplate(root)
    whole = _words(root)
    for element in list(root.iter(*_PARTS)):
        if element.getparent() is not None and _is_noise(element, whole):
            element.drop_tree()
    body = root.find("body") if root.find("body") is not None else root
    return next((part for part in _candidates(body) if _is_main(part, body)), body)


def _candidates(body: Any) -> Iterator[Any]:
    for found in (
        [e for e in body.iter("*") if e.tag == "main" or e.get("role") == "main"],
        list(body.iter("article")),
    ):
        known = set(found)
        outermost = [e for e in found if known.isdisjoint(e.iterancestors())]
        if len(outermost) == 1:
            yield outermost[0]
        elif outermost:
            yield _common_parent(outermost)


def _common_parent(elements: list[Any]) -> Any:
    first, *others = ([*reversed(list(element.iterancestors()))] for element in elements)
    shared = [above for n, above in enumerate(first) if all(len(o) > n and o[n] is above for o in others)]
    return shared[-1]


def _is_main(part: Any, body: Any) -> bool:
    words = _words(part)
    return words >= _ENOUGH or words * 2 >= _words(body)


def _is_noise(element: Any, whole: int) -> bool:
    role, names, is_dialog = element.get("role", ""), _names(element), element.tag == "dialog"
    is_popup = role in _POPUP_ROLES or is_dialog or _POPUP.search(names) is not None
    is_edge = role in _EDGE_ROLES or element.tag == "footer"
    is_link_list = role in ("navigation", "search") or not _LINK_LISTS.isdisjoint(names.lower().split())
    if not (is_popup or is_edge or is_link_list) or next(element.iter("h1", "main"), None) is not None:
        return False
    if role == "main":
        return False
    if is_popup:
        return _words(element) <= _SMALL
    if is_edge and next(element.iterancestors("main", "article"), None) is None:
        return _words(element) < _FOOTER_SHARE * whole
    return is_link_list and _linked_share(element) > 0.5


def _names(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def _words(element: Any) -> int:
    return count_words(" ".join(element.itertext()))


def _linked_share(element: Any) -> float:
    total = len("".join("".join(element.itertext()).split()))
    linked = sum(len("".join("".join(link.itertext()).split())) for link in element.iter("a"))
    return linked / total if total else 1.0
