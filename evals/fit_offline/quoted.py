"""Questions whose answers are quotes: `{"id", "question", "answers": [{"document", "quote"}], "also"}`.

One JSON object a line. `answers` is empty where nothing answers; `also` holds further quotes that are right. `document`
is the path of a file within its folder. Nothing but the quotes needs writing, so that a few hundred questions over
documents of anybody can be collected in a day.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ENOUGH = 0.8
"""Share of a quote's words that a statement must hold to be the same one: line ends and markup may differ."""
_WHOLE = 20
"""Letters of a statement that is part of a quote and still counts as it."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """One question with the quotes that answer it."""

    id: str
    question: str
    quotes: tuple[tuple[str, str], ...]
    """Path of the document, and the words; empty where nothing answers."""

    def is_right(self, shown: Mapping[str, list[str]]) -> bool:
        """Whether what is shown, by path of the document, holds one of the quotes."""
        return any(
            _are_alike(text, quote)
            for document, quote in self.quotes
            for path, texts in shown.items()
            if path.endswith(document)
            for text in texts
        )


def load_quoted(file: Path) -> list[Quoted]:
    """The questions of a file. Raises ValueError where a line is not such a question, and names it."""
    found = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            one = json.loads(line)
            quotes = tuple((quote["document"], quote["quote"]) for quote in [*one["answers"], *one.get("also", ())])
            found.append(Quoted(str(one["id"]), str(one["question"]), quotes))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file}, line {number}: not a question with quotes ({error!r}).") from error
    return found


def _are_alike(shown: str, quote: str) -> bool:
    mine, theirs = (re.sub(r"[\W_]+", " ", text.casefold()).strip() for text in (shown, quote))
    if not mine or not theirs:
        return False
    if theirs in mine or (mine in theirs and len(mine) >= _WHOLE):
        return True
    words, wanted = set(mine.split()), set(theirs.split())
    return len(words & wanted) >= _ENOUGH * len(wanted)
