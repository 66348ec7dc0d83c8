"""Which windows of statements a cross-encoder reads."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rag_app.postprocess.rerank import preselect, windows_of
from rag_app.testing import passage
from rag_app.text.nodes import node_statements

PRICES = """Prices hold until the end of the year.

| City | Hotel |
|------|-------|
| Bergen | 190 euros |
| Porto | 120 euros |
"""


def test_every_statement_begins_a_window() -> None:
    """There is one window per statement, with its title and heading, and a row has its header before it."""
    node = passage(PRICES, title="Travel", section=("Travel", "Hotels"))
    windows = windows_of([node])
    assert [window.first for window in windows] == list(range(len(node_statements(node.node))))
    assert all("Travel" in window.text and "Hotels" in window.text for window in windows)
    assert "| City | Hotel | | Porto | 120 euros |" in windows[-1].text


def test_a_short_statement_is_read_with_the_next() -> None:
    """A statement of a few words is read together with what follows, three statements at most."""
    text = "- one\n- two\n- three\n- four\n- the fifth item is long enough to be read alone\n- six\n"
    windows = windows_of([passage(text)])
    assert [(window.first, window.last) for window in windows] == [(0, 2), (1, 3), (2, 4), (3, 4), (4, 4), (5, 5)]


def test_third_party_headings() -> None:
    """A node without a title, or with odd ones, gives windows of its text alone."""
    node = passage("Trains run daily from the station.")
    node.node.metadata.update(title=None, section_path="abc")
    assert [window.text for window in windows_of([node])] == ["Trains run daily from the station."]


def test_the_nearest_windows_are_read() -> None:
    """Windows of the passage that scored best are read first, and within a passage those with the words asked for."""
    text = "Trains run daily from the station. Buses run hourly from the harbour."
    far, near = passage(text, score=0.2, cosine=0.2), passage(text, document_id="near", score=0.9, cosine=0.9)
    assert preselect("canteen", [far, near], windows_of([far, near]), 2) == [2, 3]
    assert preselect("harbour buses", [far, near], windows_of([far, near]), 1) == [3]
    third_party = passage(text)
    assert preselect("harbour buses", [third_party], windows_of([third_party]), 1) == [1]


scores = st.one_of(st.none(), st.floats(0, 1), st.just(math.nan))


@given(st.lists(scores, min_size=1, max_size=6), st.integers(1, 40))
def test_the_budget(values: list[float | None], budget: int) -> None:
    """As many windows as there are, or as the budget allows; each once, in order, whatever the scores are."""
    nodes = [
        passage("Trains run daily. Buses do not. Ask first.", document_id=str(n), score=s) for n, s in enumerate(values)
    ]
    windows = windows_of(nodes)
    chosen = preselect("When do trains run?", nodes, windows, budget)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(budget, len(windows))


def test_a_score_that_is_no_number_does_not_rule() -> None:
    """A passage whose score is no number is ranked by its place, and does not upset the order of the others."""
    for odd in range(6):
        nodes = [
            passage(f"Sentence number {n} is about trains.", document_id=str(n), score=n / 10, cosine=n / 10)
            for n in range(7)
        ]
        nodes[odd].score = math.nan
        chosen = preselect("trains", nodes, windows_of(nodes), 3)
        assert {6, 5 if odd != 5 else 4} <= set(chosen)
