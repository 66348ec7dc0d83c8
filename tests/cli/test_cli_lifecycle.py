"""The commands that make, change, ask and carry an index."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rag_app import cli
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench

pytestmark = pytest.mark.usefixtures("answers_always")


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything with the small embedder and without a cross-encoder."""
    monkeypatch.setattr("rag_app.building.load_embedder", lambda name: TinyEmbedding())
    monkeypatch.setattr("rag_app.opened.load_embedder", lambda name: TinyEmbedding())
    monkeypatch.setenv("RAG_APP_CROSS_ENCODER", "none")
    monkeypatch.setenv("RAG_APP_GATE_THRESHOLD", "-1")


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_update_rebuild_as_of_export_install(tmp_path: Path) -> None:
    """An index is built, updated, asked as of a day, rebuilt, exported and installed from the command line."""
    bench = Workbench(tmp_path / "handbook")
    bench.define()
    bench.write(
        "a.md", "Everybody gets 20 days of holiday.", document_id="old", title="Leave", effective_date="2020-01-01"
    )
    folder = str(bench.path)
    assert run("build", folder)[1].startswith("Built in")
    new: dict[str, Any] = {"document_id": "new", "title": "Leave", "effective_date": "2024-01-01", "supersedes": "old"}
    bench.write("b.md", "Everybody gets 30 days of holiday.", **new)
    assert "1 added" in run("update", folder)[1]
    assert run("update", folder)[1].startswith("Nothing changed")
    question = "How many days of holiday does everybody get?"
    assert "30 days" in run("ask", folder, question)[1]
    code, said = run("ask", folder, question, "--as-of", "2023-06-01")
    assert code == 0
    assert "20 days" in said
    assert "30 days" not in said
    assert run("ask", folder, question, "--as-of", "1999-01-01")[0] == cli.NOT_ENOUGH_EVIDENCE
    wrong = CliRunner().invoke(cli.app, ["ask", folder, question, "--as-of", "1.6.2023"])
    assert wrong.exit_code == cli.WRONG_USAGE
    assert "Write the day as YYYY-MM-DD" in wrong.output
    assert "revision 3" in run("rebuild", folder)[1]
    archive, new_folder = str(tmp_path / "h.zip"), str(tmp_path / "new")
    assert run("export", folder, archive)[1].startswith(f"Wrote {archive}: handbook: 2 documents, 2 passages")
    assert run("install", archive, new_folder)[1].startswith(f"Installed in {new_folder}: handbook: 2 documents")
    assert "30 days" in run("ask", str(tmp_path / "new"), question)[1]


@pytest.mark.parametrize("is_json", [False, True])
def test_no_command_lets_a_document_steer_the_terminal(tmp_path: Path, is_json: bool) -> None:
    """Escape sequences of a document are written out by every command that shows it; in JSON they read back."""
    bench = Workbench(tmp_path / "handbook")
    bench.define()
    nasty = "Holiday\x1b]0;owned\x07 \x9b31m\u202e"
    (bench.path / "documents" / "a.md").write_text(f"# {nasty}\n\nEverybody {nasty} gets 20 days.\n", "utf-8")
    question = "How many days of holiday does everybody get?"
    for words in (("build",), ("list",), ("check",), ("ask", question), ("ask", question, "--explain")):
        if is_json and "--explain" in words:
            continue
        shown = run(words[0], str(bench.path), *words[1:], *(["--json"] if is_json else []))[1]
        assert "owned" in shown or words[0] in ("build", "check")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]", shown), words
        if is_json and words == ("list",):
            assert json.loads(shown)[0]["title"] == nasty


def test_nothing_to_list(tmp_path: Path) -> None:
    """Who may read no document is told so, and not shown an empty list without a word."""
    bench = Workbench(tmp_path / "handbook")
    bench.define("rules")
    bench.write("a.md", "Everybody gets 20 days of holiday.", access_scope="private", owner_user_id="ann")
    folder = str(bench.path)
    run("build", folder)
    listed = CliRunner().invoke(cli.app, ["list", folder, "--user", "bob"])
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "no document here" in listed.stderr


def test_update_needs_an_index(tmp_path: Path) -> None:
    """An update of what was never built says which command builds it."""
    from rag_app.errors import IndexMissing

    bench = Workbench(tmp_path / "handbook")
    bench.define()
    with pytest.raises(IndexMissing, match="rag-app build"):
        run("update", str(bench.path))
