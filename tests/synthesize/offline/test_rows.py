"""Rows, items and sentences: the one that is asked for without its neighbours, and all where all are asked for."""

from rag_app import Trace
from rag_app.question import Question
from rag_app.synthesize.evidence import build_ledger
from rag_app.synthesize.offline.extractive import draft_extractive
from rag_app.testing import passage
from rag_app.text.nodes import WINDOWS, hide

TABLE = """| Machine | Price an hour | Use |
| --- | --- | --- |
| Laser | 12 | supervised |
| Router | 9 | supervised |
| Drill | 2 | free |
"""
LABELLED = "An hour costs:\n\n- Laser: 12 euros\n- Router: 9 euros\n- Drill: 2 euros\n"


def shown(text: str, question: str, logits: dict[int, float]) -> list[str]:
    node = passage(text, title="Workshop", score=0.8, cosine=0.8)
    hide(node.node, WINDOWS, [(index, index, 0, logit) for index, logit in logits.items()])
    ledger = build_ledger([node], lambda _: True, Trace())
    (part,) = draft_extractive(Question(question).parts, ledger, 4, Trace()).parts
    return [found[1].text for label in part.labels if (found := ledger.find(label))]


def test_a_neighbour_is_not_quoted_beside_the_row_asked_for() -> None:
    """The row of another machine is left out, however near the models think it."""
    assert shown(TABLE, "What does the laser cost an hour?", {0: 6.0, 1: 5.8, 2: 5.0}) == [
        "| Laser | 12 | supervised |"
    ]


def test_a_neighbour_among_labelled_items_is_left_out() -> None:
    """What holds for rows holds for items that begin with the name of their thing."""
    texts = shown(LABELLED, "What is the price of the router?", {0: 1.0, 1: 5.8, 2: 6.0, 3: 5.0})
    assert "Router: 9 euros" in texts
    assert not any("Laser" in text or "Drill" in text for text in texts)


def test_rows_that_share_the_value_asked_for_are_all_shown() -> None:
    """Where several are asked for, every row that holds the same words of the question as the best one is shown."""
    texts = shown(TABLE, "Which machines are supervised?", {0: 7.0, 1: -11.0, 2: -11.0})
    assert texts == ["| Laser | 12 | supervised |", "| Router | 9 | supervised |"]


ALIKE = (
    "The loom takes an hour and is cleaned weekly. The kiln takes a day and is cleaned monthly. "
    "The kiln stands in the yard."
)


def test_a_sentence_of_the_same_build_about_another_thing_is_left_out() -> None:
    """What holds for rows holds for sentences that say the same of different things; others of the section stay."""
    texts = shown(ALIKE, "How often is the kiln cleaned?", {0: 7.5, 1: 8.0, 2: 7.5})
    assert texts == ["The kiln takes a day and is cleaned monthly.", "The kiln stands in the yard."]
    both = shown(ALIKE, "What is cleaned?", {0: 7.5, 1: 8.0, 2: -9.0})
    assert len(both) == 2
