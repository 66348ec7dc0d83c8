"""The kind of answer a question asks for, and whether a statement holds one.

Function words, units and number words of English only: the grammar of asking, no vocabulary of any corpus.
"""

import re
from typing import Literal

Kind = Literal["number", "amount", "duration", "time", "permission"]
QUANTITIES: tuple[Kind, ...] = ("number", "amount", "duration", "time")
"""Kinds that a statement either holds or does not; of a permission one can never be sure."""

_NUMBER_WORD = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    "hundred|thousand|million|half|quarter|third|once|twice|double|single|no limit|unlimited|none"
)
_NUMBER = rf"(?:\d[\d.,]*|\b(?:{_NUMBER_WORD})\b)"
_UNIT_OF_TIME = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?|working)\b"
)
_SPAN_OF_TIME = rf"{_NUMBER}[ -](?:\w+[ -])?{_UNIT_OF_TIME}"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAY = "mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"
_CURRENCY = r"[$€£¥₹]|\b(?:eur|usd|gbp|nok|sek|dkk|chf|jpy|euros?|dollars?|pounds?|kroner|cents?|pence)\b"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_ASKS: dict[Kind, re.Pattern[str]] = {
    "duration": _any(
        r"\bhow (?:long|soon|quickly|fast|early|late|far ahead|far in advance)\b",
        r"\bwhat (?:notice|period)\b",
    ),
    "time": _any(
        r"\bwhen\b",
        r"\b(?:what|which) (?:time|date|day|month|year|hours?)\b",
        r"\bdeadline\b",
    ),
    "amount": _any(
        r"\bhow much\b",
        r"\b(?:cost|costs|price|fee|pay|paid|charge|rate|fare|limit|maximum|minimum|budget)\b",
    ),
    "number": _any(
        r"\bhow (?:many|often|high|low|big|large|heavy|tall|deep|wide|fast|far|old|hot|cold)\b",
        r"\bwhat (?:percentage|number|share|size|weight|height|speed|temperature)\b",
    ),
    "permission": _any(
        r"^\W*(?:is|are|am|can|could|may|must|should|do|does|did|will|would|has|have)\b",
        r"\ballowed\b",
    ),
}

_MONEY = _any(_CURRENCY)
_HOLDS: dict[Kind, re.Pattern[str]] = {
    "number": _any(_NUMBER),
    "amount": _any(_CURRENCY, _NUMBER, r"\b(?:free|without charge|no charge)\b", "%"),
    "duration": _any(
        _SPAN_OF_TIME,
        r"\b(?:immediately|at once|same day|daily|weekly|monthly|yearly|next day|indefinitely)\b",
    ),
    "time": _any(
        rf"\b(?:{_MONTH})\b",
        rf"\b(?:{_WEEKDAY})\b",
        r"\d{1,2}[:.]\d\d",
        r"\b\d{4}\b",
        r"\b\d{1,2} ?(?:am|pm|o'clock)\b",
        r"\bat \d{1,2}\b",
        r"\b(?:noon|midnight|sunrise|sunset|dawn|dusk)\b",
        _SPAN_OF_TIME,
        r"\b(?:before|after|until|immediately|as soon as|at the end|every)\b",
    ),
    "permission": _any(
        r"\b(?:not|no|never|only|may|must|can|cannot|allowed|permitted|forbidden|prohibited|required|needs?)\b",
        r"\b(?:unless|except|always|free to|entitled|eligible)\b",
        r"n't\b",
    ),
}


def kinds_asked(question: str) -> tuple[Kind, ...]:
    """The kinds of answer that would answer `question`; empty where it asks for none in particular."""
    return tuple(kind for kind, pattern in _ASKS.items() if pattern.search(question))


def holds_money(statement: str) -> bool:
    """Whether a statement holds a sum of money, by its currency."""
    return bool(_MONEY.search(statement))


def holds(kind: Kind, statement: str) -> bool:
    """Whether a statement holds something of that kind."""
    return bool(_HOLDS[kind].search(statement))
