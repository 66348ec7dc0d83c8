"""rag-app eval, compare and ablate on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app import OpenIndex
from rag_app.cli import TROUBLE, app
from rag_app.cli.common import progress_bar
from rag_app.errors import EvaluationInterrupted, StoreError, UsageError
from rag_app.evaluate.cases.suite import Suite
from tests.evaluate.papers import QUESTIONS, write_office, write_suite


@pytest.fixture
def office_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Suite, OpenIndex]:
    """The commands open a small index with the quick embedder."""
    suite, index = write_office(tmp_path / "office")
    monkeypatch.setattr("rag_app.cli.evaluating.opened", lambda folder: index)
    monkeypatch.chdir(tmp_path)
    return suite, index


def test_eval_freezes_a_result(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app eval` prints figures with intervals, and keeps them where it says; the suite's folder is the index."""
    done = CliRunner().invoke(app, ["eval", "office", "--split", "dev", "--as-of", "2026-01-01"])
    assert done.exit_code == 0, done.output
    assert "Strict" in done.stdout
    assert "kept in evals/results/" in done.stderr
    (folder,) = Path("evals/results").iterdir()
    assert folder.name.endswith("-office-dev")
    content = json.loads((folder / "results.json").read_text("utf-8"))
    assert content["config"]["selection"]["split"] == "dev"
    assert content["config"]["as_of"] == "2026-01-01"
    assert set(content["cases"]) == {"canteen", "budget"}


def test_errors_are_trouble(office_suite: tuple[Suite, OpenIndex], monkeypatch: pytest.MonkeyPatch) -> None:
    """A result with errors is frozen all the same, and the exit code says so."""

    def fail(*_: object, **__: object) -> None:
        raise StoreError("The catalog cannot be read.")

    monkeypatch.setattr("rag_app.index.view.View.search_words", fail)
    done = CliRunner().invoke(app, ["eval", "office"])
    assert done.exit_code == TROUBLE
    assert "Errors: 4 of 4 answers failed" in done.stdout


def test_the_outcome_comes_first(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app eval` begins with a sentence; below it each figure says what it means."""
    done = CliRunner().invoke(app, ["eval", "office"])
    lines = done.stdout.splitlines()
    assert "answers are right by the strict rule." in lines[0]
    assert lines[1].startswith("Published ")
    assert lines[1].endswith(" questions: right document cited, or rightly refused")


def test_ctrl_c_says_how_to_go_on(office_suite: tuple[Suite, OpenIndex], monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted, the command says what is kept and that the same command resumes."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rag_app.evaluate.run.suite_run.Asker.ask", stop)
    done = CliRunner().invoke(app, ["eval", "office"])
    assert isinstance(done.exception, EvaluationInterrupted)
    assert "The same command resumes" in str(done.exception)


def test_compare_reads_two_results(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app compare A B` prints pairs and a sentence, JSON when told, and writes a page."""
    for _ in range(2):
        CliRunner().invoke(app, ["eval", "office", "--name", "twin"])
    a, b = sorted(map(str, Path("evals/results").iterdir()))
    done = CliRunner().invoke(app, ["compare", a, b, "--html", "page.html"])
    assert done.exit_code == 0, done.output
    assert "Not distinguishable: no question changed between right and wrong, of 4 questions" in done.stdout
    assert "<!doctype html>" in Path("page.html").read_text("utf-8")
    data = json.loads(CliRunner().invoke(app, ["compare", a, b, "--json"]).stdout)
    assert data["strict"]["won"] == []


def test_ablate_prints_contributions(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app ablate` takes several suites, and the names of components."""
    done = CliRunner().invoke(app, ["ablate", "office", "--component", "sparse index", "--component", "pointers"])
    assert done.exit_code == 0, done.output
    assert "sparse index: " in done.stdout
    assert "pointers: not in this path" in done.stdout
    wrong = CliRunner().invoke(app, ["ablate", "office", "--component", "luck"])
    assert isinstance(wrong.exception, UsageError)
    assert "'luck'" in str(wrong.exception)
    wrong = CliRunner().invoke(app, ["ablate", "office", "--index", "a", "--index", "b"])
    assert isinstance(wrong.exception, UsageError)


def test_a_log_sees_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is no terminal, a long command says now and then how far it is, and a short one nothing."""
    times = iter([0.0, 1.0, 16.0, 16.0, 17.0, 40.0, 40.0])
    with progress_bar(seconds=15, clock=lambda: next(times)) as progress:
        for done in range(1, 5):
            progress(done, 4, f"question \x1b[31m{done}")
    assert capsys.readouterr().err.splitlines() == [
        "rag-app: 2 of 4 (50%) question ␛[31m2",
        "rag-app: 4 of 4 (100%) question ␛[31m4",
    ]


def test_a_question_cannot_steer_the_terminal(office_suite: tuple[Suite, OpenIndex]) -> None:
    """Escape sequences in a question file are written out on the terminal, and escaped in JSON and in the report."""
    nasty = "When does the canteen\x1b]0;owned\x07 serve \x9b31mlunch?"
    write_suite(office_suite[0].folder, [{**QUESTIONS[0], "question": nasty}])
    for name in ("one", "two"):
        done = CliRunner().invoke(app, ["eval", "office", "--name", name])
        assert done.exit_code == 0, done.output
    a, b = sorted(Path("evals/results").iterdir())
    file = b / "rows.jsonl"
    changed = json.loads(file.read_text("utf-8"))
    changed["score"]["strict"] = not changed["score"]["strict"]
    file.write_text(json.dumps(changed) + "\n", "utf-8")
    shown = CliRunner().invoke(app, ["compare", str(a), str(b)]).stdout
    data = CliRunner().invoke(app, ["compare", str(a), str(b), "--json"]).stdout
    for text in (shown, data, (a / "report.md").read_text("utf-8")):
        assert "canteen" in text
        assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert json.loads(data)["questions"] == {"canteen": nasty}
