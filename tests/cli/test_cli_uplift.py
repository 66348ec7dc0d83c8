"""rag-app uplift, uplift-table, questions review and apply: what they print, write and exit with."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rag_app import OpenIndex, cli
from rag_app.cli import questions
from rag_app.cli import uplifting as uplift
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.uplift.uplift_run import UpliftOptions, measure_uplift
from rag_app.testing import ScriptedLLM
from tests.evaluate.studio import Answering, Judging, build_faq

SUITE = load_suite(Path(__file__).parents[2] / "indexes" / "saggarline")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    return build_faq(SUITE.cases, tmp_path_factory.mktemp("index") / "saggarline")


@pytest.fixture(scope="module")
def recorded(index: OpenIndex, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """A copy of the suite with recordings of both models for its first twelve sampled questions."""
    file = tmp_path_factory.mktemp("suite") / "questions.jsonl"
    file.write_text(SUITE.path.read_text("utf-8"), "utf-8")
    suite = load_suite(file)
    llm, judge = Answering(suite.cases, 1).llm("talker"), Judging(1).llm("marker")
    options = UpliftOptions(llm, judge, sample=12, mode="record", out=file.parent / "out", name="recorded")
    measure_uplift(suite, index, options)
    return suite


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["rag-app", *map(str, words)])
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return int(stopped.value.code or 0), out, err


def test_uplift(
    index: OpenIndex,
    recorded: Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A replayed run says in words whether the index helped and writes its files; the table has a line for it."""
    monkeypatch.setattr(uplift, "opened", lambda _: index)
    words = ["uplift", recorded.folder, "--llm", "talker", "--judge", "marker", "--mode", "replay", "--sample", "12"]
    code, out, err = run(monkeypatch, capsys, *words, "--out", tmp_path, "--name", "first")
    assert code == 0, err
    assert out.startswith(("The index helped", "The index made no measurable difference", "Whether the index"))
    (folder,) = tmp_path.glob("*-first")
    assert {file.name for file in folder.iterdir()} == {"results.json", "rows.jsonl", "report.md", "report.html"}
    code, out, _ = run(monkeypatch, capsys, "uplift-table", folder, "--html", tmp_path / "page.html")
    assert code == 0
    assert "| saggarline |" in out
    assert "saggarline" in (tmp_path / "page.html").read_text("utf-8")
    code, out, _ = run(monkeypatch, capsys, *words, "--out", tmp_path, "--json")
    assert json.loads(out)["config"]["llm"] == "talker"
    code, _, err = run(monkeypatch, capsys, *words, "--seed", "5", "--out", tmp_path, "--name", "other")
    assert code == 1  # questions that were not recorded are errors, and the exit code says so
    code, _, err = run(monkeypatch, capsys, *words[:4], "--judge", "talker", "--mode", "replay")
    assert code == 2
    assert "--same-judge" in err


def test_review_and_apply(
    index: OpenIndex,
    recorded: Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A review writes a proposal and no question; applying writes what was accepted into a new file."""
    models = {"talker": Answering(SUITE.cases, 1).llm("talker"), "marker": comparing(Judging(1))}
    monkeypatch.setattr(questions, "opened", lambda _: index)
    monkeypatch.setattr("rag_app.evaluate.uplift.uplift_models.load_llm", models.__getitem__)
    before, file = recorded.path.read_bytes(), tmp_path / "proposal.jsonl"
    words = ["questions", "review", recorded.folder, "--llm", "talker", "--judge", "marker", "--proposal", file]
    code, out, err = run(monkeypatch, capsys, *words)
    assert code in (0, 1), err
    assert "questions are answered without any document" in out
    assert recorded.path.read_bytes() == before
    head, *lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert (head["llm"], head["judge"]) == ("talker", "marker")
    assert {line["kind"] for line in lines} >= {"known"}
    assert run(monkeypatch, capsys, *words)[0] == 2  # the proposal exists
    accepted = [{**line, "accept": True} for line in lines[:1]]
    file.write_text("\n".join(json.dumps(line) for line in (head, *accepted)), "utf-8")
    new = tmp_path / "new.jsonl"
    code, _, err = run(monkeypatch, capsys, "questions", "apply", file, recorded.folder, "--out", new)
    assert (code, "1 accepted changes" in err) == (0, True)
    both = zip(recorded.cases, load_suite(new).cases, strict=True)
    changed = [old.id for old, now in both if plainly(old) != plainly(now)]
    assert changed == [lines[0]["case_id"]]


def comparing(judge: Judging) -> ScriptedLLM:
    """The judge, who also compares references with documents, and finds them all supported."""
    llm = ScriptedLLM(
        lambda messages: judge(messages) if "<answers>" in messages[-1][1] else '{"verdict": "supported"}'
    )
    llm.model = "marker"
    return llm


def plainly(case: Case) -> Case:
    """A case without its patterns, which no two readings of a file have in common."""
    return replace(case, facts=(), wrong_facts=())
