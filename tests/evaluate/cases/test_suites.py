"""The suites that come with the project are right: every fact, permission and absence is proved by their documents."""

from pathlib import Path

import pytest

from rag_app.evaluate.cases.check import check_questions

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("suite", ["indexes/fellwire", "evals/harbour"])
def test_suite(suite: str) -> None:
    """Nothing is found, and some questions, but not most, share less than half of their words with the answer."""
    report = check_questions(ROOT / suite)
    assert report.findings == ()
    assert report.questions > 100
    assert 0.1 * report.other_words.n < report.other_words.k < 0.5 * report.other_words.n


@pytest.mark.parametrize(
    ("stress", "index"), [("fellwire-stress", "indexes/fellwire"), ("harbour-stress", "evals/harbour")]
)
def test_stress(stress: str, index: str) -> None:
    """Every stress question is proved as well, is marked as one, and most avoid the words of their answer."""
    report = check_questions(ROOT / "evals" / stress, ROOT / index)
    assert report.findings == ()
    assert {split for by_split in report.categories.values() for split in by_split} == {"stress"}
    assert report.other_words.k > 0.6 * report.other_words.n
