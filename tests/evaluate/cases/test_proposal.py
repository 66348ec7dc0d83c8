"""Proposals change nothing before somebody accepts them."""

import json
from pathlib import Path

import pytest

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.cases.proposal import Proposal, apply_proposal, write_proposal

LINES = ['{"id": "a",  "question": "A?", "note": "odd"}', '{"id": "b", "question": "B?", "ground_truth": "3"}', ""]
PROPOSALS = (
    Proposal("a", "known", "known", {"note": "known without documents"}),
    Proposal("a", "deprecated", "old", {"note": "uses an old name"}),
    Proposal("b", "contradicted", "it is 4", {"ground_truth": "4"}),
)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(LINES), "utf-8")
    return file


def decided(file: Path, *decisions: object) -> None:
    head, *lines = file.read_text("utf-8").splitlines()
    changed = [json.dumps({**json.loads(line), "accept": one}) for line, one in zip(lines, decisions, strict=True)]
    file.write_text("\n".join([head, *changed]), "utf-8")


def test_only_what_was_accepted_changes(questions: Path, tmp_path: Path) -> None:
    """Undecided and rejected proposals change no byte; accepted ones change their fields, and notes add up."""
    file = tmp_path / "proposal.jsonl"
    write_proposal(file, questions, {"llm": "x"}, PROPOSALS)
    assert apply_proposal(file, questions, tmp_path / "none.jsonl") == 0
    assert (tmp_path / "none.jsonl").read_text("utf-8") == "\n".join(LINES)
    decided(file, True, True, False)
    assert apply_proposal(file, questions, tmp_path / "new.jsonl") == 2
    first, second = (tmp_path / "new.jsonl").read_text("utf-8").splitlines()
    assert json.loads(first)["note"] == "odd; known without documents; uses an old name"
    assert second == LINES[1]
    assert questions.read_text("utf-8") == "\n".join(LINES)


def test_nothing_is_overwritten(questions: Path, tmp_path: Path) -> None:
    """Neither a proposal that somebody may have worked on, nor a file of questions."""
    file = tmp_path / "proposal.jsonl"
    write_proposal(file, questions, {}, PROPOSALS)
    with pytest.raises(UsageError, match="exists"):
        write_proposal(file, questions, {}, PROPOSALS)
    with pytest.raises(UsageError, match="exists"):
        apply_proposal(file, questions, questions)


def test_a_proposal_about_other_questions_is_refused(questions: Path, tmp_path: Path) -> None:
    """Questions that changed, wrong decisions, fields that nobody may change and files that are none are refused."""
    file, out = tmp_path / "proposal.jsonl", tmp_path / "new.jsonl"
    write_proposal(file, questions, {}, PROPOSALS)
    decided(file, "yes", None, None)
    with pytest.raises(DefinitionError, match="accept must be"):
        apply_proposal(file, questions, out)
    file.unlink()
    write_proposal(file, questions, {}, [Proposal("a", "known", "x", {"facts": "x"})])
    with pytest.raises(DefinitionError, match="not facts"):
        apply_proposal(file, questions, out)
    file.unlink()
    write_proposal(file, questions, {}, PROPOSALS)
    questions.write_text(LINES[0], "utf-8")
    with pytest.raises(DefinitionError, match="has changed"):
        apply_proposal(file, questions, out)
    with pytest.raises(DefinitionError, match="is not a valid proposal"):
        apply_proposal(questions, questions, out)
    assert not out.exists()
