"""Loading question files: one schema for grounded and documentation suites."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag_app.document import Document
from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.schema import load_cases, with_sources

DOCUMENTATION = {"id": "1", "domain": "install", "difficulty": "easy", "question": "How is it installed?",
                 "ground_truth": "With pip.", "source": "guide/install.md"}  # fmt: skip


def _load(folder: Path, *cases: Any) -> list[Any]:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return load_cases(file)


def test_grounded_fields(tmp_path: Path) -> None:
    """Every field of a grounded case arrives, patterns as patterns that do not mind capitals."""
    [case] = _load(tmp_path, {"id": "a", "question": "How many?", "category": "trap", "as": "ann",
                              "expected_documents": ["x"], "facts": [["26 days", "Twenty"], ["per year"]],
                              "wrong_facts": ["24"], "also_right": ["y"], "parts": 2, "split": "dev"})  # fmt: skip
    assert (case.as_name, case.expected_documents, case.also_right, case.parts) == ("ann", ("x",), ("y",), 2)
    assert [len(fact) for fact in case.facts] == [2, 1]
    assert case.facts[0][1].search("twenty")
    assert case.answerable
    assert case.line == 1


def test_documentation_fields_alone(tmp_path: Path) -> None:
    """A case with nothing but domain, difficulty, ground truth and source is one that expects an answer."""
    [case, numbered] = _load(tmp_path, DOCUMENTATION, DOCUMENTATION | {"id": 2, "difficulty": "beginner"})
    assert case.answerable
    assert (numbered.id, numbered.difficulty) == ("2", "beginner")
    assert (case.domain, case.ground_truth, case.expected_documents) == ("install", "With pip.", ())


@pytest.mark.parametrize("source", ["install", "guide/install.md", "Installing", "https://example.org/Install"])
def test_source_names_the_document_to_cite(tmp_path: Path, source: str) -> None:
    """The document to cite is the one whose id, path, title or address the source is."""
    document = Document("install", "Installing", "", "guide/install.md", "https://example.org/install", "", "plain")
    cases = _load(tmp_path, DOCUMENTATION | {"source": source})
    assert with_sources(cases, [document])[0].expected_documents == ("install",)


def test_source_of_two_documents_names_none(tmp_path: Path) -> None:
    """A title that two documents have leaves the case without a document, rather than with a guess."""
    twins = [Document(name, "Installing", "", f"{name}.md", f"{name}.md", "", "plain") for name in ("a", "b")]
    cases = _load(tmp_path, DOCUMENTATION | {"source": "Installing"})
    assert with_sources(cases, twins)[0].expected_documents == ()


@pytest.mark.parametrize(
    ("fields", "answerable"),
    [({"category": "unanswerable"}, False), ({"category": "permission"}, False), ({"category": "factual"}, True),
     ({"category": "permission", "expected_documents": ["x"]}, True), ({"answerable": False}, False)],
)  # fmt: skip
def test_whether_an_answer_is_expected(tmp_path: Path, fields: dict[str, Any], answerable: bool) -> None:
    """The category says whether an answer is expected, unless the case itself does."""
    assert _load(tmp_path, {"id": "a", "question": "What?"} | fields)[0].answerable is answerable


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"expected_document": ["x"]}, "did you mean 'expected_documents'"), ({"category": "fact"}, "must be one of"),
     ({"facts": ["26 days"]}, "list of lists"), ({"facts": [["(26"]]}, "which is not valid"),
     ({"parts": 0}, "a number from 1"), ({"parts": True}, "a number from 1"), ({"question": " "}, "missing or empty"),
     ({"expected_documents": "x"}, "list of texts"), ({"wrong_facts": [["a"]]}, "list of texts, and"),
     ({"answerable": "no"}, "true or false"),
     ({"split": "train"}, "must be one of dev, test")],
)  # fmt: skip
def test_wrong_field(tmp_path: Path, fields: dict[str, Any], words: str) -> None:
    """A field that is unknown or wrong is an error that names file, line and field."""
    good = {"id": "a", "question": "What?"}
    with pytest.raises(DefinitionError, match=words) as caught:
        _load(tmp_path, good, good | fields)
    assert "questions.jsonl, line 2" in str(caught.value)


def test_not_an_object(tmp_path: Path) -> None:
    """A line that is JSON but no case is an error, and so is a file that is not there."""
    with pytest.raises(DefinitionError, match="line 1"):
        _load(tmp_path, ["a"])
    with pytest.raises(DefinitionError, match="There is no file"):
        load_cases(tmp_path / "none.jsonl")


@pytest.mark.parametrize("pattern", ["(a+)+$", r"(\w+\s?)*!", "(?:a*)*b", "(a{1,3}){2,}"])
def test_a_pattern_that_may_never_end_is_refused(tmp_path: Path, pattern: str) -> None:
    """A repeat of a repeat is named with its line, not searched for until somebody stops it."""
    with pytest.raises(DefinitionError, match=r"line 1: field 'facts' .*may never end"):
        _load(tmp_path, {"id": "a", "question": "Who?", "facts": [[pattern]]})


@pytest.mark.parametrize("pattern", [r"\(a+\)+", "[(+)]+", r"(\w+, )+", "(a|b)*", "(x+)?", r"(\d{3})+"])
def test_other_repeats_are_patterns(tmp_path: Path, pattern: str) -> None:
    """What only looks like a repeat of a repeat is read."""
    assert _load(tmp_path, {"id": "a", "question": "Who?", "facts": [[pattern]]})[0].facts[0][0].pattern == pattern


def test_a_search_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A pattern that no rule recognises as endless is given up at its time limit, and named."""
    monkeypatch.setattr("rag_app.evaluate.cases.pattern.SECONDS", 0.05)
    (case,) = _load(tmp_path, {"id": "a", "question": "Who?", "facts": [["(a|aa)+$b"]]})
    with pytest.raises(DefinitionError, match=r"\(a\|aa\)\+\$b.* did not end within"):
        case.facts[0][0].search("a" * 5000 + "c")
    assert case.facts[0][0].search("nothing of the kind") is None


def test_labelled_statements(tmp_path: Path) -> None:
    """A statement names its document, its text and one of three labels; anything else is named with its line."""
    good = {"document": "d", "text": "There are 26 days.", "label": "needed"}
    (case,) = _load(tmp_path, {"id": "a", "question": "Who?", "statements": [good]})
    assert case.statements[0].label == "needed"
    for wrong in ({**good, "label": "nice"}, {"document": "d", "text": "x"}, "There are 26 days."):
        with pytest.raises(DefinitionError, match="line 1: field 'statements'"):
            _load(tmp_path, {"id": "a", "question": "Who?", "statements": [wrong]})


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    """JSON can hold a lone surrogate, which no file and no index takes; the line is named."""
    with pytest.raises(DefinitionError, match="line 1: field 'question' holds half a character"):
        _load(tmp_path, {"id": "a", "question": "Who \ud800?"})
