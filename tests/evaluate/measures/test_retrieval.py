"""Measures of retrieval against values computed by hand."""

import math
from pathlib import Path

import pytest

from rag_app import build_index, open_index
from rag_app.evaluate.cases.pattern import Pattern
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.measures.retrieval import measures, rankings_of, relevant_passages
from rag_app.evaluate.run.row import Place
from rag_app.testing import TinyEmbedding
from tests.evaluate.papers import error_row, row


def _case(name: str, *documents: str, fact: str = "x") -> Case:
    return Case(name, "What?", expected_documents=documents, facts=((Pattern(fact),),))


A, A2, B, C = Place("a", 0, 9), Place("a", 9, 20), Place("b", 0, 9), Place("c", 0, 9)


def test_by_hand() -> None:
    """Documents count once at their best rank; passages count where a fact stands in them."""
    cases = [_case("one", "a"), _case("two", "b", "c")]
    rankings = {"one": [B, A, A2, C], "two": [B, A, A2, C]}
    found = measures(cases, rankings, {"one": [A2], "two": [B, C]}, ("R@2", "RR", "nDCG@10"))
    documents = {name: measured.mean for name, measured in found.documents.items()}
    # One: b, a. Two: b, a, c, with b and c right.
    ideal = 1 + 1 / math.log2(3)
    assert documents == pytest.approx(
        {"R@2": (1 + 1 / 2) / 2, "RR": (1 / 2 + 1) / 2, "nDCG@10": (1 / math.log2(3) + (1 + 1 / 2) / ideal) / 2}
    )
    passages = {name: measured.mean for name, measured in found.passages.items()}
    # One: the third is right. Two: the first and the fourth are.
    assert passages == pytest.approx(
        {"R@2": (0 + 1 / 2) / 2, "RR": (1 / 3 + 1) / 2, "nDCG@10": (1 / 2 + (1 + 1 / math.log2(5)) / ideal) / 2}
    )


def test_nothing_found_counts_and_nothing_asked_does_not() -> None:
    """A question for which nothing was retrieved counts as 0; one that failed or was never asked is left out, and the
    figure says on how many questions it rests."""
    rankings = rankings_of([error_row("three"), row("one", retrieved=(A,)), row("two", retrieved=())])
    found = measures([_case("one", "a"), _case("two", "a"), _case("three", "a"), _case("four", "a")], rankings, {})
    assert found.documents["RR"].mean == pytest.approx(1 / 2)
    assert found.documents["RR"].questions == 2
    again = rankings_of([error_row("one"), row("one", 2, retrieved=(A,))])
    assert again == {"one": (A,)}


def test_only_questions_that_name_documents() -> None:
    """Questions without an answer have no right ranking; without any question there is no measure."""
    assert measures([Case("no", "What?", "unanswerable")], {"no": [A]}, {}).documents == {}


def test_relevant_passages_are_the_index_s_own(tmp_path: Path) -> None:
    """What is called relevant is a passage that the index returns, in an expected document and with a fact."""
    (tmp_path / "leave.md").write_text("# Leave\n\n## Days\n\nThere are 26 days.\n\n## Forms\n\nUse the form.\n")
    (tmp_path / "other.md").write_text("# Other\n\nThere are 26 days here too.\n")
    build_index(tmp_path, embedder=TinyEmbedding())
    index = open_index(tmp_path, embedder=TinyEmbedding())
    case = _case("days", "leave", fact="26 days")
    [place] = relevant_passages([case], index)["days"]
    hits = [(n.node.metadata["document_id"], n.node.metadata["start"]) for n in index.search("How many days?")]
    assert (place.document_id, place.start) in hits
    assert "There are 26 days." in (tmp_path / "leave.md").read_text()[place.start : place.end]
