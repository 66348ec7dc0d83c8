"""Hostile addresses, names, redirects and replies: none of them gets a page out of us, or a byte into this network."""

import gzip
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, repeat

import pytest

from rag_app.errors import FetchError, FetchTimeout, FetchTooLarge, FetchUnreachable, FetchUnsafe
from rag_app.pages.fetching.fetch import Reply as Fetched
from rag_app.pages.fetching.fetch import fetch
from tests.site import PUBLIC, LocalSite, Reply, Request, moved, page, serving

DOCS, INNER = "docs.open.example", "inner.open.example"
SECRET = page("Secrets", "The keys of this machine. " * 20)

ADDRESSES = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.1.2.3 169.254.169.254
    169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.7
    203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1
    64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1:: 2002:a9fe:a9fe::1 2001:0:7f00:1::1 2001:db8::1 3fff::1 100::1 5f00::1
    fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::5efe:7f00:1 2606:4700::200:5efe:10.0.0.1
""".split()
"""What a name of the open web must not resolve to."""

SPELLINGS = [
    "http://docs.open.example/",
    "HTTP://docs.open.example/",
    "ftp://docs.open.example/",
    "file:///etc/passwd",
    "gopher://docs.open.example/",
    "data:text/html,hello",
    "javascript:alert(1)",
    "//docs.open.example/",
    "/etc/passwd",
    "https:docs.open.example",
    "https:/docs.open.example",
    "https:///docs.open.example/",
    "https://",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://metadata/",
    "https://127.0.0.1/",
    "https://127.0.0.1./",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://8.8.8.8/",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://①②⑦.⓪.⓪.①/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fe80::1%25eth0]/",
    "https://[::1/",
    "https://docs.open.example:80/",
    "https://docs.open.example:8443/",
    "https://docs.open.example:99999/",
    "https://docs.open.example:/",
    "https://user:password@docs.open.example/",
    "https://docs.open.example@inner.open.example/",
    "https://docs.open.example%40inner.open.example/",
    "https://%31%32%37.0.0.1/",
    "https://docs.open.example%2F@inner.open.example/",
    "https://docs.open.example\\@inner.open.example/",
    "https://inner.open.example\\.docs.open.example/",
    "https://docs.open.example\r\nHost: inner.open.example/",
    "https://docs.open.example/\r\nX-Evil: 1",
    "https://docs.open.example/a b",
    "https://docs.open.example\t/",
    "https://docs.open.example/\x00",
    "https://docs.open.example/%zz",
    "https://.docs.open.example/",
    "https://docs..open.example/",
    "https://-docs.open.example/",
    f"https://{'a' * 64}.example/",
    f"https://docs.open.example/{'a' * 3000}",
]


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with serving() as site:
        for host in (DOCS, INNER, "localhost", "metadata", "127.0.0.1", "8.8.8.8", "::1"):
            site.add(host, "/", SECRET)
            site.add(host, "/secrets", SECRET)
        yield site


@pytest.fixture(autouse=True)
def fresh(site: LocalSite) -> None:
    site.names.clear()
    site.certificates.clear()
    site.dialled.clear()
    site.requests.clear()


def refused(site: LocalSite, url: str, **limits: float) -> FetchError:
    """The error that a fetch ends with; nothing but the open web was dialled."""
    with pytest.raises(FetchError) as caught:
        fetch(url, site.web(**limits))
    assert set(site.dialled) <= {PUBLIC}
    assert caught.value.details["url"] == url
    return caught.value


def test_the_site_answers_who_asks_properly(site: LocalSite) -> None:
    """The cases below fail for their own reasons: the same site gives its page to a plain request."""
    assert fetch(f"https://{DOCS}/secrets", site.web()).status == 200
    assert site.dialled == [PUBLIC]


@pytest.mark.parametrize("url", SPELLINGS)
def test_an_odd_spelling_of_an_address_is_not_asked(site: LocalSite, url: str) -> None:
    """What is not https, port 443 and a plain name is refused before any name is resolved."""
    assert isinstance(refused(site, url), FetchUnsafe)
    assert not site.dialled


@pytest.mark.parametrize("url", [url for url in SPELLINGS if not set(url) & set("\r\n\x00")])  # fit into a header
def test_a_redirect_to_an_odd_spelling_is_not_followed(site: LocalSite, url: str) -> None:
    """A redirect is read as strictly as the list; what is relative in it leads to the same site or nowhere."""
    head = f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"
    site.add(DOCS, "/go", Reply(raw=lambda: [head.encode()]))
    found: Fetched | FetchError
    try:
        found = fetch(f"https://{DOCS}/go", site.web())
    except (FetchUnsafe, FetchUnreachable) as error:
        found = error
    if isinstance(found, FetchUnsafe):
        assert found.details["hop"] == 1
    elif isinstance(found, FetchError):
        assert "circle" in str(found)
    else:  # read as a path of the same site
        assert found.final_url.startswith(f"https://{DOCS}/")
    assert set(site.dialled) == {PUBLIC}
    assert {request.host for request in site.requests} == {DOCS}


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_name_that_resolves_off_the_open_web_is_not_asked(site: LocalSite, address: str) -> None:
    """Private, local, reserved and disguised addresses are refused, alone or beside a good one."""
    for answers in ([address], [PUBLIC, address], [address, PUBLIC]):
        site.names[INNER] = answers
        assert isinstance(refused(site, f"https://{INNER}/secrets"), FetchUnsafe)
    assert not site.dialled


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "fd00:ec2::254"])
def test_a_redirect_off_the_open_web_is_not_followed(site: LocalSite, status: int, address: str) -> None:
    """A good page may lead anywhere; the name that it leads to is looked at like the first."""
    site.names[INNER] = [address]
    site.add(DOCS, "/first", moved("/second", 302))
    site.add(DOCS, "/second", moved(f"https://{INNER}/secrets", status))
    error = refused(site, f"https://{DOCS}/first")
    assert isinstance(error, FetchUnsafe)
    assert error.details["hop"] == 2
    assert {request.host for request in site.requests} == {DOCS}


def test_a_name_that_changes_its_mind_does_not_get_a_second_look(site: LocalSite) -> None:
    """The connection goes to the address that was looked at, whatever the name resolves to a moment later."""
    answers = chain([[PUBLIC]], repeat(["127.0.0.1"]))
    web = site.web()
    rebinding = type(web)(resolve=lambda _: next(answers), connect=web.connect, ssl_context=web.ssl_context)
    assert fetch(f"https://{DOCS}/secrets", rebinding).status == 200
    assert site.dialled == [PUBLIC]
    with pytest.raises(FetchUnsafe):
        fetch(f"https://{DOCS}/secrets", rebinding)
    assert site.dialled == [PUBLIC]


def test_a_proxy_from_the_environment_is_not_asked(site: LocalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would resolve the name itself, behind the back of the rule."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert fetch(f"https://{DOCS}/secrets", site.web()).status == 200


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BOMB = 50_000_000


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def packed(encoding: str, data: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: [HEAD + f"Content-Encoding: {encoding}\r\nContent-Length: {len(data)}\r\n\r\n".encode(), data]


def bare_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return squeeze.compress(data) + squeeze.flush()


def slowly(head: bytes, drop: bytes) -> Callable[[], Iterator[bytes]]:
    def drops() -> Iterator[bytes]:
        yield head
        while True:
            time.sleep(0.02)
            yield drop

    return drops


HOSTILE: dict[str, tuple[Callable[[], Iterable[bytes]], type[FetchError]]] = {
    "a gzip bomb": (packed("gzip", gzip.compress(b"\0" * BOMB)), FetchTooLarge),
    "a bomb in many gzip files": (packed("gzip", gzip.compress(b"\0" * 100_000) * 50), FetchTooLarge),
    "a zlib bomb": (packed("deflate", zlib.compress(b"\0" * BOMB)), FetchTooLarge),
    "a bare deflate bomb": (packed("deflate", bare_deflate(b"\0" * BOMB)), FetchTooLarge),
    "packed twice": (packed("gzip, gzip", gzip.compress(gzip.compress(b"\0" * BOMB))), FetchUnreachable),
    "packed in a way nobody asked for": (packed("br", b"\x8b\x03\x80hello"), FetchUnreachable),
    "packed badly": (packed("gzip", b"not gzip at all"), FetchUnreachable),
    "a packed page that breaks off": (packed("gzip", gzip.compress(SECRET.encode())[:-20]), FetchUnreachable),
    "a page that is too long": (lambda: [HEAD + b"Content-Length: 900000000\r\n\r\n"], FetchTooLarge),
    "a page without end": (lambda: chain([HEAD + b"\r\n"], repeat(b"x" * 65536)), FetchTooLarge),
    "chunks without end": (
        lambda: chain([HEAD + b"Transfer-Encoding: chunked\r\n\r\n"], repeat(chunk(b"x" * 65536))),
        FetchTooLarge,
    ),
    "a page shorter than it says": (lambda: [HEAD + b"Content-Length: 5000\r\n\r\n", b"x" * 100], FetchUnreachable),
    "two lengths": (lambda: [HEAD + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello"], FetchUnreachable),
    "a head without end": (
        lambda: chain([HEAD], (b"X-%d: %s\r\n" % (n, b"y" * 500) for n in count())),
        FetchUnreachable,
    ),
    "hints without end": (lambda: repeat(b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"), FetchTimeout),
    "a head that drips": (slowly(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), FetchTimeout),
    "a body that drips": (slowly(HEAD + b"\r\n", b"x"), FetchTimeout),
    "silence": (slowly(b"", b""), FetchTimeout),
    "nothing at all": (lambda: [], FetchUnreachable),
    "no HTTP": (lambda: [b"SSH-2.0-OpenSSH_9.2\r\n"], FetchUnreachable),
    "a smuggled second reply": (
        lambda: [b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nHTTP/1.1 200 OK"],
        FetchUnreachable,
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_reply_comes_to_an_end(site: LocalSite, name: str) -> None:
    """Bombs, floods, drips and broken replies end in their error, within the limits of size and time."""
    raw, error = HOSTILE[name]
    site.add(DOCS, "/hostile", Reply(raw=raw))
    limits = {"max_bytes": 1_000_000, "seconds": 0.5 if error is FetchTimeout else 10.0}
    assert type(refused(site, f"https://{DOCS}/hostile", **limits)) is error


def test_redirects_in_a_circle_or_without_end_are_given_up(site: LocalSite) -> None:
    """A circle is seen as one, and a chain has five links at most."""
    site.add(DOCS, "/a", moved("/b"))
    site.add(DOCS, "/b", moved("/a"))
    assert "circle" in str(refused(site, f"https://{DOCS}/a"))

    def on(request: Request) -> Reply:
        return moved(f"/on?{len(site.requests)}")

    site.requests.clear()
    for number in range(20):
        site.add(DOCS, f"/on?{number}", on)
    assert isinstance(refused(site, f"https://{DOCS}/on?0"), FetchUnreachable)
    assert len(site.requests) == 6


def test_a_certificate_for_another_name_is_not_accepted(site: LocalSite) -> None:
    """The server that answers has to prove that the name is theirs."""
    site.certificates[DOCS] = "other.open.example"
    error = refused(site, f"https://{DOCS}/secrets")
    assert isinstance(error, FetchUnreachable)
    assert "ertificate" in str(error)
    assert not site.requests


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(site: LocalSite) -> None:
    """With the certificates that the system trusts, the test's own authority is unknown."""
    web = site.web()
    with pytest.raises(FetchUnreachable, match="ertificate"):
        fetch(f"https://{DOCS}/secrets", type(web)(resolve=web.resolve, connect=web.connect))


def test_a_name_service_that_hangs_is_given_up(site: LocalSite) -> None:
    """The time for a page begins with its name."""
    web = site.web()
    hanging = type(web)(resolve=lambda _: time.sleep(2) or [PUBLIC], connect=web.connect, seconds=0.2)
    with pytest.raises(FetchTimeout):
        fetch(f"https://{DOCS}/secrets", hanging)


def test_a_name_that_does_not_exist_is_unreachable(site: LocalSite) -> None:
    """No such name is trouble with the list or the network, not a page that is gone."""
    assert isinstance(refused(site, "https://nobody.open.example/"), FetchUnreachable)
