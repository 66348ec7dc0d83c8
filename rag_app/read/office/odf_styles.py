"""Which parts of an OpenDocument file are hidden or struck out, by their styles."""

from typing import Any

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_NAMES = (_TEXT + "style-name", _TABLE + "style-name")
_LINES = (_STYLE + "text-line-through-style", _STYLE + "text-line-through-type")


class OdfStyles:
    """The styles of content.xml and styles.xml."""

    def __init__(self, *roots: Any) -> None:
        """The root elements of both parts, in any order; None for one that is missing."""
        self._unseen: set[str] = set()
        self._parents: dict[str, str] = {}
        for root in roots:
            for style in root.iter(_STYLE + "style") if root is not None else ():
                name = style.get(_STYLE + "name", "")
                self._parents[name] = style.get(_STYLE + "parent-style-name", "")
                if any(map(_hides, style)):
                    self._unseen.add(name)

    def is_unseen(self, element: Any) -> bool:
        """Whether an element is hidden or struck out by itself or by its style."""
        name = next(filter(None, map(element.get, _NAMES)), "")
        for _ in range(20):  # styles that inherit in a circle
            if not name:
                break
            if name in self._unseen:
                return True
            name = self._parents.get(name, "")
        return element.get(_TEXT + "display") == "none"


def _hides(properties: Any) -> bool:
    if any(properties.get(line, "none") != "none" for line in _LINES):
        return True
    return properties.get(_TEXT + "display") == "none" or properties.get(_TABLE + "display") == "false"
