"""Questions that a language model drafts, from a real small index, with a scripted model."""

import json
from pathlib import Path

import pytest

from rag_app import OpenIndex
from rag_app.errors import ModelUnavailable, UsageError
from rag_app.evaluate.cases.check import check_questions
from rag_app.evaluate.cases.drafting import draft_questions
from rag_app.evaluate.cases.schema import load_cases
from rag_app.evaluate.fit.calibrate import calibrate
from rag_app.testing import ScriptedLLM
from tests.office import build_tiny, open_tiny

NAMES = ("amber", "basalt", "cedar", "dahlia", "ember", "fennel", "garnet", "heron")


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    folder = tmp_path_factory.mktemp("rooms") / "rooms"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / f"{name}.md").write_text(
            f"# {name.title()} room\n\nThe {name} room costs (at most) {number + 11} crowns.\n\n## Hours\n\n"
            f"The {name} room closes for guests at {number + 8} in the evening.\n\n## Keys\n\n"
            f"A lost key of the {name} room is replaced within {number + 2} days.\n",
            "utf-8",
        )
    build_tiny(folder)
    return open_tiny(folder)


def drafts(messages: tuple[tuple[str, str], ...]) -> str:
    """Asks about the numbered statement in some of its own words."""
    passage, _, number = messages[-1][1].rpartition("Statement: ")
    line = next(line for line in passage.splitlines() if line.startswith(f"{number}. "))
    words = [word for word in line.split()[1:] if not any(character.isdigit() for character in word)]
    about = " ".join(words[1:6])
    return json.dumps({"answered": f"What about {about}?", "unanswered": f"Who painted {about}?"})


def test_drafts_are_proved_and_marked(rooms: OpenIndex, tmp_path: Path) -> None:
    """Each drafted fact stands in its document, one question in four has no answer, no document is left out, and every
    case says who drafted it; a calibration by them says so too."""
    found = draft_questions(rooms, ScriptedLLM(drafts), model="scripted", count=20)
    file = tmp_path / "questions.jsonl"
    found.write(file)
    cases = load_cases(file)
    assert len(cases) == 20
    assert sum(not case.answerable for case in cases) == 5
    assert {case.drafted_by for case in cases} == {"scripted"}
    assert {case.source for case in cases} == {*NAMES}
    report = check_questions(file, rooms.reader.definition.path)
    assert report.ok, report
    assert "20 of 20 questions were drafted by scripted" in str(calibrate(rooms, file))
    with pytest.raises(UsageError, match="There is a"):
        found.write(file)


@pytest.mark.parametrize("reply", ["no JSON", '{"answered": ""}', '{"answered": 3}', "[1]"])
def test_what_cannot_be_read_is_no_question(rooms: OpenIndex, reply: str) -> None:
    """A reply that holds no question becomes none."""
    with pytest.raises(UsageError, match="no reply could be read"):
        draft_questions(rooms, ScriptedLLM(lambda messages: reply), model="scripted", count=4)


def test_no_question_twice(rooms: OpenIndex) -> None:
    """A question that was drafted before is left out."""
    reply = '{"answered": "What does it cost?", "unanswered": "What does it cost?"}'
    found = draft_questions(rooms, ScriptedLLM(lambda messages: reply), model="scripted", count=4)
    assert (len(found.cases), found.skipped) == (1, 7)


def test_a_model_that_fails_is_an_error(rooms: OpenIndex) -> None:
    """Where every call fails, drafting ends with the reason instead of an empty file."""

    def down(messages: tuple[tuple[str, str], ...]) -> str:
        raise ModelUnavailable("the model is down")

    with pytest.raises((UsageError, ModelUnavailable), match="the model is down"):
        draft_questions(rooms, ScriptedLLM(down), model="scripted", count=8)
