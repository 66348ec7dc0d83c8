"""rag-app chat, as it is piped."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app.cli import app
from rag_app.errors import UsageError
from tests.office import build_tiny, open_tiny, write_open


@pytest.mark.usefixtures("answers_always")
def test_questions_are_piped_in_one_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is a turn: follow-ups are completed, /sources shows passages, /reset forgets. Trouble with one turn
    does not end the conversation; "quit" does, and the end of the input."""
    folder = write_open(tmp_path / "office")
    build_tiny(folder)
    monkeypatch.setattr("rag_app.cli.chatting.opened", lambda _: open_tiny(folder))
    turns = ["How long does parental leave last?", "", "Who approves it?", "/sources", "/reset", "/sources", "/what"]
    turns += ["x" * 10_001, "When do backups run?", "quit", "What is for lunch?"]
    result = CliRunner().invoke(app, ["chat", str(folder), "--llm", "none"], input="\n".join(turns))
    assert result.exit_code == 0, result.output
    said = result.stdout
    assert said.index("Parental leave lasts 16 weeks.") < said.index("The head of personnel approves it.")
    assert "Understood as" in said
    assert "Nothing was quoted last." in said
    assert "02:30" in said
    assert "There is no command /what" in result.output
    assert "10,001 characters" in result.output
    assert "lunch" not in result.output


def test_what_is_said_keeps_its_order(tmp_path: Path) -> None:
    """In a pipe, where standard output is kept back, what /sources shows still comes before what /reset says."""
    folder = write_open(tmp_path / "office")
    build_tiny(folder)
    code = (
        "from tests.office import open_tiny; from pathlib import Path; from rag_app import cli;"
        "from rag_app.cli import chatting; chatting.opened = lambda folder: open_tiny(Path(folder)); cli.main()"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, "chat", str(folder), "--llm", "none"],
        input="/sources\n/reset\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert said.index("Nothing was quoted last.") < said.index("The conversation is forgotten.")


def test_a_region_is_for_the_web(tmp_path: Path) -> None:
    """--region without --web is a wrong use, said in one sentence."""
    result = CliRunner().invoke(app, ["chat", str(tmp_path), "--region", "nz"])
    assert isinstance(result.exception, UsageError)
    assert "give --web too" in str(result.exception)
