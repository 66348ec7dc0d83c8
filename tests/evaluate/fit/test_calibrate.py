"""Calibration from end to end: real questions of a real small index are asked, fitted, shown, applied, taken out."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app import build_index
from rag_app.cli import app
from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.fit.calibrate import calibrate
from rag_app.index.calibration import write_calibration
from rag_app.opened import OpenIndex, open_index
from rag_app.testing import TinyEmbedding

NAMES = ("amber basalt cedar dahlia ember fennel garnet heron indigo juniper kestrel lichen maple nettle onyx poplar "
         "quartz raven sorrel teal").split()  # fmt: skip


def write(folder: Path, split: str = "dev", names: Sequence[str] = NAMES) -> Path:
    """A page for each name; of each, questions that its page answers, and questions that nothing answers."""
    cases = []
    for number, name in enumerate(names):
        (folder / f"{name}.md").write_text(
            f"# {name.title()} rules\n\nThe {name} deposit is {number + 11} crowns.\n\nThe {name} licence lasts "
            f"{number + 40} months.\n\nA lost {name} badge costs {number + 80} crowns.\n"
        )
        for what, fact in (("deposit", f"{number + 11} crowns"), ("lost badge", f"{number + 80} crowns")):
            cases.append({"id": f"{name}-{what}", "question": f"How much is the {name} {what}?",
                          "expected_documents": [name], "facts": [[fact]], "split": split})  # fmt: skip
        for what in ("parking garage", "winter concert"):
            cases.append({"id": f"{name}-{what}", "question": f"How many seats has the {what}?", "source": name,
                          "category": "unanswerable", "split": split})  # fmt: skip
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, cases)))
    build_index(folder, embedder=TinyEmbedding())
    return folder


@pytest.fixture(autouse=True)
def _store_in(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without index.toml is built into the cache folder: not the user's, in a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def opened(folder: Path, wrong_cost: float = 1.5) -> OpenIndex:
    return open_index(folder, embedder=TinyEmbedding(), cross_encoder="none", wrong_cost=wrong_cost)


@pytest.mark.parametrize("wrong_cost", [0.5, 1.5, 2.0, 4.0])
def test_fit_apply_and_again(tmp_path: Path, wrong_cost: float) -> None:
    """It fits, changes nothing by itself; applied, it is in force, and fitting again finds nothing to change."""
    folder = write(tmp_path)
    index = opened(folder, wrong_cost)
    report = calibrate(index)
    assert (report.asked, report.groups) == (4 * len(NAMES), len(NAMES))
    assert report.calibration is not None
    assert report.would_change
    assert index.calibration is None
    assert calibrate(opened(folder, wrong_cost)).calibration == report.calibration

    write_calibration(folder, report.calibration)
    again = calibrate(index)
    assert again.calibration == report.calibration == index.calibration
    assert not again.would_change
    assert "in force already" in str(again)
    assert again.decline_now == report.calibration.decline


def test_fit_helps_those_who_ask(tmp_path: Path) -> None:
    """What was fitted keeps back what has no answer and lets through what has."""
    folder = write(tmp_path)
    index = opened(folder)
    write_calibration(folder, calibrate(index).calibration)
    engine = index.as_query_engine()
    answers = [engine.query(f"How much is the {name} deposit?").answer for name in NAMES]
    assert sum(answer.status == "grounded" for answer in answers) > len(NAMES) / 2
    assert engine.query("How many seats has the winter concert?").answer.status == "insufficient_evidence"


def test_few_questions_change_nothing(tmp_path: Path) -> None:
    """Of three pages nothing can be fitted: the report says so and what is answered today; nothing can be applied."""
    report = calibrate(opened(write(tmp_path, names=NAMES[:3])))
    assert report.calibration is None
    assert not report.would_change
    assert "Nothing would change: " in str(report)
    assert f"Of these 12 questions {report.forecast.answered_now.k} are answered today" in str(report)


def test_forty_questions_without_a_split(tmp_path: Path) -> None:
    """Forty questions that name no split are all asked, and the report says what would change and what a wrong answer
    costs: the dearer it is, the fewer are wrong and the more refused."""
    report = calibrate(opened(write(tmp_path, split="", names=NAMES[:10])))
    assert (report.asked, report.split) == (40, "")
    assert report.calibration is not None
    assert "of 100 such questions" in str(report)
    assert [point.wrong for point in report.curve] == sorted((point.wrong for point in report.curve), reverse=True)
    assert [point.refused for point in report.curve] == sorted(point.refused for point in report.curve)
    assert report.wrong_cost in [point.wrong_cost for point in report.curve]


def test_nothing_is_fitted_to_stress_questions(tmp_path: Path) -> None:
    """Stress questions ask in ways that few people do: a calibration to them is refused."""
    with pytest.raises(UsageError, match="stress"):
        calibrate(opened(write(tmp_path, split="stress")), split="stress")


def test_only_the_split_is_asked(tmp_path: Path) -> None:
    """Questions of the test split stay unseen; a split without questions is an error."""
    with pytest.raises(UsageError):
        calibrate(opened(write(tmp_path, split="test")))


def test_a_failure_is_no_observation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a question fails nothing is fitted: a failure is no refusal."""
    folder = write(tmp_path)
    index = opened(folder)

    def fail(*_: object) -> None:
        raise RuntimeError("the drive is gone")

    monkeypatch.setattr("rag_app.index.view.View.search_words", fail)
    with pytest.raises(UsageError, match="the drive is gone"):
        calibrate(index)


def test_question_file_elsewhere(tmp_path: Path) -> None:
    """Another file of questions can be named; one that is not there is an error."""
    folder, other = tmp_path / "index", tmp_path / "some.jsonl"
    folder.mkdir()
    write(folder)
    lines = (folder / "questions.jsonl").read_text().splitlines()
    other.write_text("\n".join(lines[: 4 * 12]))
    assert calibrate(opened(folder), other).asked == 48
    with pytest.raises(DefinitionError):
        calibrate(opened(folder), tmp_path / "none.jsonl")


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command shows old and new and writes nothing; --apply does; --clear takes it out; too few exits with 3."""
    folder = write(tmp_path)
    monkeypatch.setenv("RAG_APP_CROSS_ENCODER", "none")
    monkeypatch.setattr("rag_app.opened.load_embedder", lambda name: TinyEmbedding())
    run = CliRunner()

    shown = run.invoke(app, ["calibrate", str(folder)])
    assert shown.exit_code == 0, shown.output
    assert "->" in shown.stdout
    assert "nothing was written" in shown.stderr
    assert opened(folder).calibration is None

    as_json = run.invoke(app, ["calibrate", str(folder), "--apply", "--json"])
    assert json.loads(as_json.stdout)["would_change"] is True
    assert opened(folder).calibration is not None
    assert "in force already" in run.invoke(app, ["calibrate", str(folder)]).stdout

    assert run.invoke(app, ["calibrate", str(folder), "--clear"]).exit_code == 0
    assert opened(folder).calibration is None

    few = tmp_path / "few"
    few.mkdir()
    assert run.invoke(app, ["calibrate", str(write(few, names=NAMES[:3]))]).exit_code == 3
