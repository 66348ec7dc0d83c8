"""`urls coverage`: the list against the site, section by section."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_app.building import build_index
from rag_app.errors import FetchError, UsageError
from rag_app.pages.coverage import Coverage, measure_coverage
from rag_app.testing import TinyEmbedding
from tests.site import LocalSite, Reply, Request, page, serving

HOST = "docs.whole.example"
SITE = f"https://{HOST}/"
TEXT = "The kiln is vented through the upper flue, and the damper is shut at dusk by whoever leaves last. "
PAGES = ["", "install", "guide/", "guide/flue.html", "guide/damper", "api/kiln", "api/flue", "api/damper", "api/x/deep"]
XML = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(*urls: str) -> Reply:
    locations = "".join(f"<url><loc>\n {url} </loc><priority>1</priority></url>" for url in urls)
    return Reply(f"<?xml version='1.0'?><urlset {XML}>{locations}</urlset>", content_type="application/xml")


def sitemap_index(*urls: str) -> Reply:
    locations = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return Reply(f"<sitemapindex {XML}>{locations}</sitemapindex>", content_type="application/xml")


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as site:
        for number, name in enumerate(PAGES):
            site.add(HOST, f"/{name}", page(f"Page {number}", f"{TEXT} Number {number}."))
        site.add(
            HOST, "/sitemap.xml", sitemap(*(SITE + name for name in PAGES), SITE + "logo.png", "https://o.example/x")
        )
        yield site


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "index.toml").write_text(
        '[index]\nname = "x"\ndescription = "x"\naccess = "open"\n[documents]\nurls = "urls.txt"\n'
    )
    listed = ("install", "guide/index.html", "guide/flue", "api/kiln", "secret")
    (tmp_path / "urls.txt").write_text("".join(f"{SITE}{name}\n" for name in listed))
    return tmp_path


def sections(report: Coverage) -> dict[str, tuple[int, int]]:
    [of_site] = report.sections.values()
    return {section.name: (section.listed, section.on_site) for section in of_site}


WHOLE = {"": (1, 2), "api": (1, 4), "guide": (2, 3)}


def test_gaps_are_told_by_section(index: Path, site: LocalSite) -> None:
    """Slashes, suffixes and index pages make no difference; what the site does not name is reported too."""
    report = measure_coverage(index, site.web())
    assert sections(report) == WHOLE
    assert [s.missing for s in report.sections[SITE]] == [
        (SITE,),
        (f"{SITE}api/damper", f"{SITE}api/flue", f"{SITE}api/x/deep"),
        (f"{SITE}guide/damper",),
    ]
    assert report.not_on_site == (f"{SITE}secret",)
    assert (report.listed, report.documents, report.no_document) == (5, None, ())
    assert f"not listed: {SITE}api/flue" in str(report)


def test_sitemaps_are_found_wherever_they_are(index: Path, site: LocalSite) -> None:
    """Named in robots.txt, in an index of sitemaps, packed, as plain text, with broken ones among them."""
    half = len(PAGES) // 2
    packed = sitemap(*(SITE + name for name in PAGES[half:])).body
    assert isinstance(packed, str)
    site.add(HOST, "/robots.txt", Reply(f"Sitemap: {SITE}maps.xml\nSitemap: http://x/", content_type="text/plain"))
    site.add(HOST, "/maps.xml", sitemap_index(*(SITE + f"map-{n}" for n in range(4)), SITE + "maps.xml"))
    site.add(HOST, "/map-0", "\n".join(SITE + name for name in PAGES[:half]).encode())
    site.add(HOST, "/map-1", Reply(gzip.compress(packed.encode()), content_type="application/gzip"))
    site.add(HOST, "/map-2", Reply("<urlset><url>", content_type="application/xml"))
    site.remove(HOST, "/sitemap.xml")
    found = measure_coverage(index, site.web())
    assert sections(found) == WHOLE
    assert [note.partition(":")[2].split()[0] for note in found.notes] == [f"//{HOST}/map-2", f"//{HOST}/map-3"]
    assert "was left out" in str(found)


def test_more_sitemaps_than_are_read_are_told(index: Path, site: LocalSite) -> None:
    """Sitemaps that lead on and on end somewhere, and the report says so."""

    def nested(request: Request) -> Reply:
        number = int(request.path.removeprefix("/map-"))
        return sitemap_index(*(f"{SITE}map-{number * 2 + n}" for n in (1, 2)))

    for number in range(200):
        site.add(HOST, f"/map-{number}", nested)
    site.add(HOST, "/robots.txt", Reply(f"Sitemap: {SITE}sitemap.xml\nSitemap: {SITE}map-0", content_type="text/plain"))
    found = measure_coverage(index, site.web())
    assert sections(found) == WHOLE
    assert "more than 50 sitemaps" in "".join(found.notes)


def test_a_page_of_contents_serves_where_there_is_no_sitemap(index: Path, site: LocalSite) -> None:
    """Its links count, in navigation too."""
    links = "".join(f"<li><a href='/{name}#top'>x</a></li>" for name in PAGES)
    site.add(HOST, "/contents", f"<nav><ul>{links}</ul></nav><p><a href='mailto:a@b.example'>x</a></p>")
    site.remove(HOST, "/sitemap.xml")
    with pytest.raises(FetchError, match="--contents"):
        measure_coverage(index, site.web())
    report = measure_coverage(index, site.web(), contents=f"{SITE}contents")
    assert sections(report) == {**WHOLE, "": (1, 3)}


@pytest.mark.parametrize(
    "bomb",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://x.example/&f;</loc></url></urlset>',
    ],
)
def test_a_hostile_sitemap_reads_nothing_and_grows_nothing(index: Path, site: LocalSite, bomb: str) -> None:
    """Entities stay what they are."""
    site.add(HOST, "/sitemap.xml", Reply(bomb, content_type="application/xml"))
    with pytest.raises(FetchError, match="no page under"):
        measure_coverage(index, site.web())


def test_the_part_of_a_site_can_be_named(index: Path, site: LocalSite) -> None:
    """Only its pages count, and its folders are the sections."""
    report = measure_coverage(index, site.web(), sites=[f"{SITE}api/"])
    assert sections(report) == {"": (1, 3), "x": (0, 1)}


def test_a_site_is_what_its_listed_pages_have_in_common(index: Path, site: LocalSite) -> None:
    """Unless it is named: the folder that all listed pages of a host lie in, for each host."""
    site.add("o.example", "/sitemap.xml", sitemap("https://o.example/a/b", "https://o.example/c"))
    listed = [f"{SITE}api/kiln", f"{SITE}api/x/deep", "https://o.example/a/b"]
    (index / "urls.txt").write_text("\n".join(listed))
    report = measure_coverage(index, site.web())
    assert {found: sum(s.on_site for s in of_site) for found, of_site in report.sections.items()} == {
        f"{SITE}api/": 4,
        "https://o.example/a/": 1,
    }


def test_pages_that_became_no_document_are_named_with_the_reason(index: Path, site: LocalSite) -> None:
    """The reason is that of the last build or check."""
    with (index / "urls.txt").open("a") as file:
        file.write(f"{SITE}twin\nhttp://{HOST}/bad\n")
    site.add(HOST, "/guide/index.html", page("Page 2", f"{TEXT} Number 2."))
    site.add(HOST, "/guide/flue", page("Page 3", f"{TEXT} Number 3."))
    site.add(HOST, "/twin", page("Page 3", f"{TEXT} Number 3."))
    build_index(index, embedder=TinyEmbedding(), web=site.web())
    report = measure_coverage(index, site.web())
    assert report.documents == 4
    assert [url for url, _ in report.no_document] == [f"{SITE}secret", f"{SITE}twin", "urls.txt, line 7"]
    assert [reason[:21] for _, reason in report.no_document] == [
        "The site says that th",
        "It says the same as a",
        "'http://docs.whole.ex",
    ]
    assert not report.ok


@pytest.mark.parametrize(
    ("kind", "pages", "said", "ok"),
    [
        ("library", 29, "1 short of the least of 30", False),
        ("library", 30, "45 to 60 are recommended", True),
        ("library", 45, "as many as recommended", True),
        ("framework", 80, "as many as recommended", True),
        ("platform", 49, "1 short of the least of 50", False),
        ("platform", 91, "more than the recommended 70 to 90", True),
    ],
)
def test_the_size_is_compared_with_what_is_recommended(kind: str, pages: int, said: str, ok: bool) -> None:
    """For the kind that is asked for, or for all of them."""
    report = Coverage(pages, None, {}, (), (), kind)
    assert said in str(report)
    assert report.ok is ok
    assert str(Coverage(pages, None, {}, (), (), None)).count(f"{pages} pages are") == 4


def test_wrong_words_are_told(index: Path, site: LocalSite) -> None:
    """An unknown kind, or contents for several sites."""
    with pytest.raises(UsageError, match="library"):
        measure_coverage(index, site.web(), kind="novel")
    with pytest.raises(UsageError, match="--site"):
        measure_coverage(index, site.web(), sites=[SITE, "https://o.example/"], contents=SITE)
