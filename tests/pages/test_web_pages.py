"""Verdicts on pages: what can be indexed, and why not."""

import time
from collections.abc import Iterator

import pytest

from rag_app.pages.fetching.fetch import Validators
from rag_app.pages.fetching.visit import Visitor
from rag_app.pages.web_pages import Inspector, Visit
from tests.site import LocalSite, Reply, moved, page, serving

HOST = "docs.judged.example"
TEXT = "The kiln is vented through the upper flue, and the damper is shut at dusk by whoever leaves last. " * 4
LOGIN = "<main><h1>Sign in</h1><form>Name <input name=n> Password <input type=password></form></main>"
ERROR = page(
    "Where next", "We looked everywhere and there is nothing to see at this address, so here are our best pages. " * 2
)


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as site:
        site.add(HOST, "/good", page("Good", TEXT))
        site.add(HOST, "/", page("Home", TEXT))
        site.add("inner.judged.example", "/", page("Secret", TEXT))
        site.names["inner.judged.example"] = ["10.0.0.7"]
        yield site


def visit(site: LocalSite, path: str, head_first: bool = False, **limits: float) -> Visit:
    inspector = Inspector(Visitor(site.web(**limits)))
    return inspector.visit(f"https://{HOST}{path}", head_first=head_first)


CASES: dict[str, tuple[object, str, str]] = {
    "a page": (page("A", TEXT), "ok", ""),
    "a file": (TEXT.encode(), "ok", ""),
    "moved for good": (moved("/good"), "moved", "list that address"),
    "moved for now": (moved("/good", 302), "ok", ""),
    "not there": (Reply("no", 404), "gone", "404"),
    "taken away": (Reply("no", 410), "gone", "410"),
    "moved to nowhere": (moved("/nowhere"), "gone", "404"),
    "for members": (Reply("no", 401), "blocked", "401"),
    "forbidden": (Reply("no", 403), "blocked", "403"),
    "too many requests": (Reply("no", 429), "blocked", "429"),
    "a login": (LOGIN, "blocked", "password"),
    "a failing server": (Reply("no", 500), "unreachable", "500"),
    "a redirect to nothing": (Reply("", 302), "unreachable", "302"),
    "unchanged, says a server that nobody asked": (Reply("", 304), "unreachable", "304"),
    "an empty reply": (Reply("", 204), "unreachable", "204"),
    "a picture": (Reply(b"\x89PNG", content_type="image/png"), "not a page", "image/png"),
    "an archive": (Reply(b"PK\x03\x04", content_type="text/html"), "not a page", "zip"),
    "an error that says 200": (page("404 Not Found", "Sorry."), "soft 404", "404 Not Found"),
    "another": (page("Page not found · Docs", TEXT[:300]), "soft 404", "Page not found"),
    "led home": (moved("/", 302), "soft 404", "home page"),
    "a shell": ("<body><div id=root></div><script src=app.js></script></body>", "too thin", "0 words"),
    "a signpost": ("<meta http-equiv=refresh content='0;url=/good'><p>Moved.</p>", "too thin", "leads on to"),
    "too long": (page("Long", "word " * 60_000), "too large", "200,000 bytes"),
    "led inside": (moved("https://inner.judged.example/"), "unsafe redirect", "10.0.0.7"),
    "led to http": (moved(f"http://{HOST}/good"), "unsafe redirect", "only https"),
    "kept away": ("never", "blocked", "robots.txt"),
}


@pytest.mark.parametrize("head_first", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_page_gets_its_verdict(site: LocalSite, name: str, head_first: bool) -> None:
    """With or without asking for the head first, and with a reason that says what to do."""
    answer, verdict, reason = CASES[name]
    path = "/kept/away" if name == "kept away" else "/guide/case"
    site.add(HOST, "/robots.txt", Reply("User-agent: *\nDisallow: /kept", content_type="text/plain"))
    site.add(HOST, path, answer)  # type: ignore[arg-type]
    found = visit(site, path, head_first, max_bytes=200_000)
    assert (found.verdict, reason in found.reason) == (verdict, True), found.reason
    assert (found.page is not None) == (verdict in ("ok", "moved"))


def test_a_page_that_never_comes_is_a_timeout(site: LocalSite) -> None:
    """After all attempts."""

    def hang() -> Iterator[bytes]:
        time.sleep(0.5)
        yield b""

    site.add(HOST, "/slow", Reply(raw=hang))
    assert visit(site, "/slow", seconds=0.2).verdict == "timeout"


def test_addresses_that_may_not_be_asked(site: LocalSite) -> None:
    """An unsafe name and a name that does not exist are told apart."""
    inspector = Inspector(Visitor(site.web()))
    assert inspector.visit("https://inner.judged.example/").verdict == "unsafe address"
    assert inspector.visit("https://nobody.judged.example/").verdict == "unreachable"


def test_a_site_that_answers_anything_is_found_out(site: LocalSite) -> None:
    """A page with the words that the site shows for an address that cannot exist is no page; one probe per host."""
    catch_all = lambda request: Reply(ERROR)  # noqa: E731
    site.add(HOST, "/old", catch_all)
    nowhere = site.web()
    inspector = Inspector(Visitor(nowhere))
    assert inspector.visit(f"https://{HOST}/old").verdict == "ok"  # the site says 404 where nothing is
    site.fallback = catch_all
    inspector = Inspector(Visitor(nowhere))
    assert inspector.visit(f"https://{HOST}/old").verdict == "soft 404"
    assert inspector.visit(f"https://{HOST}/older").verdict == "soft 404"
    assert inspector.visit(f"https://{HOST}/good").verdict == "ok"
    probes = [request for request in site.asked() if request.path not in ("/old", "/older", "/good")]
    assert len(probes) == 2  # one for each inspector


def test_bad_news_from_the_head_are_not_believed(site: LocalSite) -> None:
    """Servers that cannot answer HEAD are asked for the page itself."""
    for status in (404, 405, 403, 500, 501):
        site.add(
            HOST, "/odd", lambda r, status=status: Reply("", status) if r.method == "HEAD" else Reply(page("A", TEXT))
        )
        assert visit(site, "/odd", head_first=True).verdict == "ok"


def test_a_head_that_tells_enough_saves_the_body(site: LocalSite) -> None:
    """A video is not loaded to learn that it is none to read."""
    site.add(HOST, "/film", Reply(b"x" * 1000, content_type="video/mp4"))
    assert visit(site, "/film", head_first=True).verdict == "not a page"
    assert [request.method for request in site.asked("/film")] == ["HEAD"]


def test_a_page_that_is_as_it_was_is_not_sent_again(site: LocalSite) -> None:
    """Validators are sent to where the page was found, and to nobody else."""
    first = visit(site, "/good")
    assert first.reply is not None
    known = Validators(first.reply.final_url, first.reply.headers["etag"])
    site.add(HOST, "/moved", moved("/good"))
    again = Inspector(Visitor(site.web())).visit(f"https://{HOST}/moved", known)
    assert (again.verdict, again.is_unchanged, again.page) == ("moved", True, None)
    assert "if-none-match" not in site.asked("/moved")[0].headers
    assert site.asked("/good")[-1].headers["if-none-match"] == known.etag


def test_unchanged_is_believed_only_of_the_page_that_is_kept(site: LocalSite) -> None:
    """A page that now leads elsewhere is not the one that is kept, whatever is said there."""
    first = visit(site, "/good")
    assert first.reply is not None
    known = Validators(first.reply.final_url, first.reply.headers["etag"])
    site.add(HOST, "/good", moved("/other"))
    site.add(HOST, "/other", Reply("", 304))
    again = Inspector(Visitor(site.web())).visit(f"https://{HOST}/good", known)
    assert (again.verdict, again.is_unchanged) == ("unreachable", False)


@pytest.mark.parametrize(
    ("robots", "verdict"),
    [
        (Reply("User-agent: *\n" + "Disallow: /x\n" * 20_000, content_type="text/plain"), "unreachable"),
        (moved(f"http://{HOST}/robots.txt"), "unreachable"),
        (moved("/robots.txt"), "unreachable"),
        (Reply(raw=lambda: [time.sleep(1.0) or b""]), "timeout"),
    ],
    ids=["huge", "led to http", "in a circle", "hangs"],
)
def test_trouble_with_robots_txt_is_told_as_such(site: LocalSite, robots: Reply, verdict: str) -> None:
    """It is not said of the page, which nobody asked for."""
    site.add(HOST, "/robots.txt", robots)
    found = visit(site, "/good", max_bytes=200_000, seconds=0.5)
    assert (found.verdict, found.reason.startswith(f"robots.txt of {HOST} cannot be had")) == (verdict, True)
    assert not site.asked("/good")
