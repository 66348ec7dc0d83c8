"""The suites that come with the project are right: every fact, permission and absence is proved by their documents."""

from pathlib import Path

import pytest

from rag_app.evaluate.cases.check import check_questions

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("suite", ["indexes/fellwire", "evals/harbour"])
def test_suite(suite: str) -> None:
    """Nothing is found, and about half of the questions are asked in other words than the answering statements."""
    report = check_questions(ROOT / suite)
    assert report.findings == ()
    assert report.questions > 100
    assert report.other_words.k >= 0.45 * report.other_words.n
