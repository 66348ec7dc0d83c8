"""Which documents a text names: by whole words of their titles, in their order, one of them rare."""

import pytest

from rag_app.postprocess.titles import TitleMatcher

TITLES = [
    ("nda", "NDA"),
    ("on-call", "On-Call Policy"),
    ("leave", "Annual Leave Policy"),
    ("old-leave", "Annual Leave Policy (2019)"),
    ("parental", "Parental Leave Policy"),
    ("norway", "Supplement for Norway"),
    ("peru", "Supplement for Peru"),
    ("pensions", "Pensions"),
    ("carer", "Carer's Leave Policy"),
    ("expenses", "The Expenses Policy"),
    ("share", "Harvest Share"),
    ("notes-1", "Release Notes 5.1"),
    ("notes-2", "Release Notes 5.2"),
]


@pytest.fixture(scope="module")
def matcher() -> TitleMatcher:
    return TitleMatcher(TITLES)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Sign the NDA first.", ["nda"]),
        ("sign the nda first", ["nda"]),
        ("The standard agenda applies.", []),
        ("Called upon, they come.", []),
        ("Call the policy desk.", []),
        ("They have a call policy.", []),
        ("See the On-Call Policy.", ["on-call"]),
        ("see the on-call policy", ["on-call"]),
        ("Whoever is on call gets paid.", []),
        ("See Pensions, and the Harvest Share.", ["pensions", "share"]),
        ("A harvest is no share.", []),
        ("The Annual Leave Policy says so.", ["leave"]),
        ("The Annual Leave Policy (2019) said so.", ["old-leave"]),
        ("Annual leave is 26 days.", []),
        ("The Leave Policy says so.", []),
        ("The Parental Leave chapter says so.", ["parental"]),
        ("the Supplement for Norway", ["norway"]),
        ("the supplement for Peru", ["peru"]),
        ("Carer’s Leave Policy", ["carer"]),
        ("the expenses policy", ["expenses"]),
        ("Release Notes 5.2", ["notes-2"]),
        ("", []),
    ],
)
def test_named(matcher: TitleMatcher, text: str, named: list[str]) -> None:
    """Whole titles count in any case, pieces of two words and more where they are written as a name."""
    assert matcher.named(text) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("is that apart from parental leave?", ["parental"]),
        ("who is on call?", ["on-call"]),
        ("which leave policy?", []),
    ],
)
def test_named_in_any_case(matcher: TitleMatcher, text: str, named: list[str]) -> None:
    """In a question pieces of a title count in small letters too, as long as a rare word is among them."""
    assert matcher.named(text, in_any_case=True) == named


def test_titles_without_rare_words() -> None:
    """Where all words of a title are common, it is named only as a whole; one without words never."""
    matcher = TitleMatcher(
        [("a", "Leave Policy"), ("b", "Leave Guide"), ("c", "Travel Policy"), ("d", "Travel Guide"), ("e", "…")]
    )
    assert matcher.named("The Leave Policy and the Travel") == ["a"]


def test_few_titles() -> None:
    """With two documents each can be named."""
    assert TitleMatcher([("a", "Tea rules"), ("b", "Tea prices")]).named("See Tea Prices.") == ["b"]
