"""The styles that a page sets by itself: `style` attributes and the rules of its `<style>` elements.

Selectors may name tags, classes, ids, attributes and places among siblings, with the four combinators, `:is`, `:where`
and `:not` of names, and rules may stand in rules, in `@layer` and in `@supports`; those for `::before` and the like and
those in `@media` are passed over, those with `:hover` or `:checked` only say what a reader may open. Styles in other
files are not fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Style = dict[str, str]

_DECLARATION = re.compile(r"(?<![\w-])([\w-]+)\s*:\s*([^;{}]+)")
_IMPORTANT = re.compile(r"[^;{}!]+!\s*important", re.I)
_PLACE = r":(?:first-child|last-child|nth-child\(\s*\d{1,3}\s*\)|not\(\s*[.#][\w-]+\s*\))"
_COMPOUND = re.compile(
    rf"(\*|[a-z][a-z0-9-]*)?((?:[.#][\w-]+|\[[\w-]+(?:[~|^$*]?=(?:\"[^\"]*\"|'[^']*'|[\w-]+))?\]|{_PLACE})*)", re.I
)
_CONDITION = re.compile(rf"([.#])([\w-]+)|\[([\w-]+)(?:([~|^$*]?)=[\"']?([^\"'\]]*)[\"']?)?\]|({_PLACE})", re.I)
_ALWAYS = re.compile(
    r"@media\s+(?:only\s+)?(?:screen|all)\s*(?:,[^{};]*)?\s*|@layer\b[^{};]*|@supports\s*\((?!\s*not\b)[^{};]*", re.I
)
"""Blocks whose rules hold for every screen; of a condition on what browsers know it is taken that they know it."""
_SOMETIMES = re.compile(r"(?<!:):(?:hover|focus|focus-within|focus-visible|active|target|checked)\b")
_IN_LIST = re.compile(r",(?![^(]*\))")
"""Commas between selectors, not those within parentheses."""
_EITHER = re.compile(r":(?:is|where|matches|-webkit-any|-moz-any)\(([^()]*)\)", re.I)
_NEITHER = re.compile(r":not\(([^()]*,[^()]*)\)", re.I)
_LAST_COMPOUND = re.compile(r"[^\s>+~]*\Z")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_MOST_CSS = 500_000
_MOST_COMPOUNDS = 8
_LONGEST_OUTER = 200
"""Letters of the selectors of a rule that others may stand in."""
_MOST_ALTERNATIVES = 32
"""Of one selector, by its `:is` and `:where`."""
_MOST_LOOKS = 2_000_000
"""Looks at elements, by all rules; a page that asks for more gets no more of its rules applied."""


@dataclass(frozen=True, slots=True)
class _Compound:
    """What one element must be."""

    tag: str
    names: frozenset[str]
    """Classes as ".a" and the id as "#a"."""
    attributes: tuple[tuple[str, str, str | None], ...]
    """Names, the operator before "=" and values, None for any."""
    places: tuple[str, ...]
    """Pseudo-classes of places among siblings, and `:not` of a class or id."""
    before: str
    """The combinator between it and the compound on its left: " ", ">", "+", "~" or "" for the first."""


@dataclass(frozen=True, slots=True)
class _Rule:
    parts: tuple[_Compound, ...]
    """From right to left."""
    rank: tuple[int, int, int, int]
    style: Style
    important: Style
    """Those of its declarations that go before all others."""
    sometimes: bool
    """Whether it holds only while the reader does something, or has done it."""


class PageStyles:
    """The style rules of a page."""

    def __init__(self, root: Any) -> None:
        """`root` is the lxml tree of the page."""
        self._rules: dict[str, list[_Rule]] = {}
        """By one of the names, or the tag, that the element itself needs for them; "" for any element."""
        self._names: dict[Any, frozenset[str]] = {}
        self._looks = 0
        sheets = "".join(element.text or "" for element in root.iter("style"))[:_MOST_CSS]
        for number, (selectors, body) in enumerate(_rules(_without_media(_COMMENT.sub("", sheets)))):
            style = parse_style(body)
            for selector in _alternatives(selectors) if style else ():
                always = _SOMETIMES.sub("", selector).strip()
                if parts := _parse_selector(always):
                    key = min(parts[0].names, default=parts[0].tag)
                    important = parse_style(";".join(_IMPORTANT.findall(body)))
                    rule = _Rule(parts, _rank(parts, number), style, important, always != selector.strip())
                    self._rules.setdefault(key, []).append(rule)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def of(self, element: Any) -> Style:
        """The element's own style: the page's rules for it, then its `style` attribute."""
        own = parse_style(element.get("style") or "")
        if not self._rules or self._looks > _MOST_LOOKS:
            return own
        rules = self._candidates(element)
        fitting = [rule for rule in rules if not rule.sometimes and self._fits(element, rule.parts)]
        style: Style = {}
        important: Style = {}
        for rule in sorted(fitting, key=lambda rule: rule.rank):
            style |= rule.style
            important |= rule.important
        return style | own | important

    def opens(self, element: Any) -> bool:
        """Whether some rule shows the element once something around it is opened: `.open > .answer`."""
        if self._looks > _MOST_LOOKS or "display" in parse_style(element.get("style") or ""):
            return False
        return any(
            rule.style.get("display", "none") != "none"
            and len(rule.parts) > 1
            and self._fits(element, rule.parts[:1])
            and (rule.sometimes or not self._fits(element, rule.parts))
            for rule in self._candidates(element)
        )

    def _candidates(self, element: Any) -> list[_Rule]:
        keys = {"", element.tag if isinstance(element.tag, str) else "", *self._names_of(element)}
        return [rule for key in keys for rule in self._rules.get(key, ())]

    def _names_of(self, element: Any) -> frozenset[str]:
        found = self._names.get(element)
        if found is None:
            names = {f".{name}" for name in (element.get("class") or "").split()}
            if element.get("id"):
                names.add(f"#{element.get('id')}")
            found = self._names[element] = frozenset(names)
        return found

    def _fits(self, element: Any, parts: tuple[_Compound, ...], at: int = 0) -> bool:
        self._looks += 1
        part = parts[at]
        if part.tag not in ("", element.tag) or not part.names <= self._names_of(element):
            return False
        if not all(_has(element.get(name), operator, value) for name, operator, value in part.attributes):
            return False
        if not all(self._stands(element, place) for place in part.places):
            return False
        if at + 1 == len(parts):
            return True
        match part.before:
            case ">":
                around = [element.getparent()]
            case "+":
                around = [element.getprevious()]
            case "~":
                around = element.itersiblings(preceding=True)
            case _:
                around = element.iterancestors()
        for other in around:
            if self._looks > _MOST_LOOKS:
                return False
            if other is not None and self._fits(other, parts, at + 1):
                return True
        return False

    def _stands(self, element: Any, place: str) -> bool:
        """Whether an element stands in such a place among its siblings, or lacks a name."""
        kind, _, inner = place.rstrip(") ").partition("(")
        if kind == ":not":
            return inner.strip() not in self._names_of(element)
        if kind == ":last-child":
            return element.getnext() is None
        before = 0 if kind == ":first-child" else int(inner) - 1
        for _ in range(before):
            element = None if element is None else element.getprevious()
        return element is not None and element.getprevious() is None


def _has(found: str | None, operator: str, value: str | None) -> bool:
    """Whether an attribute is there and has a value as a selector wants it."""
    if found is None or value is None:
        return found is not None
    match operator:
        case "~":
            return value in found.split()
        case "|":
            return found == value or found.startswith(f"{value}-")
        case "^":
            return bool(value) and found.startswith(value)
        case "$":
            return bool(value) and found.endswith(value)
        case "*":
            return bool(value) and value in found
    return found == value


def parse_style(text: str) -> Style:
    """The declarations of a `style` attribute or of a rule, in small letters."""
    return {name.lower(): value.split("!")[0].strip().lower() for name, value in _DECLARATION.findall(text)}


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of each rule; those of a rule within a rule stand for what is in the outer one."""
    opened: list[str] = []
    own: list[list[str]] = [[]]
    done = 0
    for mark in re.finditer(r"[{};]", sheet):
        text, done = sheet[done : mark.start()].strip(), mark.end()
        if mark[0] == "{":
            outer = opened[-1] if opened else ""
            if text.startswith("@"):
                text = outer
            elif outer and len(outer) < _LONGEST_OUTER:
                around = f":is({outer})"
                text = text.replace("&", around) if "&" in text else f"{around} {text}"
            opened.append(text)
            own.append([])
            continue
        own[-1].append(text)
        if mark[0] == "}" and opened:
            yield opened.pop(), ";".join(own.pop())


def _alternatives(selectors: str) -> list[str]:
    """The selectors of a list. One with `:is(a, b)` or `:where(a, b)` stands for two, `:not(a, b)` for `:not` twice."""
    found: list[str] = []
    for selector in _IN_LIST.split(selectors):
        mine = [_NEITHER.sub(lambda names: "".join(f":not({name.strip()})" for name in names[1].split(",")), selector)]
        for _ in range(_MOST_COMPOUNDS):
            mine = [each for one in mine for each in _without_first_either(one)][:_MOST_ALTERNATIVES]
        found += mine
    return found


def _without_first_either(selector: str) -> list[str]:
    either = _EITHER.search(selector)
    if either is None:
        return [selector]
    before, after = selector[: either.start()], selector[either.end() :]
    rest = _LAST_COMPOUND.search(before)
    start = rest.start() if rest else len(before)  # a tag goes to the beginning of its compound
    return [
        f"{before[:start]}{name}{before[start:]}{after}" if name[:1].isalpha() else f"{before}{name}{after}"
        for name in map(str.strip, either[1].split(",")[:_MOST_ALTERNATIVES])
    ]


def _parse_selector(selector: str) -> tuple[_Compound, ...]:
    """The compounds of a selector, the rightmost first; empty where it has what is not known here."""
    found: list[_Compound] = []
    at, before = 0, ""
    while at < len(selector):
        match = _COMPOUND.match(selector, at)
        if match is None or not match[0] or len(found) == _MOST_COMPOUNDS:
            return ()
        names, places = set[str](), list[str]()
        attributes = list[tuple[str, str, str | None]]()
        for kind, name, attribute, operator, value, place in _CONDITION.findall(match[2]):
            if kind:
                names.add(kind + name)
            elif place:
                places.append(place)
            else:
                attributes.append((attribute.lower(), operator, value or None))
        tag = (match[1] or "").lower()
        of_tag = "" if tag == "*" else tag
        found.append(_Compound(of_tag, frozenset(names), tuple(attributes), tuple(places), before))
        at = match.end()
        if at < len(selector):
            combinator = _COMBINATOR.match(selector, at)
            if combinator is None:
                return ()
            at, before = combinator.end(), combinator[1] or " "
    return tuple(reversed(found))


def _rank(parts: tuple[_Compound, ...], number: int) -> tuple[int, int, int, int]:
    ids = sum(name[0] == "#" for part in parts for name in part.names)
    others = sum(len(part.names) + len(part.attributes) + len(part.places) for part in parts) - ids
    return ids, others, sum(bool(part.tag) for part in parts), number


def _without_media(sheet: str) -> str:
    """A style sheet without its `@media` and other nested blocks, which hold only for some readers;
    those for every screen stay."""
    kept: list[str] = []
    depth, done, skipping = 0, 0, 0
    for match in re.finditer(r"@[a-z-]+[^{};]*(?=[{;])|[{}]", sheet):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth = max(0, depth - 1)
            if skipping and depth < skipping:
                done, skipping = match.end(), 0
        elif not skipping and not _ALWAYS.fullmatch(match[0]):
            kept.append(sheet[done : match.start()])
            done, skipping = match.end() + 1, depth + 1
            if sheet[match.end() : match.end() + 1] == ";":
                skipping = 0
    return "".join([*kept, "" if skipping else sheet[done:]])
