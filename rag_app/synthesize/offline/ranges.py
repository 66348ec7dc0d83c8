"""Rows that a range tells apart ("to 8 m", "8 to 12 m"): asked for 10 m, only the row whose range holds it answers.

Ranges are read where a row or a labelled item begins, or in a column that is made of them. In running text a range
that leaves the asked figure out may well be the answer: nobody may stay 20 days where the longest stay is 14.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_app.synthesize.offline.features import Candidate

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?![\d:/])"
_SIGN = r"[€$£¥₹]?\s?"
_NO_UNIT = r"(?!(?:up|to|and|or|for|of|in|is|the|und|oder|bis)\b)"
_UNIT = rf"(?:[ -]?(?P<{{}}>{_NO_UNIT}[^\W\d_]+|[%€$£¥₹°]))?"
_TO = r"(?:\s?[-–—]\s?|\s(?:to|and|bis|und)\s)"
_FIGURE = re.compile(rf"(?<![\w.,:/–-])(?P<sign>[€$£¥₹]?)\s?(?P<value>{_NUMBER}){_UNIT.format('unit')}")
_BETWEEN = re.compile(
    rf"(?<![\w.,:/])(?P<sign>[€$£¥₹]?)\s?(?P<low>{_NUMBER}){_UNIT.format('first')}{_TO}{_SIGN}(?P<high>{_NUMBER})"
    rf"{_UNIT.format('unit')}"
)
_AT_MOST = re.compile(r"(?:\b(?:up to|to|until|at most|no more than|max(?:imum)?\.?|bis(?: zu)?)|≤)\s*$", re.IGNORECASE)
_BELOW = re.compile(r"(?:\b(?:under|below|less than|fewer than|unter|weniger als)|<)\s*$", re.IGNORECASE)
_ABOVE = re.compile(r"(?:\b(?:over|above|more than|beyond|über|mehr als)|>)\s*$", re.IGNORECASE)
_AT_LEAST = re.compile(r"(?:\b(?:from|at least|min(?:imum)?\.?|ab|mindestens)|≥)\s*$", re.IGNORECASE)
_OR_MORE = re.compile(
    r"\s*(?:\+|(?:and|or|und|oder) (?:over|more|above|older|longer|heavier|mehr|darüber|älter))", re.I
)
_OR_LESS = re.compile(r"\s*(?:and|or|und|oder) (?:under|less|fewer|below|younger|weniger|darunter|jünger)", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_SAME_UNIT = {
    name: symbol
    for symbol, names in {
        "m": "metre meter", "km": "kilometre kilometer", "cm": "centimetre centimeter", "kg": "kilo kilogram",
        "g": "gram gramme", "t": "ton tonne tonnen", "l": "litre liter", "h": "hour hr", "min": "minute",
        "%": "percent prozent", "€": "eur euro", "£": "pound gbp", "$": "dollar usd", "year": "yr jahr jahre",
        "day": "tag tage", "month": "monat monate",
    }.items()
    for name in names.split()
}  # fmt: skip
"""Names of units and their signs; of others, the plural is read as the singular."""
_BEYOND = 1e-6
"""By which share a figure "over 5 kg" is taken to be more."""
_MOST_OTHER_WORDS = 3
"""Words beside a range in a cell that is one: "Boats up to 8 m"."""
_AGE = re.compile(r"\b(?:of|aged|age|is|am|are|turns?|turned|over|under)\s*$", re.IGNORECASE)
"""What stands before a bare figure that is an age or a size; others are names, such as "form 27"."""
_UNIT_OF_COLUMN = re.compile(r"(?:\(|\bin )(?P<unit>[^\W\d_]+|[%€$£¥₹])\)?$", re.IGNORECASE)
_LABEL = re.compile(r"[^:\n]{1,60}?(?=:\s|\s[–—-]\s(?!\d))")


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, in `unit`; "" where none is written."""

    low: float
    high: float
    unit: str
    with_low: bool = True
    with_high: bool = True

    def holds(self, value: float) -> bool:
        """Whether a value lies within."""
        above = value >= self.low if self.with_low else value > self.low
        below = value <= self.high if self.with_high else value < self.high
        return above and below


def is_in_range(candidate: Candidate, question: str) -> bool | None:
    """Whether a row or labelled item stands for a range that holds a figure of the question; None where it stands for
    none, or the question has no figure to compare.

    Figures are compared in one unit, which a range may have from the header of its column.
    """
    figures = _figures(question)
    found: list[bool] = []
    for of in _ranges_of(candidate) if figures else ():
        if comparable := [value for value, unit in figures if (unit or "year") == (of.unit or "year")]:
            found.append(any(map(of.holds, comparable)))
    return all(found) if found else None


def _ranges_of(candidate: Candidate) -> Iterable[Range]:
    """The range that a row or an item begins with, and those of its columns in which other rows have ranges too."""
    statement = candidate.statement
    if statement.kind == "list_item":
        label = _LABEL.match(statement.text)
        yield from _range(label[0]) if label else ()
    if statement.kind != "table_row":
        return
    cells = _cells(statement.text)
    header = _cells(statement.lead_in[-1].text) if statement.lead_in else ()
    beside = [
        others
        for other in candidate.evidence.statements
        if other is not statement and other.lead_in == statement.lead_in
        if len(others := _cells(other.text)) == len(cells)
    ]
    for column, cell in enumerate(cells):
        unit = _unit_of_column(header[column]) if column < len(header) else ""
        for found in _range(cell):
            if column == 0 or any(_range(others[column]) for others in beside):
                yield replace(found, unit=found.unit or unit)


@lru_cache(maxsize=512)
def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip(" `*") for cell in row.strip().strip("|").split("|"))


@lru_cache(maxsize=512)
def _range(cell: str) -> tuple[Range, ...]:
    """The range that a cell is; empty where it is none, or several."""
    if len(re.findall(r"[^\W\d_]+", cell)) > _MOST_OTHER_WORDS + 2:
        return ()
    if match := _BETWEEN.search(cell):
        unit = _unit(match["sign"] or match["unit"] or match["first"])
        low, high = _value(match["low"]), _value(match["high"])
        is_alone = low < high and not re.search(r"\d", cell[: match.start()] + cell[match.end() :])
        return (Range(low, high, unit),) if is_alone and not _YEAR.fullmatch(match["low"]) else ()
    bounds = [_bound(cell, figure) for figure in _FIGURE.finditer(cell)]
    found = [bound for bound in bounds if bound]
    units = {bound.unit for bound in found if bound.unit}
    if not found or len(found) != len(bounds) or len(units) > 1:
        return ()
    low = max(found, key=lambda bound: bound.low)
    high = min(found, key=lambda bound: bound.high)
    return (Range(low.low, high.high, "".join(units), low.with_low, high.with_high),)


def _bound(cell: str, figure: re.Match[str]) -> Range | None:
    """What one figure limits: "up to 8 m", "over 16 m", "18 and over"; None where it limits nothing."""
    if _YEAR.fullmatch(figure["value"]):
        return None
    value, unit = _value(figure["value"]), _unit(figure["sign"] or figure["unit"])
    before, after = cell[: figure.start()], cell[figure.end() :]
    if _OR_MORE.match(after) or _AT_LEAST.search(before):
        return Range(value, math.inf, unit)
    if _OR_LESS.match(after) or _AT_MOST.search(before):
        return Range(-math.inf, value, unit)
    if _BELOW.search(before):
        return Range(-math.inf, value, unit, with_high=False)
    return Range(value, math.inf, unit, with_low=False) if _ABOVE.search(before) else None


@lru_cache(maxsize=64)
def _figures(question: str) -> tuple[tuple[float, str], ...]:
    """The figures of a question with their units, "" for that of a bare one; years and numbers that name are none.
    "Over 5 kg" is a little more than 5."""
    found: list[tuple[float, str]] = []
    for match in _FIGURE.finditer(question):
        if _YEAR.fullmatch(match["value"]):
            continue
        before = question[: match.start()]
        beyond = bool(_ABOVE.search(before)) - bool(_BELOW.search(before))
        value = _value(match["value"]) * (1 + beyond * _BEYOND)
        if unit := _unit(match["sign"] or match["unit"]):
            found.append((value, unit))
        if not match["sign"] and _AGE.search(before):
            found.append((value, ""))
    return tuple(found)


@lru_cache(maxsize=512)
def _unit_of_column(header: str) -> str:
    match = _UNIT_OF_COLUMN.search(header)
    return _unit(match["unit"]) if match else ""


def _value(written: str) -> float:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", written):
        return float(written.replace(",", ""))
    return float(written.replace(",", "."))


def _unit(written: str | None) -> str:
    unit = (written or "").casefold()
    singular = unit.removesuffix("s") if len(unit) > 2 else unit
    return _SAME_UNIT.get(unit) or _SAME_UNIT.get(singular, singular)
