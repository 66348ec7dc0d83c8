"""How a line goes on in the one below: behind a space, or as one word where a hyphen parts it."""

import re
from collections.abc import Mapping

_HYPHEN = re.compile(r"([^\W_]+)([-‐\u00ad])$")
_FIRST_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
_ALSO = frozenset(("and", "or", "nor", "to", "und", "oder", "bis", "sowie", "et", "ou", "y", "e", "o"))
"""Words before which a hyphen stands for the rest of a compound: "short- and long-term"."""
_OPENING = frozenset(
    """self well half full long short high low cross first second third single double two three four five six seven
    eight nine ten""".split()
)
"""First words of compounds, which hardly any word begins with that is parted behind them."""
_LONGEST_ENDING = 3
"""Letters that may be the end of such a word: "self-ish"."""


def begun_line(above: str, below: str, words: Mapping[str, int]) -> str:
    """The line above as it stands before the one below, with the space between them where one is due.

    `words` says how often each word stands in the text, by which it is judged whether a hyphen belongs to the word.
    """
    hyphen, first = _HYPHEN.search(above), _FIRST_WORD.match(below)
    if hyphen is None or first is None:
        is_unspaced = _UNSPACED.match(above[-1:]) and _UNSPACED.match(below[:1])
        return above if above[-1:] == "/" or is_unspaced else above + " "
    before, after = hyphen[1].lower(), first[0].lower()
    word = above[:-1]  # without a hyphen that may be marked as a soft one, although it belongs to the word
    if after in _ALSO and not words.get(before + after):
        return word + "- "
    is_parted = before.isalpha() and first[0][0].islower() and not _keeps(before, after, words)
    return word if is_parted else word + "-"


def _keeps(before: str, after: str, words: Mapping[str, int]) -> bool:
    """Whether the hyphen belongs to the word, as the rest of the text writes it, or as such words are written."""
    if words.get(f"{before}-{after}"):
        return True
    if words.get(before + after):
        return False
    if len(before) == 1 or (before in _OPENING and len(after) > _LONGEST_ENDING):
        return True
    return min(len(before), len(after)) > 2 and words.get(before, 0) > 1 and words.get(after, 0) > 1
