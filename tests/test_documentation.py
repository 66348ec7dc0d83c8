"""README and guide: what they show runs, what they name is there, and every link leads somewhere."""

import glob
import json
import re
import shlex
import shutil
import threading
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rag_app
from rag_app import models
from rag_app.cli import app
from rag_app.cli.demonstrating import HANDBOOK
from rag_app.models import Choice
from rag_app.testing import TinyEmbedding
from tests.browser import browsing, needs_browser

ROOT = Path(__file__).parents[1]
GUIDE = sorted(page for page in (ROOT / "docs").rglob("*.md") if "design" not in page.parts)
PAGES = [ROOT / "README.md", *GUIDE]
PAPERS = ("annual-leave-policy", "parental-leave-policy", "approval-limits", "employee-handbook")
NOT_RUN = {
    "README.md": 1,  # make
    "docs/chroma-server.md": 1,  # a server
    "docs/guide/language-model.md": 3,  # a model
    "docs/guide/own-folder.md": 1,  # a model from a hub
    "docs/guide/scale.md": 3,  # several machines
    "docs/guide/serving.md": 3,  # servers, and programs that are not ours
    "docs/guide/web-pages.md": 2,  # the network
    "docs/guide/web.md": 2,  # a key
}
"""Blocks of Python and of commands that are marked `no-run`, by page: those that need a key, a server or make."""
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    is_run: bool
    file: str | None
    """Where the page says that this text stands."""
    line: int


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        info = fence["info"].strip("{} ")
        title = _TITLE.search(info)
        language = info.split()[0].lstrip(".") if info else ""
        line = text.count("\n", 0, fence.start("text"))
        found.append(Block(language, fence["text"], "no-run" not in info, title and title[1], line))
    return found


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a handbook and some papers of the demo index, and quick models under the names of the real ones."""
    for file in HANDBOOK.glob("*.md"):
        (tmp_path / "handbook").mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / "handbook")
    demo = tmp_path / "indexes" / "fellwire"
    (demo / "documents").mkdir(parents=True)
    for name in ("index.toml", "principals.json", *(f"documents/{paper}.md" for paper in PAPERS)):
        shutil.copy(ROOT / "indexes" / "fellwire" / name, demo / name)
    monkeypatch.setattr(models, "EMBEDDERS", {"bge-small": Choice("quick", lambda _: TinyEmbedding())})
    monkeypatch.setattr(models, "CROSS_ENCODERS", {"minilm-l12": Choice("none", lambda _: None)})
    monkeypatch.setattr(models, "_loaded", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(line: str) -> None:
    """Runs a command of the guide in this process; an answer and a refusal are both well."""
    program, *words = shlex.split(line, comments=True)
    assert program in ("rag-app", ".venv/bin/rag-app"), f"mark the block no-run: {line}"
    words = [found for word in words for found in (sorted(glob.glob(word)) if "*" in word else [word])]
    result = CliRunner().invoke(app, words)
    assert result.exit_code in (0, 3), f"{line}: {result.exception!r} {result.output}"


RUN = [page for page in PAGES if any(b.is_run and b.language in ("python", "console") for b in blocks_of(page))]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_shows_runs(page: Path, workplace: Path) -> None:
    """The blocks of a page, in order: files with a title are written, Python and commands run without an error."""
    names: dict[str, object] = {"__name__": "guide"}
    for block in blocks_of(page):
        if block.file:
            file = workplace / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "python" and block.is_run:
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        elif block.language == "console" and block.is_run:
            for line in block.text.splitlines():
                assert line.startswith("$ "), f"not a command: {line}"
                run_command(line[2:])


def test_what_is_not_run_is_listed() -> None:
    """Every block has a language that this module knows, and the blocks that are not run are the listed ones."""
    left: dict[str, int] = {}
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        for block in blocks_of(page):
            where = f"{name}:{block.line}"
            assert block.language in ("python", "console", "toml", "yaml", "json", "text", "markdown"), where
            if block.language == "json":
                for line in block.text.splitlines():
                    json.loads(line)
            if block.language in ("python", "console") and not block.is_run:
                left[name] = left.get(name, 0) + 1
    assert left == NOT_RUN


def test_every_public_name_is_in_the_reference() -> None:
    """Each name that `rag_app` exports stands once in the reference, and nothing else that it does not export."""
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    named = re.findall(r"^::: rag_app\.([A-Z]\w*|[a-z_]+)$", text, re.MULTILINE)
    assert sorted(name for name in named if name != "errors") == sorted(rag_app.__all__)


def test_links_of_pages_lead_somewhere() -> None:
    """Every link of README and guide that is no address leads to a file."""
    for page in PAGES:
        prose = _FENCE.sub("", page.read_text(encoding="utf-8"))
        for target in _LINK.findall(prose):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.long
def test_the_site_is_built(tmp_path: Path) -> None:
    """The site is built without a warning, with a page for each page, and loads nothing from elsewhere; a dead link
    stops it."""
    config = pytest.importorskip("mkdocs.config")
    build = pytest.importorskip("mkdocs.commands.build")
    exceptions = pytest.importorskip("mkdocs.exceptions")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")

    def build_site() -> None:
        build.build(config.load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(tmp_path / "docs"), site_dir=str(site)))

    site = tmp_path / "site"
    build_site()
    for page in GUIDE:
        built = site / page.relative_to(ROOT / "docs").with_suffix(".html")
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?://', built.read_text(encoding="utf-8"))
    (tmp_path / "docs" / "limits.md").write_text("[gone](nowhere.md)\n", encoding="utf-8")
    with pytest.raises(exceptions.Abort):
        build_site()


@pytest.mark.long
@needs_browser
def test_the_site_in_a_browser(tmp_path: Path) -> None:
    """Every page follows the reader's theme, dark or light, fits a narrow window, and a served site can be searched;
    nothing is asked of anybody else."""
    config = pytest.importorskip("mkdocs.config")
    build = pytest.importorskip("mkdocs.commands.build")
    site = tmp_path / "site"
    build.build(config.load_config(str(ROOT / "mkdocs.yml"), site_dir=str(site)))
    quiet = partial(QuietFiles, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        with browsing(tmp_path) as tab:
            for theme, is_theme in (("dark", "max < 100"), ("light", "max > 200")):
                tab.look(360, theme)
                for page in GUIDE:
                    tab.open(f"{address}/{page.relative_to(ROOT / 'docs').with_suffix('.html')}")
                    shown = "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3))"
                    tab.wait(f"((max) => {is_theme})({shown})")
                    assert tab.evaluate("document.documentElement.scrollWidth") <= 360, page
            tab.evaluate("document.querySelector('[data-md-component=search-query]').focus()")
            tab.call("Input.insertText", text="calibrate")
            tab.wait("document.querySelectorAll('.md-search-result__item').length > 0")
            assert all(asked.startswith((address, "about:", "data:")) for asked in tab.loaded)
    finally:
        server.shutdown()


class QuietFiles(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""
