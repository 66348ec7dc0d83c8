"""The kind of answer a question asks for."""

import pytest

from rag_app.synthesize.offline.answer_kind import Kind, holds, kinds_asked


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long is parental leave?", "duration"),
        ("When does the gate open?", "time"),
        ("What does a badge cost?", "amount"),
        ("How many seats are there?", "number"),
        ("May I bring a dog?", "permission"),
    ],
)
def test_kinds_asked(question: str, kind: Kind) -> None:
    """Interrogatives of English tell what kind of answer is wanted."""
    assert kind in kinds_asked(question)


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("time", "The gate opens at 7 in the morning."),
        ("time", "The gate opens at noon."),
        ("time", "The gate opens at 07:00."),
        ("duration", "It lasts two weeks."),
        ("amount", "Entry is free."),
        ("amount", "It costs €5."),
        ("number", "There are three of them."),
    ],
)
def test_statements_that_hold_a_kind(kind: Kind, statement: str) -> None:
    """Figures, number words, dates and times in words are recognised."""
    assert holds(kind, statement)


def test_a_statement_without_a_figure_holds_no_number() -> None:
    """A statement that only names the subject holds no quantity."""
    assert not any(holds(kind, "The works make cabins and grips.") for kind in ("number", "duration", "time"))
