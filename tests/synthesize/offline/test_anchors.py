"""What a question names must stand with a statement, or the statement is about something else."""

import pytest

from rag_app.question import QuestionTerms
from rag_app.synthesize.offline.anchors import Place, anchors_of, is_other_side, lacks

TERMS = QuestionTerms({"norway": 3, "portug": 2, "oak": 1, "elm": 1, "hous": 4, "guidelin": 90, "2019": 0}, 100, 2026)


def lacking(question: str, statement: str, headings: str = "Travel", passage: str = "") -> str | None:
    place = Place(statement, headings, passage or f"{headings}\n{statement}")
    return lacks(anchors_of(question, TERMS), place)


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What is the daily rate in Finland?", "The daily rate in Norway is 90 euros."),
        ("What does a night in Oak House cost?", "A night in Elm House costs 80 euros."),
        ("How heavy is the LX-900?", "The LX-200 weighs 3 kg."),
        ("Which rules does version 3.11 follow?", "Version 3.10 follows the old rules."),
        ("When is form 27 due?", "Form 12 is due in March."),
        ("What is the default since 2.7?", "In 2.7.1 it became `auto`."),
        ("What was the budget in 2027?", "The budget in 2026 was 4,000 euros."),
        ("What is the daily rate in Finland?", "All employees in Norway have 90 euros a day."),
        ("What does --force do?", "`--quiet` prints nothing."),
        ("What does error 4003 mean?", "| Code | Meaning |\n| 4001 | No street. |"),
        ("What does read_all do?", "It reads one line."),
        ("What was the budget in 2019?", "The budget is 4,000 euros."),
    ],
)
def test_a_neighbour_is_no_answer(question: str, statement: str) -> None:
    """A statement about another place, house, product, version, form or year lacks what the question names."""
    assert lacking(question, statement)


@pytest.mark.parametrize(
    ("question", "statement", "headings"),
    [
        ("What is the daily rate in Norway?", "The daily rate is 90 euros.", "Travel in Norway"),
        ("What is the daily rate in Finland?", "Everybody has 90 euros a day.", "Travel"),
        ("How heavy is the LX-200?", "| LX-200 | 3 kg |", "Lamps"),
        ("When is form 27 due?", "It is due in March.", "Forms"),
        ("What is the default since 2.7?", "In v2.7.0 it became `auto`.", "Settings"),
        ("What was the budget in 2027?", "The budget is 4,000 euros.", "Budget"),
        ("What do the Guidelines say of parking?", "Parking is free.", "Parking"),
        ("Everyone calls me Liz. How do I change my name?", "Write to the desk.", "Names"),
        ("How much is it for 300 km?", "A kilometre is paid with 30 cents.", "Travel"),
        ("What is the daily rate in Finland?", "| Place | Rate |\n| Elsewhere | 60 euros |", "Travel"),
        ("What does --force do?", "It overwrites files.", "The option --force"),
        ("What does a 15-year-old pay?", "| 13 to 18 | 30 euros |", "Fees"),
        ("What does error 4001 mean?", "| Code | Meaning |\n| 4001 | No street. |", "Errors"),
    ],
)
def test_what_is_named_or_covered_is_about_it(question: str, statement: str, headings: str) -> None:
    """A name may stand in the headings; "everybody" covers each; a number or year counts only against a rival; a word
    that stands everywhere, what the asker says of themselves, and amounts set nothing apart."""
    assert lacking(question, statement, headings) is None


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What is the minimum stay?", "The maximum stay is 30 nights."),
        ("What do children pay?", "Adults pay 12 euros."),
        ("What must a claim contain?", "A claim may contain photos."),
    ],
)
def test_the_other_side_is_no_answer(question: str, statement: str) -> None:
    """Minimum is not maximum, children are not adults, and what may be is not what must be."""
    assert is_other_side(question, Place(statement, "Rules", statement))
    assert is_other_side(question, Place(f"{question} {statement}", "Rules", statement)) is None


def test_german_nouns_stand_in_any_form() -> None:
    """German writes every noun as a name and inflects it; another noun is still another thing."""
    assert lacking("Darf ich einen Hund halten?", "Hunde sind erlaubt.", "Haustiere") is None
    assert lacking("Was gilt an einem Sonntag?", "An Sonntagen ist zu.", "Zeiten") is None
    assert lacking("Darf ich einen Hund halten?", "Katzen sind erlaubt.", "Haustiere")
    assert lacking("May I visit Ghent?", "Visit Ghentia.", "Travel")


def test_of_two_codes_each_is_answered_by_itself() -> None:
    """Of "--minor and --patch" each has a statement of its own; a third one is about something else."""
    question = "What do --minor and --patch do?"
    assert lacking(question, "--minor updates little.", "Options") is None
    assert lacking(question, "--major updates all.", "Options")


def test_a_side_belongs_to_what_it_is_said_of() -> None:
    """Of a sentence with a minimum of one thing and a maximum of another, each answers for its own thing."""
    statement = "The minimum age is 16 and at most six people take part."
    place = Place(statement, "Course", statement)
    assert is_other_side("What is the maximum age?", place)
    assert is_other_side("What is the minimum age?", place) is None
    assert is_other_side("What is the maximum number of people?", place) is None


def test_a_past_year_that_stands_nowhere() -> None:
    """What holds today says nothing of a year that is over, unless its document was in force then."""
    (year,) = anchors_of("What was the budget in 2019?", TERMS)
    statement = "The budget is 4,000 euros."
    for since, is_lacking in (("", True), ("2021-05-31", True), ("2018-01-01", False)):
        assert bool(lacks((year,), Place(statement, "Budget", statement, since))) == is_lacking


def test_the_same_side_is_an_answer() -> None:
    """A statement that speaks of both sides, or of the one asked about, stays."""
    for statement in ("The minimum stay is 2 nights, the maximum 30.", "Stay at least 2 nights."):
        assert is_other_side("What is the minimum stay?", Place(statement, "Rules", statement)) is None
