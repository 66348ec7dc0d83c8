"""The Tavily search API, through its own client.

The client fits, with a session of ours under it. It merges 403, 432 and 433 into one exception and drops Retry-After:
a hook reads the status first. It limits each read rather than the whole call: the call runs in a thread that is given
up in time, which serves asyncio as well. Without a key it would search "keyless", and it takes a reply without results
for an empty one: both are refused here. One session a call, since a session is not made for several threads.
"""

import asyncio
import importlib.util
import os
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_app.errors import (
    SearchError,
    SearchQuota,
    SearchRejected,
    SearchReplyMalformed,
    SearchThrottled,
    SearchTimeout,
    SearchUnavailable,
    SearchUnreachable,
)
from rag_app.llm import retry_after
from rag_app.llm.threads import start
from rag_app.web.search import SearchRequest, WebResult

if TYPE_CHECKING:
    from requests import Response, Session

KEY = "TAVILY_API_KEY"
_LONGEST = 200
_BY_STATUS: dict[int, tuple[type[SearchError], str, str]] = {
    400: (SearchRejected, "did not take the search", "look at what it says"),
    401: (SearchRejected, "does not know the key", f"check {KEY}"),
    403: (SearchRejected, "does not allow this search", "look at what the key's plan includes"),
    408: (SearchTimeout, "did not reply in time", "ask again, or allow more time"),
    429: (SearchThrottled, "takes no more searches for now", "wait a moment, or raise the limit of the key"),
    432: (SearchQuota, "has no more searches in this plan", "raise the plan, or wait until it is renewed"),
    433: (SearchQuota, "has reached the limit of pay-as-you-go", "raise that limit"),
    504: (SearchTimeout, "did not reply in time", "ask again, or allow more time"),
}


class _Result(BaseModel):
    """One result, as the service documents it."""

    model_config = ConfigDict(extra="ignore")

    url: str
    title: str | None = None
    content: str | None = None
    raw_content: str | None = None
    published_date: str | None = None
    score: float | None = None


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    results: list[_Result]


class TavilyBackend:
    """A `SearchBackend` over Tavily.

    Args:
        api_key: left out: the environment variable TAVILY_API_KEY. It stands in no error, trace or recording.
        base_url: of the service, or of what stands in for it.

    Raises:
        SearchUnavailable: there is no key, or the extra `web` is not installed.
    """

    name = "tavily"

    def __init__(self, *, api_key: str | None = None, base_url: str = "https://api.tavily.com") -> None:
        if importlib.util.find_spec("tavily") is None:
            raise SearchUnavailable("Searching the web needs the extra `web`: pip install 'rag_app[web]'.")
        key = (api_key if api_key is not None else os.environ.get(KEY, "")).strip()
        if not key:
            raise SearchUnavailable(f"Searching the web needs a key of Tavily: set the environment variable {KEY}.")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise SearchUnavailable(f"The key in {KEY} holds characters that no key has: copy it again.")
        self._key = key
        self._base_url = base_url.rstrip("/")

    def search(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        """What is found. Raises SearchError, of its kinds."""
        try:
            return start(self._search, request, seconds).result(seconds)
        except TimeoutError:
            raise self._timeout(seconds) from None

    async def asearch(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        """As `search`, without holding up the event loop."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(start(self._search, request, seconds))
        except TimeoutError:
            raise self._timeout(seconds) from None

    def _search(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        from requests import Session
        from requests import exceptions as error
        from tavily import TavilyClient
        from tavily.errors import TimeoutError as ClientTimeout
        from urllib3.exceptions import ReadTimeoutError

        with Session() as session:
            self._prepare(session)
            client = TavilyClient(api_key=self._key, api_base_url=self._base_url, session=session)
            try:
                return _read(client.search(**arguments_of(request), timeout=seconds))
            except (ClientTimeout, error.Timeout):
                raise self._timeout(seconds) from None
            except (error.InvalidURL, error.MissingSchema, error.InvalidSchema):
                raise self._error(
                    SearchRejected, "has an address that is not valid", "check RAG_APP_TAVILY_URL"
                ) from None
            except error.RequestException as trouble:
                if any(isinstance(cause, ReadTimeoutError) for cause in trouble.args):  # within the body
                    raise self._timeout(seconds) from None
                cause = f"cannot be reached ({type(trouble).__name__})"
                raise self._error(SearchUnreachable, cause, "look at its address and the network") from None
            except ValidationError as trouble:
                where = ".".join(str(part) for part in trouble.errors()[0]["loc"])
                what = f"sent a reply whose {where} is not of its form"
                raise self._error(SearchReplyMalformed, what, "see that its address is right") from None

    def _prepare(self, session: "Session") -> None:
        session.auth = lambda request: request  # else an entry in ~/.netrc would replace the key
        session.hooks["response"] = [self._check]

    def _check(self, response: "Response", *_: Any, **__: Any) -> None:
        """Every status but 200 as an error of ours. A redirect is one too: the key goes nowhere else."""
        status = response.status_code
        if status == 200:
            return self._check_form(response)
        kind, what, remedy = _BY_STATUS.get(status) or (
            (SearchUnreachable, "failed", "try again later, or look at its status page")
            if status >= 500
            else (SearchRejected, "did not take the search", "see that its address is right")
        )
        said = self._said(response)
        cause = f"HTTP {status}" + (f": {said}" if said else "")
        raise self._error(
            kind,
            f"{what} ({cause})",
            remedy,
            status=status,
            retry_after=retry_after.seconds_of(response.headers.get("retry-after")),
        )

    def _check_form(self, response: "Response") -> None:
        """The client takes a reply without results for one that found none."""
        try:
            body = response.json()
        except (ValueError, RecursionError):
            raise self._error(SearchReplyMalformed, "sent what is no JSON", "see that its address is right") from None
        if not isinstance(body, dict) or "results" not in body:
            raise self._error(SearchReplyMalformed, "sent a reply without results", "see that its address is right")

    def _said(self, response: "Response") -> str:
        """The service's own words, on one line, without the key."""
        try:
            detail = response.json()["detail"]
            said = detail.get("error") if isinstance(detail, dict) else detail
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
        line = " ".join(str(said or "").split()).replace(self._key, "…").rstrip(".")
        return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"

    def _timeout(self, seconds: float) -> SearchTimeout:
        return SearchTimeout(
            f"The search service {self.name} did not reply within {seconds:.3g} seconds: ask again, or raise the "
            "setting web_seconds.",
            backend=self.name,
            status=None,
        )

    def _error(self, kind: type[SearchError], what: str, remedy: str, **details: Any) -> SearchError:
        details = {"backend": self.name, "status": None, **details}
        return kind(f"The search service {self.name} {what}: {remedy}.", **details)


def arguments_of(request: SearchRequest) -> dict[str, Any]:
    """Keyword arguments of the client; what is None is not sent."""
    return {
        "query": request.query,
        "topic": request.topic,
        "search_depth": request.depth,
        "time_range": request.time_range,
        "include_domains": list(request.include_domains) or None,
        "exclude_domains": list(request.exclude_domains) or None,
        "country": request.country if request.country and request.topic == "general" else None,
        "max_results": request.max_results,
        "include_raw_content": "markdown",
        "include_answer": False,
    }


def _read(reply: object) -> list[WebResult]:
    found = _Reply.model_validate(reply).results
    return [
        WebResult(
            url=one.url,
            title=one.title or "",
            content=one.content or "",
            raw_content=one.raw_content,
            published=one.published_date,
            score=one.score,
        )
        for one in found
    ]
