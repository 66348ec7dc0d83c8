"""A search service on loopback that speaks Tavily's wire format, for the real client; and pages for it to find."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

KEY = "tvly-test-0123456789"


@dataclass
class Reply:
    """What the service answers."""

    body: Any
    """An object for JSON, or bytes as they are."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds before each piece of the body."""
    pieces: int = 1


Answering = Callable[[dict[str, Any]], Reply]


class Service:
    """A running service: its address, and what it was asked."""

    def __init__(self, answering: Answering) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self._answering = answering

    @property
    def queries(self) -> list[str]:
        return [request["query"] for request in self.requests]

    def reply(self, path: str, headers: dict[str, str], body: bytes) -> Reply:
        if path != "/search":
            return Reply({"detail": {"error": f"no such path {path}"}}, 404)
        self.headers.append(headers)
        self.requests.append(json.loads(body))
        return self._answering(self.requests[-1])


@contextmanager
def serving(answering: Answering | list[Reply] | Reply) -> Iterator[Service]:
    """Serves what a function makes of each request, the replies of a list in turn, or one reply always."""
    if isinstance(answering, Reply):
        only = answering
        service = Service(lambda _: only)
    elif isinstance(answering, list):
        left = iter(answering)
        service = Service(lambda _: next(left))
    else:
        service = Service(answering)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = service.reply(self.path, dict(self.headers.items()), sent)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            size = -(-len(body) // reply.pieces) or 1
            try:
                for start in range(0, len(body), size):
                    time.sleep(reply.pause)
                    self.wfile.write(body[start : start + size])
                    self.wfile.flush()
            except OSError:
                pass  # the client has given up

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def found(*results: dict[str, Any]) -> Reply:
    """A reply with results, in the service's form."""
    return Reply({"query": "", "results": list(results), "response_time": 0.8, "request_id": "0"})


def page(url: str, title: str, text: str, **more: Any) -> dict[str, Any]:
    """A result whose whole page the service has."""
    return {"url": url, "title": title, "content": text[:200], "raw_content": text, "score": 0.8, **more}


LEAGUE = page(
    "https://www.stuff.co.nz/sport/league/warriors-coach",
    "Warriors coach signs on for three more years",
    "The Warriors have extended the contract of head coach Andrew Webster until the end of 2029.\n\n"
    "The Auckland rugby league club announced the deal at Mt Smart Stadium on Tuesday. Webster said that he wanted to "
    "win a first NRL title for the club.\n\nThe Warriors finished sixth in the NRL this season.",
    published_date="Tue, 04 Nov 2025 06:00:00 GMT",
)
BASKETBALL = page(
    "https://www.espn.com/nba/story/warriors-trade",
    "Warriors trade rocks the NBA",
    "The Golden State Warriors traded two players on Tuesday. Stephen Curry said that the team needed a change.\n\n"
    "The Warriors play the Lakers at Chase Center on Friday night.",
)
AT_HOME_ABOUT_THE_OTHERS = page(
    "https://www.nzherald.co.nz/sport/basketball/golden-state-warriors-beat-lakers",
    "Golden State Warriors beat Lakers",
    "The Golden State Warriors beat the Lakers by twelve points. Stephen Curry scored 38 points in the NBA game.",
)
