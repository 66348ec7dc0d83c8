"""Running a suite: rows, errors, resuming, recording, freezing."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from rag_app import OpenIndex
from rag_app.errors import (
    DefinitionError,
    EvaluationInterrupted,
    ModelRejected,
    ModelUnavailable,
    SetupError,
    StoreError,
    UsageError,
)
from rag_app.evaluate.cases.suite import Selection, Suite
from rag_app.evaluate.run import suite_run
from rag_app.evaluate.run.results import load_result
from rag_app.evaluate.run.row import Row
from rag_app.evaluate.run.run_folder import ROWS, UNFINISHED, read_lines, write_rows
from rag_app.evaluate.run.suite_run import evaluate
from rag_app.evaluate.uplift.uplift_report import load_uplift
from rag_app.testing import ScriptedLLM
from tests.evaluate.papers import FIRST, NONE, QUESTIONS, chooser, options, row, write_office, write_suite

Office = tuple[Suite, OpenIndex]


def read_rows(file: Path) -> list[Row]:
    return read_lines(file, Row.from_dict, "row")


@pytest.fixture(scope="module")
def office_suite(tmp_path_factory: pytest.TempPathFactory) -> Office:
    return write_office(tmp_path_factory.mktemp("suite") / "office")


def test_each_question_is_asked_as_its_principal(office_suite: Office, tmp_path: Path) -> None:
    """The same question is answered for who may read, and refused for who may not; both are right, nothing leaks."""
    result = evaluate(*office_suite, options(tmp_path))
    rows = {row.case_id: row for row in result.rows}
    assert list(rows) == [question["id"] for question in QUESTIONS]
    assert rows["budget"].outcome == "answered"
    assert rows["budget"].quotes[0].document_id == "budget"
    assert rows["budget"].strict
    assert "budget" not in {place.document_id for place in rows["budget-denied"].retrieved}
    assert not any(row.forbidden for row in result.rows)
    assert rows["canteen"].right_retrieved is True
    assert rows["canteen"].evidence_delivered is True
    assert rows["dentist"].right_retrieved is None
    assert rows["canteen"].input_tokens == 100
    assert not rows["canteen"].tokens_estimated


def test_a_run_with_a_leak_does_not_begin(office_suite: Office, tmp_path: Path) -> None:
    """Where a worked example asks what a question asks, no model is asked; without a model nothing is shown to any."""
    suite, index = office_suite
    example = {"question": QUESTIONS[0]["question"], "statements": ["Nothing."], "right": []}
    (tmp_path / "examples.jsonl").write_text(json.dumps(example), "utf-8")
    knobs = {"examples": str(tmp_path / "examples.jsonl")}
    leaking = OpenIndex(index.reader, index.settings.model_copy(update=knobs), index.embedder)
    with pytest.raises(DefinitionError, match="given away"):
        evaluate(suite, leaking, options(tmp_path, llm=chooser()))
    assert not (tmp_path / "results").exists()
    assert evaluate(suite, leaking, options(tmp_path, llm="none")).rows


def test_an_error_is_a_row(office_suite: Office, tmp_path: Path) -> None:
    """A model that fails makes an error row, which is no refusal, is listed, and counts as wrong by both rules."""

    def fail(prompt: str) -> str | Exception:
        return ModelRejected("No reply in time.") if "serve lunch?" in prompt else FIRST

    result = evaluate(*office_suite, options(tmp_path, llm=chooser(fail)))
    (failed,) = result.failed
    assert (failed.case_id, failed.outcome) == ("canteen", "error")
    assert failed.error == "ModelRejected: No reply in time."
    assert result.summary["errors"] == [{"case": "canteen", "run": 1, "error": failed.error}]
    assert result.summary["overall"]["Errors"]["value"] == 0.25
    assert result.summary["abstention"]["errors"] == 1
    assert "canteen" in (result.folder / "report.md").read_text("utf-8")


def test_a_bug_is_a_row_too(office_suite: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a question dies of, the evaluation goes on and says what it was."""
    monkeypatch.setattr("rag_app.synthesize.synthesizer.answer_without_model", lambda *_: 1 / 0)
    result = evaluate(*office_suite, options(tmp_path, llm="none"))
    assert {row.error for row in result.rows if row.error} == {"ZeroDivisionError: division by zero"}


def test_trouble_that_a_person_must_mend_stops(office_suite: Office, tmp_path: Path) -> None:
    """What nobody can ask with is no error of a question: it stops, and the same call goes on when it is mended."""
    llm = chooser(lambda prompt: ModelUnavailable("No region is set.") if "spend on training?" in prompt else FIRST)
    with pytest.raises(ModelUnavailable, match="region"):
        evaluate(*office_suite, options(tmp_path, llm=llm, concurrency=1))
    (state,) = (tmp_path / "results").glob(f"*/{UNFINISHED}")
    assert [row.case_id for row in read_rows(state.with_name(ROWS))] == ["canteen"]
    mended = chooser()
    assert len(evaluate(*office_suite, options(tmp_path, llm=mended)).rows) == 4
    assert not [call for call in mended.calls if "serve lunch?" in call.messages[-1][1]]


def test_ctrl_c_leaves_a_state_to_go_on_from(office_suite: Office, tmp_path: Path) -> None:
    """Interrupted, it says where the rows are and how many are missing; the same call asks only these."""

    def stop(done: int, total: int, what: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(EvaluationInterrupted, match=r"2 answers are missing.*same command") as stopped:
        evaluate(*office_suite, options(tmp_path, llm="none"), progress=stop)
    folder = Path(stopped.value.details["folder"])
    half = load_result(folder)
    assert half.missing == (("budget-denied", 1), ("dentist", 1))
    assert "budget-denied, dentist" in (folder / "report.md").read_text("utf-8")
    asked: list[str] = []
    whole = evaluate(*office_suite, options(tmp_path, llm="none"), progress=lambda *seen: asked.append(seen[2]))
    assert whole.folder == folder
    assert not whole.missing
    assert len(asked) == 1 + 2
    assert whole.rows[:2] == half.rows


KILLED = """
import os, signal, sys
from pathlib import Path
from rag_app.evaluate.run.suite_run import evaluate
from rag_app.evaluate.cases.suite import load_suite
from tests.evaluate.papers import chooser, options
from tests.office import open_tiny
folder, out = Path(sys.argv[1]), Path(sys.argv[2])
def reply(prompt):
    if "spend on training?" in prompt:
        os.kill(os.getpid(), signal.SIGKILL)
    return '{"parts": [{"part": 1, "labels": ["1.1"]}]}'
evaluate(load_suite(folder), open_tiny(folder), options(out, llm=chooser(reply), concurrency=1))
"""


def test_a_killed_run_resumes(office_suite: Office, tmp_path: Path) -> None:
    """After SIGKILL in the middle of a question, with a torn last line, the same call asks only what is missing."""
    suite, index = office_suite
    done = subprocess.run([sys.executable, "-c", KILLED, suite.folder, tmp_path], capture_output=True, timeout=600)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (state,) = (tmp_path / "results").glob(f"*/{UNFINISHED}")
    rows = state.with_name(ROWS)
    rows.write_text(rows.read_text("utf-8") + '{"case_id": "budget", "cat', encoding="utf-8")
    llm = chooser()
    result = evaluate(suite, index, options(tmp_path, llm=llm))
    assert result.folder == state.parent
    assert [row.case_id for row in result.rows] == [question["id"] for question in QUESTIONS]
    assert not [call for call in llm.calls if "serve lunch?" in call.messages[-1][1]]
    assert read_rows(result.folder / ROWS) == list(result.rows)


def test_only_the_failures_are_asked_again_when_told(office_suite: Office, tmp_path: Path) -> None:
    """The same command asks everything again; with retry_errors only the errors, and the report names these rows."""
    failing = chooser(lambda prompt: ModelRejected("No reply.") if "serve lunch?" in prompt else FIRST)
    first = evaluate(*office_suite, options(tmp_path, llm=failing))
    llm = chooser()
    again = evaluate(*office_suite, options(tmp_path, llm=llm, retry_errors=True))
    assert again.folder != first.folder
    assert again.config["retried_from"] == first.name
    assert [row.case_id for row in again.rows if row.retried] == ["canteen"]
    assert {call.messages for call in llm.calls if "spend on training?" in call.messages[-1][1]} == set()
    assert "Asked again after an error, which flatters: canteen" in (again.folder / "report.md").read_text("utf-8")
    assert [row for row in again.rows if not row.retried] == [row for row in first.rows if row.outcome != "error"]
    with pytest.raises(UsageError, match="with errors to ask again"):
        evaluate(*office_suite, options(tmp_path, retry_errors=True, name="other"))


def test_a_frozen_result_is_never_written_again(office_suite: Office, tmp_path: Path) -> None:
    """A second run of the same name gets a folder of its own, and the first keeps every byte."""
    first = evaluate(*office_suite, options(tmp_path, name="Twice told"))
    before = {file.name: file.read_bytes() for file in first.folder.iterdir()}
    second = evaluate(*office_suite, options(tmp_path, name="Twice told"))
    assert second.folder.name == f"{first.folder.name}-2"
    assert first.folder.name == f"{date.today().isoformat()}-twice-told"
    assert {file.name: file.read_bytes() for file in first.folder.iterdir()} == before
    assert sorted(before) == ["report.html", "report.md", "results.json", "rows.jsonl"]


def test_another_question_file_is_another_result(office_suite: Office, tmp_path: Path) -> None:
    """What was begun with other settings is not gone on with: its rows would not belong together."""

    def stop(done: int, *_: object) -> None:
        if done == 1:
            raise KeyboardInterrupt

    suite, index = office_suite
    with pytest.raises(EvaluationInterrupted):
        evaluate(suite, index, options(tmp_path, llm="none", name="one"), progress=stop)
    other = OpenIndex(index.reader, index.settings.model_copy(update={"keep": 3}), index.embedder)
    result = evaluate(suite, other, options(tmp_path, llm="none", name="one"))
    assert result.folder.name.endswith("-one-2")
    assert len(result.rows) == 4


def test_rows_are_in_order_however_they_came(office_suite: Office, tmp_path: Path) -> None:
    """Questions wait for a model at the same time, as many as allowed; the frozen rows are in the suite's order."""
    waiting, most = 0, 0
    lock = threading.Lock()
    together = threading.Barrier(2, timeout=20)

    def slow(prompt: str) -> str:
        nonlocal waiting, most
        with lock:
            waiting += 1
            most = max(most, waiting)
        if "serve lunch?" in prompt or "spend on training?" in prompt:
            together.wait()
        with lock:
            waiting -= 1
        return FIRST

    chosen = Selection(only=("canteen", "budget"))
    result = evaluate(*office_suite, options(tmp_path, llm=chooser(slow), selection=chosen, concurrency=2))
    assert [row.outcome for row in result.rows] == ["answered", "answered"]
    assert [row.case_id for row in result.rows] == ["canteen", "budget"]
    assert most == 2


def test_runs_are_told_apart(office_suite: Office, tmp_path: Path) -> None:
    """With several runs each question has a row a run; figures average them, and the band shows how far they lie."""
    replies = iter([FIRST, NONE, NONE] * 9)
    llm = chooser(lambda _: next(replies))
    chosen = Selection(only=("canteen",))
    result = evaluate(*office_suite, options(tmp_path, llm=llm, runs=2, selection=chosen, concurrency=1))
    assert [row.key for row in result.rows] == [("canteen", 1), ("canteen", 2)]
    assert [row.outcome for row in result.rows] == ["answered", "refused"]
    strict = result.summary["overall"]["Strict"]
    assert strict["value"] == 0.5
    assert strict["by_run"] == [1.0, 0.0]
    assert strict["questions"] == 1


def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    """What was recorded beside the suite, a file a run, is replayed with no model: the same rows, times aside."""
    suite, index = write_office(tmp_path / "office")
    llm = chooser()
    recorded = evaluate(suite, index, options(tmp_path, llm=llm, mode="record", runs=2))
    assert [file.name for file in sorted((suite.folder / "recordings").iterdir())] == [
        "scripted-1.jsonl", "scripted-2.jsonl",
    ]  # fmt: skip
    asked = len(llm.calls)
    replayed = evaluate(suite, index, options(tmp_path, llm="scripted", mode="replay", runs=2))
    assert len(llm.calls) == asked
    assert [(row.key, row.outcome, row.quotes) for row in replayed.rows] == [
        (row.key, row.outcome, row.quotes) for row in recorded.rows
    ]
    (suite.folder / "recordings" / "scripted-1.jsonl").write_text("", encoding="utf-8")
    torn = evaluate(suite, index, options(tmp_path, llm="scripted", mode="replay"))
    assert {row.error.partition(":")[0] for row in torn.failed if row.error} == {"RecordingMissing"}


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ({"llm": "none", "mode": "replay"}, UsageError, "nothing to replay"),
        ({"llm": "missing", "mode": "replay"}, DefinitionError, "There is no recording"),
        ({"runs": 0}, UsageError, "at least once"),
        ({"selection": Selection(only=("nobody",))}, UsageError, "'nobody'"),
        ({"selection": Selection(split="dev", only=("dentist",))}, UsageError, "left to ask"),
        ({"llm": "unknown-model"}, DefinitionError, "unknown-model"),
    ],
)
def test_options_that_cannot_be(
    office_suite: Office, tmp_path: Path, wrong: dict[str, object], error: type[Exception], sentence: str
) -> None:
    """Options that contradict each other are refused in a sentence, before anything is written."""
    with pytest.raises(error, match=sentence):
        evaluate(*office_suite, options(tmp_path, **wrong))
    assert not (tmp_path / "results").exists()


def test_who_asks_must_be_known(office_suite: Office, tmp_path: Path) -> None:
    """A question asked as somebody whom principals.json does not know is refused before anything is asked."""
    folder = tmp_path / "suite"
    folder.mkdir()
    suite = write_suite(folder, [{**QUESTIONS[0], "as": "nobody"}])
    with pytest.raises(DefinitionError, match="'nobody'"):
        evaluate(suite, office_suite[1], options(tmp_path))


def test_the_configuration_says_what_figures_rest_on(office_suite: Office, tmp_path: Path) -> None:
    """A result keeps suite, index, models, settings, prompts, code, packages, day and seed; no key and no folder."""
    result = evaluate(*office_suite, options(tmp_path, as_of=date(2026, 3, 1), command="rag-app eval x"))
    config = json.loads((result.folder / "results.json").read_text("utf-8"))["config"]
    assert config["suite"]["sha256"] == office_suite[0].fingerprint
    assert config["index"]["embedder"].startswith("TinyEmbedding|tiny|")
    assert config["index"]["number_of_documents"] == 5
    assert config["settings"]["candidates"] == office_suite[1].settings.candidates
    assert set(config["prompts"]) >= {"draft", "coverage", "recheck"}
    assert len(config["code"]["sha256"]) == 64
    assert config["packages"]["chromadb"]
    assert (config["as_of"], config["llm"], config["command"]) == ("2026-03-01", "scripted", "rag-app eval x")
    assert str(tmp_path) not in json.dumps(config)


def test_a_damaged_result_is_named(office_suite: Office, tmp_path: Path) -> None:
    """A folder that holds no result, or a line that is no row, is named in the error."""
    with pytest.raises(DefinitionError, match="holds no result"):
        load_result(tmp_path)
    result = evaluate(*office_suite, options(tmp_path))
    with pytest.raises(DefinitionError, match="no result of `rag-app uplift`"):
        load_uplift(result.folder)
    file = result.folder / ROWS
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([lines[0], "{", *lines[2:]]), encoding="utf-8")
    with pytest.raises(DefinitionError, match="line 2"):
        load_result(result.folder)


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"config": {}, "cases": {}}', '{"config": {"runs": 1}, "cases": {"a": 3}}']
)
def test_a_damaged_description_is_named(office_suite: Office, tmp_path: Path, text: str) -> None:
    """A results.json or unfinished.json that somebody spoiled is named; an evaluation does not go on beside it."""
    folder = tmp_path / "results" / f"{date.today().isoformat()}-spoiled"
    folder.mkdir(parents=True)
    (folder / UNFINISHED).write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"unfinished\.json is damaged"):
        load_result(folder)
    with pytest.raises(DefinitionError, match=r"unfinished\.json is damaged"):
        evaluate(*office_suite, options(tmp_path, name="spoiled"))


def test_a_line_torn_within_a_character_is_no_row(tmp_path: Path) -> None:
    """A writer may be killed between two bytes of one letter; the rows before are kept."""
    file = tmp_path / ROWS
    write_rows(file, [row("one"), row("two")])
    file.write_bytes(file.read_bytes() + '{"case_id": "é'.encode()[:-1])
    assert [found.case_id for found in read_rows(file)] == ["one", "two"]


def test_a_folder_that_cannot_be_written_is_told(office_suite: Office, tmp_path: Path) -> None:
    """Where no result can be kept, nothing is asked, and the sentence says what to do."""
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "deeper"):
        llm = chooser()
        with pytest.raises(UsageError, match="--out"):
            evaluate(*office_suite, options(tmp_path, out=out, llm=llm))
        assert llm.calls == []


def test_killed_while_freezing_the_figures_stay(
    office_suite: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are shortened after what was measured on them is kept: who freezes again finds the same figures."""
    monkeypatch.setattr(suite_run, "RANKED", 0)
    whole = evaluate(*office_suite, options(tmp_path, name="whole"))
    kept = suite_run.write_rows

    def die(file: Path, rows: Sequence[Row]) -> None:
        kept(file, rows)
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(suite_run, "write_rows", die)
        with pytest.raises(KeyboardInterrupt):
            evaluate(*office_suite, options(tmp_path, name="killed"))
    again = evaluate(*office_suite, options(tmp_path, name="killed"))
    assert not again.folder.name.endswith("-2")
    assert again.measured == whole.measured
    assert not (again.folder / UNFINISHED).exists()


def test_a_store_that_fails_is_an_error(office_suite: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trouble with the store is an error row, never a refusal."""

    def fail(*_: object, **__: object) -> None:
        raise StoreError("The catalog cannot be read.")

    monkeypatch.setattr("rag_app.index.view.View.search_words", fail)
    result = evaluate(*office_suite, options(tmp_path, llm="none"))
    assert {row.outcome for row in result.rows} == {"error"}
    assert result.summary["abstention"]["recall"]["value"] == 0


def test_a_scripted_list_is_asked_no_more_than_it_has(office_suite: Office, tmp_path: Path) -> None:
    """A model may be given for each case and run."""
    asked: list[tuple[str, int]] = []

    def models(case, run: int) -> ScriptedLLM:
        asked.append((case.id, run))
        return chooser(lambda _: NONE)

    chosen = Selection(only=("canteen",))
    result = evaluate(*office_suite, options(tmp_path, selection=chosen, runs=2), models=models)
    assert asked == [("canteen", 1), ("canteen", 2)]
    assert [row.outcome for row in result.rows] == ["refused", "refused"]


def test_a_missing_extra_is_told_before_anything_is_asked(
    office_suite: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the packages that measure, one sentence names the command that brings them, and nothing was asked."""
    monkeypatch.setattr("rag_app.evaluate.measures.retrieval.find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"pip install \"rag_app\[eval\]\""):
        evaluate(*office_suite, options(tmp_path))
    assert not (tmp_path / "results").exists()
