"""The benchmarks themselves: that all of them run over the package as it is."""

import json
from pathlib import Path

import pytest

from evals.benchmarks import large
from evals.benchmarks.__main__ import main
from evals.benchmarks.corpus import write_corpus
from evals.benchmarks.generated import GeneratedSource
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.side_by_side import load_pages, side_by_side
from rag_app.index.build import stage
from rag_app.principal import PUBLIC
from rag_app.settings import load_settings


def test_every_benchmark_runs_and_keeps_figures_of_answers_that_were_given(tmp_path: Path):
    """At the smallest size each benchmark leaves its figures, and the questions that are timed are answered."""
    main(["--quick", "--keep", str(tmp_path)])
    (kept,) = tmp_path.glob("*-quick.json")
    results = {result["name"]: result for result in json.loads(kept.read_text("utf-8"))["results"]}
    begins = ("import", "reading", "indexing", "update", "answer with", "our own", "opening", "build", "hybrid")
    assert [begin for begin in begins if not any(name.startswith(begin) for name in results)] == []
    assert all(result["measured"] > 0 for result in results.values())
    assert results["answer with cross-encoder"]["details"]["pairs"] > 0
    assert results["answer without cross-encoder"]["details"]["answered"] > 0.5


def test_generated_documents_are_cut_like_any():
    """The cuts that a large store is filled with are those that the documents would get."""
    source = GeneratedSource(1000, rules=0)
    for number in (3, 203, 777):
        document = source.document(number)
        assert source.cut(document, PUBLIC, load_settings()) == stage.cut(document, PUBLIC, load_settings())


def test_a_large_store_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Building, updating and asking leave their figures; answers are found, exactly, by each reader."""
    monkeypatch.setattr(stage, "cut", stage.cut)  # put back afterwards
    large.define(tmp_path, rules=10)
    source = GeneratedSource(30, rules=10)
    assert large.build(tmp_path, source)["passages"] == 300
    assert large.build(tmp_path, source)["embedded"] == 0
    found = large.ask(tmp_path, source, rounds=2)
    assert all(found[f"recall@10 {share}"] == 1 for share in large.SHARES)
    assert found["answered everything"] > 0.5
    assert found["same_answers 8 threads"] == 1


def test_side_by_side(tmp_path: Path):
    """Each way of retrieving is asked every question, and finds pages."""
    corpus = write_corpus(tmp_path / "pages", 4, questions=4)
    page = next((corpus.folder / "documents").iterdir()).name
    cases = [json.dumps({"question": question, "gold": [page]}) for question in corpus.questions]
    (corpus.folder / "questions.jsonl").write_text("\n".join(cases))
    (tmp_path / "copy").mkdir()
    pages = load_pages(corpus.folder, tmp_path / "copy", most=10)
    results = {result.name: result for result in side_by_side(pages, HashedEmbedding())}
    asked = [result for name, result in results.items() if name.startswith("a question")]
    assert [result.details["questions"] for result in asked] == [4] * len(asked)
    assert results["a question, rag_app"].details["R@10"] == 1  # of four pages ten are all
