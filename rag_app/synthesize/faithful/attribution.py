"""Whether a figure changed hands: "Bo scored 3" from "Ann scored 3, Bo scored 5". Pure text.

Clauses are compared, since grammar is not: where names stand in one clause with a figure, one of the names that stand
with it in the quotes must be among them. A clause without names, here or there, proves nothing.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from rag_app.synthesize.faithful.matching import figure_chains, read_tokens
from rag_app.text.named import bare
from rag_app.text.words import content_stems

_CLAUSE_END = re.compile(
    r"[,;:.!?…()|–—](?=\s|$)|(?<=\s)[(–—-](?=\s|\w)|\s(?:and|but|or|while|whereas|although|though|because|than)\s",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w’'-]*")

Clause = tuple[frozenset[tuple[str, ...]], frozenset[str]]
"""The figures of a clause, each as its tokens, and its names, folded."""


def changes_hands(sentence: str, texts: Sequence[str], number_words: Collection[str]) -> bool:
    """Whether `sentence` gives a figure to other names than `texts` do."""
    known: set[str] = set()
    beside: dict[tuple[str, ...], dict[frozenset[str], None]] = {}
    # By figure the names of each clause that holds it; a set of names that many clauses share stands there once.
    for text in texts:
        for figures, names in _clauses(text, number_words):
            known |= names
            for figure in figures if names else ():
                beside.setdefault(figure, {})[names] = None
    for figures, names in dict.fromkeys(_clauses(sentence, number_words)):
        mine = names & known
        for figure in figures if mine else ():
            if figure in beside and all(map(mine.isdisjoint, beside[figure])):
                return True
    return False


def _clauses(text: str, number_words: Collection[str]) -> Iterator[Clause]:
    for clause in _CLAUSE_END.split(text):
        figures = frozenset(chain.words for chain in figure_chains(read_tokens(clause), number_words))
        words = (word for word in _NAME.findall(clause) if word[0].isupper() and content_stems(word))
        yield figures, frozenset(bare(word).casefold() for word in words)
