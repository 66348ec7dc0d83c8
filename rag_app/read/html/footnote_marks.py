"""Footnotes of a page as Markdown footnotes: `[^1]` where they are referred to, `[^1]: text` where they stand."""

import re
from typing import Any
from urllib.parse import unquote

from rag_app.read.html.html_tree import remove_all

NOTE = "data-footnote"
"""Attribute of an element that is a footnote: its label."""
_REFERENCE_ROLE = re.compile(r"\bfoot-?note|\bnote-?ref|\bendnote|\breference\b", re.I)
_LABEL = re.compile(r"[\[(]?([\w*†‡§#]{1,5})[\])]?")
_NOTES = ("li", "p", "div", "aside", "dd")
_LISTS = ("ul", "ol", "dl", "menu", "dir")
_LONGEST = 3_000
"""Characters of a footnote; a link to more leads to a part of the page."""


def mark_footnotes(root: Any) -> None:
    """Replaces references to footnotes by `[^label]`, and marks the notes with the attribute `NOTE`."""
    by_id = {element.get("id"): element for element in root.iter("*") if element.get("id")}
    labels: dict[Any, str] = {}
    used: set[str] = set()
    short: dict[Any, bool] = {}
    marks: dict[Any, str] = {}
    for link in list(root.iter("a")):
        href = link.get("href") or ""
        target = by_id.get(unquote(href[1:])) if href.startswith("#") else None
        if target is None or link.getparent() is None:
            continue
        raised = _raised(link)
        label = _LABEL.fullmatch("".join(link.itertext()).strip())
        if label is None or (raised is link and not _says_so(link)):
            continue
        note = target if target.tag in _NOTES else next(target.iterancestors(*_NOTES), None)
        if note is None or note in link.iterancestors():
            continue
        if note not in short:
            short[note] = _is_note(note)
        if not short[note]:
            continue
        if note not in labels:
            name = label[1] if label[1].isalnum() else str(len(labels) + 1)
            while name in used:
                name += "-" + str(len(labels) + 1)
            labels[note] = name
            used.add(name)
        marks[raised] = f"[^{labels[note]}]"
    remove_all(marks, marks)
    for note, label in labels.items():
        _mark(note, label)


def _raised(link: Any) -> Any:
    """The <sup> around a link, or the link itself."""
    parent = link.getparent()
    if (
        parent is not None
        and parent.tag == "sup"
        and "".join(parent.itertext()).strip(" []()") == "".join(link.itertext()).strip(" []()")
    ):
        return parent
    return link


def _says_so(link: Any) -> bool:
    if link.get("role") == "doc-noteref" or "noteref" in (link.get("epub:type") or ""):
        return True
    if _REFERENCE_ROLE.search(f"{link.get('class') or ''} {link.get('id') or ''}"):
        return True
    return next(link.iter("sup"), None) is not None


def _is_note(note: Any) -> bool:
    return sum(map(len, note.itertext())) <= _LONGEST and next(note.iter("h1", "h2", "h3", "table"), None) is None


def _mark(note: Any, label: str) -> None:
    """Takes what leads back out of a note, and the note out of its list."""
    backs: list[Any] = []
    for link in note.iter("a"):
        words = "".join(link.itertext()).strip(" []().^")
        if (link.get("href") or "").startswith("#") and (words == label or not any(map(str.isalnum, words))):
            backs.append(_raised(link))
    remove_all(backs)
    note.set(NOTE, label)
    lists = [above for above in note.iterancestors() if above.tag in _LISTS]
    if note.tag in ("li", "dd") and lists:
        outer = lists[-1]
        while outer.getnext() is not None and outer.getnext().get(NOTE):
            outer = outer.getnext()
        note.tag = "div"
        note.tail = None
        outer.addnext(note)
