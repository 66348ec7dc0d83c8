"""Whether a sentence says the opposite of what it rests on: by a word ("won" for "lost"), by a refusal that it leaves
out ("failed to win"), or by two names that changed places around one word ("Bo beat Ann"). Pure text.

The words are a short list of English, so what it does not find proves nothing. It errs on the side of dropping.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product

from rag_app.text.named import bare
from rag_app.text.words import content_stems

_PAIRS = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("win wins won winning victory beat beats beaten", "lose loses lost losing defeat"),
        (
            "rise rises rose risen rising increase increases increased increasing grow grows grew grown climbed",
            "fall falls fell fallen falling decrease decreases decreased decreasing shrank dropped sank reduced",
        ),
        (
            "approve approves approved accept accepts accepted grant grants granted agreed allow allows allowed "
            "permitted",
            "reject rejects rejected refuse refuses refused deny denies denied decline declined ban bans banned "
            "forbidden prohibited blocked",
        ),
        ("support supports supported back backs backed", "oppose opposes opposed"),
        ("before", "after"),
        ("open opens opened reopen reopens reopened", "close closes closed shut"),
        ("begin begins began begun start starts started", "end ends ended stop stops stopped"),
        ("hire hires hired appointed", "fire fires fired sacked dismissed"),
        ("more above over", "less fewer below under"),
        ("higher larger bigger longer", "lower smaller shorter"),
        ("early earlier", "late later"),
        ("guilty convicted", "innocent acquitted"),
        ("strengthen strengthens strengthened", "weaken weakens weakened"),
        ("alive survived", "dead died killed"),
        ("minimum", "maximum"),
        ("inside", "outside"),
        ("first", "last"),
    )
)
_REFUSALS = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|refus(?:e|es|ed|ing|al)|reject(?:s|ed|ing|ion)?|den(?:y|ies|ied|ying|ial)|"
    r"declin(?:e|es|ed|ing)|cancel(?:s|led|ed|lation)?|abandon(?:s|ed|ing)?|scrap(?:s|ped|ping)?|"
    r"prevent(?:s|ed|ing)?|avoid(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?…()](?=\s|$)|\s(?:and|but|while|whereas|although|though|because|which|who)\s")
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_NEAR = 40
"""Words of a clause on either side of a word that are searched for names."""

_Names = tuple[frozenset[str], frozenset[str]]
"""Those before a word and those after it, without what stands on both sides."""


def says_the_opposite(sentence: str, texts: Sequence[str]) -> str | None:
    """How `sentence` turns what `texts` say around, in words for a trace; None where nothing was found."""
    mine = set(_lower(sentence))
    theirs = {word for text in texts for word in _lower(text)}
    for pair in _PAIRS:
        for side, other in (pair, pair[::-1]):
            if mine & side and not theirs & side and theirs & other:
                return "a word whose opposite its quotes hold"
    if any(map(_REFUSALS.search, texts)) and not _REFUSALS.search(sentence):
        return "a refusal that its quotes hold and it does not"
    if _changes_places(sentence, texts):
        return "names that stand the other way round in its quotes"
    return None


def _lower(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _changes_places(sentence: str, texts: Sequence[str]) -> bool:
    """Whether names on both sides of a word stand on its other sides in the quotes. A passive, which has a "by", may
    change them and is compared with passives alone."""
    said: dict[tuple[str, bool], set[tuple[str, str]]] = {}
    for text in texts:
        for stem, is_passive, (before, after) in _around(text):
            said.setdefault((stem, is_passive), set()).update(product(before, after))
    return any(
        not said.get((stem, is_passive), set()).isdisjoint(product(after, before))
        and said[stem, is_passive].isdisjoint(product(before, after))
        for stem, is_passive, (before, after) in _around(sentence)
    )


def _around(text: str) -> Iterator[tuple[str, bool, _Names]]:
    """Each small word of each clause between two names: its stem, whether "by" follows, the names on either side."""
    for clause in _CLAUSE_END.split(text):
        words = _WORD.findall(clause)
        names = [word[0].isupper() and bool(content_stems(word)) for word in words]
        for place, word in enumerate(words):
            stems = content_stems(word)
            if names[place] or not stems:
                continue
            first, last = max(0, place - _NEAR), place + _NEAR
            before = frozenset(bare(words[at]).casefold() for at in range(first, place) if names[at])
            after = frozenset(bare(words[at]).casefold() for at in range(place, min(last, len(words))) if names[at])
            if before and after:
                yield stems[0], "by" in words[place:last], (before - after, after - before)
