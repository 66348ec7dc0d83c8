"""The page to try an index, and its JSON interface.

    POST /ask                {"question": "...", "as_of": "2025-03-01"}: an answer; as server-sent events where the
                             request accepts `text/event-stream` (see `rag_app.serve.sent`). In a conversation also
                             "history": [] first, then what the reply before gave as "history"
    GET  /search?q=...&k=5   passages
    GET  /documents/ID       a document: JSON, or a page with a place marked (`?start=10&end=20`) where HTML is accepted
    GET  /                   the page

Errors are `{"error": "a sentence"}` with status 400 (the request is wrong), 401 (it does not say who asks), 404 (there
is no such document that the asker may read, or no such address), 405 (another method is meant) or 503 (something
failed while answering).
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent_encoded

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag_app.answer import Answer, Quote
from rag_app.document import Document
from rag_app.errors import AskerUnknown, DocumentMissing, RagAppError, UsageError
from rag_app.opened import OpenIndex
from rag_app.respond.events import Done, Event
from rag_app.serve.askers import Askers
from rag_app.serve.requested import day_of, fetched, found_passages
from rag_app.serve.sent import named, server_sent
from rag_app.serve.turns import messages_of, turns_of
from rag_app.show.brief import brief
from rag_app.show.html.answer_html import as_html
from rag_app.show.html.links import link_to
from rag_app.show.html.style import escaped, fragment, whole_page

_FIELDS = ("question", "as_of", "history")
LONGEST_BODY = 256_000
"""Bytes of a request."""
_COUNTS = frozenset(map(str, range(1, 51)))
"""Passages that may be asked for."""
_PLACE = re.compile(r"[0-9]{1,9}")
_HERE = Path(__file__).parent
_LOG = logging.getLogger(__name__)
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}


def application(index: OpenIndex, askers: Askers, *, hosts: list[str] | None = None, **options: Any) -> Starlette:
    """The ASGI application over an open index.

    Args:
        askers: say who sent a request.
        hosts: names by which the server may be called; None: by any. On loopback, a list keeps pages of the web from
            reaching the server under a name of theirs.
        options: those of `OpenIndex.as_query_engine`.
    """
    routes = _Routes(index, askers, options)
    guards = [Middleware(_Guarded)]
    if hosts is not None:
        guards.append(Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False))
    files = {"/": "ask_page.html", "/ask_page.js": "ask_page.js", "/ask_page.css": "ask_page.css"}
    return Starlette(
        routes=[
            Route("/ask", routes.ask, methods=["POST"]),
            Route("/search", routes.search),
            Route("/documents/{document_id:path}", routes.document),
            *(Route(path, _file(name)) for path, name in files.items()),
        ],
        middleware=guards,
        exception_handlers={RagAppError: _trouble, HTTPException: _no_such_door, Exception: _unexpected},
    )


class _Routes:
    def __init__(self, index: OpenIndex, askers: Askers, options: dict[str, Any]) -> None:
        self.index = index
        self.askers = askers
        self.options = options

    async def ask(self, request: Request) -> Response:
        principal = self.askers.principal(request.headers)
        said = await _json_body(request)
        if unknown := sorted(said.keys() - _FIELDS):
            raise UsageError(f"There is no field {unknown[0]!r}; there are: {', '.join(_FIELDS)}.")
        question, as_of, turns = said.get("question"), day_of(said.get("as_of")), said.get("history")
        if not isinstance(question, str):
            raise UsageError('Send a question as text: {"question": "..."}.')
        if turns is not None and as_of is not None:
            raise UsageError("A conversation is asked of the documents in force today: leave as_of or history out.")
        if turns is None:
            engine = self.index.as_query_engine(principal, **self.options)
            events, whole = engine.astream(question, as_of=as_of), _whole
        else:
            chat = self.index.as_chat_engine(principal, **self.options)
            events = chat.astream(question, messages_of(turns))

            def whole(answer: Answer) -> dict[str, Any]:
                return {**_whole(answer), "history": turns_of(chat.chat_history)}

        if "text/event-stream" in request.headers.get("accept", ""):
            return StreamingResponse(_streamed(events, whole), media_type="text/event-stream")
        answered = [whole(event.response.answer) async for event in events if isinstance(event, Done)]
        return JSONResponse({name: value for name, value in answered[0].items() if name != "html"})

    async def search(self, request: Request) -> Response:
        principal = self.askers.principal(request.headers)
        question, k = request.query_params.get("q", ""), request.query_params.get("k", "5")
        if k not in _COUNTS:
            raise UsageError(f"k is a number from 1 to 50, not {k[:20]!r}.")
        passages = await run_in_threadpool(found_passages, self.index, principal, question, int(k))
        return JSONResponse({"passages": passages})

    async def document(self, request: Request) -> Response:
        principal = self.askers.principal(request.headers)
        document = await run_in_threadpool(fetched, self.index, principal, request.path_params["document_id"])
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(_document_page(document, request))
        return JSONResponse(
            {
                "document_id": document.document_id,
                "title": document.title,
                "text": document.text,
                "source": document.source,
                "version": document.version,
                "effective_date": document.effective_date.isoformat() if document.effective_date else None,
            }
        )


async def _streamed(events: AsyncIterator[Event], whole: Callable[[Answer], dict[str, Any]]) -> AsyncIterator[str]:
    try:
        async for event in events:
            yield server_sent(event, whole)
    except RagAppError as error:
        yield named("trouble", {"error": str(error)})
    except Exception:  # noqa: BLE001  the status was sent already: this is the only way left to say it
        _LOG.exception("A question failed.")
        yield named("trouble", {"error": "Something failed while answering; the server's log says what."})


def _whole(answer: Answer) -> dict[str, Any]:
    return {**brief(answer), "html": as_html(answer, link=_link)}


def _link(quote: Quote) -> str:
    """A page of the web opens itself; another document the text that the index holds, at the quote."""
    document_id = percent_encoded(quote.document_id, safe="")
    return link_to(quote) or f"/documents/{document_id}?start={quote.start}&end={quote.end}#quote"


def _document_page(document: Document, request: Request) -> str:
    """The text with the place that the address names marked in it."""
    at = [request.query_params.get(name, "") for name in ("start", "end")]
    start, end = (int(place) for place in at) if all(map(_PLACE.fullmatch, at)) else (0, 0)
    text = document.text
    shown = escaped(text)
    if start < end <= len(text):
        marked = f'<mark id="quote">{escaped(text[start:end])}</mark>'
        shown = f"{escaped(text[:start])}{marked}{escaped(text[end:])}"
    return whole_page(document.title, fragment(f'<div class="ra-passage" dir="auto">{shown}</div>', document.title))


async def _json_body(request: Request) -> dict[str, Any]:
    """Raises UsageError where the body is too long or is not a JSON object."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise UsageError("Send JSON: Content-Type: application/json.")  # which no form of another page can send
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise UsageError(f"A request may have {LONGEST_BODY:,} bytes.")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UsageError("The request is not JSON.") from error
    if not isinstance(said, dict):
        raise UsageError('Send an object: {"question": "..."}.')
    return said


def _file(name: str):
    async def send(request: Request) -> Response:
        return FileResponse(_HERE / name)

    return send


async def _trouble(request: Request, error: Exception) -> Response:
    status = 503
    if isinstance(error, UsageError):
        status = {AskerUnknown: 401, DocumentMissing: 404}.get(type(error), 400)
    return JSONResponse({"error": str(error)}, status)


async def _no_such_door(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": f"{request.method} {request.url.path}: {error.detail}."}, error.status_code)


async def _unexpected(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "Something failed while answering; the server's log says what."}, 500)


class _Guarded:
    """Adds what keeps a reply private and a page from running anything but its own script."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self.app(scope, receive, guarded if scope["type"] == "http" else send)
