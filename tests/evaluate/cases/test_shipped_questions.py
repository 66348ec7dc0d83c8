"""The questions that come with the documentation of the imaginary library."""

import re
from collections import Counter
from pathlib import Path

import pytest

from rag_app.document import Document
from rag_app.evaluate.cases.schema import Case, load_cases
from rag_app.evaluate.measures.scoring import plain
from rag_app.read.documents import read_folder

INDEX = Path(__file__).parents[3] / "indexes" / "saggarline"
ADDRESS = "https://docs.saggarline.example/"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The text of each page as patterns see it, by address."""
    documents = read_folder(INDEX / "site", known={})
    return {ADDRESS + one.path: plain(one.text) for one in documents if isinstance(one, Document)}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return load_cases(INDEX / "questions.jsonl")


def test_every_fact_stands_where_it_is_expected(cases: list[Case], pages: dict[str, str]) -> None:
    """Each fact of a question stands in a page that must be cited, and no page is expected that the list lacks."""
    listed = set(re.findall(r"^https://\S+", (INDEX / "urls.txt").read_text("utf-8"), re.MULTILINE))
    for case in cases:
        assert {*case.expected_documents, *case.also_right} <= listed, case.id
        assert bool(case.facts) == bool(case.expected_documents) == (case.category != "unanswerable"), case.id
        for fact in case.facts:
            texts = [pages[document_id] for document_id in case.expected_documents]
            assert any(pattern.search(text) for pattern in fact for text in texts), (case.id, fact)
            assert not any(pattern.search(case.question) for pattern in fact), (case.id, fact)


def test_they_are_balanced(cases: list[Case]) -> None:
    """Sixty, a third of each difficulty, every subject in both splits, no page asked about in both."""
    assert len({case.id for case in cases}) == len({case.question for case in cases}) == len(cases) == 60
    assert Counter(case.difficulty for case in cases) == {"easy": 20, "medium": 20, "hard": 20}
    assert all(5 < count < 11 for count in Counter(case.domain for case in cases).values())
    split_of: dict[str, str] = {}
    for case in cases:
        for document_id in case.expected_documents:
            assert split_of.setdefault(document_id, case.split) == case.split, case.id
    assert all(case.ground_truth for case in cases)
