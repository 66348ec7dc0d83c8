"""Ellipses that name another subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.chat.replaced import replaced, resolved, subject_of


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
        ("What is the monthly fee for firms?", "And the deposit?", "What is the deposit for firms?"),
        ("What is the monthly fee for firms?", "And the yearly fee?", "What is the yearly fee for firms?"),
        ("How long is parental leave?", "What about sick leave?", "How long is sick leave?"),
        ("Does the CNC mill need an induction?", "And the kiln?", "Does the kiln need an induction?"),
        ("When is parental leave paid?", "And for sick leave?", "When is sick leave paid?"),
    ],
)
def test_the_subject_of_the_last_question_makes_room(question: str, turn: str, expected: str) -> None:
    """What begins with the same preposition or article, is another kind of the same, or is a name, is replaced; the
    rest of the question stays."""
    assert replaced(turn, question) == expected


def test_a_circumstance_narrows_the_last_question_down() -> None:
    """A phrase that begins with a preposition which the question does not have comes to its end, if that asks one
    thing."""
    assert replaced("And on Sundays?", "When is the pool open?") == "When is the pool open on Sundays?"
    assert replaced("and for trainees?", "Who approves leave?") == "Who approves leave for trainees?"
    assert replaced("And on Sundays?", "When is it open, and what does it cost?") is None


def test_a_title_says_where_the_subject_ends() -> None:
    """Behind an auxiliary words alone do not tell a noun from the verb after it; the title of what was quoted does."""
    question = "How does the laser cutter cut glass?"
    assert replaced("And the mill?", question) is None
    assert replaced("And the mill?", question, ["The laser cutter"]) == "How does the mill cut glass?"


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
        "And to repair them?",
    ],
)
def test_nothing_is_replaced_where_it_is_not_plain(turn: str) -> None:
    """A turn that points back, asks something of its own, names nothing new or fits nowhere stays as it is."""
    assert replaced(turn, "How do I book the laser cutter?") is None


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("How do I book the laser cutter?", "the laser cutter"),
        ("Where do I report a lost badge?", "a lost badge"),
        ("How long do I have to report an accident?", "an accident"),
        ("What can you tell me about the Harbour Fund?", "the Harbour Fund"),
        ("How many days of annual leave do employees have?", "annual leave"),
        ("How long is parental leave?", "parental leave"),
        ("What is the monthly fee for students?", "the monthly fee"),
        ("Where is the first aid kit?", "the first aid kit"),
        ("When is the pool open?", "the pool"),
        ("Which day is the kiln fired?", "the kiln"),
        ("What does a lost badge cost?", "a lost badge"),
        ("How long does parental leave last?", "parental leave"),
        ("How does the laser cutter cut glass?", ""),
        ("Who approves parental leave?", "parental leave"),
        ("Are dogs allowed in the library?", "dogs"),
        ("Who was Ada Quill?", "Ada Quill"),
        ("How are a badge and a key returned?", ""),
        ("What is the difference between a badge and a key?", ""),
        ("I lost my badge. What does it cost?", ""),
        ("Why do companies use vesting schedules?", ""),
        ("Is the pool heating on at night?", ""),
    ],
)
def test_what_a_question_asks_about(question: str, subject: str) -> None:
    """The noun phrase behind the verb that asks; nothing where there are several or words do not tell its end."""
    assert subject_of(question) == subject


@pytest.mark.parametrize(
    ("question", "turn", "pronoun", "expected"),
    [
        ("How do I book the laser cutter?", "How long may I use it?", "it", "How long may I use the laser cutter?"),
        ("What does a lost badge cost?", "Where do I report it?", "it", "Where do I report the lost badge?"),
        ("What are lockers?", "and are they insured?", "they", "Are lockers insured?"),
        ("How do I book the laser cutter?", "What is its price?", "its", "What is the laser cutter's price?"),
        ("Who was Ada Quill?", "Was she a painter?", "she", "Was Ada Quill a painter?"),
        ("How do I book the laser cutter?", "Was she a painter?", "she", None),
        ("How do I book the laser cutter?", "Do they refuse guests?", "they", None),
        ("What are lockers?", "How long is it open?", "it", None),
        ("How do I book the laser cutter?", "How much is this?", "this", None),
        ("How do I book the laser cutter?", "Is it's lens clean?", "it", None),
        ("How are a badge and a key returned?", "Where do I get it?", "it", None),
    ],
)
def test_a_pronoun_makes_room_for_what_was_asked_about(
    question: str, turn: str, pronoun: str, expected: str | None
) -> None:
    """A pronoun stands for what the last question asks about if that fits: one or several, a person or a thing."""
    assert resolved(turn, pronoun, question) == expected


WORDS = st.lists(
    st.sampled_from("the a is was what who how for and or it its they fee pool open cost booked I do can ? .".split())
).map(" ".join)


@given(WORDS, WORDS, st.sampled_from(["it", "its", "they", "he", "this"]))
def test_any_words(question: str, turn: str, pronoun: str) -> None:
    """Whatever is asked, something or nothing is replaced."""
    assert subject_of(question) in question
    assert replaced(turn, question) != ""
    assert resolved(turn, pronoun, question) != ""
