"""Indexes made of web pages: built, kept fresh, and never the poorer for trouble on the web."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import BuildReport, changed_documents, check_index
from rag_app.errors import BuildError, FetchError
from rag_app.opened import open_index
from rag_app.pages.page_store import PageStore
from rag_app.pages.updates import fetch_pages
from rag_app.pages.urls import read_list
from rag_app.principal import Principal
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench
from tests.site import LocalSite, Reply, moved, page, serving

HOST = "docs.kiln.example"
INSTALL, FLUE, DAMPER = (f"https://{HOST}/{name}" for name in ("install", "guide/flue", "guide/damper"))
MORE = "Whoever fires the kiln keeps a journal of every hour, from the first match to the last ember. "
MISSING = "https://docs.kiln.example/none"


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as site:
        site.add(HOST, "/install", page("Install", f"Copy the program into the shed. {MORE}"))
        site.add(HOST, "/guide/flue", page("Guide", f"The flue is swept every forty firings. {MORE}"))
        site.add(HOST, "/guide/damper", page("Guide", f"The damper is shut at dusk. {MORE}"))
        yield site


class WebBench(Workbench):
    """An index of web pages."""

    site: LocalSite

    def write_list(self, *urls: str) -> None:
        (self.path / "urls.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")

    def build(self, **options: Any) -> BuildReport:
        return super().build(web=options.pop("web", self.site.web()), **options)

    def ids(self) -> list[str]:
        return [document.document_id for document in self.open().documents(None)]

    def text(self, url: str) -> str:
        reader = self.open()
        with reader.snapshot() as view:
            document = view.document(url, view.readable(None))
        assert document is not None
        return document.text


@pytest.fixture
def kiln(tmp_path: Path, site: LocalSite) -> WebBench:
    bench = WebBench(tmp_path / "kiln")
    bench.site = site
    bench.define(more='[documents]\nurls = "urls.txt"')
    bench.write_list(INSTALL, FLUE, DAMPER)
    return bench


def problems(report: BuildReport) -> dict[str, str]:
    return {problem.path: problem.code for problem in report.problems}


@pytest.mark.usefixtures("answers_always")
def test_pages_become_documents(kiln: WebBench) -> None:
    """Two pages with one title stay two; a quote names the page's URL and the day on which it was fetched."""
    report = kiln.build()
    assert (report.added, report.problems, report.ok) == (3, (), True)
    assert sorted(kiln.ids()) == sorted([INSTALL, FLUE, DAMPER])
    index = open_index(kiln.path, embedder=kiln.embedder, cross_encoder="none")
    assert [document.title for document in index.documents()] == ["Guide", "Guide", "Install"]
    answer = index.as_query_engine(llm=None).query("How often is the flue swept?").answer
    today = datetime.now(UTC).date().isoformat()
    assert [(q.text, q.source, q.retrieved) for q in answer.quotes][:1] == [
        ("The flue is swept every forty firings.", FLUE, today)
    ]
    assert f"Guide, web page, retrieved {today} — {FLUE}" in str(answer)


def test_an_update_asks_whether_pages_changed_and_takes_what_did(kiln: WebBench) -> None:
    """Pages that are as they were are not sent again; what changed, came or left the list is what is indexed."""
    kiln.build()
    kiln.site.requests.clear()
    assert str(kiln.build()).startswith("Nothing changed")
    assert [("if-none-match" in request.headers) for request in kiln.site.asked()] == [True] * 3
    kiln.site.add(HOST, "/guide/damper", page("Guide", f"The damper is shut at dawn. {MORE}"))
    kiln.site.add(HOST, "/new", page("New", f"A new page about ash. {MORE}"))
    kiln.write_list(FLUE, DAMPER, f"https://{HOST}/new")
    report = kiln.build()
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 1)
    assert "dawn" in kiln.text(DAMPER)


def test_a_page_whose_bytes_change_and_whose_text_does_not_is_unchanged(kiln: WebBench) -> None:
    """A counter in the footer is no new version, and the day of the text stays that of its first coming."""
    kiln.build()
    kiln.site.add(
        HOST, "/install", page("Install", f"Copy the program into the shed. {MORE}").replace("Imprint", "4711")
    )
    assert str(kiln.build()).startswith("Nothing changed")


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (Reply("no", 404), "gone"),
        (Reply("no", 503), "unreachable"),
        (Reply("no", 403), "blocked"),
        (page("404 Not Found", "Sorry."), "soft 404"),
        ("<div id=root></div>", "too thin"),
        (Reply(b"%PDF", content_type="application/pdf"), "not a page"),
        (moved("http://docs.kiln.example/install"), "unsafe redirect"),
        (Reply(b"\xff\xfe\x00\xd8", content_type="text/html"), "not a page"),
    ],
)
def test_a_page_in_trouble_keeps_its_earlier_version(kiln: WebBench, trouble: Any, code: str) -> None:
    """Whatever happens to a page on the web, its good version answers on and the report says so, every time."""
    kiln.build()
    kiln.site.add(HOST, "/install", trouble)
    for _ in range(2):
        report = kiln.build()
        assert problems(report) == {INSTALL: code}
        assert "still answers" in report.problems[0].reason
        assert (report.unchanged, report.removed, report.ok) == (3, 0, False)
    assert "shed" in kiln.text(INSTALL)
    report = kiln.build(rebuild=True)
    assert (report.documents, problems(report)) == (3, {INSTALL: code})
    kiln.site.add(HOST, "/install", page("Install", f"Copy it into the barn. {MORE}"))
    report = kiln.build()
    assert (report.changed, report.problems) == (1, ())


def test_a_page_that_never_was_one_becomes_no_document(kiln: WebBench) -> None:
    """Each line that gave no page is named with its reason; the rest is indexed."""
    kiln.write_list(INSTALL, MISSING, "http://plain.example/", INSTALL + "#part", f"https://{HOST}/old")
    kiln.site.add(HOST, "/old", moved("/install"))
    report = kiln.build()
    assert problems(report) == {
        MISSING: "gone",
        "urls.txt, line 3": "unsafe address",
        "urls.txt, line 4": "duplicate",
        f"https://{HOST}/old": "duplicate",
    }
    assert kiln.ids() == [INSTALL]


def test_a_page_that_moved_is_cited_where_it_is(kiln: WebBench) -> None:
    """The list's URL stays its id, the source is where the text was found."""
    kiln.site.add(HOST, "/old", moved("/install"))
    kiln.write_list(f"https://{HOST}/old")
    kiln.build()
    [document] = kiln.open().documents(None)
    assert (document.document_id, document.source) == (f"https://{HOST}/old", INSTALL)


def test_without_a_network_everything_stays(kiln: WebBench) -> None:
    """An update where nothing can be reached changes nothing and names every page; so does a rebuild."""
    kiln.build()
    kiln.site.names[HOST] = []
    for rebuild in (False, True):
        report = kiln.build(rebuild=rebuild)
        assert set(problems(report).values()) == {"unreachable"}
        assert report.documents == 3
    assert "dusk" in kiln.text(DAMPER)


def test_a_first_build_without_a_network_says_why(kiln: WebBench) -> None:
    """There is nothing to index, and the first reason is reported."""
    kiln.site.names[HOST] = []
    with pytest.raises(BuildError, match="no host"):
        kiln.build()


def test_a_store_that_has_lost_its_pages_loses_no_document(kiln: WebBench) -> None:
    """An index that was installed from an archive has no page store: what cannot be fetched stays as it is."""
    kiln.build()
    kiln.store.pages.unlink()
    kiln.site.add(HOST, "/install", Reply("no", 503))
    report = kiln.build()
    assert problems(report) == {INSTALL: "unreachable"}
    assert "earlier version still answers" in report.problems[0].reason
    assert len(kiln.ids()) == 3


def test_a_page_in_trouble_keeps_nothing_but_itself(kiln: WebBench) -> None:
    """A page that left the list goes, also where its URL begins like that of a page that cannot be had."""
    kiln.site.add(HOST, "/guide", page("All guides", MORE * 3))
    kiln.write_list(f"https://{HOST}/guide", FLUE, DAMPER)
    kiln.build()
    kiln.store.pages.unlink()
    kiln.site.add(HOST, "/guide", Reply("no", 503))
    kiln.write_list(f"https://{HOST}/guide", FLUE)
    assert kiln.build().removed == 1
    assert sorted(kiln.ids()) == [f"https://{HOST}/guide", FLUE]


def test_drift_is_known_until_somebody_acts(kiln: WebBench) -> None:
    """What a check found out about pages is reported by every later check and note, without asking anybody again."""
    kiln.build()
    later = page("Guide", f"The damper is shut at dawn. {MORE}")
    kiln.site.add(HOST, "/guide/damper", later)
    kiln.site.remove(HOST, "/install")
    kiln.write_list(INSTALL, DAMPER)
    pages = read_list(kiln.path / "urls.txt")
    with PageStore(kiln.store.pages) as store:
        fetch_pages(pages, store, kiln.site.web())
    kiln.site.requests.clear()
    for _ in range(2):
        drift = check_index(kiln.path).drift
        assert [(page.url, page.kind) for page in drift] == [(INSTALL, "gone"), (DAMPER, "changed"), (FLUE, "unlisted")]
        assert changed_documents(kiln.path) == [DAMPER]
    assert "changed since" in str(check_index(kiln.path))
    assert not kiln.site.requests
    kiln.build()
    assert [(page.url, page.kind) for page in check_index(kiln.path).drift] == [(INSTALL, "gone")]
    kiln.write_list(DAMPER)
    kiln.build()
    assert check_index(kiln.path).drift == ()
    assert changed_documents(kiln.path) == []


def test_the_day_on_which_trouble_began_is_kept(kiln: WebBench) -> None:
    """Gone since Monday is reported on Friday; a page that comes back starts again."""
    pages = read_list(kiln.path / "urls.txt")
    monday = datetime(2026, 3, 2, 9, tzinfo=UTC)
    with PageStore(None) as store:
        fetch_pages(pages, store, kiln.site.web(), now=lambda: monday)
        later = page("Guide", f"The damper is shut at dusk. {MORE}").replace("Imprint", "4711")
        kiln.site.add(HOST, "/guide/damper", later)
        kiln.site.add(HOST, "/install", Reply("no", 404))
        for days in (1, 2, 3):
            fetch_pages(pages, store, kiln.site.web(), now=lambda days=days: monday + timedelta(days))
        found = store.get(INSTALL)
        assert (found.verdict, found.since, found.fetched) == ("gone", "2026-03-03", "2026-03-02")
        assert store.get(DAMPER).fetched == "2026-03-02"  # other bytes, the same text
        assert b"4711" in store.get(DAMPER).body
        kiln.site.add(HOST, "/install", page("Install", f"Back again. {MORE}"))
        fetch_pages(pages, store, kiln.site.web(), now=lambda: monday + timedelta(4))
        found = store.get(INSTALL)
        assert (found.verdict, found.since, found.fetched) == ("ok", "2026-03-06", "2026-03-06")


def test_a_build_that_was_stopped_asks_for_nothing_twice(kiln: WebBench) -> None:
    """What came before the stop is kept; an hour later everything is asked for again."""
    calls: list[str] = []

    class Stop(Exception):
        pass

    def stopping(done: int, total: int, what: str) -> None:
        if what == "fetching":
            calls.append(what)
            if len(calls) == 3:
                raise Stop

    with pytest.raises(Stop):
        kiln.build(web=kiln.site.web(workers=1), progress=stopping)
    before = len(kiln.site.asked())
    assert before >= 2
    report = kiln.build()
    assert report.added == 3
    paths = [request.path for request in kiln.site.asked()]
    assert len(paths) - before <= 3 - 2 + 1
    kiln.site.requests.clear()
    kiln.build()
    assert len(kiln.site.asked()) == 3


def test_a_slow_site_holds_up_no_writer(kiln: WebBench) -> None:
    """Pages are fetched before the index is locked."""
    from rag_app.index.lock import writing

    locked: list[bool] = []

    def watching(done: int, total: int, what: str) -> None:
        if what == "fetching":
            with writing(kiln.store.path):
                locked.append(True)

    kiln.build(progress=watching)
    assert locked


def test_files_and_pages_stand_in_one_index(kiln: WebBench) -> None:
    """An index may have both; a note about changed files does not count pages as gone."""
    kiln.define(more='[documents]\nfolder = "documents"\nurls = "urls.txt"')
    kiln.write("notes.md", "# Notes\n\nThe shed key hangs behind the door.")
    assert kiln.build().added == 4
    assert changed_documents(kiln.path) == []
    kiln.write("notes.md", "# Notes\n\nThe shed key hangs above the door.")
    assert changed_documents(kiln.path) == ["notes.md"]


def test_access_rules_go_by_url(kiln: WebBench) -> None:
    """A page has the first rule whose pattern matches its URL; without one nobody reads it, whatever it says itself."""
    kiln.define(
        "rules", f'[documents]\nurls = "urls.txt"\n[access]\n"https://{HOST}/guide/*" = {{ access_scope = "public" }}'
    )
    kiln.site.add(HOST, "/install", Reply(f"---\naccess_scope: public\n---\n{MORE * 3}", content_type="text/markdown"))
    assert problems(kiln.build()) == {INSTALL: "nobody"}
    documents = open_index(kiln.path, embedder=TinyEmbedding()).documents(Principal("ana"))
    assert sorted(document.document_id for document in documents) == sorted([FLUE, DAMPER])


def test_a_link_points_to_the_page_behind_it(kiln: WebBench) -> None:
    """The best passage links to a page that was not found: its best passages stand behind, whatever it is called."""
    kiln.site.add(HOST, "/old-flue", moved("/guide/flue"))
    kiln.site.add(
        HOST,
        "/install",
        page("Install", f"The shed stands in the yard, see <a href='/guide/flue'>over there</a>. {MORE}"),
    )
    kiln.write_list(INSTALL, f"https://{HOST}/old-flue", DAMPER)
    kiln.build()
    reader = kiln.open()
    with reader.snapshot() as view:
        rules = view.readable(None)
        [(found, _)] = view.search_words("shed yard", 1, rules)
        links = view.nodes([found])[found].metadata["links"]
    assert links == [f"https://{HOST}/old-flue"]


def test_a_broken_list_is_an_error_before_anything_is_fetched(kiln: WebBench) -> None:
    """No request leaves for an index whose list is not there."""
    (kiln.path / "urls.txt").unlink()
    with pytest.raises(Exception, match="no file"):
        kiln.build()
    assert not kiln.site.requests


def test_trouble_of_one_page_is_no_error_of_the_build(kiln: WebBench) -> None:
    """Whatever a page does, no FetchError comes out of a build."""
    kiln.site.add(HOST, "/guide/flue", Reply(raw=lambda: [b"nonsense\r\n\r\n"]))
    try:
        assert problems(kiln.build()) == {FLUE: "unreachable"}
    except FetchError:
        pytest.fail("a page's trouble ended the build")


def test_a_list_of_which_nothing_comes_says_how_to_find_out(kiln: WebBench) -> None:
    """Where no page of a first build comes, as without a network, the error names one reason and what to run."""
    for name in ("/install", "/guide/flue", "/guide/damper"):
        kiln.site.remove(HOST, name)
    with pytest.raises(BuildError, match=r"No page of .*urls\.txt .*There is no host .*`rag-app urls check "):
        kiln.build()
