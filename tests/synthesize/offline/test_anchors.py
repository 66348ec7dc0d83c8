"""What a question names must stand with a statement, or the statement is about something else."""

import pytest

from rag_app.question import QuestionTerms
from rag_app.synthesize.offline.anchors import Place, anchors_of, is_other_side, lacks

TERMS = QuestionTerms({"norway": 3, "portug": 2, "oak": 1, "elm": 1, "hous": 4, "guidelin": 90}, 100)


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


def test_the_same_side_is_an_answer() -> None:
    """A statement that speaks of both sides, or of the one asked about, stays."""
    for statement in ("The minimum stay is 2 nights, the maximum 30.", "Stay at least 2 nights."):
        assert is_other_side("What is the minimum stay?", Place(statement, "Rules", statement)) is None
