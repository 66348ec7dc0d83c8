"""Lines that repeat at the head or foot of pages, and page numbers: they belong to the paper, not to the text."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from rag_app.read.pdf.segments import Segment, rows_of

_MARGIN = 0.16
"""Of the page's height: where running headers and footers are looked for."""
_OUTER = 0.08
"""Of the page's height: what stands so far out in another size needs no gap to the text."""
_MAX_ROWS = 5
_MOST_WORDS = 15
"""Of a row with a page number."""
_STEP = 12.0
"""Points: what repeats stands on the same height, this much more or less."""
_GAP = 1.7
"""Of the letters' size: running headers and footers stand so far from the text."""
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:(?:page|seite|p\.|s\.)\s*)?[-–—]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*[-–—]?(?:\s*(?:/|of|von)\s*\d{1,4})?",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"(?:page|seite)\s+\d+(?:\s*(?:/|of|von)\s*\d+)?|\d+\s*(?:/|of|von)\s*\d+|[-–—]\s*\d+\s*[-–—]", re.IGNORECASE
)
_BARE = re.compile(r"[-–—]?\s*(?:\d{1,3}|[ivxlc]{1,6})\s*[-–—]?", re.IGNORECASE)
"""Alone at the edge of a page, such a number counts pages; one of four figures may be a year."""


def without_furniture(
    pages: Sequence[list[Segment]], heights: Sequence[float], body_size: float
) -> list[list[Segment]]:
    """The segments of each page without running headers, footers and page numbers."""
    margins = [_margins(segments, height) for segments, height in zip(pages, heights, strict=True)]
    exact, tracked = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for number, sides in enumerate(margins):
        rows = [row for side in sides for row in side]
        exact.update({place for row in rows for segment in row for place in _places(segment)})
        tracked.update({key for row in rows for segment in row for key in _tracked(segment, number, body_size)})
    needed = 2 if len(pages) < 5 else 3
    result: list[list[Segment]] = []
    for number, (segments, sides) in enumerate(zip(pages, margins, strict=True)):

        def repeats(segment: Segment, number: int = number) -> bool:
            if len(pages) > 1 and max(exact[place] for place in _places(segment)) >= needed:
                return True
            if any(tracked[key] >= 2 for key in _tracked(segment, number, body_size)):
                return True
            far_out = min(segment.base, heights[number] - segment.base) <= _OUTER * heights[number]
            is_number = (far_out and _BARE.fullmatch(segment.text)) or (
                len(pages) == 1 and _SURE.fullmatch(segment.text)
            )
            return bool(is_number) and segment.size <= (1.3 if _SURE.fullmatch(segment.text) else 1.0) * body_size

        def counts(row: list[Segment], number: int = number) -> bool:
            """Whether a page number stands at an end of the row, beside few other words: the name of a chapter."""
            others = sum(len(segment.words) for segment in row)
            return (
                len(row) > 1
                and others <= _MOST_WORDS
                and any(
                    _BARE.fullmatch(segment.text)
                    and any(tracked[key] > 2 for key in _tracked(segment, number, body_size))
                    for segment in (row[0], row[-1])
                )
            )

        gone: set[int] = set()
        for side, outer in zip(sides, (0.0, heights[number]), strict=True):
            gone |= _furniture(side, lambda row: counts(row) or all(map(repeats, row)), outer, heights[number])
        result.append([segment for segment in segments if id(segment) not in gone])
    return result


def _margins(segments: list[Segment], height: float) -> tuple[list[list[Segment]], list[list[Segment]]]:
    """The first and the last rows of a page, from its edge inwards, and one more of each for its distance."""
    rows = rows_of(segments)
    head, foot = rows[: _MAX_ROWS + 1], rows[::-1][: _MAX_ROWS + 1]
    return (
        [row for row in head if row[0].base <= 2 * _MARGIN * height],
        [row for row in foot if row[0].base >= (1 - 2 * _MARGIN) * height],
    )


def _furniture(
    side: list[list[Segment]], repeats: Callable[[list[Segment]], bool], outer: float, height: float
) -> set[int]:
    """The segments of the repeated rows, from the edge of the page to the first row that is text."""
    count = 0
    while (
        count < min(len(side), _MAX_ROWS)
        and abs(side[count][0].base - outer) <= _MARGIN * height
        and repeats(side[count])
    ):
        count += 1
    while count:
        last = side[count - 1][0]
        text = side[count][0] if count < len(side) else None
        far_out = abs(last.base - outer) <= _OUTER * height
        if text is None or abs(text.base - last.base) > _GAP * last.size:
            break
        if far_out and abs(text.size - last.size) > 0.08 * last.size:
            break
        count -= 1
    return {id(segment) for row in side[:count] for segment in row}


def _key(segment: Segment) -> str:
    return " ".join(segment.text.split())


def _places(segment: Segment) -> list[tuple[str, int]]:
    """The text with its height on the page: as two steps of a ladder, so that near heights have one in common."""
    return [(_key(segment), 2 * round(segment.base / _STEP)), (_key(segment), 2 * int(segment.base / _STEP) + 1)]


def _tracked(segment: Segment, page: int, body_size: float) -> list[tuple[str, int]]:
    """The text without each of its numbers in turn, and how far that number is ahead of the page's."""
    text = _key(segment)
    if segment.size > (1.3 if _SURE.fullmatch(text) else 1.05) * body_size or len(text) > 200:
        return []
    if _PAGE_NUMBER.fullmatch(text) or len(text.split()) > 2:
        return [
            (f"{text[: match.start()]}#{text[match.end() :]} {height}", int(match[0]) - page)
            for match in _NUMBER.finditer(text)
            for _, height in _places(segment)
            if len(match[0]) <= 5
        ]
    return []
