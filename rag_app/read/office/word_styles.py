"""Which runs of a Word file are unseen, struck out, raised or lowered, by their own and their styles' properties."""

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TOGGLES = ("vanish", "strike", "dstrike")
_WHITE = ("FFFFFF", "ffffff")
_SMALLEST = 4  # half points
_SHIFTED = 4  # half points up or down, from which on figures are an exponent or an index


class RunStyles:
    """Answers for a run whether it is text that readers see as valid."""

    def __init__(self, styles: Any) -> None:
        """`styles` is the root of styles.xml, or None."""
        self._properties: dict[str, Any] = {}
        self._based_on: dict[str, str] = {}
        self._known: dict[str, frozenset[str]] = {}
        for style in styles.iter(W + "style") if styles is not None else ():
            name = style.get(W + "styleId") or ""
            self._properties[name] = style.find(W + "rPr")
            based_on = style.find(W + "basedOn")
            self._based_on[name] = "" if based_on is None else based_on.get(W + "val", "")

    def is_unseen(self, run: Any) -> bool:
        """Whether a run is hidden, struck out, white on white or too small to see."""
        properties = run.find(W + "rPr")
        paragraph = next(run.iterancestors(W + "p"), None)
        on: set[str] = set()
        if paragraph is not None and (style := paragraph.find(f"{W}pPr/{W}pStyle")) is not None:
            on |= self._of_style(style.get(W + "val", ""))
        if properties is None:
            return bool(on)
        if (style := properties.find(W + "rStyle")) is not None:
            on |= self._of_style(style.get(W + "val", ""))
        on = _toggled(properties, on)
        return bool(on) or _is_invisible(run, properties, paragraph)

    def rise(self, run: Any) -> str:
        """ "superscript" or "subscript", "" for a run that stands level."""
        properties = run.find(W + "rPr")
        if properties is None:
            return ""
        shifted = properties.find(W + "position")
        by = shifted.get(W + "val", "") if shifted is not None else ""
        if by.lstrip("-").isdecimal() and abs(int(by)) >= _SHIFTED:
            return "subscript" if by.startswith("-") else "superscript"
        style = properties.find(W + "rStyle")
        mark = properties.find(W + "vertAlign")
        name = style.get(W + "val", "") if style is not None else ""
        for _ in range(20):  # styles that inherit in a circle
            if mark is not None or name not in self._properties:
                break
            of_style = self._properties[name]
            mark = of_style.find(W + "vertAlign") if of_style is not None else None
            name = self._based_on[name]
        value = mark.get(W + "val", "") if mark is not None else ""
        return value if value in ("superscript", "subscript") else ""

    def _of_style(self, name: str) -> frozenset[str]:
        if name not in self._known:
            chain: list[str] = []
            while name in self._properties and name not in chain:
                chain.append(name)
                name = self._based_on[name]
            on: set[str] = set()
            for link in reversed(chain):
                on = _toggled(self._properties[link], on)
            self._known[chain[0] if chain else name] = frozenset(on)
            return frozenset(on)
        return self._known[name]


def is_on(element: Any) -> bool:
    """Whether a toggle element is set: `<w:vanish/>` and all values but false, 0, off."""
    return element is not None and element.get(W + "val", "true") not in ("false", "0", "off", "none")


def _toggled(properties: Any, on: set[str]) -> set[str]:
    if properties is None:
        return on
    on = set(on)
    for name in _TOGGLES:
        found = properties.find(W + name)
        if found is not None:
            on = on | {name} if is_on(found) else on - {name}
    return on


def _is_invisible(run: Any, properties: Any, paragraph: Any) -> bool:
    size = properties.find(W + "sz")
    if size is not None and size.get(W + "val", "").isdecimal() and int(size.get(W + "val")) <= _SMALLEST:
        return True
    color = properties.find(W + "color")
    if color is None or color.get(W + "val") not in _WHITE:
        return False
    shaded = properties.find(W + "shd") is not None or properties.find(W + "highlight") is not None
    if shaded or next(run.iterancestors(W + "tc", W + "txbxContent"), None) is not None:
        return False  # may stand on a dark ground
    return paragraph is None or paragraph.find(f"{W}pPr/{W}shd") is None
