"""The headings of plain text: underlined lines, section numbers, capitals, and words such as "Article 4"."""

import re
from collections.abc import Container
from itertools import pairwise

from rag_app.text.plain.plain_lines import LIST_MARKER, Line

UNDERLINES = "=-~^+."
"""Which level a heading has by what stands below it, the outermost first. Other signs count as further levels, in the
order in which they first come."""
_UNDERLINE = re.compile(r"([-=~^+.\"'`#*_:])\1{2,}")
_SECTION_NUMBER = re.compile(r"\d{1,3}((?:\.\d{1,3})*)\.?\s+(?=[^\W\d_])")
_NAMED = re.compile(
    r"(?:(?P<outer>chapter|part|title|book|kapitel|teil|buch)|section|article|appendix|annex|schedule|clause|rule"
    r"|artikel|abschnitt|anhang|anlage|art\.|sec\.)\s+(?:\d{1,3}|[IVXLC]+|[A-Z])\b|§+\s*\d{1,4}[a-z]?\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"""[.!?:;][)\]}"'”’»]*$""")
_SMALL_WORD = 3
_MAX_NAME_WORDS = 6
_MAX_WORDS = 8
_MAX_UNDERLINED_WORDS = 15


def names_section(text: str) -> bool:
    """Whether a paragraph is nothing but the number of a section, and perhaps its name: "§ 3", "Article 4 Fees"."""
    named = _NAMED.match(text)
    if named is None or len(text.split()) > _MAX_NAME_WORDS or _CLOSED.search(text.rstrip(".")):
        return False
    rest = text[named.end() :].strip(" .:–—-")
    return not rest or (rest[0].isupper() and not text.endswith("."))


def find_headings(lines: list[Line], taken: Container[int]) -> dict[int, int]:
    """The level of each line that is plainly a heading; 0 for the rules drawn around them.

    Look-alikes in a row are a list, or a notice in capitals. Lines in `taken` are rows of tables.
    """
    levels = _underlined(lines, taken)
    levels.update(_above_their_text(lines, taken, levels))
    sure = set(levels)
    filled = [index for index, line in enumerate(lines) if line.text and not (line.is_rule and index not in sure)]
    for position, index in enumerate(filled):
        if index in sure or index in taken or len(lines[index].text.split()) > _MAX_WORDS + 2:
            continue
        line = lines[index]
        starts = position == 0 or filled[position - 1] < index - 1 or line.page_break_before
        starts = starts or filled[position - 1] in sure
        follows = filled[position + 1] if position + 1 < len(filled) else None
        if not starts or follows is None:
            continue
        if follows > index + 1:
            level = _level(line.text)
        else:  # a heading of a manual page: its text stands further in, without a blank line between
            level = 1 if line.indent == 0 and lines[follows].indent >= 3 and _is_capital(line.text) else 0
        if level:
            levels[index] = level
    guessed = {index: level for index, level in levels.items() if index not in sure}
    in_row = {
        index
        for above, below in pairwise(filled)
        if above in guessed and guessed.get(above) == guessed.get(below)
        for index in (above, below)
    }
    return {index: level for index, level in levels.items() if index not in in_row}


def _above_their_text(lines: list[Line], taken: Container[int], known: Container[int]) -> dict[int, int]:
    """Headings that no blank line parts from their text: "2. Fees" above "2.1 The fee is", "5. Termination" or
    "Article 5" above a sentence."""
    levels: dict[int, int] = {}
    filled = [number for number, line in enumerate(lines) if line.text and number not in taken]
    for place, (index, follows) in enumerate(pairwise(filled)):
        line, below = lines[index], lines[follows]
        words = line.text.split()
        if index in known or follows > index + 1 or len(words) > _MAX_WORDS or line.text[-1] in "!?:;,":
            continue
        before = lines[filled[place - 1]] if place else None
        starts = before is None or filled[place - 1] < index - 1
        number, named = _SECTION_NUMBER.match(line.text), _NAMED.match(line.text)
        clause = f"{number[0].strip().rstrip('.')}.1" if number else ""
        inner = bool(clause) and below.text.startswith(clause) and not below.text[len(clause) :][:1].isdecimal()
        rest = line.text[named.end() if named else number.end() if number else 0 :].strip(" .:–—-")
        says = below.text[:1].isupper() and below.indent == line.indent
        says = says and (len(below.text) > len(line.text) or bool(named and not rest and not _NAMED.match(below.text)))
        apart = starts or before is None or bool(_CLOSED.search(before.text))
        if number and not line.text[number.end()].islower() and (inner or (says and _is_title(rest))):
            if inner or apart or (before is not None and LIST_MARKER.match(before.text)):
                levels[index] = number[1].count(".") + 2
            continue
        is_name = not rest or (starts and rest[0].isupper() and len(words) <= _MAX_NAME_WORDS)
        if named and apart and is_name and (says or below.text[:1] in "(§"):
            levels[index] = 1 if named["outer"] else 2
    return levels


def _underlined(lines: list[Line], taken: Container[int]) -> dict[int, int]:
    levels: dict[int, int] = {}
    signs = {sign: number for number, sign in enumerate(UNDERLINES, start=1)}
    for index in range(1, len(lines)):
        match = _UNDERLINE.fullmatch(lines[index].text)
        above = lines[index - 1]
        if not match or index - 1 in taken or index in taken or index in levels:
            continue
        if not above.text or above.is_rule or len(above.text.split()) > _MAX_UNDERLINED_WORDS:
            continue
        over = index > 1 and bool(lines[index - 2].text)
        if over and not (lines[index - 2].is_rule or index - 2 in levels):
            continue  # the last line of a paragraph above a rule
        if len(lines[index].text) < min(0.6 * len(above.text), 30) or not any(map(str.isalnum, above.text)):
            continue
        if above.text[-1] in ".,;" and not above.text[:1].isdigit():
            continue
        signs.setdefault(match[1], len(signs) + 1)
        levels[index - 1], levels[index] = min(signs[match[1]], 9), 0
        if over and lines[index - 2].text[:1] == match[1]:
            levels[index - 2] = 0
    return levels


def _level(text: str) -> int:
    """The level of a line that stands alone; 0 where nothing shows that it is a heading."""
    named = _NAMED.match(text)
    if named and text[-1] not in ",;" and (text[-1] not in ".!?:" or _is_title(text)):
        return 1 if named["outer"] else 2
    if len(text.split()) > _MAX_WORDS:
        return 0
    number = _SECTION_NUMBER.match(text)
    if number and not text[number.end()].islower():
        if text[-1] not in ".!?:;," or (text[-1] == "." and _is_title(text[number.end() :])):
            return number[1].count(".") + 2
        return 0
    return 1 if text[-1] not in ".!?:;," and _is_capital(text) else 0


def _is_capital(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) >= 4 and text[-1] not in "!?"


def _is_title(text: str) -> bool:
    """Whether a text that ends in a full stop is a title: all its longer words are written with a capital."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > _SMALL_WORD]
    return (
        bool(words) and all(word[0].isupper() for word in words) and text.count(".") <= 1 + bool(re.match(r"\d", text))
    )
