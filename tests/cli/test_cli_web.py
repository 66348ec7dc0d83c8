"""rag-app ask --web: with a folder and without."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app.cli import app
from rag_app.errors import DefinitionError, SearchUnavailable, UsageError
from tests.office import write_open, write_rules
from tests.search_service import BASKETBALL, KEY, LEAGUE, Answering, Reply, found, serving

RUN = CliRunner()


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.setenv("RAG_APP_CROSS_ENCODER", "none")


def ask(monkeypatch: pytest.MonkeyPatch, answering: Answering | Reply, *words: str):
    with serving(answering) as service:
        monkeypatch.setenv("RAG_APP_TAVILY_URL", service.url)
        return RUN.invoke(app, ["ask", *words]), service


def test_the_web_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder the one argument is the question."""
    done, service = ask(
        monkeypatch, found(BASKETBALL, LEAGUE), "--web", "--region", "nz", "why are the Warriors in the news?"
    )
    assert done.exit_code == 0, done.output
    assert "web page, published 2025-11-04, retrieved" in done.stdout
    assert service.queries == ["Warriors rugby league New Zealand"]


def test_json_and_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only namesakes were found for is not answered: exit code 3."""
    done, _ = ask(monkeypatch, found(BASKETBALL), "Warriors", "--web", "--region", "nz", "--json", "--full")
    assert done.exit_code == 3
    told = json.loads(done.stdout)
    assert told["reason"] == "nothing_relevant"
    assert [attempt["verdict"] for attempt in told["trace"]["web"]["attempts"]] == ["suspect"] * 4


def test_a_folder_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a folder the web is asked where the folder has nothing near."""
    folder = str(write_open(tmp_path / "office"))
    words = ("--web", "--region", "nz")
    done, service = ask(monkeypatch, found(LEAGUE), folder, "How long are backups kept?", *words)
    assert service.requests == []
    done, service = ask(monkeypatch, found(LEAGUE), folder, "why are the Warriors in the news?", *words)
    assert done.exit_code == 0, done.output
    assert service.queries == ["Warriors rugby league New Zealand"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["what is this?"], "rag-app ask FOLDER"),
        (["folder", "what?", "--region", "nz"], "--web"),
        (["what?", "--web", "--region", "nz", "--user", "ana"], "no access rules"),
        (["  ", "--web", "--region", "nz"], "empty"),
    ],
)
def test_wrong_usage(words: list[str], says: str) -> None:
    """Words that do not fit together are reported in a sentence."""
    done = RUN.invoke(app, ["ask", *words])
    assert isinstance(done.exception, UsageError)
    assert says in str(done.exception)


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A missing region or key is named before anything is sent; access rules still want to know who asks."""
    done = RUN.invoke(app, ["ask", "what?", "--web"])
    assert isinstance(done.exception, DefinitionError)
    folder = str(write_rules(tmp_path / "office"))
    done = RUN.invoke(app, ["ask", folder, "what?", "--web", "--region", "nz"])
    assert isinstance(done.exception, UsageError)
    monkeypatch.delenv("TAVILY_API_KEY")
    done = RUN.invoke(app, ["ask", "what?", "--web", "--region", "nz"])
    assert isinstance(done.exception, SearchUnavailable)
