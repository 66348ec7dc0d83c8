"""Changes to a page before it is parsed and to its lxml tree, each in a time that grows no faster than the page."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that the parser lets in and its tree does not take back."""

_TAG = re.compile(r"""<[A-Za-z](?:[^"'>]++|"[^"]*"|'[^']*')*+""")
_LONG_TAG = 2_000
_MOST_ATTRIBUTES = 500
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"|'[^']*')""")
_BOUNDARY = re.compile(r"[\s/=]+")
_KEPT = re.compile(
    r"\s((?:class|id|style|role|hidden|colspan|rowspan|start|type|href|alt|value|checked|selected|aria-[a-z]+)"
    r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?(?![\w=-]))"
)


def few_attributes(html: str) -> str:
    """A page in which no tag has very many attributes: the parser compares each with all others of its tag.

    Of such a tag those stay that say how it is shown; none where its quotes do not close.
    """
    pieces: list[str] = []
    done = 0
    for tag in _TAG.finditer(html):
        if tag.end() - tag.start() > _LONG_TAG:
            pieces += html[done : tag.start()], _shortened(tag[0])
            done = tag.end()
    return "".join([*pieces, html[done:]])


def _shortened(tag: str) -> str:
    outside = _QUOTED.sub("=", tag)
    is_sound = "'" not in outside and '"' not in outside
    if len(_BOUNDARY.findall(outside if is_sound else tag)) <= _MOST_ATTRIBUTES:
        return tag
    name = re.split(r"[\s/]", tag, maxsplit=1)[0]
    return " ".join([name, *(_KEPT.findall(tag)[:50] if is_sound else ())])


def remove_all(elements: Iterable[Any], instead: Mapping[Any, str] | None = None, *, apart: bool = True) -> None:
    """Takes elements out; the text of `instead` stands in the place of each. With `apart`, a space keeps the words on
    both sides apart.

    The text around is joined once for each parent: one by one, the time would grow with the square of a page's size.
    """
    gone = set(elements)
    for parent in dict.fromkeys(element.getparent() for element in gone):
        if parent is None:
            continue
        before: Any = None
        pieces = [parent.text or ""]
        changed = False
        for child in list(parent):
            tail = child.tail or ""
            if child not in gone:
                if changed:
                    set_text(parent, before, pieces)
                before, pieces, changed = child, [tail], False
                continue
            words = instead.get(child, "") if instead else ""
            left = next((piece for piece in reversed(pieces) if piece), "")
            if apart and not words and left[-1:].isalnum() and tail[:1].isalnum():
                words = " "
            pieces += filter(None, (words, tail))
            changed = True
            child.tail = None
            parent.remove(child)
        if changed:
            set_text(parent, before, pieces)


def set_text(parent: Any, before: Any, pieces: list[str]) -> None:
    """Makes the pieces the text behind `before`, or at the beginning of `parent`."""
    joined = NO_XML.sub(" ", "".join(pieces))
    if before is not None:
        before.tail = joined
    else:
        parent.text = joined


def lift_terms(root: Any) -> None:
    """Sets terms and texts of definition lists side by side: where end tags are left out, the parser nests them."""
    last: dict[Any, Any] = {}
    for element in list(root.iter("dt", "dd")):
        outer = element.getparent()
        if outer is not None and outer.tag in ("dt", "dd"):
            last.get(outer, outer).addnext(element)
            last[outer] = element
