"""Where the columns of some rows begin and end: at the stretches that next to none of the rows covers."""

from collections import Counter
from itertools import pairwise

from rag_app.read.pdf.segments import Segment
from rag_app.read.pdf.tables.grids import Table

Item = Segment | Table
Interval = tuple[float, float]

_MIN_GUTTER = 0.6
"""Of the letters' size."""


NARROWEST = 0.12
"""Of the letters' size: so narrow a gap parts two columns where the cells of the right one begin in one place."""


def min_gutter(item: Item) -> float:
    """How wide a gap beside something must be to be a gutter, in points."""
    return _MIN_GUTTER * (item.size if isinstance(item, Segment) else 10.0)


def columns_of(band: list[list[Item]], gutters: list[Interval]) -> list[Interval]:
    """Where columns begin and end. A gutter that most rows do not have, or that opens late, is found here too."""
    edges = sorted({(left + right) / 2 for left, right in _free(band)} or {(a + b) / 2 for a, b in gutters})
    spans: list[Interval] = []
    for start, end in pairwise([float("-inf"), *edges, float("inf")]):
        inside = [
            (item, number)
            for number, row in enumerate(band)
            for item in row
            if start <= item.left and item.right <= end
        ]
        spans += _clusters(inside)
    return spans


def _clusters(items: list[tuple[Item, int]]) -> list[Interval]:
    """The stretches that items (with the numbers of their rows) lie on: two, where nothing reaches over the gap between
    them and some row has something on both sides, as where a last column is filled in a few rows only."""
    spans: list[Interval] = []
    held: list[set[int]] = []
    for item, row in sorted(items, key=lambda placed: placed[0].left):
        if not spans or item.left - spans[-1][1] >= min_gutter(item):
            spans.append((item.left, item.right))
            held.append({row})
        else:
            spans[-1] = spans[-1][0], max(spans[-1][1], item.right)
            held[-1].add(row)
    result, rows = spans[:1], held[:1]
    for span, of in zip(spans[1:], held[1:], strict=True):
        if rows[-1] & of:
            result.append(span)
            rows.append(of)
        else:
            result[-1] = result[-1][0], span[1]
            rows[-1] |= of
    return result


def _free(band: list[list[Item]]) -> list[Interval]:
    """Intervals that next to no row covers, with text on both sides."""
    changes: list[tuple[float, int]] = []
    for row in band:
        for item in row:
            changes += (item.left, 1), (item.right, -1)
    changes.sort()
    allowed = len(band) // 8
    begun = Counter(round(item.left) for row in band for item in row[1:])
    free: list[Interval] = []
    covered = 0
    start: float | None = None
    for x, change in changes:
        covered += change
        if covered <= allowed and start is None:
            start = x
        elif covered > allowed and start is not None:
            size = next((item.size for item in band[0] if isinstance(item, Segment)), 10.0)
            if x - start >= (NARROWEST if begun[round(x)] > 2 else _MIN_GUTTER) * size:
                free.append((start, x))
            start = None
    return free
