"""`urls check`: a verdict for every line, drift, and lines made comments only where the page is truly gone."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_app.building import build_index
from rag_app.errors import DefinitionError, UsageError
from rag_app.pages.url_check import UrlCheck, check_urls
from rag_app.testing import TinyEmbedding
from tests.read.test_read_pdf import make_pdf
from tests.site import LocalSite, Reply, Request, moved, page, serving

HOST, OTHER = "docs.listed.example", "api.listed.example"
TEXT = "The kiln is vented through the upper flue, and the damper is shut at dusk by whoever leaves last. "
LIST = f"""\
# Our pages\r
## Start
https://{HOST}/a   # first
https://{HOST}/b
https://{HOST}/a#again
http://{HOST}/c\r
\t https://{HOST}/gone # why
https://{HOST}/soft
https://{HOST}/old
https://{HOST}/twin
"""


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as site:
        for name in "ab":
            site.add(HOST, f"/{name}", page(f"Page {name}", TEXT * 2))
        site.add(HOST, "/twin", page("Page a", TEXT * 2))
        site.add(HOST, "/old", moved("/b"))
        site.add(HOST, "/soft", page("404", "Not here."))
        yield site


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "index.toml").write_text(
        '[index]\nname = "x"\ndescription = "x"\naccess = "open"\n[documents]\nurls = "urls.txt"\n'
    )
    (tmp_path / "urls.txt").write_bytes(LIST.encode())
    return tmp_path


def check(index: Path, site: LocalSite, *, fix: bool = False) -> UrlCheck:
    return check_urls(index, site.web(), fix=fix, now=lambda: datetime(2026, 5, 6, tzinfo=UTC))


def verdicts(report: UrlCheck) -> dict[int, str]:
    return {line.line: line.verdict for line in report.lines}


def test_every_line_has_one_verdict(index: Path, site: LocalSite) -> None:
    """In the order of the file, also where a line repeats another or says nothing that can be asked for."""
    report = check(index, site)
    assert verdicts(report) == {
        3: "ok",
        4: "ok",
        5: "duplicate",
        6: "unsafe address",
        7: "gone",
        8: "soft 404",
        9: "duplicate",
        10: "duplicate",
    }
    assert not report.ok
    assert {line.group for line in report.lines} == {"Start"}
    assert "3 duplicate, 2 ok" in str(report)
    (index / "urls.txt").write_text(f"https://{HOST}/a\nhttps://{HOST}/old\n")
    report = check(index, site)
    assert (verdicts(report), report.ok) == ({1: "ok", 2: "moved"}, True)


def test_a_line_that_is_no_url(index: Path, site: LocalSite) -> None:
    """A line that is not one URL says so; it is no address that would be unsafe. A build says the same."""
    (index / "urls.txt").write_text(f"some words\n{HOST}/a\nhttps://{HOST}/a https://{HOST}/b\nftp://{HOST}/a\n")
    report = check(index, site)
    assert verdicts(report) == {1: "not a URL", 2: "not a URL", 3: "not a URL", 4: "unsafe address"}
    assert [line.url for line in report.lines][:2] == ["some words", f"{HOST}/a"]
    assert all("https://" in line.reason for line in report.lines[:2])
    assert "one URL a line" in report.lines[2].reason


def test_a_mere_list_can_be_checked(index: Path, site: LocalSite) -> None:
    """Without an index, nothing is kept and nothing is written."""
    before = sorted(index.iterdir())
    assert verdicts(check(index / "urls.txt", site)) == verdicts(check(index / "urls.txt", site))
    assert sorted(index.iterdir()) == before


def test_only_what_is_gone_becomes_a_comment(index: Path, site: LocalSite) -> None:
    """With date and status; every other byte stays, also lines that are bad in another way."""
    report = check(index, site, fix=True)
    assert [line.line for line in report.lines if line.is_commented_out] == [7]
    wanted = LIST.replace("\t https", "\t # gone 2026-05-06 (404): https")
    assert (index / "urls.txt").read_bytes() == wanted.encode()
    assert 7 not in verdicts(check(index, site, fix=True))
    assert (index / "urls.txt").read_bytes() == wanted.encode()


def test_a_page_that_is_there_when_asked_again_stays(index: Path, site: LocalSite) -> None:
    """A page that was missing for a moment, while its site was being deployed, is not given up."""

    def flickering(request: Request) -> Reply:
        return Reply(page("Back", TEXT)) if len(site.asked("/gone", "GET")) > 1 else Reply("no", 404)

    site.add(HOST, "/gone", flickering)
    report = check(index, site, fix=True)
    assert verdicts(report)[7] == "gone"
    assert (index / "urls.txt").read_bytes() == LIST.encode()


def test_a_site_that_is_gone_as_a_whole_is_left_alone(index: Path, site: LocalSite) -> None:
    """That all its pages are gone says more about the site than about the pages."""
    lines = [f"https://{OTHER}/{n}" for n in range(3)] + [f"https://{HOST}/gone", f"https://{HOST}/a"]
    (index / "urls.txt").write_text("\n".join(lines))
    site.add(OTHER, "/unlisted", "x")
    report = check(index, site, fix=True)
    assert [line.line for line in report.lines if line.is_commented_out] == [4]
    assert OTHER in "".join(report.notes)


def test_a_site_that_is_nearly_gone_is_left_alone(index: Path, site: LocalSite) -> None:
    """Most pages gone at once look like a new layout of the site, or an error of it: the list is not emptied."""
    lines = [f"https://{HOST}/{name}" for name in ("a", "x", "y", "z", "b", "gone")]
    (index / "urls.txt").write_text("\n".join(lines))
    report = check(index, site, fix=True)
    assert [line.line for line in report.lines if line.is_commented_out] == []
    assert f"4 of the 6 pages of {HOST} are gone" in "".join(report.notes)
    (index / "urls.txt").write_text("\n".join((*lines, f"https://{HOST}/soft", f"https://{HOST}/404")))
    site.add(HOST, "/soft", page("Soft", TEXT))
    site.add(HOST, "/404", page("Four", TEXT))
    site.add(HOST, "/x", page("X", TEXT))
    assert [line.line for line in check(index, site, fix=True).lines if line.is_commented_out] == [3, 4, 6]


def test_a_list_that_is_marked_read_only_is_not_replaced(index: Path, site: LocalSite) -> None:
    """It is reported before anything is asked for."""
    (index / "urls.txt").chmod(0o444)
    with pytest.raises(UsageError, match="cannot be written"):
        check(index, site, fix=True)
    assert not site.requests
    assert (index / "urls.txt").read_bytes() == LIST.encode()


def test_what_changed_since_the_build_is_told_until_the_next(index: Path, site: LocalSite) -> None:
    """Every check tells what the index has otherwise, although the pages were fetched by the check before."""
    (index / "urls.txt").write_text(f"https://{HOST}/a\nhttps://{HOST}/b\n")
    assert check(index, site).drift == ()  # nothing is built
    build_index(index, embedder=TinyEmbedding(), web=site.web())
    assert check(index, site).drift == ()
    site.add(HOST, "/a", page("Page a", TEXT * 3))
    for _ in range(2):
        assert [(page.kind, page.url) for page in check(index, site).drift] == [("changed", f"https://{HOST}/a")]
    site.requests.clear()
    build_index(index, embedder=TinyEmbedding(), web=site.web())
    assert all(request.headers.get("if-none-match") for request in site.asked())  # the check had fetched it
    assert check(index, site).drift == ()


def test_an_index_without_a_list_cannot_be_checked(index: Path, site: LocalSite) -> None:
    """The message gives the line to write."""
    (index / "index.toml").write_text('[index]\nname = "x"\ndescription = "x"\naccess = "open"\n')
    with pytest.raises(DefinitionError, match=r'urls = "urls\.txt"'):
        check(index, site)


def test_a_pdf_is_a_page_in_a_check_too(site: LocalSite, tmp_path: Path) -> None:
    """Its head alone does not decide, whatever type it says."""
    for number, media in enumerate(("application/pdf", "application/octet-stream")):
        site.add(HOST, f"/{number}.pdf", Reply(make_pdf([f"{number}. {TEXT}", TEXT]), content_type=media))
    site.add(HOST, "/photo", Reply(b"x" * 1000, content_type="image/png"))
    (tmp_path / "urls.txt").write_text("".join(f"https://{HOST}/{name}\n" for name in ("0.pdf", "1.pdf", "photo")))
    found = check_urls(tmp_path / "urls.txt", site.web())
    assert [line.verdict for line in found.lines] == ["ok", "ok", "not a page"]
    assert site.asked("/photo", "GET") == []
