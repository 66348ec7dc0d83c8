"""Names that the region's own name is part of: Air New Zealand, Bank of New Zealand, New Zealand Post.

Without the region's name what is left of them says little ("air", "bank", "post"). Yet people also put the region's
name beside any other ("Cyclone Gabrielle New Zealand"), and no page need hold such a run of words. So the whole is only
a guess here, which the pages that are found confirm or not.
"""

import re
from collections.abc import Iterator

from rag_app.web.judging.terms import Text, fold, is_function_word, words_of
from rag_app.web.region import RegionProfile

_JOIN = "of"
_MOST = 3
"""Words on either side of the region's name."""


def whole_names(message: str, profile: RegionProfile) -> tuple[str, ...]:
    """What may be such a name in a message, as it is written, the longest guess first."""
    words = words_of(message)
    has_case = any(map(str.isupper, message)) and any(map(str.islower, message))
    found: list[str] = []
    for start, end in _regions(words, profile):
        first = _first(words, start, has_case)
        last = end
        while has_case and last < min(len(words), end + _MOST) and _is_part(words[last], has_case):
            last += 1
        for one, other in ((first, last), (first, end), (start, last)):
            name = " ".join(words[one:other])
            if (one, other) != (start, end) and name in " ".join(message.split()) and name not in found:
                found.append(name)
    return tuple(found)


def forms_of(name: str, profile: RegionProfile) -> tuple[str, ...]:
    """A name with each of the region's names in turn: "Air New Zealand", "Air NZ"."""
    words = words_of(name)
    start, end = next(_regions(words, profile), (0, 0))
    if start == end:
        return (name,)
    before, after = words[:start], words[end:]
    own = dict.fromkeys((" ".join(words[start:end]), profile.name, *profile.aliases))
    return tuple(" ".join([*before, alias, *after]) for alias in own)


def names_whole(text: Text, forms: tuple[str, ...]) -> bool:
    """Whether a text names it, and not only a longer name that ends with it: "Reserve Bank of New Zealand"."""
    for form in filter(text.has, forms):
        pattern = re.compile(r"[\W_]+".join(map(re.escape, words_of(form))), re.IGNORECASE)
        places = [match.start() for match in pattern.finditer(text.written)]
        if not places or any(not _goes_before(text.written[max(0, place - 40) : place]) for place in places):
            return True
    return False


def _goes_before(text: str) -> bool:
    """Whether the word before a name is part of a longer one."""
    before = re.search(r"([^\W\d_]+) $", text)
    return before is not None and before[1][:1].isupper() and not is_function_word(before[1])


def _regions(words: list[str], profile: RegionProfile) -> Iterator[tuple[int, int]]:
    """Where the region's names stand in words: (first, behind the last), the longest name first."""
    folded = [fold(word) for word in words]
    names = sorted((profile.name, *profile.aliases), key=lambda name: -len(words_of(name)))
    for parts in dict.fromkeys(tuple(fold(word) for word in words_of(name)) for name in names):
        for start in range(len(folded) - len(parts) + 1):
            if tuple(folded[start : start + len(parts)]) == parts:
                yield start, start + len(parts)


def _first(words: list[str], start: int, has_case: bool) -> int:
    first = start
    if first > 1 and words[first - 1].casefold() == _JOIN and _is_part(words[first - 2], has_case):
        first -= 2
    while first > max(0, start - 2 - _MOST) and _is_part(words[first - 1], has_case):
        first -= 1
    return first


def _is_part(word: str, has_case: bool) -> bool:
    return not is_function_word(word) and (word[:1].isupper() or not has_case)
