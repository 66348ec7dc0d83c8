"""What the rules of a region's profile read in a message, and the search query they make of it. No model here.

The message is untrusted: it is only ever taken apart into words.
"""

import re
import unicodedata
from dataclasses import dataclass

from rag_app.answer import WebTopic
from rag_app.retrieve.question_words import is_in_dictionary
from rag_app.web.judging.common_words import stands_as_name
from rag_app.web.judging.terms import Text, fold, is_function_word, is_latin, without, words_of
from rag_app.web.judging.whole_names import whole_names
from rag_app.web.region import Collision, RegionProfile
from rag_app.web.search import LONGEST_QUERY

LONGEST_MESSAGE = 1_000
"""Characters of a message that are read."""
MOST_WORDS = 16
"""Words of a message that are searched; names go first."""
_BARE = 4
"""A message of at most so many words, and no question, is taken for a name as a whole."""
_SEPARATORS = ("Zs", "Zl", "Zp", "Cc")
_ASKING = frozenset(
    "who whom whose what when where which why how is are was were do does did can could may might must should shall "
    "would has have had am tell show give find".split()
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, read by the rules."""

    message: str
    """Cleaned of what nobody sees, on one line, cut at `LONGEST_MESSAGE` characters."""
    words: tuple[str, ...]
    """What of it is searched, as it is written."""
    names: tuple[str, ...]
    """Words of names in it, folded; none where it names nothing."""
    collisions: tuple[Collision, ...]
    """Names in it that something elsewhere has too."""
    topic: WebTopic
    is_local: bool
    """False where it is plainly international."""
    is_of_namesake: bool
    """Whether it means what else has the region's own name."""
    terms: tuple[str, ...]
    """Its distinctive words beside names that collide, folded."""
    rare: tuple[str, ...]
    """Words of `names` with a capital that no dictionary has."""
    whole: tuple[str, ...]
    """What in it may be a name that the region's own is part of, as it is written, longest first."""
    is_bare: bool
    """Whether it is hardly more than a name."""
    is_open: bool
    """Whether it names something and asks nothing of it in particular: "Spark", "why is Spark in the news?"."""


def read_message(message: str, profile: RegionProfile) -> Reading:
    """What the rules read in a message."""
    cleaned = clean(message)[:LONGEST_MESSAGE].rstrip()
    text = Text(cleaned)
    written = words_of(cleaned)
    asks = bool(written) and written[0].casefold() in _ASKING
    is_bare = 0 < len(written) <= _BARE and not asks and not any(map(_is_small, written[1:]))
    collisions, has_namesake = _collisions(text, is_bare, profile)
    words = _searched(cleaned, is_bare, profile)
    known = tuple(name for collision in collisions for name in collision.names)
    names = _names(cleaned, words, is_bare, known, profile)
    terms = _beside(known, words, profile)
    is_local = _is_local(text, bool(collisions), has_namesake, profile)
    is_of_namesake = not is_local and text.first_of(profile.foreign) is not None
    if is_of_namesake and {name.replace(".", "") for name in names} <= set(map(fold, profile.world)):
        names = ()  # "the US state of Georgia": where it lies, and no name that pages about it hold
    is_named = bool(names or collisions)
    return Reading(
        message=cleaned,
        words=tuple(_fewer(words, collisions)),
        names=names,
        collisions=collisions,
        terms=terms,
        rare=tuple(fold(word) for word in words if _is_rare(word) and fold(word) in names),
        whole=() if collisions else whole_names(cleaned, profile),
        is_open=is_named and set(terms) <= set(names) and not text.first_of(profile.particular),
        topic="news" if text.first_of(profile.news_words) else "general",
        is_local=is_local,
        is_of_namesake=is_of_namesake,
        is_bare=is_bare,
    )


def clean(text: str) -> str:
    """`text` on one line, without invisible characters."""
    shown = (" " if (kind := unicodedata.category(c)) in _SEPARATORS else "" if kind[0] == "C" else c for c in text)
    return " ".join("".join(shown).split())


def compose_query(reading: Reading, profile: RegionProfile) -> str:
    """The search query for a message: its words, the sport or trade of a name that collides, the region's anchor."""
    return complete(" ".join(reading.words), reading, profile)


def complete(query: str, reading: Reading, profile: RegionProfile) -> str:
    """`query` with what it must carry and does not; what it has too much of is cut before that."""
    required: list[str] = []
    is_native = not is_latin(query)
    for collision in reading.collisions:
        kind = collision.native_kind if is_native and collision.native_kind else collision.kind
        if kind not in required and not Text(query).first_of((*collision.local, collision.kind, kind)):
            required.append(kind)
    if reading.is_local and not has_anchor(" ".join((query, *required)), profile):
        anchor = profile.native_anchor if is_native and profile.native_anchor else profile.anchor
        known = Text(" ".join((query, *required)))
        required += [phrase for phrase in _phrases(anchor, profile) if not known.has(phrase)]
    tail = " ".join(required)
    room = LONGEST_QUERY - len(tail) - 1
    if len(query) > room:
        query = query[:room].rsplit(" ", 1)[0]
        return complete(query, reading, profile)  # the anchor may have stood in what was cut
    return f"{query} {tail}".strip()


def has_anchor(query: str, profile: RegionProfile) -> bool:
    """Whether a query says which region is meant: by a name that is nobody else's, or by the whole anchor."""
    text = Text(query)
    return text.first_of(profile.clear_names) is not None or all(map(text.has, _phrases(profile.anchor, profile)))


def _phrases(anchor: str, profile: RegionProfile) -> list[str]:
    """What of an anchor must stand together: the region's name, and each other word. "A new coach" is not of New
    Zealand."""
    name = max((name for name in (profile.name, *profile.aliases) if Text(anchor).has(name)), key=len, default="")
    return [*words_of(without(anchor, [name])), *([name] if name else [])]


def distinctive_terms(query: str, profile: RegionProfile) -> tuple[str, ...]:
    """The words of a query that pages about its subject hold, folded, each for itself.

    The region's own names do not count, nor do function words and words of news. Where only words of news ("protests")
    are left they stay.
    """
    return _folded(_telling(query, profile))


def _telling(query: str, profile: RegionProfile) -> list[str]:
    stop = (*profile.aliases, profile.name, profile.anchor, *profile.fillers)
    shouts = query.isupper()
    for left in (without(query, (*stop, *profile.news_words)), without(query, stop)):
        words = [w for w in words_of(left) if not is_function_word(w) or (_is_capitals(w) and not shouts)]
        if words:
            return words
    return []


def _is_capitals(word: str) -> bool:
    """Whether a word is an abbreviation such as WHO, which would else be a function word."""
    return len(word) > 1 and word.isupper()


def _is_rare(word: str) -> bool:
    return word[:1].isupper() and is_latin(word) and not is_in_dictionary(word.lower(), "English")


def _is_small(word: str) -> bool:
    return is_function_word(word) and word.islower()


def _searched(message: str, is_bare: bool, profile: RegionProfile) -> list[str]:
    left = words_of(without(message, profile.fillers))
    if is_bare:
        return left or words_of(message)
    kept = [word for place, word in enumerate(left) if not _is_dropped(left, place)]
    return kept or [word for word in words_of(message) if not is_function_word(word)] or words_of(message)


def _is_dropped(words: list[str], place: int) -> bool:
    """Whether a word says nothing; a function word within a name does: "All Blacks", "The Warehouse"."""
    word = words[place]
    is_abbreviation = _is_capitals(word) and not " ".join(words).isupper()
    if is_abbreviation or (not is_function_word(word) and word.casefold() not in _ASKING):
        return False
    after = words[place + 1] if place + 1 < len(words) else ""
    in_name = word[:1].isupper() and after[:1].isupper() and not is_function_word(after)
    return word.casefold() in _ASKING or not in_name


def _fewer(words: list[str], collisions: tuple[Collision, ...]) -> list[str]:
    """At most `MOST_WORDS`, in their order: those with a capital or of a name that collides before the others."""
    known = {fold(part) for c in collisions for name in c.names for part in words_of(name)}
    ranked = sorted(range(len(words)), key=lambda n: (fold(words[n]) not in known, not words[n][:1].isupper(), n))
    return [words[n] for n in sorted(ranked[:MOST_WORDS])]


def _names(
    message: str, words: list[str], is_bare: bool, known: tuple[str, ...], profile: RegionProfile
) -> tuple[str, ...]:
    if is_bare:
        capitals = [word for word in words if any(map(str.isupper, word))]
        if capitals and len(capitals) < len(words) and not message.isupper():
            words = capitals  # "Tui beer recall": what has no capital where another word has one is no name
        elif known and not capitals:
            words = []  # beside a name that is known the rest is what is asked about it
        return _beside(known, words, profile)
    if not _has_case(message):
        return ()
    initial = {match.end() for match in re.finditer(r"(?:^|[.!?]\s+)[\W_]*", message)}
    found: list[str] = []
    place = 0
    written = words_of(message)
    for number, word in enumerate(written):
        place = message.index(word, place)
        after = written[number + 1] if number + 1 < len(written) else ""
        opens = place in initial and not after[:1].isupper()
        if word[:1].isupper() and not opens and (word.casefold() not in _ASKING or _is_capitals(word)):
            found.append(word)
        place += len(word)
    return _beside(known, found, profile)


def _beside(known: tuple[str, ...], words: list[str], profile: RegionProfile) -> tuple[str, ...]:
    """The distinctive terms beside names that collide; a generic word alone beside such a name is left out."""
    if not known:
        return distinctive_terms(" ".join(words), profile)
    return _folded(_telling(without(" ".join(words), known), profile))


def _folded(words: list[str]) -> tuple[str, ...]:
    """Each word once, folded, without the 's of a possessive, which pages need not have."""
    return tuple(dict.fromkeys(fold(word).removesuffix("'s") for word in words))


def _has_case(message: str) -> bool:
    """Whether letter case tells names from words: not where everything is capitals, or nothing is."""
    return any(c.islower() for c in message) and any(c.isupper() for c in message)


def _collisions(text: Text, is_bare: bool, profile: RegionProfile) -> tuple[tuple[Collision, ...], bool]:
    """The colliding names that a message holds; and whether it plainly means the namesake of one."""
    found: list[Collision] = []
    has_namesake = False
    covered = ""
    for collision in sorted(profile.collisions, key=lambda c: -len(c.name)):
        name = text.first_of(collision.names)
        if name is None or Text(covered).has(name):
            continue
        speaks = text.first_of(collision.speaks_for_local)
        if text.first_of(collision.foreign) and not speaks:
            has_namesake = True
        elif not collision.is_common_word or speaks or is_bare or stands_as_name(text.written, name):
            found.append(collision)
            covered += f" {name} ."
    return tuple(found), has_namesake


def _is_local(text: Text, has_collision: bool, has_namesake: bool, profile: RegionProfile) -> bool:
    if text.first_of((*profile.signs, *profile.home_words)):
        return True
    if has_namesake or text.first_of(profile.foreign):
        return has_collision and not text.first_of(profile.foreign)
    if has_collision or text.first_of(profile.aliases):
        return True
    elsewhere = list(filter(text.has, profile.world))
    return not elsewhere or (len(elsewhere) == 1 and text.first_of(profile.from_home) is not None)
