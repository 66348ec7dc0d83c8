"""Negations, exceptions and restrictions ("only"): what turns a sentence around. Pure text.

Words of English; of some other languages the negations alone, so that a quote in one of these is not put in English
without its "not". Closed classes only: that "refused" turns "granted" around is more than word lists can know.
"""

from collections.abc import Iterator, Sequence, Set
from itertools import accumulate

from rag_app.synthesize.faithful.matching import Tokens
from rag_app.text.words import content_stems

_NEGATIONS = frozenset(
    "no not never none nobody nothing nowhere neither nor without cannot non hardly scarcely barely unable "
    "não nunca jamais sem nem sin ni ne pas sans nicht kein keine keinen keinem keiner nie ohne senza niet geen nooit "
    "ikke ingen aldrig inte utan".split()
)
_EXCEPTIONS = frozenset("unless except excepting excluding barring".split())
_RESTRICTIONS = frozenset("only solely exclusively merely".split())
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_CLAUSE_ENDS = frozenset(", ; : . ! ? … ( ) | and but or while whereas although though because which who".split())
_SHORTEST = 4
"""Letters of a word that a prefix can turn around: "come" is not the opposite of "income", but nobody loses by that."""

Clause = Sequence[str]


def turns_around(sentence: Tokens, quotes: Sequence[Tokens]) -> str | None:
    """How `sentence` says yes where the quotes say no, or the other way round; None where it does not.

    It must hold a negation, an exception or a restriction where one of the quotes does, and only there. What it negates
    must be negated in the quotes, as far as they speak of it.
    """
    sentence, quotes = _lower(sentence), [_lower(quote) for quote in quotes]
    said = [word for quote in quotes for word in quote.words]
    for name, holds in (("negation", _is_negation), ("exception", _EXCEPTIONS.__contains__),
                        ("restriction", _RESTRICTIONS.__contains__)):  # fmt: skip
        here, there = any(map(holds, sentence.words)), any(map(holds, said))
        if here != there:
            return f"{'an' if name == 'exception' else 'a'} {name} that its quotes " + (
                "do not hold" if here else "hold and it does not"
            )
    if _negates_more(sentence, quotes):
        return "a negation of something that its quotes do not negate"
    words = set(said)
    if any(_is_opposite(word, words) for word in sentence.words):
        return "a word whose opposite its quotes hold"
    return None


def count_negations(tokens: Tokens) -> int:
    """Negations, exceptions and restrictions in a text."""
    words = _lower(tokens).words
    return sum(_is_negation(word) or word in _EXCEPTIONS or word in _RESTRICTIONS for word in words)


def _lower(tokens: Tokens) -> Tokens:
    """All in lower case: behind a figure a short word may keep its capital, since it may be a unit."""
    return Tokens(tuple(word.lower() for word in tokens.words), tokens.glued)


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _negates_more(sentence: Tokens, quotes: Sequence[Tokens]) -> bool:
    """Whether the nearest words around a negation stand in the quotes, but nowhere beside a negation."""
    clauses = [clause for quote in quotes for clause in _clauses(quote)]
    said = {stem for clause in clauses for stem in content_stems(" ".join(clause))}
    negated = {stem for clause in clauses if any(map(_is_negation, clause)) for stem in content_stems(" ".join(clause))}
    return any(near in said - negated for clause in _clauses(sentence) for near in _near_negations(clause))


def _near_negations(clause: Clause) -> Iterator[str]:
    """The stems of the content words right before and right after each negation of a clause."""
    negations = [place for place, word in enumerate(clause) if _is_negation(word)]
    if not negations:
        return
    read = [content_stems(word) for word in clause]
    before = list(accumulate((found[-1:] for found in read), lambda last, found: found or last, initial=[]))
    after = list(accumulate((found[:1] for found in reversed(read)), lambda last, found: found or last, initial=[]))
    for place in negations:
        yield from before[place]
        yield from after[len(clause) - place - 1]


def _clauses(tokens: Tokens) -> Iterator[Clause]:
    clause: list[str] = []
    for word, glued in zip(tokens.words, tokens.glued, strict=True):
        if word in _CLAUSE_ENDS or (word == "-" and not glued):
            yield clause
            clause = []
        else:
            clause.append(word)
    yield clause


def _is_opposite(word: str, said: Set[str]) -> bool:
    if len(word) < _SHORTEST or word in said:
        return False
    return any(prefix + word in said or (word.startswith(prefix) and word.removeprefix(prefix) in said
                                         and len(word) - len(prefix) >= _SHORTEST)
               for prefix in _PREFIXES)  # fmt: skip
