"""Which parts of an OpenDocument file are hidden, struck out, raised or lowered, by their styles."""

from collections.abc import Iterator
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
        self._rises: dict[str, int] = {}
        self._parents: dict[str, str] = {}
        for root in roots:
            for style in root.iter(_STYLE + "style") if root is not None else ():
                name = style.get(_STYLE + "name", "")
                self._parents[name] = style.get(_STYLE + "parent-style-name", "")
                if any(map(_hides, style)):
                    self._unseen.add(name)
                if position := next(filter(None, (part.get(_STYLE + "text-position") for part in style)), ""):
                    self._rises[name] = _rise(position)

    def is_unseen(self, element: Any) -> bool:
        """Whether an element is hidden or struck out by itself or by its style."""
        return element.get(_TEXT + "display") == "none" or any(name in self._unseen for name in self._chain(element))

    def rise(self, element: Any) -> int:
        """1 for raised and -1 for lowered words, else 0."""
        return next((self._rises[name] for name in self._chain(element) if name in self._rises), 0)

    def _chain(self, element: Any) -> Iterator[str]:
        """The names of an element's style and of those that it is derived from."""
        name = next(filter(None, map(element.get, _NAMES)), "")
        for _ in range(20):  # styles that inherit in a circle
            if not name:
                return
            yield name
            name = self._parents.get(name, "")


def _rise(position: str) -> int:
    """The sign of a text position: "super 58%", "sub", "33% 58%", "-33%"."""
    place = position.split()[0]
    if place in ("super", "sub"):
        return 1 if place == "super" else -1
    percent = place.removesuffix("%").split(".")[0]
    return 0 if not percent.lstrip("-").isdecimal() or int(percent) == 0 else -1 if percent.startswith("-") else 1


def _hides(properties: Any) -> bool:
    if any(properties.get(line, "none") != "none" for line in _LINES):
        return True
    return properties.get(_TEXT + "display") == "none" or properties.get(_TABLE + "display") == "false"
