"""Two columns of which the left one holds labels with a colon, or the bare numbers of a list."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_app.read.pdf.grids import Table
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined

Item = Segment | Table


def are_labels(part: Sequence[Item]) -> bool:
    """Whether a column holds labels, each with a colon, whose values stand in the next one."""
    texts = [item.text for item in part if isinstance(item, Segment)]
    return len(texts) == len(part) and sum(text.endswith(":") for text in texts) > 0.6 * len(texts)


def are_markers(part: Sequence[Item]) -> bool:
    """Whether a column holds nothing but the bare numbers of a list, one after the other."""
    texts = [item.text for item in part if isinstance(item, Segment)]
    if len(texts) != len(part) or not all(text.isdecimal() and len(text) < 4 for text in texts):
        return False
    return len(texts) > 1 and all(int(b) == int(a) + 1 for a, b in pairwise(texts))


def with_text(band: Sequence[Sequence[Item]], *, is_list: bool) -> Iterator[Item]:
    """Labels with their values, or numbers of a list with their text. A bullet before the number shows that it is one:
    it belongs to no statement."""
    for row in band:
        segments = [item for item in row if isinstance(item, Segment)]
        if is_list and segments[0].text.isdecimal():
            word = segments[0].words[0]
            bullet = Word("•", word.left, word.left, word.base, word.size)
            segments[0] = Segment([bullet, *segments[0].words], [0, *segments[0].rises])
        yield joined(segments, alone=not is_list and len(segments) > 1)
