"""Parts of a page that scripts and roles make, as the elements that say the same: tabs, tables of roles, inner pages.

Also the names of the parts that hold no text to read, for the build report.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import lxml.etree
import lxml.html

from rag_app.read.html.generated import write_generated
from rag_app.read.html.html_tree import remove_all

TAB = "data-tab"
"""Attribute of a label of the panel that follows it."""
_ROLES = {
    "table": "table", "grid": "table", "treegrid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td",
    "gridcell": "td", "columnheader": "th", "rowheader": "th",
}  # fmt: skip
_INSIDE = ("table", "thead", "tbody", "tfoot", "tr", "td", "th")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MOST_LISTS = 100
"""Lists of tabs of one page."""
_MOST_WORDS = 200
"""Letters of the words of a drawing that are named as lost."""
_UNREAD = {
    "video": "A film", "audio": "A sound", "embed": "An embedded file", "object": "An embedded file",
    "iframe": "An embedded page",
}  # fmt: skip


def prepare_parts(root: Any) -> None:
    """Makes tables of elements whose roles say that they are one, and parts of the page of what `srcdoc` holds."""
    write_generated(root)
    for element in root.iter("div", "span", "ul", "ol", "li", "section", "p"):
        tag = _ROLES.get(element.get("role") or "")
        if tag and (tag == "table" or next(_above(element), None) is not None):
            element.tag = tag
            for name in ("colspan", "rowspan"):
                if span := element.get(f"aria-{name}"):
                    element.set(name, span)
    for item in root.iter("li"):  # Confluence ticks tasks by a style
        if item.get("data-inline-task-id") is not None:
            done = "checked" in (item.get("class") or "").split()
            item.text = f"{'[x]' if done else '[ ]'} {item.text or ''}"
    for frame in list(root.iter("iframe")):
        inner = (frame.get("srcdoc") or "").strip()
        if not inner:
            continue
        frame.tag = "div"
        frame.text = None
        for child in list(frame):
            frame.remove(child)
        try:
            body = lxml.html.document_fromstring(inner).find("body")
        except lxml.etree.ParserError:
            continue
        if body is not None:
            body.tag = "div"
            frame.append(body)


def _above(element: Any) -> Iterator[Any]:
    """The tables of roles that an element stands in."""
    return (above for above in element.iterancestors(*_INSIDE) if (above.get("role") or "") in _ROLES)


def join_tabs(root: Any) -> None:
    """Puts the label of each tab above what it opens, as the summary of details."""
    ids = {element.get("id"): element for element in root.iter("*") if element.get("id")}
    pairs: dict[Any, Any] = {}
    for label in root.iter("label"):
        if label.get(TAB) is not None and label.getnext() is not None:
            pairs[label] = label.getnext()
    for labels in root.iter("div", "ul", "nav", "p"):
        beside = labels.getnext()
        if beside is None or beside.tag != "div" or not 1 < len(labels) == len(beside):
            continue
        if all(child.tag == "label" and child.get("for") for child in labels):
            pairs |= dict(zip(labels, beside, strict=True))
    for tabs in islice((element for element in root.iter("*") if element.get("role") == "tablist"), _MOST_LISTS):
        pairs |= _of_list(tabs, ids)
    counts = Counter(pairs.values())
    shown = {label: panel for label, panel in pairs.items() if counts[panel] == 1 and _may_be_details(label, panel)}
    for label, panel in shown.items():
        summary = lxml.etree.Element("summary")
        summary.text = " ".join("".join(label.itertext()).split())
        inner = lxml.etree.Element("div")
        inner.text, panel.text = panel.text, None
        inner.extend(list(panel))
        panel.tag = "details"
        panel.extend([summary, inner])
    remove_all(shown)


def _of_list(tabs: Any, ids: dict[str, Any]) -> dict[Any, Any]:
    """The tabs of a list, with their panels: by their ids, or in order."""
    found: dict[Any, Any] = {}
    own = [tab for tab in tabs.iter("*") if tab.get("role") == "tab"]
    for tab in own:
        names = tab.get("aria-controls") or tab.get("data-bs-target") or tab.get("data-target") or tab.get("href") or ""
        panel = ids.get(names.removeprefix("#"))
        if panel is not None and panel not in tab.iterancestors() and tab not in panel.iterancestors():
            found[tab] = panel
    around = tabs.getparent()
    if found or around is None:
        return found
    panels = [panel for panel in around.iter("*") if panel.get("role") == "tabpanel"]
    return dict(zip(own, panels, strict=True)) if len(own) == len(panels) else {}


def _may_be_details(label: Any, panel: Any) -> bool:
    """Whether a label has words, and no heading in its panel begins a section."""
    words = "".join(label.itertext()).strip()
    headed = next(panel.iter(*_HEADINGS), None) is not None or panel.tag not in ("div", "section", "p")
    return bool(words) and not headed


def lost_parts(root: Any) -> list[str]:
    """What of a page's visible parts is not read, a sentence each."""
    lost: list[str] = []
    for element in root.iter("svg", *_UNREAD):
        if element.tag == "svg":
            words = " ".join(" ".join(text.itertext()) for text in element.iter("text", "foreignobject"))
            if words.strip() and element.get("aria-hidden") != "true":
                cut = words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]} …"
                lost.append(f"The words of a drawing (SVG) were not read: {' '.join(cut.split())}")
            continue
        source = element.get("src") or element.get("data") or next((s.get("src") for s in element.iter("source")), "")
        name = element.get("title") or element.get("aria-label") or re.sub(r"^data:.*", "", source or "")
        if name and (element.tag != "iframe" or source not in ("", "about:blank")):
            lost.append(f"{_UNREAD[element.tag]} was not read ({name}): put its text into the folder.")
    return list(dict.fromkeys(lost))
