"""The network, as far as pages may be fetched from it: only to addresses that were looked at, and only for so long."""

import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpcore

from rag_app.pages.fetching.addresses import Resolver, public_addresses

Connector = Callable[[str, int, float], httpcore.NetworkStream]
"""Opens a connection to an IP address and port, within so many seconds."""

T = TypeVar("T")


def tcp(address: str, port: int, seconds: float) -> httpcore.NetworkStream:
    """A connection over the network."""
    return httpcore.SyncBackend().connect_tcp(address, port, timeout=seconds)


class Deadline:
    """The moment at which patience ends. Limits for each read would let a page come one byte a second for ever."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds, more than none; raises httpcore.TimeoutException after the end."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore.TimeoutException
        return left

    def wait_for(self, call: Callable[[], T]) -> T:
        """The result of a call that knows no time limit, such as the system's look-up of a name."""
        done: list[T | BaseException] = []

        def run() -> None:
            try:
                done.append(call())
            except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
                done.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self.left())
        if not done:
            raise httpcore.TimeoutException
        if isinstance(done[0], BaseException):
            raise done[0]
        return done[0]


class Request(threading.local):
    """The request that a thread is making. A connection may serve requests of several threads, one after the other."""

    deadline: Deadline
    is_new: bool = False
    """Whether a connection was opened for it."""

    def begin(self, deadline: Deadline) -> None:
        self.deadline, self.is_new = deadline, False


class OpenWeb(httpcore.NetworkBackend):
    """The network as far as pages may be fetched from it."""

    def __init__(self, resolve: Resolver, connect: Connector, request: Request) -> None:
        self._resolve = resolve
        self._connect = connect
        self._request = request

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        deadline = self._request.deadline
        self._request.is_new = True
        addresses = deadline.wait_for(lambda: public_addresses(host, self._resolve))
        for number, address in enumerate(addresses, start=1):
            share = deadline.left() / (len(addresses) - number + 1)
            try:
                return _Timed(self._connect(address, port, share), self._request)
            except (httpcore.NetworkError, httpcore.TimeoutException):
                if number == len(addresses):
                    raise
        raise httpcore.ConnectError(f"{host} has no address")

    def connect_unix_socket(self, path: str, *_: Any, **__: Any) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("pages are not fetched from sockets of this machine")


class _Timed(httpcore.NetworkStream):
    """A connection that is given up at the deadline of the request that it serves."""

    def __init__(self, stream: httpcore.NetworkStream, request: Request) -> None:
        self._stream = stream
        self._request = request

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._request.deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._request.deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._request.deadline.left())
        return _Timed(secured, self._request)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
