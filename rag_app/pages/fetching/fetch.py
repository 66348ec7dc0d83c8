"""One page from the web, safely: https only, public addresses only, at every redirect, within limits of size and time.

The name is resolved once for a connection, every address is looked at, and the connection goes to one of just these
addresses; the certificate is checked against the name. httpcore is used directly: it follows no redirect, keeps no
cookie, asks no proxy (which would resolve names itself, behind our back) and leaves the network to us.
"""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

import httpcore

from rag_app.errors import FetchError, FetchTimeout, FetchUnreachable
from rag_app.pages.fetching.addresses import Resolver, check_url, system_resolver
from rag_app.pages.fetching.bodies import ACCEPT_ENCODING, read_body, too_large
from rag_app.pages.fetching.open_web import Connector, Deadline, OpenWeb, Request, tcp
from rag_app.settings import Settings

MAX_REDIRECTS = 5
_KEPT_SECONDS = 15.0
"""For how long a connection waits for the next request to its host; then the host's name is looked up again."""
_PERMANENT, _REDIRECTS = (301, 308), (301, 302, 303, 307, 308)
_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.1"


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


@lru_cache(maxsize=1)
def _agent() -> str:
    return f"rag_app/{version('rag_app')}"  # reads the whole description of the package


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """How the web is reached, and how much of it at most.

    Tests bring a name service, a network, a clock and certificates of their own. What may be asked for is decided
    before any of them is called, and nothing here changes it.
    """

    resolve: Resolver = system_resolver
    connect: Connector = tcp
    ssl_context: ssl.SSLContext | None = None
    """None: certificates that the system trusts."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    """Seconds by which a host's turn is reckoned."""
    seconds: float = 20.0
    """For one page, from the name to the last byte, over all redirects."""
    max_bytes: int = 5_000_000
    """Of a page, packed or unpacked."""
    delay: float = 0.5
    """Seconds between the beginnings of two requests to one host; robots.txt may ask for more."""
    workers: int = 4
    """Requests at the same time, over all hosts."""


def real_web(settings: Settings) -> Web:
    """The open web, with the limits that the settings say."""
    return Web(
        seconds=settings.page_seconds,
        max_bytes=settings.page_bytes,
        delay=settings.page_delay,
        workers=settings.page_workers,
    )


@dataclass(frozen=True, slots=True)
class Validators:
    """What a page that was fetched before is asked about: is it still the same (RFC 9110, 13)."""

    url: str
    """Where it was found; nobody else is asked this way."""
    etag: str = ""
    last_modified: str = ""

    def headers(self, url: str) -> dict[str, str]:
        if url != self.url:
            return {}
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status."""

    url: str
    """The page that was asked for."""
    final_url: str
    """Where the redirects ended."""
    status: int
    headers: Mapping[str, str]
    """By lower-case name; of several with one name the first."""
    body: bytes
    is_moved: bool = False
    """Whether it was reached by redirects that are all permanent."""


class Connections:
    """Connections to the open web, a few of which wait for the next request to their host. Thread-safe.

    Opening one costs more than asking for a small page. One that is kept leads to an address that was looked at.
    """

    def __init__(self, web: Web) -> None:
        self._request = Request()
        self._pool = httpcore.ConnectionPool(
            web.ssl_context or _trusted(),
            max_connections=None,
            max_keepalive_connections=web.workers,
            keepalive_expiry=_KEPT_SECONDS,
            network_backend=OpenWeb(web.resolve, web.connect, self._request),
        )

    @contextmanager
    def stream(
        self, method: str, url: str, headers: Mapping[str, str], deadline: Deadline
    ) -> Iterator[httpcore.Response]:
        """A reply whose body is still to be read. Raises httpcore's errors."""
        with ExitStack() as stack:
            response = None
            while response is None:
                self._request.begin(deadline)
                try:
                    response = stack.enter_context(self._pool.stream(method, url, headers=[*headers.items()]))
                except (httpcore.NetworkError, httpcore.ProtocolError):
                    if self._request.is_new:
                        raise  # else the server had closed the kept connection, which is given up now
            yield response

    def close(self) -> None:
        self._pool.close()


def fetch(
    url: str,
    web: Web,
    *,
    method: str = "GET",
    validators: Validators | None = None,
    connections: Connections | None = None,
) -> Reply:
    """Asks for a page and follows its redirects, none of which may lead off the open web.

    Args:
        connections: to ask over, of the same `web`; None: some of its own, closed at the end.

    Raises:
        FetchUnsafe: the URL or a redirect may not be fetched; `details["hop"]` counts the redirects before.
        FetchTimeout, FetchUnreachable, FetchTooLarge: it did not come, or not as a page should.
    """
    if connections is None:
        with closing(Connections(web)) as own:
            return fetch(url, web, method=method, validators=validators, connections=own)
    deadline = Deadline(web.seconds)
    at, hops, permanent = url, [], True
    try:
        while True:
            at = check_url(at, base=hops[-1] if hops else "")
            if at in hops:
                raise FetchUnreachable("Its redirects lead in a circle.")
            if len(hops) > MAX_REDIRECTS:
                raise FetchUnreachable(f"It redirects more than {MAX_REDIRECTS} times.")
            reply = _ask(at, web, connections, deadline, method, validators)
            hops.append(at)
            target = reply.headers.get("location", "").strip()
            if reply.status not in _REDIRECTS or not target:
                is_moved = len(hops) > 1 and permanent
                return Reply(url, at, reply.status, reply.headers, reply.body, is_moved)
            permanent = permanent and reply.status in _PERMANENT
            at = target.replace(" ", "%20")
    except FetchError as error:
        error.details |= {"url": url, "at": at, "hop": len(hops)}
        raise


def _ask(
    at: str, web: Web, connections: Connections, deadline: Deadline, method: str, validators: Validators | None
) -> Reply:
    """One request, no redirect followed."""
    headers = {
        "User-Agent": _agent(),
        "Accept": _ACCEPT,
        "Accept-Encoding": ACCEPT_ENCODING,
        **(validators.headers(at) if validators else {}),
    }
    with _mapped(at), connections.stream(method, at, headers, deadline) as response:
        received = _headers(response.headers)
        if received.get("content-length", "").isdecimal() and int(received["content-length"][:20]) > web.max_bytes:
            raise too_large(web.max_bytes)
        is_page = method != "HEAD" and response.status == 200
        encoding = received.get("content-encoding", "")
        body = read_body(response.iter_stream(), encoding, web.max_bytes) if is_page else b""
        return Reply(at, at, response.status, received, body)


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in raw:
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        found.setdefault(name.decode("latin-1").lower(), text)
    return found


@contextmanager
def _mapped(at: str) -> Iterator[None]:
    """httpcore's errors as ours."""
    try:
        yield
    except httpcore.TimeoutException as error:
        raise FetchTimeout("It did not come in time.", at=at) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, ssl.SSLError) as error:
        raise FetchUnreachable(f"It cannot be reached: {str(error) or type(error).__name__}.", at=at) from error
