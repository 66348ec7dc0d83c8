"""Recordings of the web search benchmark: one JSON file a case, in the wire format of the service, with the verdicts of
the day it was frozen; and the server on loopback that plays the service from one.

A recording is either of the service itself, or constructed: written by hand in its format, of invented events. Which
one stands in the file. `docs/design/search-bench.md` says how they are compared and refrozen.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Literal

from rag_app.errors import DefinitionError
from rag_app.web.search import WebResult

KEY_FIELDS = (
    "query", "topic", "search_depth", "time_range", "include_domains", "exclude_domains", "country", "max_results",
)  # fmt: skip
"""Fields of a request that distinguish it from another one."""
RECORDINGS = "recordings"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request and what the service replied to it."""

    request: dict[str, Any]
    reply: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that a case needs to be replayed, and what came of it when it was frozen."""

    case: str
    origin: Literal["constructed", "recorded"]
    note: str
    """Where it comes from, in a sentence."""
    classifier: str | None
    """What the language model of the gate replied; None: the rules of the profile made the query alone."""
    searches: tuple[Recorded, ...]
    expects: tuple[str, ...] = ()
    """Verdicts that a replay may end with, where the recording shows a search that fails; empty: those of the case."""
    verdicts: dict[str, Any] = field(default_factory=dict)
    """See `judging.frozen`; {} before it is frozen for the first time."""


def recording_path(folder: Path, region: str, case: str) -> Path:
    return folder / region / RECORDINGS / f"{case}.json"


def load_recording(path: Path) -> Recording:
    """Reads a recording. Raises DefinitionError where it is missing or wrong; the message names the file."""
    try:
        fields = json.loads(path.read_text("utf-8"))
        searches = tuple(Recorded(**one) for one in fields.pop("searches"))
        fields["expects"] = tuple(fields.get("expects", ()))
        recording = Recording(searches=searches, **fields)
    except OSError as error:
        raise DefinitionError(f"The recording {path} cannot be read: {error.strerror}.", path=str(path)) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DefinitionError(f"{path} is not a valid recording: {error}.", path=str(path)) from error
    if recording.origin not in ("constructed", "recorded"):
        raise DefinitionError(f"{path} must say whether it was constructed or recorded.", path=str(path))
    return recording


def save_recording(path: Path, recording: Recording) -> None:
    """Writes a recording; at no moment is there half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    half.write_text(json.dumps(asdict(recording), ensure_ascii=False, indent=1) + "\n", "utf-8")
    half.replace(path)


def key_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """What of a request body distinguishes it, without what is empty."""
    return {field: request[field] for field in KEY_FIELDS if request.get(field) not in (None, [], (), "")}


def wire_reply(query: str, results: list[WebResult]) -> dict[str, Any]:
    """Results as the service sends them, in its documented fields."""
    return {
        "query": query,
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": [_wire_result(result) for result in results],
        "response_time": 0.0,
        "request_id": "",
    }


def _wire_result(result: WebResult) -> dict[str, Any]:
    wire = {
        "url": result.url,
        "title": result.title,
        "content": result.content,
        "score": result.score,
        "raw_content": result.raw_content,
    }
    return wire | ({"published_date": result.published} if result.published else {})


class ReplayServer(ThreadingHTTPServer):
    """Plays the search service on loopback from one recording.

    A request that the recording does not hold is refused with 400. With `in_order` its n-th request gets the n-th reply
    whatever it asks for: so a constructed recording is bound to the requests of the code as it is now.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, recording: Recording, *, in_order: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.recording = recording
        self.in_order = in_order
        self.asked: list[Recorded] = []
        """What was asked and replied, in order."""
        self.unknown: list[dict[str, Any]] = []
        """Requests that the recording does not hold."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def reply_to(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        key, searches = key_of(body), self.recording.searches
        if self.in_order and len(self.asked) < len(searches):
            found = searches[len(self.asked)].reply
        else:
            found = next((one.reply for one in searches if key_of(one.request) == key), None)
        if found is None:
            self.unknown.append(key)
            return None
        found = {**found, "query": key.get("query", "")}
        self.asked.append(Recorded(key, found))
        return found

    def rebound(self) -> Recording:
        """The recording, bound to the requests that were made; replies that nobody asked for stay, behind them."""
        return replace(self.recording, searches=(*self.asked, *self.recording.searches[len(self.asked) :]))


class _Handler(BaseHTTPRequestHandler):
    server: ReplayServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.reply_to(body)
        data = json.dumps(reply or {"detail": {"error": "not in the recording"}}).encode()
        self.send_response(200 if reply else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def replaying(recording: Recording, *, in_order: bool = False) -> Iterator[ReplayServer]:
    """A server for one recording, on a free port."""
    server = ReplayServer(recording, in_order=in_order)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
