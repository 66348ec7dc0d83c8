"""Many pages asked for politely: a pause between two requests to one host, robots.txt obeyed, trouble retried.

robots.txt is read as RFC 9309 says: where it cannot be had because its server fails, nothing of that server is asked
for.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import TypeVar
from urllib.parse import urlsplit

from protego import Protego
from tenacity import RetryCallState, Retrying, retry_if_exception, retry_if_result, stop_after_attempt

from rag_app.errors import FetchDisallowed, FetchError, FetchTimeout, FetchUnreachable, FetchUnsafe
from rag_app.llm import retry_after
from rag_app.pages.fetching.addresses import check_url
from rag_app.pages.fetching.fetch import Connections, Reply, Validators, Web, fetch

ATTEMPTS = 3
_TROUBLED = (429, 500, 502, 503, 504)
_LONGEST_WAIT = 60.0
"""Seconds that a server may ask to be left alone; one that asks for more is not asked again in this run."""
_LONGEST_DELAY = 30.0
_ROBOT = "rag_app"

T = TypeVar("T")


class Visitor:
    """Asks hosts for pages, as a guest. Thread-safe."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self._hosts: dict[str, _Host] = {}
        self._connections: Connections | None = None
        self._lock = threading.Lock()

    def ask(
        self, url: str, *, method: str = "GET", validators: Validators | None = None, attempts: int = ATTEMPTS
    ) -> Reply:
        """The reply to one request, after as many attempts as it takes.

        Raises FetchError as `fetch` does, and FetchDisallowed where robots.txt asks to stay away.
        """
        host = self._host(url)
        host.check_allowed(url, self._robots)
        return self._ask(host, url, attempts, method, validators)

    def _ask(self, host: "_Host", url: str, attempts: int, method: str, validators: Validators | None) -> Reply:
        def once() -> Reply:
            host.wait_turn()
            return fetch(url, self.web, method=method, validators=validators, connections=self._connections)

        def pause(state: RetryCallState) -> float:
            seconds = _pause(state)
            host.hold(seconds)
            return seconds

        retrying = Retrying(
            stop=stop_after_attempt(attempts),
            retry=retry_if_exception(lambda error: isinstance(error, FetchError) and error.transient)
            | retry_if_result(lambda reply: reply.status in _TROUBLED and _asked_pause(reply) <= _LONGEST_WAIT),
            wait=pause,
            sleep=self.web.sleep,
            retry_error_callback=lambda state: state.outcome.result(),  # type: ignore[union-attr]
        )
        return retrying(once)

    def _robots(self, host: "_Host") -> Protego | FetchError:
        try:
            reply = self._ask(host, f"https://{host.name}/robots.txt", ATTEMPTS, "GET", None)
        except FetchError as error:
            return _without_robots(host.name, error)
        if reply.status >= 500 or reply.status == 429:
            return FetchUnreachable(
                f"{host.name} answers {reply.status} for robots.txt, so nothing of it is asked for."
            )
        return Protego.parse(reply.body.decode("utf-8", "replace") if reply.status == 200 else "")

    def sitemaps(self, host: str) -> list[str]:
        """The sitemaps that a host's robots.txt names, in their one spelling; [] where it cannot be had."""
        robots = self._host(f"https://{host}/").robots(self._robots)
        if isinstance(robots, FetchError):
            return []
        found: list[str] = []
        for url in robots.sitemaps:
            with suppress(FetchUnsafe):
                found.append(check_url(url))
        return found

    def each(self, urls: Iterable[str], what: Callable[[str], T]) -> Iterator[T]:
        """What a function makes of each URL, as it gets ready, several at the same time and no host at a disadvantage.

        An exception of the function ends it all.
        """
        by_host: dict[str, list[str]] = {}
        for url in urls:
            by_host.setdefault(urlsplit(url).netloc, []).append(url)
        mixed = [url for url in chain.from_iterable(zip_longest(*by_host.values())) if url is not None]
        with (
            self._connected(),
            ThreadPoolExecutor(self.web.workers, thread_name_prefix="pages") as pool,
        ):
            running: set[Future[T]] = {pool.submit(what, url) for url in mixed}
            try:
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                for future in running:
                    future.cancel()

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Keeps connections from one request to the next."""
        with closing(Connections(self.web)) as self._connections:
            try:
                yield
            finally:
                self._connections = None

    def _host(self, url: str) -> "_Host":
        name = urlsplit(url).netloc
        with self._lock:
            return self._hosts.setdefault(name, _Host(name, self.web))


@dataclass(slots=True)
class _Host:
    """When a host may be asked again, and for what."""

    name: str
    web: Web
    _next: float = 0.0
    _robots: Protego | FetchError | None = None
    _robots_lock: threading.Lock = field(default_factory=threading.Lock)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _delay: float | None = None

    def wait_turn(self) -> None:
        """Returns when it is this request's turn."""
        with self._lock:
            now = self.web.clock()
            turn = max(now, self._next)
            self._next = turn + (self.web.delay if self._delay is None else self._delay)
        if turn > now:
            self.web.sleep(turn - now)

    def hold(self, seconds: float) -> None:
        """Asks for nothing from this host for a while."""
        with self._lock:
            self._next = max(self._next, self.web.clock() + seconds)

    def check_allowed(self, url: str, read: "Callable[[_Host], Protego | FetchError]") -> None:
        """Raises FetchDisallowed where robots.txt says no, and what kept robots.txt from being read."""
        robots = self.robots(read)
        if isinstance(robots, FetchError):
            raise robots
        if not robots.can_fetch(url, _ROBOT):
            raise FetchDisallowed(f"robots.txt of {self.name} asks programs not to fetch it.", url=url)

    def robots(self, read: "Callable[[_Host], Protego | FetchError]") -> Protego | FetchError:
        """What robots.txt says, or what kept it from being read; it is asked for once."""
        with self._robots_lock:
            if self._robots is None:
                self._robots = read(self)
                if isinstance(self._robots, Protego):
                    asked = self._robots.crawl_delay(_ROBOT)
                    self._delay = None if asked is None else max(self.web.delay, min(float(asked), _LONGEST_DELAY))
            return self._robots


def _without_robots(host: str, error: FetchError) -> FetchError:
    """Why nothing of a host is asked for whose robots.txt did not come: said of that file, unless it is true of all."""
    if "host" in error.details and not error.details["hop"]:  # there is no such host, or it is none to be asked
        return error
    kind = FetchTimeout if isinstance(error, FetchTimeout) else FetchUnreachable
    return kind(f"robots.txt of {host} cannot be had, so nothing of it is asked for. {error}")


def _pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: what the server asked for, else 1, 2, 4 and so on."""
    outcome = state.outcome
    asked = 0.0 if outcome is None or outcome.failed else _asked_pause(outcome.result())
    return max(asked, 2.0 ** (state.attempt_number - 1))


def _asked_pause(reply: Reply) -> float:
    """Seconds that Retry-After asks for, given as a number or a date; 0 without any."""
    return retry_after.seconds_of(reply.headers.get("retry-after")) or 0.0
