"""A web of one's own: an HTTPS server on loopback that plays any number of sites, well or badly behaved.

Nothing in the rules is switched off for it. The name service that it brings says a public address for its hosts, the
rules look at that address, and only then the network that it brings leads the connection to loopback. Certificates are
real, from an authority made for the run, and checked against the names.
"""

import email.utils
import hashlib
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any

import httpcore
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from rag_app.pages.fetching import fetch, open_web
from rag_app.pages.fetching.fetch import Web

PUBLIC = "93.184.215.14"
"""What the name service says for every host of the site. Tests never reach it: the network is the test's own."""
HTML = "text/html; charset=utf-8"
_TYPES = {".html": HTML, ".xml": "application/xml", ".png": "image/png"}


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    method: str
    host: str
    path: str
    headers: dict[str, str]
    """By lower-case name."""


@dataclass(frozen=True)
class Reply:
    """What the site says."""

    body: str | bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = HTML
    raw: Callable[[], Iterable[bytes]] | None = None
    """Instead of all that: the bytes of the reply, head and all, sent as they are made."""


Answer = str | bytes | Reply | Callable[[Request], Reply]


def moved(to: str, status: int = 301) -> Reply:
    """A redirect."""
    return Reply(status=status, headers={"Location": to})


def page(title: str, *paragraphs: str, main: str = "") -> str:
    """A small, tidy HTML page."""
    text = main or "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>{title}</h1>{text}</main><footer><a href='/imprint'>Imprint</a></footer></body></html>"
    )


class LocalSite:
    """What each path of each host answers, what was asked, and how to reach it."""

    def __init__(self, authority: "_Authority") -> None:
        self.requests: list[Request] = []
        self.names: dict[str, list[str]] = {}
        """Host names to addresses, where the name service says something else than `PUBLIC`."""
        self.certificates: dict[str, str] = {}
        """Hosts that show the certificate of another name."""
        self.dialled: list[str] = []
        """Addresses that a connection was opened to."""
        self.fallback: Answer = Reply("<h1>Not found</h1>", 404)
        """What is said for every path that was not added."""
        self.waits: list[float] = []
        """Seconds that somebody slept between requests."""
        self._authority = authority
        self._answers: dict[tuple[str, str], Answer] = {}
        self._lock = Lock()
        self._server = _Server(self, authority)

    def add(self, host: str, path: str, answer: Answer) -> None:
        """Text is HTML, bytes are text/plain; a function is called with each request."""
        self._answers[host, path] = answer

    def remove(self, host: str, path: str) -> None:
        """From now on this is not found."""
        del self._answers[host, path]

    def add_folder(self, host: str, folder: Path) -> None:
        """Serves files: `guide/a.html` as `/guide/a.html` and `/guide/a`, `guide/index.html` as `/guide/` too."""
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                place = "/" + file.relative_to(folder).as_posix()
                answer = Reply(file.read_bytes(), content_type=_TYPES.get(file.suffix, "text/plain; charset=utf-8"))
                for path in {place, place.removesuffix(".html"), place.removesuffix("index.html")}:
                    self.add(host, path, answer)

    def asked(self, path: str = "", method: str = "") -> list[Request]:
        """The requests for a path, or all but those for robots.txt."""
        return [
            request
            for request in self.requests
            if request.path != "/robots.txt" or path == request.path
            if (not path or request.path == path) and (not method or request.method == method)
        ]

    def web(self, **limits: Any) -> Web:
        """How our code reaches this site. It waits for nothing unless `delay` says so, never really sleeps,
        and no time passes between two requests."""
        defaults: dict[str, Any] = {"delay": 0.0, "seconds": 10.0}
        return Web(
            resolve=self._resolve,
            connect=self._connect,
            ssl_context=self._authority.client,
            sleep=self.waits.append,
            clock=lambda: 0.0,
            **{**defaults, **limits},
        )

    def patch(self, monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
        """Lets the command line reach this site."""
        monkeypatch.setattr(fetch, "real_web", lambda *_: self.web(**limits))

    def close(self) -> None:
        self._server.close()

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            found = self._answers.get((request.host, request.path), self.fallback)
        if callable(found):
            found = found(request)
        if isinstance(found, bytes):
            found = Reply(found, content_type="text/plain; charset=utf-8")
        return found if isinstance(found, Reply) else Reply(found)

    def _resolve(self, host: str) -> list[str]:
        hosts = {known for known, _ in self._answers}
        if host not in self.names and host not in hosts:
            raise OSError(f"no such name: {host}")
        return self.names.get(host, [PUBLIC])

    def _connect(self, address: str, port: int, seconds: float) -> httpcore.NetworkStream:
        assert port == 443, "something else than https was asked for"
        self.dialled.append(address)
        return open_web.tcp("127.0.0.1", self._server.server_address[1], seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, site: LocalSite, authority: "_Authority") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self.tls = authority.server(site.certificates)
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def finish_request(self, request: Any, client_address: Any) -> None:
        request.settimeout(20)
        try:
            secured = self.tls.wrap_socket(request, server_side=True)
        except OSError:
            return  # a client that did not like the certificate
        with secured:
            super().finish_request(secured, client_address)  # pyright: ignore[reportArgumentType]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.site.answer(Request(self.command, headers.get("host", ""), self.path, headers))
        if reply.raw is not None:
            self.close_connection = True
            for piece in reply.raw():
                self.wfile.write(piece)
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        own = {"Content-Type": reply.content_type, "ETag": etag, "Content-Length": str(len(body))}
        status = reply.status
        if status == 200 and headers.get("if-none-match") == {**own, **reply.headers}.get("ETag"):
            status, body = 304, b""
        self.send_response(status)
        for name, value in {**own, **reply.headers}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    do_HEAD = do_GET

    def date_time_string(self, timestamp: float | None = None) -> str:
        return email.utils.format_datetime(datetime(2026, 1, 2, tzinfo=UTC), usegmt=True)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class _Authority:
    """Makes certificates, and what trusts them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of this test run")])
        root = self._certificate(self._name, x509.BasicConstraints(ca=True, path_length=0))
        self.client = ssl.create_default_context(cadata=root.public_bytes(serialization.Encoding.PEM).decode())
        self.host = cache(self._host)

    def server(self, shows: Mapping[str, str]) -> ssl.SSLContext:
        """A server's context that shows each host's certificate, or another where `shows` says so."""

        def choose(connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
            connection.context = self.host(shows.get(name or "", name or "nobody.example"))

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = choose
        return context

    def _host(self, name: str) -> ssl.SSLContext:
        common = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:60])])
        certificate = self._certificate(common, x509.SubjectAlternativeName([x509.DNSName(name)]))
        file = self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.pem"
        encoding, no_password = serialization.Encoding.PEM, serialization.NoEncryption()
        key = self._key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, no_password)
        file.write_bytes(certificate.public_bytes(encoding) + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _certificate(self, subject: x509.Name, extension: x509.ExtensionType) -> x509.Certificate:
        now, is_authority = datetime.now(UTC), isinstance(extension, x509.BasicConstraints)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=2))
            .add_extension(extension, critical=is_authority)
            # What strict verification demands, which is the default from Python 3.13 on.
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(_usage(is_authority), critical=True)
            .sign(self._key, hashes.SHA256())
        )


def _usage(is_authority: bool) -> x509.KeyUsage:
    """What a certificate's key may do: sign other certificates, or speak for a host."""
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


@contextmanager
def serving() -> Iterator[LocalSite]:
    """A local site for the time of a block."""
    with TemporaryDirectory(prefix="site-") as folder:
        site = LocalSite(_Authority(Path(folder)))
        try:
            yield site
        finally:
            site.close()
