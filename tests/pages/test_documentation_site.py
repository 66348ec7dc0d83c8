"""The documentation of the imaginary library, served by the local site: every page, with all its sections and code."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import lxml.html
import pytest

from rag_app.building import BuildReport, build_index
from rag_app.index.reader import IndexReader
from rag_app.index.view import View
from rag_app.pages.coverage import measure_coverage
from rag_app.pages.urls import read_list
from rag_app.testing import TinyEmbedding
from tests.site import LocalSite, serving
from tests.site_demo import build_demo

INDEX = Path(__file__).parents[2] / "indexes" / "saggarline"
HOST = "docs.saggarline.example"
LIST = read_list(INDEX / "urls.txt")


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with serving() as site:
        site.add_folder(HOST, INDEX / "site")
        yield site


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation") / "saggarline"
    shutil.copytree(INDEX, folder, ignore=shutil.ignore_patterns(".store", "site"))
    return folder


@pytest.fixture(scope="module")
def report(site: LocalSite, folder: Path) -> BuildReport:
    return build_index(folder, embedder=TinyEmbedding(), web=site.web())


@pytest.fixture(scope="module")
def view(report: BuildReport, folder: Path) -> Iterator[View]:
    reader = IndexReader.open(folder)
    with reader.snapshot() as view:
        yield view
    reader.close()


def served(url: str) -> lxml.html.HtmlElement:
    file = INDEX / "site" / urlsplit(url).path.lstrip("/")
    page = lxml.html.fromstring(file.read_bytes().decode())
    for sign in page.xpath("//a[contains(@class, 'headerlink') or contains(@class, 'anchor')]"):
        sign.drop_tree()
    return page


def text_of(view: View, url: str) -> str:
    document = view.document(url, view.readable(None))
    assert document is not None
    return document.text


def words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def test_every_listed_page_becomes_a_document(report: BuildReport) -> None:
    """At least thirty, and no problem with any."""
    assert (report.documents, report.problems) == (len(LIST.urls), ())
    assert report.documents >= 30


@pytest.mark.parametrize("url", LIST.urls)
def test_a_page_keeps_all_its_sections_and_its_code(view: View, url: str) -> None:
    """Every heading, in order, and every block of code, byte for byte; nothing of the furniture around them."""
    text = text_of(view, url)
    page = served(url)
    main = page.xpath("//main|//*[@role='main']|//div[@class='content']")[0]
    headings = [words(h) for h in main.iter("h1", "h2", "h3", "h4")]
    outside_code = re.sub(r"^(```+)[^\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = [re.sub(r"[`\\]", "", line).lstrip("# ") for line in outside_code.splitlines() if re.match("#+ ", line)]
    assert found == headings
    for code in main.iter("pre"):
        assert f"\n{code.text_content().strip(chr(10))}\n```" in text
    furniture = {words(part) for part in page.iter("footer", "nav") if words(part)}
    assert not any(part in " ".join(text.split()) for part in furniture)


def test_pages_point_to_each_other(view: View) -> None:
    """Links between the pages stand with the passages that they are in."""
    ids = {document.document_id for document in view.documents(view.readable(None))}
    nodes = view.nodes(
        number for number, _ in view.search_words("firing schedule kiln zone probe", 400, view.readable(None))
    )
    targets = {target for node in nodes.values() for target in node.metadata.get("links", ())}
    assert len(targets & ids) > 20


def test_the_list_covers_the_site(report: BuildReport, site: LocalSite, folder: Path) -> None:
    """Its sitemap names no page that is not listed, and there are as many as a focused library should have."""
    coverage = measure_coverage(folder, site.web(), kind="library")
    assert coverage.ok
    assert not any(section.missing for of_site in coverage.sections.values() for section in of_site)
    assert coverage.not_on_site == ()


def test_the_demo_builds_it_without_its_site(tmp_path: Path) -> None:
    """`make site-demo` gives everybody this index, although its host does not exist."""
    folder = Path(shutil.copytree(INDEX, tmp_path / "saggarline", ignore=shutil.ignore_patterns(".store")))
    report = build_demo(folder, embedder=TinyEmbedding())
    assert (report.documents, report.problems) == (len(LIST.urls), ())
