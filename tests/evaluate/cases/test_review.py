"""Questions that say more about the model, or about themselves, than about the index."""

import json
from pathlib import Path

import pytest

from rag_app import OpenIndex
from rag_app.errors import ModelRejected, UsageError
from rag_app.evaluate.cases.review import parse_verdict, review_questions
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.uplift.uplift_row import DONT_KNOW
from rag_app.testing import ScriptedLLM
from tests.office import build_tiny, open_tiny

PAPER = """# Ovens

Ovens heat at 90 degrees per hour. The oven door opens at 40 degrees.

`bake_all()` is deprecated: use `bake()`.
"""
HEAT = Case("heat", "How fast do ovens heat?", expected_documents=("ovens",), ground_truth="120 degrees per hour.")
DOOR = Case("door", "When does the oven door open?", expected_documents=("ovens",), ground_truth="At 40 degrees.")
OLD = Case("old", "What does bake_all do with ovens?", expected_documents=("ovens",), ground_truth="It bakes.")
NONE = Case("none", "Who invented ovens?", category="unanswerable")


@pytest.fixture(scope="module")
def ovens(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    folder = tmp_path_factory.mktemp("ovens") / "ovens"
    folder.mkdir()
    (folder / "ovens.md").write_text(PAPER, "utf-8")
    build_tiny(folder)
    return open_tiny(folder)


def knows_the_door(messages: tuple[tuple[str, str], ...]) -> str:
    return "At 40 degrees." if "door" in messages[-1][1] else DONT_KNOW


def judges(messages: tuple[tuple[str, str], ...]) -> str:
    """Marks what is right, and finds the statement about heating that contradicts its reference."""
    asked = messages[-1][1]
    if "<answers>" in asked:
        return json.dumps({"scores": {"A": 9 if "A: At 40 degrees." in asked else 1}})
    if "How fast" not in asked:
        return '{"verdict": "supported"}' if "door" in asked.rpartition("Question:")[2] else '{"verdict": "not_said"}'
    number = next(line.split(".")[0] for line in asked.splitlines() if "90 degrees" in line)
    return f'{{"verdict": "contradicted", "statement": {number}}}'


def test_what_is_wrong_with_questions(ovens: OpenIndex) -> None:
    """A question known without documents, one with an outdated name and one with a wrong reference are proposed."""
    llm = ScriptedLLM(knows_the_door)
    found = review_questions([HEAT, DOOR, OLD, NONE], ovens, llm, ScriptedLLM(judges))
    assert found.known == ("door",)
    assert found.unsupported == ("old",)
    assert found.unmarked == found.unchecked == ()
    by_kind = {one.kind: one for one in found.proposals}
    assert {kind: one.case_id for kind, one in by_kind.items()} == {
        "known": "door",
        "deprecated": "old",
        "contradicted": "heat",
    }
    assert by_kind["contradicted"].change == {"ground_truth": "Ovens heat at 90 degrees per hour."}
    assert "bake_all" in by_kind["deprecated"].reason
    assert all(one.accept is None for one in found.proposals)
    assert "1 of 4 questions are answered without any document" in str(found)
    assert {call.purpose for call in llm.calls} == {"answer_alone"}


def test_what_fails_is_not_told_of_as_fine(ovens: OpenIndex) -> None:
    """A model that fails and a judge that says nothing readable leave a question untold, and it is counted."""
    failing = ScriptedLLM(lambda _: ModelRejected("No such model."))
    found = review_questions([HEAT, DOOR], ovens, failing, ScriptedLLM(lambda _: "Hm."))
    assert found.proposals == ()
    assert found.unmarked == found.unchecked == ("heat", "door")
    assert "Not known: of 2 whether known, of 2 whether right." in str(found)
    with pytest.raises(UsageError, match="ground_truth"):
        review_questions([NONE], ovens, failing, failing)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"verdict": "supported"}', ("supported", None)),
        ('It says: {"verdict": "not_said", "statement": 2}', ("not_said", None)),
        ('{"verdict": "contradicted", "statement": 2}', ("contradicted", 2)),
        ('{"verdict": "contradicted"}', None),
        ('{"verdict": "contradicted", "statement": 9}', None),
        ('{"verdict": "contradicted", "statement": "2"}', None),
        ('{"verdict": "maybe"}', None),
        ("supported", None),
        ("", None),
    ],
)
def test_verdicts_are_read_strictly(reply: str, said: object) -> None:
    """A contradiction names a statement that exists; everything unclear is no verdict."""
    assert parse_verdict(reply, 3) == said


def test_no_file_is_touched(ovens: OpenIndex, tmp_path: Path) -> None:
    """Calibrating writes nothing at all."""
    before = {path: path.stat().st_mtime_ns for path in ovens.reader.definition.path.rglob("*.md")}
    review_questions([DOOR], ovens, ScriptedLLM(knows_the_door), ScriptedLLM(judges))
    assert {path: path.stat().st_mtime_ns for path in ovens.reader.definition.path.rglob("*.md")} == before
