"""New versions of listed pages: taken, kept aside, accepted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_app.document import Document
from rag_app.errors import UsageError
from rag_app.index.store import Store
from rag_app.pages.page_source import read_pages
from rag_app.pages.page_store import PageStore, StoredPage
from rag_app.pages.updates import accept_pages, fetch_pages
from rag_app.pages.urls import read_list
from tests.read.test_read_pdf import make_pdf
from tests.site import LocalSite, Reply, moved, page, serving

HOST = "docs.kept.example"
PARTS = ["flue", "damper", "burner", "shelf"]
LOST = page(
    "Archive", "An older edition stood at this place and was moved into another building with all of its drawings."
)


def guide(part: str) -> str:
    return page(
        f"The {part}",
        f"The {part} is looked at before every firing by the person who lights the kiln, and again when it has cooled.",
        f"A broken {part} is replaced from the store behind the shed, whose key hangs beside the door of the office.",
    )


class Pages:
    """An index with a list of pages of one site, fetched without building."""

    def __init__(self, folder: Path, site: LocalSite) -> None:
        self.path, self.site = folder, site
        folder.mkdir()
        (folder / "index.toml").write_text(
            '[index]\nname = "kept"\ndescription = "kept"\naccess = "open"\n[documents]\nurls = "urls.txt"\n'
        )
        (folder / "urls.txt").write_text("".join(f"{url(part)}\n" for part in PARTS))
        Store(folder / ".store").create()
        for part in PARTS:
            site.add(HOST, f"/en/{part}", guide(part))

    def fetch(self) -> dict[str, str]:
        with PageStore(Store(self.path / ".store").pages) as store:
            found = fetch_pages(read_list(self.path / "urls.txt"), store, self.site.web())
        return {visit.url.rpartition("/")[2]: visit.verdict for visit in found}

    def known(self, part: str) -> StoredPage:
        with PageStore(Store(self.path / ".store").pages) as store:
            return store.get(url(part))


def url(part: str) -> str:
    return f"https://{HOST}/en/{part}"


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Pages]:
    with serving() as site:
        pages = Pages(tmp_path / "kept", site)
        assert set(pages.fetch().values()) == {"ok"}
        yield pages


def test_what_replaces_a_page_is_named_until_it_is_accepted(kept: Pages) -> None:
    """Every fetch names it and leaves the good version; once accepted it is the page, also when it is fetched again."""
    kept.site.add(HOST, "/en/flue", LOST)
    for _ in range(2):
        assert kept.fetch()["flue"] == "replaced"
        assert "shares almost nothing" in kept.known("flue").reason
        assert b"whose key hangs" in kept.known("flue").body
    assert accept_pages(kept.path, [url("flue")]) == [url("flue")]
    assert b"older edition" in kept.known("flue").body
    assert kept.fetch()["flue"] == "ok"
    with pytest.raises(UsageError, match="no new version"):
        accept_pages(kept.path, [url("flue")])


def test_a_page_that_comes_back_is_the_page_again(kept: Pages) -> None:
    """Nothing is left to accept of what stood there meanwhile."""
    kept.site.add(HOST, "/en/flue", LOST)
    kept.fetch()
    kept.site.add(HOST, "/en/flue", guide("flue"))
    assert kept.fetch()["flue"] == "ok"
    with pytest.raises(UsageError):
        accept_pages(kept.path, [url("flue")])


def test_a_change_of_most_pages_of_a_host_takes_none_of_them(kept: Pages) -> None:
    """Though each for itself may well be a new version; the host is accepted as a whole."""
    for part in PARTS[:3]:
        site_like = page(
            f"The {part}", f"The {part} is looked at before every firing, says the new owner of the works."
        )
        kept.site.add(HOST, f"/en/{part}", site_like.replace("</p>", f" Ask {part} people for drawings of it.</p>", 1))
    found = kept.fetch()
    assert set(found.values()) == {"site changed", "ok"}, [kept.known(part).reason for part in PARTS]
    assert list(found.values()).count("site changed") == 3
    assert len(accept_pages(kept.path, [], host=HOST)) == 3
    assert set(kept.fetch().values()) == {"ok"}


def test_one_text_for_many_pages_is_none_of_theirs(tmp_path: Path) -> None:
    """Where nothing is known of them either and they ask for something; a number and the address make no difference."""
    with serving() as site:
        pages = Pages(tmp_path / "kept", site)
        for n, part in enumerate(PARTS):
            text = (
                f"You asked for /en/{part}, which this house shows to its guests in the reading room only. Ticket {n}."
            )
            site.add(
                HOST,
                f"/en/{part}",
                page(
                    "House rules",
                    text,
                    *["It is for members only, who come and see us in the old mill behind the church."] * 5,
                ),
            )
        assert set(pages.fetch().values()) == {"replaced"}
        assert pages.known("flue").body == b""


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (f"https://id.kept.example/u/enter?back=https%3A%2F%2F{HOST}%2Fen%2Fflue", "blocked"),
        (f"https://{HOST}/login", "blocked"),
        (f"https://{HOST}/de/flue", "blocked"),
        (f"https://{HOST}/en/flue-and-chimney", "ok"),
    ],
)
def test_where_a_redirect_leads(kept: Pages, target: str, verdict: str) -> None:
    """To what stands before the page, or to another language, it is not followed into the index."""
    place = target.split("/", 3)
    there = guide("flue").replace("office", "porch") if verdict == "ok" else LOST
    kept.site.add(place[2], "/" + place[3], there)
    kept.site.add(HOST, "/en/flue", moved(target, 302))
    assert kept.fetch()["flue"] == verdict


def test_a_feed_is_named_as_one(kept: Pages) -> None:
    """Whatever type its server gives it."""
    for media in ("application/rss+xml", "text/xml", "text/html"):
        body = "<?xml version='1.0'?><!-- news --><rss version='2.0'><channel><title>News</title></channel></rss>"
        kept.site.add(HOST, "/en/flue", Reply(body, content_type=media))
        assert kept.fetch()["flue"] == "not a page"
        assert "feed" in kept.known("flue").reason


def test_an_encoding_that_only_the_page_declares(kept: Pages) -> None:
    """A page without a charset in its head is read as its meta element says."""
    text = guide("flue").replace("<head>", '<head><meta charset="windows-1251">').replace("shed", "сарай")
    kept.site.add(HOST, "/en/flue", Reply(text.encode("cp1251"), content_type="text/html"))
    assert kept.fetch()["flue"] == "ok"
    assert "сарай".encode("cp1251") in kept.known("flue").body


def test_a_pdf_in_the_list_is_read(kept: Pages) -> None:
    """With its pages, by the reader of files."""
    lines = [
        "The damper is shut at dusk by the person who leaves last,",
        "and opened before the first firing of the day,",
    ]
    data = make_pdf(lines, ["when the flue has been looked at and the log was written."], title="Damper rules")
    kept.site.add(HOST, "/en/new.pdf", Reply(data, content_type="application/pdf"))
    (kept.path / "urls.txt").write_text(f"https://{HOST}/en/new.pdf\n")
    assert kept.fetch() == {"new.pdf": "ok"}
    with PageStore(Store(kept.path / ".store").pages) as store:
        [document] = read_pages(read_list(kept.path / "urls.txt"), store, {})
    assert isinstance(document, Document)
    assert (document.title, len(document.page_starts)) == ("Damper rules", 2)
    assert "shut at dusk" in document.text
