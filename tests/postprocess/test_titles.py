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
        ("The Harvest Share's terms apply.", ["share"]),
        ("Harvest Shares are paid in May.", ["share"]),
        ("Carers’ Leave Policy", ["carer"]),
        ("carers leave policies", ["carer"]),
        ("Both NDAs must be signed.", ["nda"]),
        ("The NDA's text is short.", ["nda"]),
        ("The Annual Leave Policies differ.", ["leave"]),
        ("Called upon, the policies apply.", []),
    ],
)
def test_plural_and_possessive(matcher: TitleMatcher, text: str, named: list[str]) -> None:
    """A title is named in the plural and the possessive too, and by nothing that only begins like it."""
    assert matcher.named(text) == named


COMMON = ["Travel", "Help", "About", "IT", "US", "2024", "The", "OpenDesk", "FAQ", "Café"]


@pytest.mark.parametrize("in_any_case", [False, True])
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What about it? Help us travel in 2024.", []),
        ("About the travel: Help is near. Travel is booked by the desk.", []),
        ("| Travel | Help |", []),
        ("IT fixes it for the US and us.", ["IT", "US"]),
        ("See Travel and the “Help”, too.", ["Travel", "Help"]),
        ("[Travel](travel.md) says more.", ["Travel"]),
        ("opendesk, Opendesk's faq", ["OpenDesk", "FAQ"]),
        ("the Cafe\u0301 page", ["Café"]),
        ("the cafe page", []),
    ],
)
def test_titles_of_one_word(text: str, named: list[str], in_any_case: bool) -> None:
    """A title of one word is named where the word stands as a name, not wherever a sentence needs that word."""
    assert TitleMatcher([(title, title) for title in COMMON]).named(text, in_any_case=in_any_case) == named


def test_punctuation_in_titles() -> None:
    """Marks within a title do not keep it from being found."""
    titles = ["Q&A: Keys, Tools", 'Leave "Special" Cases', "Home – and Anywhere – Working", "O'Brien Award"]
    matcher = TitleMatcher([(title, title) for title in titles])
    text = "See Q & A – Keys, Tools; Leave Special Cases; Home- and Anywhere-Working; and the O’Brien Award."
    assert matcher.named(text) == titles


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


def test_an_article_belongs_to_no_title() -> None:
    """A title with an article in front is named without it, and with another one."""
    matcher = TitleMatcher([("a", "The NDA"), ("b", "A Travel Guide")])
    assert matcher.named("Sign an NDA.") == ["a"]
    assert matcher.named("The Travel Guide says so.") == ["b"]


def test_few_titles() -> None:
    """With two documents each can be named."""
    assert TitleMatcher([("a", "Tea rules"), ("b", "Tea prices")]).named("See Tea Prices.") == ["b"]
