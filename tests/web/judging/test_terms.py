"""Finding words and phrases, in any script."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_app.web.judging.terms import Text, fold, is_latin, stem_of, without, words_of


@pytest.mark.parametrize(
    ("text", "phrase", "is_there"),
    [
        ("the WARRIORS' coach", "Warriors", True),
        ("warrior", "Warriors", False),
        ("nzherald", "nz", False),
        ("from NZ.", "NZ", True),
        ("Maori", "Māori", True),
        ("St Louis Blues", "St. Louis Blues", True),
        ("Golden\n State", "Golden State", True),
        ("Goldens State", "Golden State", False),
        ("let us go", "US", False),
        ("the US dollar", "US", True),
        ("in Łódź today", "Łódź", True),
        ("in Łódźka", "Łódź", False),
        ("თბილისში დღეს", "თბილის", True),
        ("ქათბილისი", "თბილის", False),
        ("我在奥克兰市", "奥克兰", True),
        ("a _b_ c", "b", True),
        ("anything", "", False),
        ("anything", "...", False),
    ],
)
def test_a_phrase_in_a_text(text: str, phrase: str, is_there: bool) -> None:
    """Whole words in Latin, beginnings of words where endings change, and anything where words have no borders."""
    assert Text(text).has(phrase) == is_there
    assert bool(Text(text).count(phrase)) == is_there


def test_without() -> None:
    """Phrases are taken out as whole words, longest first, and the rest keeps its letters."""
    assert (
        without("The Air New Zealand strike, in New Plymouth", ["New Zealand", "new"]) == "The Air strike in Plymouth"
    )
    assert without("what can us renters do", ["US"]) == "what can us renters do"


@given(st.text(max_size=40), st.text(max_size=10))
@example("0\u2f00", "")
@example("0\u2103", "")
def test_any_text(text: str, phrase: str) -> None:
    """Nothing fails, and a word of a text stands in it."""
    Text(text).has(phrase)
    assert all(Text(text).has(word) for word in words_of(text))
    assert fold(fold(text)) == fold(text)
    assert isinstance(is_latin(text), bool)
    assert all(fold(word).startswith(stem_of(word)) for word in words_of(text))
