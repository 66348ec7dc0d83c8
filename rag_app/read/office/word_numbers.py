"""The numbers of lists and headings as Word shows them: continued, restarted, (a), 1.1, Article 1."""

import re
from dataclasses import dataclass, field
from typing import Any

from rag_app.read.numerals import letters, roman
from rag_app.read.office.word_styles import W, is_on

_LEVELS = 9


@dataclass(slots=True)
class _Level:
    start: int = 1
    shape: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    style: str = ""


@dataclass(slots=True)
class _List:
    """A numbering definition and its counters, which all lists made from it share."""

    levels: dict[int, _Level] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the numbered paragraphs of one document, in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        """The roots of numbering.xml and styles.xml, or None."""
        self._lists: dict[str, tuple[_List, dict[int, _Level]]] = {}
        self._overrides: dict[str, dict[int, int]] = {}
        self._styles: dict[str, tuple[str | None, int | None, str]] = {}
        for style in styles.iter(W + "style") if styles is not None else ():
            number, level = _number_of(style.find(W + "pPr"))
            based_on = style.find(W + "basedOn")
            self._styles[style.get(W + "styleId", "")] = number, level, _value(based_on)
        if numbering is not None:
            self._read(numbering)

    def _read(self, numbering: Any) -> None:
        abstract: dict[str, _List] = {}
        links: dict[str, str] = {}
        by_style: dict[str, str] = {}
        for element in numbering.findall(W + "abstractNum"):
            name = element.get(W + "abstractNumId", "")
            levels = {_int(lvl.get(W + "ilvl")): _level(lvl) for lvl in element.findall(W + "lvl")}
            abstract[name] = _List(levels)
            links[name] = _value(element.find(W + "numStyleLink"))
            if style := _value(element.find(W + "styleLink")):
                by_style[style] = name
        for element in numbering.findall(W + "num"):
            number = element.get(W + "numId", "")
            name = _value(element.find(W + "abstractNumId"))
            name = by_style.get(links.get(name, ""), name)
            if name not in abstract:
                continue
            own: dict[int, _Level] = {}
            starts: dict[int, int] = {}
            for override in element.findall(W + "lvlOverride"):
                at = _int(override.get(W + "ilvl"))
                if (level := override.find(W + "lvl")) is not None:
                    own[at] = _level(level)
                if (start := override.find(W + "startOverride")) is not None:
                    starts[at] = _int(start.get(W + "val"))
            self._lists[number] = abstract[name], own
            self._overrides[number] = starts

    def next(self, paragraph: Any) -> str:
        """The number that stands before a paragraph; "" for a bullet or none. Call it for each, in order."""
        number, at = _number_of(paragraph.find(W + "pPr"))
        style = _value(paragraph.find(f"{W}pPr/{W}pStyle"))
        seen: set[str] = set()
        first = style
        while (number is None or at is None) and style in self._styles and style not in seen:
            seen.add(style)
            style_number, style_level, based_on = self._styles[style]
            number = style_number if number is None else number
            at = style_level if at is None else at
            style = based_on
        if number not in self._lists:
            return ""
        of, own = self._lists[number]
        levels = of.levels | own
        if at is None:
            at = next((place for place, level in levels.items() if level.style == first), 0)
        if at not in levels:
            return ""
        starts = self._overrides[number]
        if at in starts:  # counts from here on, once
            of.counts[at] = starts.pop(at) - 1
        elif at not in of.counts:
            of.counts[at] = levels[at].start - 1
        of.counts[at] += 1
        for deeper in range(at + 1, _LEVELS):
            level = levels.get(deeper)
            restart = deeper if level is None or level.restart is None else level.restart
            if restart and at < restart:
                of.counts.pop(deeper, None)
        return _shown(levels, of.counts, at)


def _shown(levels: dict[int, _Level], counts: dict[int, int], at: int) -> str:
    level = levels[at]
    if level.shape == "bullet":
        return ""

    def count(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        other = levels.get(place, _Level())
        return _count(counts.get(place, other.start), "decimal" if level.legal else other.shape)

    return " ".join(re.sub(r"%([1-9])", count, level.text).split())


def _count(number: int, shape: str) -> str:
    match shape:
        case "lowerLetter":
            return letters((number - 1) % 26 + 1) * ((number - 1) // 26 + 1) if number > 0 else str(number)
        case "upperLetter":
            return _count(number, "lowerLetter").upper()
        case "lowerRoman":
            return roman(number)
        case "upperRoman":
            return roman(number).upper()
        case "decimalZero":
            return f"{number:02}"
        case "ordinal":
            ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
            return f"{number}{ending}"
        case "none":
            return ""
    return str(number)


def _level(element: Any) -> _Level:
    start, restart = element.find(W + "start"), element.find(W + "lvlRestart")
    return _Level(
        start=_int(start.get(W + "val")) if start is not None else 0,
        shape=_value(element.find(W + "numFmt")) or "decimal",
        text=_value(element.find(W + "lvlText")),
        restart=None if restart is None else _int(restart.get(W + "val")),
        legal=is_on(element.find(W + "isLgl")),
        style=_value(element.find(W + "pStyle")),
    )


def _number_of(properties: Any) -> tuple[str | None, int | None]:
    """The list and level that paragraph properties name; None where they do not."""
    found = None if properties is None else properties.find(W + "numPr")
    if found is None:
        return None, None
    number, level = found.find(W + "numId"), found.find(W + "ilvl")
    return (
        None if number is None else number.get(W + "val", ""),
        None if level is None else _int(level.get(W + "val")),
    )


def _value(element: Any) -> str:
    return "" if element is None else element.get(W + "val", "")


def _int(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else 0
