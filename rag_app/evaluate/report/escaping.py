"""Markdown in which nothing from a document, a question or a model becomes markup."""

import re
from collections.abc import Iterable, Sequence

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def escaped(text: object) -> str:
    """A text on one line, without markup, and without control characters that a terminal would obey."""
    said = str(text)
    for character in "\\`*_[]<>|":
        said = said.replace(character, f"\\{character}")
    return " ".join(_CONTROL.sub(" ", said).split())


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a table; every cell is escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    return lines + [f"| {' | '.join(map(escaped, row))} |" for row in rows]
