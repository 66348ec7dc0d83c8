"""Ellipses that name another subject."""

import pytest

from rag_app.chat.replaced import replaced


@pytest.mark.parametrize(
    ("question", "turn", "expected"),
    [
        ("How do I book the laser cutter?", "What about the CNC mill?", "How do I book the CNC mill?"),
        ("How do I book the laser cutter?", "No, I meant the CNC mill.", "How do I book the CNC mill?"),
        ("How long is leave for employees?", "And for contractors?", "How long is leave for contractors?"),
        ("What does a hotel in Porto cost?", "And in Bergen?", "What does a hotel in Bergen cost?"),
        ("Who approves the leave of a manager?", "And the travel?", "Who approves the travel of a manager?"),
        ("Can the mill be booked online?", "How about the kiln?", "Can the kiln be booked online?"),
        ("Can Elm House be hired?", "And Oak House?", "Can Oak House be hired?"),
        ("What is the rate in the north?", "And in the south?", "What is the rate in the south?"),
    ],
)
def test_the_subject_of_the_last_question_makes_room(question: str, turn: str, expected: str) -> None:
    """What begins with the same preposition or article, or is a name, is replaced; the rest of the question stays."""
    assert replaced(turn, question) == expected


def test_a_title_says_where_the_subject_ends() -> None:
    """Behind an auxiliary words alone do not tell a noun from the verb after it; the title of what was quoted does."""
    question = "What does the laser cutter cost?"
    assert replaced("And the kiln?", question) is None
    assert replaced("And the kiln?", question, ["The laser cutter"]) == "What does the kiln cost?"


def test_a_capital_that_begins_a_turn_is_no_name() -> None:
    """ "Fees?" does not take the place of a name; "And Bergen?" does."""
    question = "What is the rate of a hotel room in Porto?"
    assert replaced("Fees?", question) is None
    assert replaced("Deposit", question) is None
    assert replaced("And Bergen?", question) == "What is the rate of a hotel room in Bergen?"


@pytest.mark.parametrize(
    "turn",
    [
        "What about safety glasses?",
        "And the other one?",
        "And for them?",
        "And to repair it?",
        "And the cutter?",
        "Are you sure?",
        "And in summer?",
    ],
)
def test_nothing_is_replaced_where_it_is_not_plain(turn: str) -> None:
    """A turn that points back, asks something of its own, names nothing new or fits nowhere stays as it is."""
    assert replaced(turn, "How do I book the laser cutter?") is None
