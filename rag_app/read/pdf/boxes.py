"""Boxes with a frame or a ground of their own beside running text: what stands in one is read by itself."""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_app.read.pdf.segments import Segment, rows_of
from rag_app.read.pdf.tables.rulings import Box, Drawing

_MOST = 40
"""A page with more boxes is a drawing or a table."""
_HIGHEST = 0.6
"""Of the page: a higher box is a frame around the page's text."""
_SENTENCE_WORDS = 5
_ENDED = re.compile(r"""[.!?:;。！？][)\]}"'”’»]*$""")


def apart_from_boxes(segments: list[Segment], drawing: Drawing) -> list[list[Segment]]:
    """The segments that stand in no box, and those of each box beside text, from the top of the page downwards."""
    boxes = sorted({*drawing.frames, *drawing.shades}, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
    groups: list[list[Segment]] = []
    rest = segments
    for box in boxes if len(boxes) <= _MOST else ():
        inside = [line for line in rest if _holds(box, line)]
        held = set(map(id, inside))
        beside = [line for line in rest if id(line) not in held and box[1] <= line.base <= box[3]]
        if len(inside) > 1 and _is_text(beside):
            groups.append(inside)
            rest = [line for line in rest if id(line) not in held]
    return [rest, *sorted(groups, key=lambda group: (group[0].base, group[0].left))]


def mark_boxed(segments: Sequence[Segment], drawing: Drawing, height: float) -> None:
    """Marks lines that stand with others in a frame or on a ground: a bold one heads nothing below the box."""
    boxes = {*drawing.frames, *drawing.shades}
    for box in boxes if len(boxes) <= _MOST else ():
        inside = [line for line in segments if _holds(box, line)]
        if 1 < len(inside) < len(segments) and box[3] - box[1] <= _HIGHEST * height:
            for line in inside:
                line.boxed = True


def _holds(box: Box, line: Segment) -> bool:
    left, top, right, bottom = box
    return left - 1 <= line.left and line.right <= right + 1 and top - 1 <= line.base <= bottom + 1


def _is_text(lines: Sequence[Segment]) -> bool:
    """Whether most lines are sentences, or parts of such that go on in the next line."""
    texts = [" ".join(line.text for line in row) for row in rows_of(lines)]
    if len(texts) < 2 or sum(len(text.split()) for text in texts) < _SENTENCE_WORDS * len(texts):
        return False
    whole = sum(bool(_ENDED.search(text)) or below[:1].islower() for text, below in pairwise([*texts, ""]))
    return 2 * whole > len(texts)
