"""Local servers that speak the providers' wire formats: Bedrock Converse, Bedrock InvokeModel, chat completions.

A server gives its scripted answers in turn, the last one for ever, and keeps the requests it received.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Condition, Event, Thread
from typing import Any
from urllib.parse import unquote


@dataclass(frozen=True)
class Sent:
    """One answer of a server."""

    body: Any
    """Sent as JSON; bytes as they are."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Nothing is sent before the server closes."""
    together: Barrier | None = None
    """Nothing is sent before as many requests as this are there at once."""


@dataclass
class Received:
    """One request to a server."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Server(ThreadingHTTPServer):
    """Listens on loopback, on a free port."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, *script: Sent) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.received: list[Received] = []
        self.lock = Condition()
        self.closing = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def wait_for(self, number: int) -> None:
        """Returns when this many requests have arrived; fails if they do not."""
        with self.lock:
            assert self.lock.wait_for(lambda: len(self.received) >= number, timeout=20), "a request never arrived"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up at their deadline are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            sent = self.server.script[min(len(self.server.received), len(self.server.script) - 1)]
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.received.append(Received(unquote(self.path), headers, json.loads(body)))
            self.server.lock.notify_all()
        if sent.hangs:
            self.server.closing.wait(30)
            return
        if sent.together:
            sent.together.wait(20)
        data = sent.body if isinstance(sent.body, bytes) else json.dumps(sent.body).encode()
        self.send_response(sent.status)
        for name, value in {"Content-Type": "application/json", **sent.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def serving(*script: Sent) -> Iterator[Server]:
    server = Server(*script)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


REQUEST_ID = "5d0c3d4e-0000-4000-8000-000000000001"


def converse(
    text: str | None = "Tea.",
    *,
    stop: str = "end_turn",
    tool: dict[str, Any] | None = None,
    usage: dict[str, int] | None = None,
    **how: Any,
) -> Sent:
    """A reply of Bedrock's Converse."""
    content: list[dict[str, Any]] = [] if text is None else [{"text": text}]
    if tool is not None:
        content.append({"toolUse": {"toolUseId": "tooluse_1", "name": "reply", "input": tool}})
    body = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop,
        "usage": usage or {"inputTokens": 41, "outputTokens": 7, "totalTokens": 48},
        "metrics": {"latencyMs": 12},
    }
    return Sent(body, headers={"x-amzn-requestid": REQUEST_ID}, **how)


def titan(text: str = "Tea.", reason: str = "FINISH", **how: Any) -> Sent:
    """A reply of Bedrock's InvokeModel, by a Titan model."""
    body = {
        "inputTextTokenCount": 41,
        "results": [{"tokenCount": 7, "outputText": text, "completionReason": reason}],
    }
    headers = {
        "x-amzn-requestid": REQUEST_ID,
        "x-amzn-bedrock-input-token-count": "41",
        "x-amzn-bedrock-output-token-count": "7",
    }
    return Sent(body, headers=headers, **how)


def aws_error(status: int, code: str, message: str) -> Sent:
    """An error of any AWS service of this protocol."""
    headers = {"x-amzn-requestid": REQUEST_ID, "x-amzn-errortype": f"{code}:http://internal.amazon.com/coral/"}
    return Sent({"__type": code, "message": message}, status, headers)


def completion(
    text: str | None = "Tea.",
    *,
    finish: str = "stop",
    usage: dict[str, int] | str | None = "given",
    refusal: str | None = None,
    **how: Any,
) -> Sent:
    """A reply of chat completions; `usage=None` leaves the figures out, as some local servers do."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1760000000,
        "model": "local",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
                "finish_reason": finish,
                "logprobs": None,
            }
        ],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": 41, "completion_tokens": 7, "total_tokens": 48} if usage == "given" else usage
    return Sent(body, headers={"x-request-id": REQUEST_ID}, **how)


def openai_error(status: int, code: str | None, message: str, **headers: str) -> Sent:
    """An error of chat completions."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Sent(body, status, {"x-request-id": REQUEST_ID, **headers})
