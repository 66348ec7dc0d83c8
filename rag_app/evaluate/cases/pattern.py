"""Regular expressions of question files, under a time limit: a pattern can be written that never ends."""

import re
from dataclasses import dataclass
from functools import cache

import regex

from rag_app.errors import DefinitionError

SECONDS = 2.0
"""Longest search for one pattern in one text; a pattern that is all right takes microseconds."""
_ONE_CHARACTER = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
"""An escaped character, or a class of characters."""
_REPEATED_REPEAT = re.compile(r"(?:[*+?]|\{\d*,\d*\})\)(?:[*+]|\{\d*,\d*\})")
"""What is tried in exponentially many ways, as in `(a+)+`: named when a file is read. The time limit finds the rest."""


class PatternError(ValueError):
    """A pattern is not valid; says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression that ignores the case of letters."""

    pattern: str

    def search(self, text: str) -> "regex.Match[str] | None":
        """The first match in a text; None where there is none.

        Raises:
            DefinitionError: the search takes longer than `SECONDS`; the message names the pattern.
        """
        try:
            return _compiled(self.pattern).search(text, timeout=SECONDS)
        except TimeoutError as error:
            raise DefinitionError(
                f"A search for the pattern {self.pattern!r} did not end within {SECONDS:g} seconds: write it without "
                "one repeat inside another.",
                pattern=self.pattern,
            ) from error


def compile_pattern(text: str) -> Pattern:
    """A pattern that can be searched for. Raises PatternError where it is not a valid regular expression."""
    try:
        re.compile(text)  # the dialect that question files are written in; regex accepts more
        _compiled(text)
    except (re.error, regex.error, RecursionError, OverflowError) as error:
        raise PatternError(f"has the pattern {text!r}, which is not valid: {error}") from error
    if _REPEATED_REPEAT.search(_ONE_CHARACTER.sub("c", text)):
        raise PatternError(
            f"has the pattern {text!r}, which repeats a group that ends in a repeat: a search for it may never end. "
            "Write it with one of the two"
        )
    return Pattern(text)


@cache
def _compiled(text: str) -> "regex.Pattern[str]":
    return regex.compile(text, regex.IGNORECASE)
