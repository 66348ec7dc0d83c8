"""Boxes with a frame or a ground of their own beside running text: what stands in one is read by itself."""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag_app.read.pdf.segments import Segment, rows_of
from rag_app.read.pdf.tables.rulings import Drawing

_MOST = 40
"""A page with more boxes is a drawing or a table."""
_SENTENCE_WORDS = 5
_ENDED = re.compile(r"""[.!?:;。！？][)\]}"'”’»]*$""")


def apart_from_boxes(segments: list[Segment], drawing: Drawing) -> list[list[Segment]]:
    """The segments that stand in no box, and those of each box beside text, from the top of the page downwards."""
    boxes = sorted({*drawing.frames, *drawing.shades}, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
    groups: list[list[Segment]] = []
    rest = segments
    for left, top, right, bottom in boxes if len(boxes) <= _MOST else ():
        inside = [
            line
            for line in rest
            if left - 1 <= line.left and line.right <= right + 1 and top - 1 <= line.base <= bottom + 1
        ]
        held = set(map(id, inside))
        beside = [line for line in rest if id(line) not in held and top <= line.base <= bottom]
        if len(inside) > 1 and _is_text(beside):
            groups.append(inside)
            rest = [line for line in rest if id(line) not in held]
    return [rest, *sorted(groups, key=lambda group: (group[0].base, group[0].left))]


def _is_text(lines: Sequence[Segment]) -> bool:
    """Whether most lines are sentences, or parts of such that go on in the next line."""
    texts = [" ".join(line.text for line in row) for row in rows_of(lines)]
    if len(texts) < 2 or sum(len(text.split()) for text in texts) < _SENTENCE_WORDS * len(texts):
        return False
    whole = sum(bool(_ENDED.search(text)) or below[:1].islower() for text, below in pairwise([*texts, ""]))
    return 2 * whole > len(texts)
