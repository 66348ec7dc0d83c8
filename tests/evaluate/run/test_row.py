"""Rows: what became of one question in one run."""

import json

from hypothesis import given
from hypothesis import strategies as st

from rag_app.evaluate.measures.scoring import Score
from rag_app.evaluate.run.row import Place, QuotedRow, Row

texts = st.text(max_size=8)
numbers = st.integers(0, 10**6)
flags = st.booleans()
maybe = st.none() | flags
places = st.lists(st.builds(Place, texts, numbers, numbers), max_size=3).map(tuple)
floats = st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=3)
rows = st.builds(
    Row,
    case_id=texts, category=texts, split=texts, question=texts, as_name=st.none() | texts, run=numbers,
    outcome=st.sampled_from(["answered", "refused", "ungrounded", "error"]), error=st.none() | texts,
    reason=st.none() | texts,
    score=st.none() | st.builds(
        Score, texts, texts, flags, flags, flags, numbers, numbers, numbers, numbers, numbers, flags
    ),
    quotes=st.lists(st.builds(QuotedRow, texts, texts, numbers, numbers, texts, numbers), max_size=2).map(tuple),
    retrieved=places, kept=places, numbers=floats, warnings=st.lists(texts, max_size=2).map(tuple), degraded=flags,
    model_calls=numbers, input_tokens=numbers, output_tokens=numbers, tokens_estimated=flags, milliseconds=floats,
    right_retrieved=maybe, evidence_delivered=maybe, forbidden=st.lists(texts, max_size=2).map(tuple), retried=flags,
)  # fmt: skip


@given(rows)
def test_a_row_survives_json(row: Row) -> None:
    """A row written as JSON and read again is the same row."""
    line = row.as_json()
    assert "\n" not in line
    assert Row.from_dict(json.loads(line)) == row


def test_an_error_is_neither_right_nor_a_refusal() -> None:
    """A row that failed is right by no rule and has no score that could be taken for a refusal."""
    row = Row("a", "unanswerable", "", "Q?", None, 1, "error", error="ModelTimeout: No reply.")
    assert not row.strict
    assert not row.published
    assert row.score is None
