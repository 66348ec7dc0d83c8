"""Many pages, politely: robots.txt, pauses, retries and how many at a time."""

import threading
import time
from collections.abc import Iterator

import pytest

from rag_app.errors import FetchDisallowed, FetchError, FetchTimeout, FetchUnreachable
from rag_app.pages.fetching.visit import Visitor
from tests.site import LocalSite, Reply, Request, page, serving

DOCS, OTHER = "docs.calm.example", "api.calm.example"
OPEN = f"https://{DOCS}/a"


@pytest.fixture
def site() -> Iterator[LocalSite]:
    with serving() as site:
        site.add(DOCS, "/a", page("A", "Words."))
        site.add(OTHER, "/a", page("A", "Words."))
        yield site


def after(*replies: Reply) -> "Iterator[Reply]":
    """One reply after the other, the last one for ever."""
    yield from replies
    while True:
        yield replies[-1]


def scripted(*replies: Reply):
    script = after(*replies)
    return lambda request: next(script)


def test_robots_txt_is_asked_for_once_and_obeyed(site: LocalSite) -> None:
    """The longest rule counts, for all programs or for ours by name (RFC 9309)."""
    rules = "User-agent: *\nDisallow: /private/\nAllow: /private/open\nDisallow: /*.py$\n"
    site.add(DOCS, "/robots.txt", Reply(rules, content_type="text/plain"))
    for path in ("/private/open", "/private/x", "/x.py", "/x.pyi"):
        site.add(DOCS, path, b"text")
    visitor = Visitor(site.web())
    for path in ("/a", "/private/open", "/x.pyi"):
        assert visitor.ask(f"https://{DOCS}{path}").status == 200
    for path in ("/private/x", "/x.py"):
        with pytest.raises(FetchDisallowed):
            visitor.ask(f"https://{DOCS}{path}")
    assert len(site.asked("/robots.txt")) == 1
    assert not site.asked("/private/x")


def test_where_robots_txt_fails_nothing_is_asked_for(site: LocalSite) -> None:
    """A server in trouble is left alone; one without the file allows everything."""
    site.add(DOCS, "/robots.txt", Reply("no", 503))
    with pytest.raises(FetchUnreachable, match=r"503 for robots\.txt"):
        Visitor(site.web()).ask(OPEN)
    assert not site.asked("/a")
    site.add(DOCS, "/robots.txt", Reply("no", 403))
    assert Visitor(site.web()).ask(OPEN).status == 200


def test_there_is_a_pause_between_two_requests_to_one_host(site: LocalSite) -> None:
    """The default pause, or what robots.txt asks for where that is longer; another host does not wait."""
    site.add(DOCS, "/robots.txt", Reply("User-agent: *\nCrawl-delay: 7", content_type="text/plain"))
    visitor = Visitor(site.web(delay=2.0))
    visitor.ask(f"https://{OTHER}/a")
    assert site.waits == [2.0]  # after its robots.txt
    site.waits.clear()
    visitor.ask(OPEN)
    visitor.ask(OPEN)
    assert site.waits == [2.0, 9.0]  # nobody really slept, so that turns pile up


def test_trouble_that_may_pass_is_tried_again(site: LocalSite) -> None:
    """Three attempts, with longer pauses each time; then what came last counts."""
    site.add(DOCS, "/a", scripted(Reply("busy", 503), Reply("busy", 502), Reply("fine")))
    assert Visitor(site.web()).ask(OPEN).body == b"fine"
    assert site.waits == [1.0, 1.0, 2.0, 2.0]  # the request waits, and its host too, since no time passes here
    site.add(DOCS, "/a", Reply("busy", 503))
    assert Visitor(site.web()).ask(OPEN).status == 503
    assert len(site.asked("/a")) == 6


def test_a_page_that_is_gone_is_not_tried_again(site: LocalSite) -> None:
    """An answer is an answer."""
    assert Visitor(site.web()).ask(f"https://{DOCS}/none").status == 404
    assert len(site.asked("/none")) == 1


def test_a_connection_that_breaks_is_tried_again(site: LocalSite) -> None:
    """What httpcore reports as broken is trouble that may pass."""
    site.add(DOCS, "/a", scripted(Reply(raw=lambda: []), Reply("fine")))
    assert Visitor(site.web()).ask(OPEN).body == b"fine"


@pytest.mark.parametrize(("said", "waited"), [("4", 4), ("0", 1), ("Fri, 01 Jan 2021 00:00:00 GMT", 1), ("soon", 1)])
def test_the_server_says_when_to_come_back(site: LocalSite, said: str, waited: int) -> None:
    """Retry-After is a number of seconds or a date; nonsense is passed over."""
    site.add(DOCS, "/a", scripted(Reply("later", 429, {"Retry-After": said}), Reply("fine")))
    assert Visitor(site.web()).ask(OPEN).body == b"fine"
    assert waited in site.waits


def test_a_host_that_asks_for_a_break_gets_it_from_all_pages(site: LocalSite) -> None:
    """Other pages of the host wait as well, and pages of other hosts do not."""
    site.add(DOCS, "/a", scripted(Reply("later", 503, {"Retry-After": "40"}), Reply("fine")))
    site.add(DOCS, "/b", "b")
    visitor = Visitor(site.web())
    visitor.ask(OPEN)
    site.waits.clear()
    visitor.ask(f"https://{OTHER}/a")
    assert site.waits == []
    visitor.ask(f"https://{DOCS}/b")
    assert site.waits == [40.0]


def test_a_server_that_asks_for_too_much_patience_is_left_alone(site: LocalSite) -> None:
    """An hour is not waited for: the reply is handed on at once."""
    site.add(DOCS, "/a", Reply("later", 429, {"Retry-After": "3600"}))
    assert Visitor(site.web()).ask(OPEN).status == 429
    assert len(site.asked("/a")) == 1


def test_a_timeout_is_an_error_after_all_attempts(site: LocalSite) -> None:
    """It is reported as what it was."""

    def hang() -> Iterator[bytes]:
        time.sleep(0.6)
        yield b""

    site.add(DOCS, "/a", Reply(raw=hang))
    with pytest.raises(FetchTimeout):
        Visitor(site.web(seconds=0.2)).ask(OPEN, attempts=2)
    assert len(site.asked("/a")) == 2


def test_no_more_pages_are_asked_for_at_a_time_than_allowed(site: LocalSite) -> None:
    """Hosts take turns, and every page comes out once."""
    running, most, lock = 0, 0, threading.Lock()

    def slow(request: Request) -> Reply:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return Reply("x")

    urls = [f"https://{host}/{n}" for host in (DOCS, OTHER) for n in range(8)]
    for url in urls:
        host, _, path = url.removeprefix("https://").partition("/")
        site.add(host, f"/{path}", slow)
    visitor = Visitor(site.web(workers=3))
    order: list[str] = []

    def ask(url: str) -> str:
        order.append(url)
        return visitor.ask(url).url

    assert sorted(visitor.each(urls, ask)) == sorted(urls)
    assert most <= 3
    assert {DOCS in url for url in order[:2]} == {True, False}


def test_an_error_of_ours_ends_the_run(site: LocalSite) -> None:
    """Trouble with a page is a value; trouble with the program is not hidden."""

    def broken(url: str) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(Visitor(site.web()).each([OPEN] * 3, broken))


def test_an_error_is_a_fetch_error(site: LocalSite) -> None:
    """A host without a name is reported with its URL."""
    with pytest.raises(FetchError) as caught:
        Visitor(site.web()).ask("https://nobody.calm.example/")
    assert caught.value.details["host"] == "nobody.calm.example"


def test_pages_of_a_host_share_connections(site: LocalSite) -> None:
    """A connection serves one page after another; one that the server closed in the meantime costs no page."""
    urls = [f"https://{DOCS}/{n}" for n in range(12)]
    for n in range(12):
        close = {"Connection": "close"} if n == 5 else {}
        site.add(DOCS, f"/{n}", Reply(f"page {n}", headers=close))
    visitor = Visitor(site.web(workers=2))
    found = {reply.url: reply.body for reply in visitor.each(urls, visitor.ask)}
    assert found == {url: f"page {n}".encode() for n, url in enumerate(urls)}
    assert len(site.dialled) <= 4  # two at a time, one in place of the one that was closed, and one for robots.txt


def test_a_kept_connection_that_breaks_is_replaced(site: LocalSite) -> None:
    """What is wrong with a connection that was kept is no trouble of the page: it is asked for over another one."""
    site.add(DOCS, "/odd", Reply("ok, and more than was said", headers={"Content-Length": "2"}))
    visitor = Visitor(site.web(workers=1))
    bodies = list(visitor.each([f"https://{DOCS}/odd"] * 3, lambda url: visitor.ask(url).body))
    assert bodies == [b"ok"] * 3
    assert site.waits == []  # nobody waited for it as for trouble of the site
