"""Words into segments: stretches of one line without a gap wider than a few spaces.

A gap may be a gutter between columns, or only a wide space in a justified line. So lines come apart here at every wide
gap, and `columns.py` puts them together again where no gutter runs through.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from rag_app.read.numerals import SUBSCRIPTS, SUPERSCRIPTS
from rag_app.read.pdf.pdf_words import Word
from rag_app.text.plain.plain_lines import BULLETS, SPEAKING_BULLETS

_GAP = 0.65
"""Of the letters' size: a wider gap ends a segment."""
_GLUED_GAP = 5.0
"""A list marker and its text may stand so far apart."""
MARKER = re.compile(
    rf"[{BULLETS}▢{SPEAKING_BULLETS}*·→⇒–—-]"
    r"|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6})[.)]|\d{1,3}(?:\.\d{1,3})+\.?|o"
)
_RAISED = SUPERSCRIPTS | {symbol: symbol for symbol in "*†‡§¶#,"}
_FRACTION = re.compile(r"(\d?)([⁰¹²³⁴-⁹]+) ?[/⁄] ?([₀-₉]+|\d+)")
_PLAIN = {raised: plain for plain, raised in _RAISED.items()} | {low: plain for plain, low in SUBSCRIPTS.items()}


class Segment:
    """Words side by side on one line, some of them raised (1) or lowered (-1)."""

    def __init__(self, words: Sequence[Word], rises: Sequence[int]) -> None:
        self.words, self.rises = list(words), list(rises)
        level = [word for word, rise in zip(words, rises, strict=True) if rise == 0] or self.words
        sizes = Counter[float]()
        for word in level:
            sizes[word.size] += len(word.text)
        self.size = sizes.most_common(1)[0][0]
        self.base = next(word.base for word in level if word.size == self.size)
        self.left = min(word.left for word in words)
        self.right = max(word.right for word in words)
        self.bold = all(word.bold for word in level)
        self.alone = any(word.filled_in for word in words)
        """True for a label with its value, which is a paragraph of its own."""
        self.boxed = False
        """True where it stands with other lines in a box."""
        self.top, self.bottom = self.base - 0.75 * self.size, self.base + 0.22 * self.size

    @cached_property
    def text(self) -> str:
        pieces: list[str] = []
        before: Word | None = None
        for word, rise in zip(self.words, self.rises, strict=True):
            if before is not None and self._parted(before, word, rise):
                pieces.append(" ")
            pieces.append(_set(word.text, rise, "".join(pieces[-1:])))
            before = word
        return _FRACTION.sub(_fraction, "".join(pieces))

    def parted(self, at: Sequence[int]) -> list["Segment"]:
        """The segment as several, which begin with the words of these numbers."""
        return [Segment(self.words[a:b], self.rises[a:b]) for a, b in pairwise([0, *at, len(self.words)])]

    @staticmethod
    def _parted(before: Word, word: Word, rise: int) -> bool:
        gap, size = word.left - before.right, max(word.size, before.size)
        return gap > (0.25 if word.joined or rise else 0.1) * size

    @cached_property
    def first_width(self) -> float:
        """How wide the first word is, with what is joined to it."""
        end = self.words[0].right
        for word in self.words[1:]:
            if not word.joined:
                break
            end = word.right
        return end - self.words[0].left

    @property
    def first_rise(self) -> int:
        return self.rises[0]


def joined(segments: Iterable[Segment], *, alone: bool = False) -> Segment:
    """One segment of several, which lie side by side."""
    parts = sorted(segments, key=lambda segment: segment.left)
    if len(parts) == 1:
        return parts[0]
    whole = Segment([w for part in parts for w in part.words], [rise for part in parts for rise in part.rises])
    whole.alone = alone or any(part.alone for part in parts)
    whole.boxed = all(part.boxed for part in parts)
    return whole


def make_segments(words: Sequence[Word], *, in_table: bool = False) -> list[Segment]:
    """The segments of words that stand upright, from the top of the page downwards and from left to right; between the
    lines of a table a number is no marker of what stands behind it."""
    runs: list[tuple[list[Word], list[int]]] = []
    for word in words:
        if runs and (rise := _fits(*runs[-1], word)) is not None:
            runs[-1][0].append(word)
            runs[-1][1].append(rise)
        else:
            runs.append(([word], [0]))
    segments = _with_scattered([Segment(*run) for run in runs])
    segments = _side_by_side(segments)
    return segments if in_table else _glued(segments)


def _fits(words: list[Word], rises: list[int], word: Word) -> int | None:
    """How a word stands behind the ones before it: level (0), raised (1), lowered (-1), or not at all (None)."""
    last = words[-1]
    gap = word.left - last.right
    main = next((w for w, rise in zip(reversed(words), reversed(rises), strict=True) if rise == 0), last)
    em = max(main.size, word.size)
    if word.filled_in or main.filled_in:
        return 0 if word.filled_in and main.filled_in and word.base == main.base and gap < em else None
    shift = main.base - word.base
    sunk = word.joined and word.size <= 0.87 * main.size and shift < -0.05 * em
    if abs(shift) <= 0.1 * em and not sunk:
        return 0 if -0.4 * em < gap < _GAP * em else None
    note = len(words) == 1 and last.text.isdecimal() and main.size < word.size and -0.65 * em < shift < -0.2 * em
    if note and -0.2 * em < gap < _GAP * em:  # a number that is raised at the beginning of a note
        rises[0] = 1
        return 0
    if not -0.2 * em < gap < 0.3 * em or abs(shift) > 0.65 * em:
        return None
    if len(words) == 1 and MARKER.fullmatch(last.text) and len(word.text) > 1 and word.text.isalpha():
        return None  # a list marker in larger letters than its text
    if word.size <= 0.87 * main.size or (abs(shift) > 0.2 * em and word.size <= main.size and len(word.text) <= 3):
        return 1 if shift > 0 else -1
    if len(words) == 1 and main.size <= 0.87 * word.size:  # a number that is raised at the beginning of a note
        rises[0] = -1 if shift > 0 else 1
        return 0
    return None


def _with_scattered(segments: list[Segment]) -> list[Segment]:
    """Puts small raised and lowered words that were drawn on their own where they stand in a line."""
    by_base = sorted(segments, key=lambda segment: segment.base)
    bases = [segment.base for segment in by_base]
    taken: set[int] = set()
    grown: dict[int, Segment] = {}
    for small in segments:
        if len(small.words) > 1 or len(small.words[0].text) > 4 or small.words[0].filled_in:
            continue
        reach = small.size * 1.0
        for other in by_base[bisect_left(bases, small.base - reach) : bisect_left(bases, small.base + reach)][:200]:
            if other is small or id(other) in taken or small.size > 0.87 * other.size:
                continue
            shift, em = other.base - small.base, other.size
            now = grown.get(id(other), other)
            gap = small.left - now.right
            if 0.1 * em < abs(shift) < 0.65 * em and now.left - 0.2 * em < small.left and gap < 0.3 * em:
                grown[id(other)] = _inserted(now, small, 1 if shift > 0 else -1)
                taken.add(id(small))
                break
    return [grown.get(id(segment), segment) for segment in segments if id(segment) not in taken]


def _inserted(line: Segment, small: Segment, rise: int) -> Segment:
    at = sum(word.left < small.left for word in line.words)
    words, rises = list(line.words), list(line.rises)
    words[at:at], rises[at:at] = small.words, [rise] * len(small.words)
    return Segment(words, rises)


def rows_of(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Segments on one baseline, from left to right; the rows from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: (segment.base, segment.left)):
        if rows and segment.base - rows[-1][0].base <= 0.2 * min(segment.size, rows[-1][0].size):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        row.sort(key=lambda segment: segment.left)
    return rows


def _side_by_side(segments: list[Segment]) -> list[Segment]:
    """Joins what was drawn in another order than it is read, word by word or letter by letter."""
    result: list[Segment] = []
    for row in rows_of(segments):
        run = [row[0]]
        end = row[0].right
        for segment in row[1:]:
            em = max(run[-1].size, segment.size)
            field = segment.words[0].filled_in or run[-1].words[-1].filled_in
            if not field and -0.4 * em < segment.left - end < _GAP * em:
                if segment.left - end < 0.12 * em:
                    segment.words[0].joined = True
                run.append(segment)
            else:
                result.append(joined(run))
                run = [segment]
            end = max(end, segment.right) if len(run) > 1 else segment.right
        result.append(joined(run))
    return result


def _glued(segments: list[Segment]) -> list[Segment]:
    """Puts a list marker to the text behind it, and what was filled in to its label."""
    result: list[Segment] = []
    for row in rows_of(segments):
        run = [row[0]]
        before = float("inf")  # how far the last one stands behind what is on its left
        for segment in row[1:]:
            gap = segment.left - run[-1].right
            if _is_marker_of(run[-1], segment, before, gap) or segment.words[0].filled_in:
                run.append(segment)
            else:
                result.append(joined(run))
                run = [segment]
            before = gap
        result.append(joined(run))
    return result


def _is_marker_of(marker: Segment, text: Segment, before: float, gap: float) -> bool:
    """Whether a list marker stands before a text: nearer to it than to what is on its left, as a price is not."""
    figures = marker.text[:1].isdecimal() and text.text[:1].isdecimal()  # of two cells: "12.50" and "40"
    return (
        len(marker.words) == 1
        and bool(MARKER.fullmatch(marker.text))
        and not MARKER.fullmatch(text.text)
        and not figures
        and gap < min(2 * before, _GLUED_GAP * text.size)
    )


def _set(text: str, rise: int, before: str) -> str:
    """The text of a word; raised and lowered figures as such, so that 10⁶ is not 106."""
    if rise == 0:
        return text
    known = _RAISED if rise > 0 else SUBSCRIPTS
    lower = text if rise < 0 else text.translate(str.maketrans("−–", "--"))
    if len(text) > 1 and text.isalpha():  # 1st, Mme, TM
        return text
    if all(c in known for c in lower):
        return "".join(known[c] for c in lower)
    if rise > 0 and before[-1:].isalnum() and not text.isalpha() and any(c.isdigit() for c in text):
        return f"^({text})"
    return text


def _fraction(match: re.Match[str]) -> str:
    before, upper, lower = match.groups()
    figures = "/".join("".join(_PLAIN.get(c, c) for c in part) for part in (upper, lower))
    return f"{before} {figures}" if before else figures
