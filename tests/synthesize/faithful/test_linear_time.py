"""What compares a sentence with its quotes takes time that grows with the text, whatever stands in it."""

import time
from collections.abc import Callable

import pytest

from rag_app.answer import Quote
from rag_app.synthesize.conflicts import _figures
from rag_app.synthesize.faithful.attribution import changes_hands
from rag_app.synthesize.faithful.backing import lack_of
from rag_app.synthesize.faithful.matching import figure_chains, find_run, read_quote, read_tokens
from rag_app.synthesize.faithful.names import has_foreign_name
from rag_app.synthesize.faithful.opposites import says_the_opposite
from rag_app.synthesize.faithful.polarity import turns_around
from rag_app.synthesize.faithful.quantities import NUMBER_WORDS, read_figures

WORST = {
    "letters": "a",
    "digits": "1",
    "spaces": " ",
    "lines": "\n",
    "dots": ".",
    "dashes": "-",
    "dotted": "a.",
    "dashed": "a-",
    "figures": "at most 5 days, ",
    "limits": "no 5 ",
    "groups": "000 ",
    "grouped": "1,000,",
    "per": "5 a ",
    "ranges": "5 - ",
    "signs": "$ ",
    "dates": "3 May 2024, ",
    "names": "Ann Bo ",
    "single names": "Ann. ",
    "initials": "A",
    "beats": "Ann beat Bo and ",
    "one clause": "Ann beats ",
    "negations": "not ",
    "negated": "not paid ",
    "prefixes": "unpaid paid ",
    "addresses": "a@b.example ",
    "brackets": "[",
    "links": "[a](b.c ",
    "quotes": "\"'",
    "pipes": "|.. ",
    "stars": "*a ",
    "ticks": "`",
    "fences": "\n```\n",
    "entities": "&a",
    "underlines": "a__",
    "escapes": "\\",
    "tables": "| --- ",
    "marks": "\u0301\u0323",
}
DIFFERENT = "w{} W{} {} days N{}x "
"""Words, names and figures of which none comes twice."""

NUMBERED = "numbered"
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "read_tokens": read_tokens,
    "read_quote": lambda text: read_quote(text, is_code=True),
    "find_run": lambda text: find_run(read_tokens(text[: len(text) // 2] + " end"), [read_tokens(text)]),
    "figure_chains": lambda text: figure_chains(read_tokens(text), NUMBER_WORDS),
    "read_figures": lambda text: read_figures(text, bare=True),
    "conflicts": lambda text: list(_figures(text)),
    "changes_hands": lambda text: changes_hands(text, [text], NUMBER_WORDS),
    "turns_around": lambda text: turns_around(read_tokens(text), [read_tokens(text)]),
    "has_foreign_name": lambda text: has_foreign_name(text, [text]),
    "says_the_opposite": lambda text: says_the_opposite(text, [text]),
    "lack_of": lambda text: lack_of(text, [Quote(text, "d", "D", (), None, 0, len(text), "d")]),
}


def of_length(name: str, letters: int) -> str:
    if name == NUMBERED:
        return "".join(DIFFERENT.format(n, n, n, n) for n in range(letters // 28))
    return WORST[name] * (letters // len(WORST[name]))


def spent(function: str, text: str) -> float:
    """Seconds of processor time."""
    read_tokens.cache_clear()
    begun = time.process_time()
    FUNCTIONS[function](text)
    return time.process_time() - begun


def grows(function: str, name: str, letters: int) -> bool:
    """Whether four times the text takes much more than four times as long, three times running."""
    for _ in range(3):
        if spent(function, of_length(name, 4 * letters)) < 9 * spent(function, of_length(name, letters)) + 0.2:
            return False
    return True


@pytest.mark.parametrize("function", FUNCTIONS)
def test_time_grows_with_the_text(function: str) -> None:
    """Of the worst texts, four times as much takes about four times as long."""
    assert [name for name in (*WORST, NUMBERED) if grows(function, name, 3_000)] == []


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", [*WORST, NUMBERED])
def test_time_grows_with_a_million_letters(function: str, name: str) -> None:
    """The same up to a megabyte."""
    assert not grows(function, name, 250_000)
