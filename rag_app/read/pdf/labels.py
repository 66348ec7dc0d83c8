"""Two columns of which the left one holds labels with a colon, or the bare numbers of a list."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_app.read.numerals import letters, roman
from rag_app.read.pdf.grids import Table
from rag_app.read.pdf.pdf_words import Word
from rag_app.read.pdf.segments import Segment, joined

Item = Segment | Table
_LETTERS, _ROMANS = ({*pairwise(map(shape, range(1, 27)))} for shape in (letters, roman))


def are_labels(part: Sequence[Item]) -> bool:
    """Whether a column holds labels, each with a colon, whose values stand in the next one."""
    texts = [item.text for item in part if isinstance(item, Segment)]
    return len(texts) == len(part) and sum(text.endswith(":") for text in texts) > 0.6 * len(texts)


def are_markers(part: Sequence[Item]) -> bool:
    """Whether a column holds nothing but the bare numbers or letters of lists, one after the other."""
    texts = [item.text.lower() for item in part if isinstance(item, Segment)]
    if len(texts) != len(part):
        return False
    run = 1
    for before, text in pairwise(texts):
        if follows(before, text):
            run += 1
        elif run > 1 and text in ("1", "a", "i"):
            run = 1
        else:
            return False
    return run > 1


def follows(before: str, text: str) -> bool:
    """Whether a number, letter or Roman number is the one after another."""
    if before.isdecimal():
        return len(before) < 4 and text == str(int(before) + 1)
    return any((before, text) in pairs for pairs in (_LETTERS, _ROMANS))


def with_text(band: Sequence[Sequence[Item]], *, is_list: bool) -> Iterator[Item]:
    """Labels with their values, or numbers of a list with their text. A bullet before the number shows that it is one:
    it belongs to no statement."""
    for row in band:
        segments = [item for item in row if isinstance(item, Segment)]
        if is_list and len(segments[0].text) < 6:
            word = segments[0].words[0]
            bullet = Word("•", word.left, word.left, word.base, word.size)
            segments[0] = Segment([bullet, *segments[0].words], [0, *segments[0].rises])
        yield joined(segments, alone=not is_list and len(segments) > 1)
