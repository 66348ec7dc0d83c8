"""Whether a sentence that a model wrote stands in the quotes that it rests on: figures, dates, units, limits,
negations, names. `docs/design/summary.md` says what this can and what it cannot find.

It errs on the side of dropping: the quotes themselves are shown anyway.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from rag_app.answer import Quote
from rag_app.spelling import composed
from rag_app.synthesize.faithful.attribution import changes_hands
from rag_app.synthesize.faithful.matching import figure_chains, read_tokens
from rag_app.synthesize.faithful.names import has_foreign_name
from rag_app.synthesize.faithful.opposites import says_the_opposite
from rag_app.synthesize.faithful.polarity import turns_around
from rag_app.synthesize.faithful.quantities import NUMBER_WORDS, UNIT_WORDS, Figure, read_figures
from rag_app.text.words import content_stems

_MORE_NUMBER_WORDS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth half halves quarter quarters once twice thrice "
    "double doubled triple tripled dozen dozens hundreds thousands millions billions trillion percent both".split()
)
_COUNTING = NUMBER_WORDS | _MORE_NUMBER_WORDS
_UNITS = UNIT_WORDS | {*"today tonight yesterday tomorrow quarter quarters decade decades century".split()}
_SHARED = 1 / 2
"""Share of the content words of a sentence that its quotes must hold: a voice has words of its own, but not most."""
_LETTERS = re.compile(r"[^\W\d_]+")


class _Counted(NamedTuple):
    """A figure with the words in which it is written, wherever that is."""

    values: tuple[Decimal, ...]
    kind: str
    bound: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, figure: Figure, text: str) -> "_Counted":
        words = read_tokens(text[figure.start : figure.end]).words
        return cls(figure.values, figure.kind, figure.bound, words)


def lack_of(sentence: str, quotes: Sequence[Quote], question: str = "") -> str | None:
    """What `sentence` says that `quotes` do not, in words for a trace; None where nothing was found.

    Figures and negations must stand in the text of the quotes or in their lead-ins; names may also stand in their
    titles and headings, which are shown with them. The question lends no name: that a name was asked for is no sign
    that the quotes are about it.
    """
    if any(unicodedata.category(char) in ("Cc", "Cf", "Co", "Cn", "Cs") for char in sentence):
        return "invisible characters"
    sentence = composed(sentence)
    texts = [composed(text) for quote in quotes for text in _said(quote)]
    tokens, said = read_tokens(sentence), [read_tokens(text) for text in texts]
    chains = {chain.words for text in said for chain in figure_chains(text, _COUNTING)}
    if not all(chain.words in chains for chain in figure_chains(tokens, _COUNTING)):
        return "a figure that its quotes do not hold"
    if not _counts_alike(sentence, texts) or not _has_its_units(sentence, texts):
        return "a unit or a limit that its quotes do not hold"
    if changes_hands(sentence, texts, _COUNTING):
        return "a figure beside another name than in its quotes"
    if around := turns_around(tokens, said):
        return around
    titles = [composed(text) for quote in quotes for text in (quote.title, *quote.section)]
    if has_foreign_name(sentence, [*texts, *titles], question):
        return "a name that its quotes do not hold"
    if not _shares_words(sentence, [*texts, *titles]):
        return "hardly a word of its quotes"
    return says_the_opposite(sentence, texts)


def _said(quote: Quote) -> tuple[str, ...]:
    return (*(line.text for line in quote.lead_in), quote.text)


def _counts_alike(sentence: str, texts: Sequence[str]) -> bool:
    """Whether every figure of `sentence` counts the same in one of `texts`: unit, per what, at least or at most."""
    known: dict[Decimal, set[_Counted]] = {}
    for counted in {_Counted.of(figure, text) for text in texts for figure in read_figures(text, bare=True)}:
        for value in counted.values:
            known.setdefault(value, set()).add(counted)
    stems = {stem for text in texts for stem in content_stems(text)}
    return all(
        any(_is_alike(mine, other, stems) for value in mine.values for other in known.get(value, ()))
        for mine in {_Counted.of(figure, sentence) for figure in read_figures(sentence, bare=True)}
    )


def _shares_words(sentence: str, texts: Sequence[str]) -> bool:
    """Whether enough of what `sentence` says is said in words of `texts`."""
    mine = set(content_stems(sentence))
    return len(mine & set(content_stems(" ".join(texts)))) >= _SHARED * len(mine)


def _has_its_units(sentence: str, texts: Sequence[str]) -> bool:
    """Whether the units of `sentence`, and what else stands behind its figures, stand anywhere in `texts`."""
    units = {word for word in re.findall(r"[^\W\d_]+", sentence.lower()) if word in _UNITS}
    needed = content_stems(" ".join([*sorted(units), *_behind_figures(sentence)]))
    return {stem for text in texts for stem in content_stems(text)}.issuperset(needed)


def _behind_figures(text: str) -> Iterator[str]:
    """The word behind each that holds a digit."""
    for word, following in pairwise(text.split()):
        if any(map(str.isdigit, word)) and (found := _LETTERS.match(following)):
            yield found[0]


def _is_alike(one: _Counted, other: _Counted, stems: set[str]) -> bool:
    if one.bound != other.bound:
        return False
    if one.kind != other.kind:  # a word behind the figure that is no unit there: "24-18 yesterday"
        counted = one.kind.removeprefix("count ").split()
        return not other.kind and one.kind.startswith("count ") and stems.issuperset(counted)
    mine, theirs = one.words, other.words
    is_case_apart = mine != theirs and [word.lower() for word in mine] == [word.lower() for word in theirs]
    return not is_case_apart  # mW is not MW
