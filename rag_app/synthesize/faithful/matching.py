"""Compares what a model retyped with what a document says, token by token. Pure text: no ledger here.

May differ: white space and line wraps, markers of block quotes and bullets, outer pipes of table rows, emphasis, code
ticks, inline links, HTML entities, curly or straight quotes, the kind of dash between words, letter case, ellipses and
punctuation at the ends. Nothing else may: figures with their points and separators, signs, currencies, units (with
their case after a figure: mW is not MW) and all words and punctuation in between. Look-alike letters and digits of
other scripts are other letters. Of the invisible characters only those are ignored that neither separate, join nor
turn around what is read. Code is compared exactly, white space apart.
"""

import html
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_app.spelling import composed
from rag_app.text.words import content_stems

_SYMBOL_THEN_DIGIT = r"[^\w\n]{0,8}\d"
_TABLE_RULE = re.compile(r"^(?=[^\n]*---)[ \t:|-]+$", re.MULTILINE)
_LINE_MARKS = re.compile(
    rf"^(?:[ \t]*>(?!=|{_SYMBOL_THEN_DIGIT}))*[ \t]*(?:[*•‣◦▪][ \t]+|[-+–][ \t]+(?!{_SYMBOL_THEN_DIGIT})|[\"'….]*\|)?"
    r"|\|[\"'….]*[ \t]*$",
    re.MULTILINE,
)
"""`>`, `-` and `+` before a figure stay: they may be its sign."""
_ENTITY = re.compile(r"&(?:#\d+|#[xX][\da-fA-F]+|\w+);")
_ESCAPE = re.compile(r"\\([^\w\s]|_)")
_LINK = re.compile(r'!?\[([^\[\]]*)\]\((?=[^()\s]*[A-Za-z])(?=[^()\s]*[/.#:])[^()\s]*(?:\s+"[^"]*")?\)')
_FENCE = re.compile(r"\A\s*(?:`{3,}+|~{3,}+)[^\n]*\n|\n[ \t]*(?:`{3,}+|~{3,}+)\s*\Z")
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff\ufe0e\ufe0f"),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟", '"'),
        **{"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"},
    }
)
_TOKEN = re.compile(
    r"(?P<word>[^\W_]+(?:(?:(?<=\d)[.,:/'](?=\d)|(?<=[^\W\d_])'(?=[^\W\d_])|_+)[^\W_]+)*)"
    r"|(?P<mark>\*+|_+|`+)|(?P<dash>[-‐‑‒–—―−﹣－])|\.{2,}|\S"
)
_ATTACHED_UNIT = re.compile(r"(\d[\d.,:/']*)([^\W\d_]+)")
_BEGINS_FIGURE = re.compile(r"[*_`]*[$€£¥₹]?\.?\d")
_THOUSANDS = re.compile(r"\d{3}(?!\d)")

_SIGNS = frozenset("<>≤≥≦≧=≠±∓+−~≈∼-–—―‐‑‒")
_BETWEEN_FIGURES = frozenset("- to or and / : × x * ·".split())
"""What makes two figures one range, choice, product, ratio or time of day."""
_SIGN_WORDS = frozenset("minus plus eur usd gbp chf jpy cny inr sek nok dkk pln czk cad aud nzd kr rs".split())
"""Words that stand for a sign or a currency before a figure."""
_UNIT_SYMBOLS = frozenset("%‰°℃℉′″^²³")
_OPENERS = frozenset("([{\"'|¿¡…")
_CLOSERS = frozenset(")]}\"'|.,;:!?…")
_DROPPED_BEFORE = frozenset("([{\"'…")
_DROPPED_AFTER = frozenset(")]}\"'.,;:!?…")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words, figures and symbols of a text in order, brought to the form in which they are compared."""

    words: tuple[str, ...]
    glued: tuple[bool, ...]
    """Whether each token follows the one before it without white space."""


@dataclass(frozen=True, slots=True)
class Run:
    """Where a quote stands in a sequence of pieces."""

    first: int
    last: int
    is_whole: bool
    """Whether it begins where a piece begins and ends where a piece ends."""


@lru_cache(maxsize=4096)
def read_tokens(text: str, is_code: bool = False) -> Tokens:
    """The tokens of `text`."""
    text = composed(text) if is_code else _plain(text)
    words: list[str] = []
    glued: list[bool] = []
    end = 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        is_near = end > 0 and not any(char.isspace() for char in text[end : match.start()])
        if not is_code:
            if match["mark"] and _is_markup(text, *match.span()):
                continue
            if match["dash"]:
                word = _dash(text, match.start())
                is_near = is_near and match[0] not in "—―"
            elif match["word"]:
                word = _fold(word, bool(words) and is_figure(words[-1]))
            elif word[0] == ".":
                word = "…" if len(word) > 1 else word
            is_near = is_near and text[end - 1] not in "—―"
        words.append(word)
        glued.append(is_near)
        end = match.end()
    return Tokens(tuple(words), tuple(glued))


def read_quote(text: str, is_code: bool = False) -> Tokens:
    """The tokens of a quote, without ellipses, quotation marks and punctuation around them."""
    tokens = read_tokens(_FENCE.sub("", text) if is_code else text, is_code)
    first, last = _trimmed(tokens)
    return Tokens(tokens.words[first : last + 1], tokens.glued[first : last + 1])


def find_run(quote: Tokens, pieces: Sequence[Tokens], anchor: int = 0) -> Run | None:
    """Where `quote` stands as a run of whole words in `pieces`, read one after the other.

    The run begins in or before piece number `anchor` and ends in or after it. A run that is the whole of its pieces is
    preferred to one that is not, an earlier one to a later one. A run never cuts a figure from its sign, currency or
    symbol of unit, nor a word from what it is joined to ("non-", "5-", "/h").
    """
    wanted = quote.words
    if not wanted:
        return None
    words = [word for piece in pieces for word in piece.words]
    places = [(number, place) for number, piece in enumerate(pieces) for place in range(len(piece.words))]
    trimmed = [_trimmed(piece) if piece.words else (0, 0) for piece in pieces]
    found = None
    for begin in _occurrences(wanted, words):
        first, start = places[begin]
        if first > anchor:
            break
        last, stop = places[begin + len(wanted) - 1]
        if last < anchor or not _begins_well(pieces[first], start) or not _ends_well(pieces[last], stop):
            continue
        is_whole = start <= trimmed[first][0] and stop >= trimmed[last][1]
        if is_whole:
            return Run(first, last, True)
        found = found or Run(first, last, False)
    return found


def _occurrences(wanted: Sequence[str], words: Sequence[str]) -> Iterator[int]:
    """Where `wanted` stands in `words`, in time that grows with both (Knuth, Morris and Pratt, 1977)."""
    borders, held = [0], 0
    for word in wanted[1:]:
        while held and word != wanted[held]:
            held = borders[held - 1]
        held += word == wanted[held]
        borders.append(held)
    held = 0
    for place, word in enumerate(words):
        while held and (held == len(wanted) or word != wanted[held]):
            held = borders[held - 1]
        held += word == wanted[held]
        if held == len(wanted):
            yield place - held + 1


def figure_chains(tokens: Tokens, number_words: Collection[str] = ()) -> list[Tokens]:
    """Each figure with all that is joined to it: sign, currency, symbol of unit, the other end of a range, the word
    that it is part of (U-20). `number_words` count as figures too."""
    chains, start = [], 0
    for stop in range(1, len(tokens.words) + 1):
        if stop < len(tokens.words) and _is_joined(tokens, stop):
            continue
        chain = Tokens(tokens.words[start:stop], tokens.glued[start:stop])
        if any(word.lower() in number_words or any(char.isnumeric() for char in word) for word in chain.words):
            chains.append(chain)
        start = stop
    return chains


def is_figure(word: str) -> bool:
    """Whether a token begins with a digit or another sign for a number."""
    return word[0].isnumeric()


def _plain(text: str) -> str:
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = composed(text.translate(_SAME))
    text = _LINE_MARKS.sub("", _TABLE_RULE.sub("", text))
    return _ESCAPE.sub(r"\1", _LINK.sub(r"\1", text))


def _is_markup(text: str, start: int, end: int) -> bool:
    """Whether a run of `*`, `_` or ticks is markup: between words and between spaces it may be an operator."""
    if text[start] == "`":
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    is_inside_word = before.isalnum() and after.isalnum()
    return not is_inside_word and not ((not before or before.isspace()) and (not after or after.isspace()))


def _dash(text: str, place: int) -> str:
    """`−` for a minus sign, `-` for a dash between words or figures; another dash before a figure stays as it is."""
    dash = text[place]
    if dash in "−﹣－":
        return "−"
    seen = place
    while seen and text[seen - 1] in "*_`":
        seen -= 1
    before = text[seen - 1 : seen]
    is_joined = before.isalnum() or (before != "" and before in "%‰°)]}\"'")
    if is_joined or not _BEGINS_FIGURE.match(text, place + 1):
        return "-"
    return "−" if dash == "-" else dash


def _fold(word: str, follows_figure: bool) -> str:
    if attached := _ATTACHED_UNIT.fullmatch(word):
        return attached[1] + _fold_unit(attached[2])
    return _fold_unit(word) if follows_figure and word.isalpha() else word.lower()


def _fold_unit(unit: str) -> str:
    """Lower case, where case tells no unit from another: not for M and m, MW and mW, Gb and GB."""
    is_word = unit.isupper() or unit.islower() or (unit.istitle() and len(unit) > 2)
    return unit.lower() if is_word and len(unit) > 1 else unit


def _trimmed(tokens: Tokens) -> tuple[int, int]:
    """Index of the first and of the last token that is more than punctuation around the text."""
    words = tokens.words
    first, last = 0, len(words) - 1
    while first < last and words[first] in _DROPPED_BEFORE:
        first += 1
    while last > first and words[last] in _DROPPED_AFTER and not _is_inch(tokens, last):
        last -= 1
    return first, last


def _is_inch(tokens: Tokens, place: int) -> bool:
    """Whether a straight quote behind a figure is a unit: there is none that it closes."""
    word = tokens.words[place]
    return word in "\"'" and is_figure(tokens.words[place - 1]) and tokens.words.count(word) % 2 == 1


def _begins_well(piece: Tokens, place: int) -> bool:
    if place == 0:
        return True
    before, first = piece.words[place - 1], piece.words[place]
    if first == "|":  # a cell that the quote leaves empty
        return False
    if piece.glued[place]:
        return before in _OPENERS
    if not is_figure(first) and not _is_currency(first):
        return True
    if before in _BETWEEN_FIGURES:
        return place < 2 or not is_figure(piece.words[place - 2])
    return before not in _SIGNS | _SIGN_WORDS and not _is_currency(before) and not _is_one_figure(before, first)


def _ends_well(piece: Tokens, place: int) -> bool:
    words, glued = piece.words, piece.glued
    if place == len(words) - 1:
        return True
    last, after = words[place], words[place + 1]
    if last == "|":
        return False
    following = words[place + 2] if place + 2 < len(words) else ""
    if glued[place + 1]:
        is_joined = following != "" and glued[place + 2] and following not in _CLOSERS
        return after in _CLOSERS and not is_joined
    if not is_figure(last):
        return True
    if (len(after) == 1 and after.isalpha()) or content_stems(after):  # its unit, or whatever else it counts
        return False
    is_range = after in _BETWEEN_FIGURES and following != "" and is_figure(following)
    return not (is_range or after in _UNIT_SYMBOLS or _is_currency(after) or _is_one_figure(last, after))


def _is_joined(tokens: Tokens, place: int) -> bool:
    """Whether a token belongs to the one before it as a figure's parts do."""
    before, word = tokens.words[place - 1], tokens.words[place]
    if tokens.glued[place]:
        return not {before, word} & (_OPENERS | _CLOSERS)
    following = tokens.words[place + 1] if place + 1 < len(tokens.words) else ""
    if is_figure(before):
        is_range = word == "-" and following != "" and is_figure(following)
        return is_range or word in _UNIT_SYMBOLS or _is_currency(word) or _is_one_figure(before, word)
    return is_figure(word) and (before in _SIGNS or _is_currency(before))


def _is_currency(word: str) -> bool:
    return unicodedata.category(word[0]) == "Sc"


def _is_one_figure(before: str, after: str) -> bool:
    """Whether two figures with a space between them are one: 1 000, 5 ½."""
    if not before[-1].isdigit() or len(before) > 3:
        return False
    return bool(_THOUSANDS.match(after)) or unicodedata.category(after[0]) == "No"
