"""Figures in a sentence: value, what it counts, per what, and whether it is a limit. Built for English; other
languages have fewer figures read, never wrong ones compared."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from rag_app.text.words import content_stems

Bound = Literal["min", "max", ""]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
NUMBER_WORDS = frozenset({*_WORDS, *_SCALES})
_ONE = "|".join([*_TENS, *reversed(_ONES)])
_WORD_NUMBER = rf"(?:(?:{_ONE})(?:[- ](?:{'|'.join(_ONES[1:10])}))?(?:[ -](?:{'|'.join(_SCALES)}))?)"
_DIGITS = r"\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3}){1,6}(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
_CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR"} | {
    word: code
    for code, words in {"EUR": "eur euro euros", "USD": "usd dollar dollars", "GBP": "gbp pound pounds"}.items()
    for word in words.split()
}
_FIGURE = re.compile(
    rf"(?<![\w.,:/#–-])(?:(?P<sign>[€$£¥₹]|\b(?:EUR|USD|GBP))\s?)?(?:(?P<digits>{_DIGITS})"
    rf"(?:[ -](?P<scale>{'|'.join(_SCALES)})\b)?|\b(?P<words>{_WORD_NUMBER})\b"
    r"|(?<=after )(?P<article>an?)\b|(?<=within )(?P<article2>an?)\b)"
    r"(?![\d:/]|[.,]\d|-\d)(?:\s?-?(?P<unit>(?!(?:an?|per|each|every)\b)"
    r"(?:(?:working|business|calendar)[ -])?[^\W\d_]+|[%€$£°]+))?"
    r"(?:\s(?P<per>an?|per|each|every)\s(?P<frame>[^\W\d_]+))?",
    re.IGNORECASE,
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_629_800,
            "year": 31_557_600}  # fmt: skip
UNIT_WORDS = frozenset(
    {*_SECONDS, *(f"{unit}s" for unit in _SECONDS), "percent", *(word for word in _CURRENCIES if word.isalpha())}
)
_TOLERANCE = Decimal("0.04")
"""Two times that differ by less are the same in other units: four weeks and a month are not, a year and 12 months."""
_BEFORE = (
    ("max", r"no more than|not more than|no longer than|not longer than|at most|up to|maximum(?: of)?|max\.?|within|"
            r"under|below|less than|not exceed(?:ing)?|no later than|until|"
            r"(?:nobody|no|not|never|none)\b[^.;]*more than"),
    ("min", r"at least|no less than|not less than|minimum(?: of)?|min\.?|more than|over|above|exceed(?:s|ing)?|from"),
)  # fmt: skip
_BOUND_BEFORE = [(bound, re.compile(rf"\b(?:{words})\W*$", re.IGNORECASE)) for bound, words in _BEFORE]
_BOUND_AFTER = (
    ("max", re.compile(r"\W*(?:at the latest|at most|or less|or fewer|maximum)\b", re.IGNORECASE)),
    ("min", re.compile(r"\W*(?:at least|or more|minimum|at the earliest)\b", re.IGNORECASE)),
)
_NEAR = 300
"""Characters before and after a figure that are searched for what limits it."""
_EVERY_BEFORE = re.compile(r"\bevery\W*$", re.IGNORECASE)
_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)",
    re.IGNORECASE,
)
_NAMED_BEFORE = re.compile(
    r"\b(?:annex(?:e)?|appendix|article|box|building|chapter|channel|clause|desk|door|exhibit|figure|flight|floor|form"
    r"|gate|grade|item|issue|level|line|lot|module|no\.?|number|page|pages|paragraph|part|phase|platform|point|port|room"
    r"|route|rule|schedule|section|sheet|slide|step|table|terminal|tier|unit|version|volume|ward|zone)\s+$"
    rf"|\b{_MONTH.pattern}\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?$",
    re.IGNORECASE,
)
"""What a number names rather than counts: "page 12", "May 2024"."""
_NO_UNIT = frozenset("and or of to in on at by for with from per than as is are was were be the a an".split())


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with what makes it comparable with another."""

    values: tuple[Decimal, ...]
    """Usually one; two where a separator may stand for thousands or for a decimal point."""
    kind: str
    """What is counted and per what; only figures of one kind can be compared."""
    bound: Bound
    start: int
    end: int

    def equals(self, other: "Figure") -> bool:
        return any(
            a == b or (self.kind.startswith("time") and abs(a - b) <= _TOLERANCE * max(a, b))
            for a in self.values
            for b in other.values
        )

    def contradicts(self, other: "Figure") -> bool:
        """Whether both cannot be true of one thing: other values of the same sort, or one beyond the other's limit."""
        if self.kind != other.kind or self.equals(other) or len(self.values) + len(other.values) > 2:
            return False
        (mine,), (theirs,) = self.values, other.values
        if self.bound == other.bound:
            return True
        if self.bound and other.bound:
            return False
        limit, value, bound = (mine, theirs, self.bound) if self.bound else (theirs, mine, other.bound)
        return value > limit if bound == "max" else value < limit


def read_figures(text: str, *, bare: bool = False) -> list[Figure]:
    """The figures of `text` that say what they count; dates, numberings and bare numbers are left out, unless
    asked for: those have the kind ""."""
    found = []
    for match in _FIGURE.finditer(text):
        kind, factor = ("", 1) if _is_name(match) else _kind(match)
        if not kind and not (bare and (match["digits"] or match["words"])):
            continue
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        if _EVERY_BEFORE.search(before):
            kind += " interval"
        bound = next((b for b, pattern in _BOUND_BEFORE if pattern.search(before)), "")
        bound = next((b for b, pattern in _BOUND_AFTER if pattern.match(after)), bound)
        values = tuple(value * factor for value in _values(match))
        found.append(Figure(values, kind, bound, match.start(), match.end()))  # pyright: ignore[reportArgumentType]
    return found


def _is_name(match: re.Match[str]) -> bool:
    """Whether a number is part of a date or the name of something, rather than a figure."""
    unit = (match["unit"] or "").rstrip(".")
    is_day = _MONTH.fullmatch(unit) is not None and match["digits"] is not None
    return is_day or _NAMED_BEFORE.search(match.string, max(0, match.start() - 40), match.start()) is not None


def _kind(match: re.Match[str]) -> tuple[str, int]:
    """What is counted, and how many of the smallest unit one is; "" where nobody can tell."""
    unit = (match["unit"] or "").lower()
    frame = f" per {' '.join(content_stems(match['frame']))}" if match["frame"] else ""
    currency = _CURRENCIES.get((match["sign"] or "").lower()) or _CURRENCIES.get(match["sign"] or "")
    currency = currency or (match["sign"] or "").upper() or _CURRENCIES.get(unit)
    if currency:
        return f"money {currency}{frame}", 1
    if not unit or unit in _NO_UNIT:
        return "", 1
    if unit in ("%", "percent"):
        return f"share{frame}", 1
    if unit in _SECONDS or unit.removesuffix("s") in _SECONDS:
        return f"time{frame}", _SECONDS[unit.removesuffix("s")]
    if match["article"] or match["article2"]:
        return "", 1
    return f"count {' '.join(content_stems(unit)) or unit}{frame}", 1


def _values(match: re.Match[str]) -> tuple[Decimal, ...]:
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    return tuple(value * scale for value in _bare_values(match))


def _bare_values(match: re.Match[str]) -> tuple[Decimal, ...]:
    digits = match["digits"]
    if digits:
        plain = re.sub(r"[ '’\u00a0\u202f]", "", digits)
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
            return (Decimal(plain.replace(",", "")),)
        if re.fullmatch(r"\d{1,3}\.\d{3}", plain):
            return Decimal(plain.replace(".", "")), Decimal(plain)
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", plain):
            return (Decimal(plain.replace(".", "").replace(",", ".")),)
        return (Decimal(plain.replace(",", ".")),)
    if match["words"]:
        total = 0
        for word in re.split(r"[ -]", match["words"].lower()):
            total = total * _SCALES[word] if word in _SCALES else total + _WORDS[word]
        return (Decimal(total),)
    return (Decimal(1),)
