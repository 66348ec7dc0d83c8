"""Rows of a table that name a group of the rows below them: "Boats" above "Cleaning | 40" and "Painting | 200"."""

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest

from rag_app.document import Span

_PIPE = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"\t| {2,}")
_BOLD = re.compile(r"(\*\*|__).*\1:?")
_SENTENCE = re.compile(r"[.!?。！？]\W*$")
_SUM = re.compile(r"\W*(?:grand total|total|sum|summe|gesamt|insgesamt|somme)\b", re.IGNORECASE)
_MAX_WORDS = 12


def names_of_groups(rows: Sequence[Sequence[str]], starts: Sequence[int]) -> list[Span | None]:
    """For each row of a table, given by its lines and where it begins, the place of the name of its group; None for
    one of no group."""
    cells = [_cells(row) for row in rows]
    if not all("|" in line for row in rows for line in row):  # gaps do not show which cells are empty
        width = max(map(len, cells), default=0)
        cells = [row + [""] * (width - len(row)) for row in cells]
    return [
        None if name is None or len(rows[name]) > 1 else _place(starts[name], rows[name][0])
        for name in groups_of(cells)
    ]


def groups_of(rows: Sequence[Sequence[str]]) -> list[int | None]:
    """For each row, given by its cells, the number of the row above that names its group; None for one of no group.

    A name stands alone in its row. It is sure where the row has no other cell, ends with a colon, or is set in bold
    above a row that is not. Empty cells alone may as well be missing values: they make names only where the table
    begins with one, has several, and either has three columns or the same rows below several of them.
    """
    width = max(map(len, rows), default=0)
    lone = {number for number, row in enumerate(rows) if _is_lone(row)}
    leading = {number for number in lone if number + 1 < len(rows) and number + 1 not in lone}
    if width < 2 or not leading:
        return [None] * len(rows)
    names = {number for number in leading if _is_sure(rows[number], rows[number + 1])}
    if not names and lone == leading and 0 in lone and len(lone) > 1 and (width > 2 or _repeat(rows, lone)):
        names = lone
    groups: list[int | None] = []
    current: int | None = None
    for number, row in enumerate(rows):
        current = number if number in names else current
        is_sum = number == len(rows) - 1 and bool(_BOLD.fullmatch(row[0]) or _SUM.match(row[0]))
        groups.append(None if current == number or is_sum else current)
    return groups


def _cells(lines: Sequence[str]) -> list[str]:
    """The cells of a row, whose lines go on cell by cell."""
    parted = [
        _PIPE.split(line.strip().removeprefix("|").removesuffix("|")) if "|" in line else _GAP.split(line.strip())
        for line in lines
    ]
    return [" ".join(" ".join(cell).split()) for cell in zip_longest(*parted, fillvalue="")]


def _place(start: int, line: str) -> Span:
    """Where the one cell of a line stands that is not empty."""
    at = len(line) - len(line.lstrip("| \t"))
    bar = _PIPE.search(line, at)
    content = line[at : bar.start() if bar else len(line)].rstrip()
    return start + at, start + at + len(content)


def _is_lone(row: Sequence[str]) -> bool:
    return bool(row[0]) and not any(row[1:]) and len(row[0].split()) <= _MAX_WORDS and not _SENTENCE.search(row[0])


def _is_sure(row: Sequence[str], below: Sequence[str]) -> bool:
    is_bold = _BOLD.fullmatch(row[0]) and not _BOLD.fullmatch(below[0])
    return len(row) == 1 or row[0].endswith((":", "：")) or bool(is_bold)


def _repeat(rows: Sequence[Sequence[str]], names: set[int]) -> bool:
    """Whether rows of several groups begin with the same cell."""
    seen: dict[str, int] = {}
    for first, end in pairwise([*sorted(names), len(rows)]):
        if any(seen.setdefault(row[0], first) != first for row in rows[first + 1 : end]):
            return True
    return False
