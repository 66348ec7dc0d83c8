"""rag-app eval, compare and ablate on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app import OpenIndex
from rag_app.cli import TROUBLE, app
from rag_app.errors import EvaluationInterrupted, StoreError, UsageError
from rag_app.evaluate.cases.suite import Suite
from tests.evaluate.papers import write_office


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
    assert "Errors: 4 answers failed" in done.stdout


def test_ctrl_c_says_how_to_go_on(office_suite: tuple[Suite, OpenIndex], monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted, the command says what is kept and that the same command goes on."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rag_app.evaluate.run.suite_run.Asker.ask", stop)
    done = CliRunner().invoke(app, ["eval", "office"])
    assert isinstance(done.exception, EvaluationInterrupted)
    assert "The same command goes on" in str(done.exception)


def test_compare_reads_two_results(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app compare A B` prints pairs and a sentence, JSON when told, and writes a page."""
    for _ in range(2):
        CliRunner().invoke(app, ["eval", "office", "--name", "twin"])
    a, b = sorted(map(str, Path("evals/results").iterdir()))
    done = CliRunner().invoke(app, ["compare", a, b, "--html", "page.html"])
    assert done.exit_code == 0, done.output
    assert "Not distinguishable: no question of 4 changed" in done.stdout
    assert "<!doctype html>" in Path("page.html").read_text("utf-8")
    data = json.loads(CliRunner().invoke(app, ["compare", a, b, "--json"]).stdout)
    assert data["strict"]["won"] == []


def test_ablate_prints_contributions(office_suite: tuple[Suite, OpenIndex]) -> None:
    """`rag-app ablate` takes several suites, and the names of components."""
    done = CliRunner().invoke(app, ["ablate", "office", "--component", "words leg", "--component", "pointers"])
    assert done.exit_code == 0, done.output
    assert "words leg: " in done.stdout
    assert "pointers: not in this path" in done.stdout
    wrong = CliRunner().invoke(app, ["ablate", "office", "--component", "luck"])
    assert isinstance(wrong.exception, UsageError)
    assert "'luck'" in str(wrong.exception)
    wrong = CliRunner().invoke(app, ["ablate", "office", "--index", "a", "--index", "b"])
    assert isinstance(wrong.exception, UsageError)
