"""rag-app urls: what it prints, and its exit codes."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_app import cli
from tests.site import LocalSite, page, serving

HOST = "docs.said.example"
TEXT = "The kiln is vented through the upper flue, and the damper is shut at dusk by whoever leaves last. " * 2


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalSite]:
    with serving() as site:
        site.add(HOST, "/a", page("A", TEXT))
        site.patch(monkeypatch)
        yield site


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "index.toml").write_text(
        '[index]\nname = "x"\ndescription = "x"\naccess = "open"\n[documents]\nurls = "urls.txt"\n'
    )
    (tmp_path / "urls.txt").write_text(f"https://{HOST}/a\n")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["rag-app", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    code = stopped.value.code
    return code if isinstance(code, int) else 0


def test_a_list_that_is_fine(
    index: Path, site: LocalSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a page, and exit code 0."""
    assert run(monkeypatch, "urls", "check", index) == 0
    assert capsys.readouterr().out == f"ok  https://{HOST}/a\n{index}/urls.txt: 1 ok\n"


def test_a_list_with_a_dead_page(
    index: Path, site: LocalSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, every time until the line is a comment; JSON on request."""
    (index / "urls.txt").write_text(f"https://{HOST}/a\nhttps://{HOST}/b\n")
    assert run(monkeypatch, "urls", "check", index, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert [line["verdict"] for line in found["lines"]] == ["ok", "gone"]
    assert run(monkeypatch, "urls", "check", index / "urls.txt", "--fix") == 1
    assert "# gone 20" in (index / "urls.txt").read_text()
    assert run(monkeypatch, "urls", "check", index) == 0


def test_a_doubted_version_is_accepted_by_name(
    index: Path, site: LocalSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checked, doubted, named with its reason, accepted once, fine from then on; exit code 2 where nothing waits."""
    assert run(monkeypatch, "urls", "check", index) == 0
    site.add(HOST, "/a", page("B", "An older edition was moved into another building with all of its drawings. " * 3))
    for _ in range(2):
        assert run(monkeypatch, "urls", "check", index) == 1
        assert f"replaced  https://{HOST}/a\n    What stands there now" in capsys.readouterr().out
    assert run(monkeypatch, "urls", "accept", index, f"https://{HOST}/unlisted") == 2
    assert "urls check" in capsys.readouterr().err
    assert run(monkeypatch, "urls", "accept", index, f"https://{HOST}/a#top") == 0
    assert capsys.readouterr().out == f"accepted  https://{HOST}/a\nNow run rag-app build to answer from them.\n"
    assert run(monkeypatch, "urls", "check", index) == 0
    assert run(monkeypatch, "urls", "accept", index, "--host", HOST) == 2


def test_coverage_of_a_site(
    index: Path, site: LocalSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 where there are fewer pages than the kind needs; 1 and a sentence where the site says nothing."""
    site.add(HOST, "/all", "<a href=/a>A</a> <a href=/b>B</a>")
    assert run(monkeypatch, "urls", "coverage", index, "--contents", f"https://{HOST}/all") == 0
    assert f"not listed: https://{HOST}/b" in capsys.readouterr().out
    words = ("urls", "coverage", index, "--contents", f"https://{HOST}/all", "--kind", "library", "--json")
    assert run(monkeypatch, *words) == 1
    assert json.loads(capsys.readouterr().out)["kind"] == "library"
    assert run(monkeypatch, "urls", "coverage", index) == 1
    assert "--contents" in capsys.readouterr().err
    assert run(monkeypatch, "urls", "coverage", index, "--kind", "novel") == 2
