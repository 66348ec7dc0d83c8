"""The questions within a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.question import split_parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How long is parental leave, and who approves it?", ["How long is parental leave", "who approves it?"]),
        ("What does it cost and who pays?", ["What does it cost", "who pays?"]),
        ("How much can I claim for hotels, and for how long?", ["How much can I claim for hotels", "for how long?"]),
        (
            "How many tugs does she need, and up to what wind may she arrive?",
            ["How many tugs does she need", "up to what wind may she arrive?"],
        ),
        (
            "What does it cost, and after how many days is it lost?",
            ["What does it cost", "after how many days is it lost?"],
        ),
        ("Is a bike allowed? What about dogs?", ["Is a bike allowed?", "What about dogs?"]),
        (
            "Which forms do I need, where do I send them, and when is the deadline?",
            ["Which forms do I need", "where do I send them", "when is the deadline?"],
        ),
        (
            "I move out in June; what about the deposit, the keys, and the parking permit?",
            [
                "I move out in June; what about the deposit?",
                "I move out in June; what about the keys?",
                "I move out in June; what about the parking permit?",
            ],
        ),
        (
            "Is it insured? What about the lift and the roof?",
            ["Is it insured?", "What about the lift?", "What about the roof?"],
        ),
    ],
)
def test_parts_are_cut(question: str, parts: list[str]) -> None:
    """A question that asks several things is cut between them."""
    assert [part.text for part in split_parts(question)] == parts


@pytest.mark.parametrize(
    "question",
    [
        "When and how do I file a claim?",
        "What happens if I lose my badge and do not tell anybody?",
        "What is the difference between how leave works here and how it works abroad?",
        "What is the ? operator?",
        "What does select! do?",
        "parental leave",
        "The supplier who wrote to us about when we pay is new. What do we answer?",
        "What about terms and conditions?",
        "Which tools and materials are allowed?",
    ],
)
def test_one_question_stays_whole(question: str) -> None:
    """A question that asks one thing is not cut, whatever conjunctions stand in it."""
    assert [part.text for part in split_parts(question)] == [question]


def test_a_part_that_points_back_carries_what_it_points_to() -> None:
    """A part with a pronoun is searched together with the part before it."""
    _, second = split_parts("How long is parental leave, and who approves it?")
    assert second.query == "How long is parental leave who approves it?"


def test_the_setting_goes_with_every_part() -> None:
    """Sentences before the question are context of all its parts."""
    parts = split_parts("I work in the north. How many days do I get and when do the unused days lapse?")
    assert [part.context.startswith("I work in the north.") for part in parts] == [True, True]


@given(st.text(max_size=200))
def test_every_text_has_a_part(text: str) -> None:
    """Any text at all gives at least one part, and parts use only the question's characters."""
    parts = split_parts(text)
    assert parts
    assert all(set(part.text) <= set(text) | {" "} for part in parts)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What do Elm House and Oak House cost?", ["What do Elm House cost?", "What do Oak House cost?"]),
        (
            "Does Oak House have more rooms than Elm House?",
            ["Does Oak House have more rooms?", "Does Elm House have more rooms?"],
        ),
        ("how do the bursary and the loan work?", ["how do the bursary work?", "how do the loan work?"]),
        (
            "What is the distance between Elm House and Oak House?",
            ["What is the distance between Elm House and Oak House?"],
        ),
        ("What's the difference between a rope and a cable?", ["What's a rope?", "What's a cable?"]),
        (
            "What are the differences between day passes and week passes?",
            ["What are day passes?", "What are week passes?"],
        ),
        (
            "What is the difference between gross and net pay?",
            ["What is the difference between gross and net pay?"],
        ),
    ],
)
def test_two_subjects_are_two_parts(question: str, parts: list[str]) -> None:
    """A question about two names, or two nouns behind one article, asks the same of each; each part stands alone."""
    found = split_parts(question)
    assert [part.text for part in found] == parts
    assert not any(part.context for part in found)


def test_things_asked_about_in_a_list_do_not_carry_each_other() -> None:
    """Of several things asked about in one list, each is searched with what stands before the list alone."""
    queries = [part.query for part in split_parts("Is it insured? What about the lift and the roof?")]
    assert queries == ["Is it insured?", "Is it insured? What about the lift?", "Is it insured? What about the roof?"]
    first, second = split_parts("We sold the house. What about the lift and the roof?")
    assert (first.query, second.query) == (
        "We sold the house. What about the lift?",
        "We sold the house. What about the roof?",
    )
