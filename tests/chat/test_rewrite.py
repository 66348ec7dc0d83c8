"""What a model may make of a turn."""

import pytest

from rag_app.chat.rewrite import lack_of_rewrite

SAID = [
    "How long is the notice period for employees?",
    "The notice period for Bergen staff is 30 days.",
    'The film "Not a Day Too Soon" is shown on Friday.',
]


@pytest.mark.parametrize(
    ("turn", "rewrite"),
    [
        ("And for contractors?", "How long is the notice period for contractors?"),
        ("Is it not 60 days in Porto?", "Is the notice period for employees not 60 days in Porto?"),
        ("Is there one for staff?", "Is there a notice period for staff?"),
        ("When is it shown?", 'When is the film "Not a Day Too Soon" shown?'),
        ("Does it apply to staff in Bergen too?", "Does the notice period apply to staff in Bergen too?"),
    ],
)
def test_a_rewrite_that_only_completes_is_used(turn: str, rewrite: str) -> None:
    """What the turn leaves out may come from the conversation."""
    assert lack_of_rewrite(rewrite, turn, SAID) is None


@pytest.mark.parametrize(
    ("turn", "rewrite", "why"),
    [
        ("Is it 60 days?", "Is the notice period long?", "lost a figure"),
        ("Is it long?", "Is the notice period 90 days long?", "added a figure"),
        ("Is it not paid?", "Is the notice period paid?", "negation"),
        ("Is it paid?", "Is the notice period not paid?", "negation"),
        ("And in Porto?", "How long is the notice period for employees?", "lost a name"),
        ("And for contractors?", "How long is the notice period for contractors in Lisbon?", "added a name"),
        ("And for contractors?", "Do contractors receive stock options, pensions and meals?", "nobody said"),
    ],
)
def test_a_rewrite_that_says_something_else_is_rejected(turn: str, rewrite: str, why: str) -> None:
    """Names, figures and negations of the turn survive, and nothing is made up."""
    assert why in (lack_of_rewrite(rewrite, turn, SAID) or "")
