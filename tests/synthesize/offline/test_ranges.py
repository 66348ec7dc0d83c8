"""Rows and items that a range tells apart: only the one that holds the asked figure answers."""

import pytest

from rag_app import Trace
from rag_app.question import Question
from rag_app.synthesize.evidence import build_ledger
from rag_app.synthesize.offline.features import candidates
from rag_app.synthesize.offline.ranges import is_in_range
from rag_app.testing import passage

BY_FIRST_CELL = """| Load | Fee |
| --- | --- |
| under 2 kg | 4 |
| 2 to 5 kg | 6 |
| above 5 kg up to 1,000 kg | 9 |
| more than 1,000 kg | ask |
"""
BY_COLUMN = """| Size | Length | Fee |
| --- | --- | --- |
| Small | to 8 m | 18 |
| Large | over 8 m | 26 |
"""
BY_HEADER = """| Weight (kg) | Fee |
| --- | --- |
| up to 2 | 4 |
| 3–5 | 6 |
"""
BY_AGE = """| Ticket | Fee |
| --- | --- |
| Child (under 12) | 4 |
| Adult (18 and over) | 9 |
"""
ITEMS = "The fee is:\n\n- up to 20 km: 4 euros\n- 21 to 50 km: 6 euros\n"
LIMIT = """| Thing | Limit |
| --- | --- |
| Stay | up to 14 days |
"""


def left(text: str, question: str) -> list[str]:
    """The statements that are not out of range, in their order."""
    node = passage(text, cosine=0.5)
    ledger = build_ledger([node], lambda _: True, Trace())
    (part,) = Question(question).parts
    found = [c for c in candidates(0, part, ledger) if is_in_range(c, part.query) is not False]
    return [" ".join(c.statement.text.strip("| ").split()) for c in sorted(found, key=lambda c: c.index)]


@pytest.mark.parametrize(
    ("text", "question", "first_words"),
    [
        (BY_FIRST_CELL, "What is the fee for 3 kg?", ["2 to 5 kg"]),
        (BY_FIRST_CELL, "What is the fee for 2 kilograms?", ["2 to 5 kg"]),
        (BY_FIRST_CELL, "What is the fee for a 900-kg load?", ["above 5 kg"]),
        (BY_FIRST_CELL, "What is the fee for 1,200 kg in 2024?", ["more than 1,000 kg"]),
        (BY_COLUMN, "What does a boat of 10 metres pay?", ["Large"]),
        (BY_HEADER, "What does a parcel of 4 kg cost?", ["3–5"]),
        (BY_AGE, "What does a child aged 9 pay?", ["Child (under 12)"]),
        (BY_AGE, "What does a 30-year-old pay?", ["Adult (18 and over)"]),
        (ITEMS, "What is the fee for 30 km?", ["21 to 50 km"]),
        (BY_HEADER, "What does a parcel of 15 kg cost?", []),
    ],
)
def test_the_row_whose_range_holds_the_figure_is_left(text: str, question: str, first_words: list[str]) -> None:
    """In its first cell, in a column of ranges, with the unit of the header or another name of it; where no range holds
    the figure, no row is left."""
    found = left(text, question)
    found = [row for row in found if row != "The fee is:"]
    assert len(found) == len(first_words)
    assert all(row.startswith(words) for row, words in zip(found, first_words, strict=True))


@pytest.mark.parametrize(
    ("text", "question", "rows"),
    [
        (BY_FIRST_CELL, "What is the fee for 3 litres?", 4),
        (BY_FIRST_CELL, "What is the fee by form 27?", 4),
        (BY_AGE, "What does an adult pay for 3 nights?", 2),
        (LIMIT, "May I stay for 20 days?", 1),
        ("Guests may stay up to 14 days.", "May I stay for 20 days?", 1),
    ],
)
def test_what_is_not_compared_stays(text: str, question: str, rows: int) -> None:
    """A figure of another unit, a number that names something, and a limit that answers because it is passed."""
    assert len(left(text, question)) == rows
