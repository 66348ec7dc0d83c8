"""The real client against a service on loopback: what is sent, what comes back, and every kind of trouble by name."""

import asyncio
import traceback
from typing import Any

import pytest

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
from rag_app.web.search import SearchRequest, WebResult
from rag_app.web.tavily import TavilyBackend
from tests.search_service import KEY, LEAGUE, Reply, Service, found, serving

WARRIORS = SearchRequest("Warriors rugby league New Zealand", "news")


def client(service: Service) -> TavilyBackend:
    return TavilyBackend(api_key=KEY, base_url=service.url)


def test_what_is_sent() -> None:
    """Every documented field is sent under its name; what is not wanted is left out; the key stands in the header."""
    full = SearchRequest(
        "q",
        "general",
        depth="advanced",
        time_range="week",
        include_domains=("a.nz",),
        exclude_domains=("b.com",),
        country="new zealand",
        max_results=7,
    )
    with serving(found()) as service:
        assert client(service).search(full, 5) == []
        client(service).search(SearchRequest("q", "news", country="new zealand"), 5)
    assert service.requests[0] == {
        "query": "q",
        "topic": "general",
        "search_depth": "advanced",
        "time_range": "week",
        "include_domains": ["a.nz"],
        "exclude_domains": ["b.com"],
        "country": "new zealand",
        "max_results": 7,
        "include_raw_content": "markdown",
        "include_answer": False,
    }
    assert set(service.requests[1]) == {
        *("query", "topic", "search_depth", "max_results", "include_raw_content", "include_answer")
    }  # the service takes no country with news
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_what_comes_back() -> None:
    """Results keep what the service said, in its order; fields that it leaves out or adds do no harm."""
    bare = {"url": "https://a.nz/", "title": None, "content": None, "raw_content": None, "new_field": {"x": 1}}
    with serving(found(LEAGUE, bare)) as service:
        first, second = client(service).search(WARRIORS, 5)
    assert first == WebResult(
        url=LEAGUE["url"],
        title=LEAGUE["title"],
        content=LEAGUE["content"],
        raw_content=LEAGUE["raw_content"],
        published="Tue, 04 Nov 2025 06:00:00 GMT",
        score=0.8,
    )
    assert second == WebResult("https://a.nz/", "", "")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, SearchRejected),
        (401, SearchRejected),
        (403, SearchRejected),
        (404, SearchRejected),
        (422, SearchRejected),
        (429, SearchThrottled),
        (432, SearchQuota),
        (433, SearchQuota),
        (500, SearchUnreachable),
        (502, SearchUnreachable),
        (503, SearchUnreachable),
        (504, SearchTimeout),
        (302, SearchRejected),
        (204, SearchRejected),
    ],
)
def test_every_status_has_its_name(status: int, kind: type[SearchError]) -> None:
    """Each status is its own kind of trouble, with the service's words, and never the key."""
    headers = {"Retry-After": "7", "Location": "http://127.0.0.1:1/search"}
    reply = Reply({"detail": {"error": f"Not with {KEY}.  Sorry."}}, status, headers)
    with serving(reply) as service, pytest.raises(SearchError) as caught:
        client(service).search(WARRIORS, 5)
    error = caught.value
    assert type(error) is kind
    assert error.details["status"] == status
    assert error.details["retry_after"] == 7.0
    if status >= 400:
        assert "Not with …" in str(error)
    told = "".join(traceback.format_exception(error)) + repr(error.details) + repr(vars(error))
    assert KEY not in told


@pytest.mark.parametrize(
    "body",
    [
        b"<html>proxy says no</html>",
        b"",
        b"[]",
        b"null",
        {"answer": "no results here"},
        {"results": None},
        {"results": {"url": "x"}},
        {"results": [{"title": "no url"}]},
        {"results": [{"url": 7, "title": "t", "content": "c"}]},
        {"results": [{"url": "https://a.nz", "title": ["t"], "content": "c"}]},
        {"results": ["https://a.nz"]},
        b'{"results": [' + b"[" * 100_000,
    ],
)
def test_a_reply_that_is_none(body: Any) -> None:
    """Rubbish with status 200 is an error; it is never taken for a search that found nothing."""
    with serving(Reply(body)) as service, pytest.raises(SearchReplyMalformed):
        client(service).search(WARRIORS, 5)


def test_a_service_that_is_not_there() -> None:
    """No connection, and something that is not an address, are distinguished."""
    with serving(found()) as service:
        url = service.url
    with pytest.raises(SearchUnreachable, match="ConnectionError"):
        TavilyBackend(api_key=KEY, base_url=url).search(WARRIORS, 5)
    with pytest.raises(SearchRejected, match="RAG_APP_TAVILY_URL"):
        TavilyBackend(api_key=KEY, base_url="nowhere").search(WARRIORS, 5)


SILENT = Reply({"results": []}, pause=30)
TRICKLING = Reply(b" " * 600 + b'{"results": []}', pause=0.05, pieces=600)
"""Never as long as the time limit without a byte, and whole after half a minute."""


@pytest.mark.parametrize("slow", [SILENT, TRICKLING], ids=["silent", "trickling"])
def test_a_slow_reply(slow: Reply) -> None:
    """The time counts for the whole reply: one that trickles is given up as one that does not begin is."""
    with serving(slow) as service:
        with pytest.raises(SearchTimeout, match=r"0\.3 seconds"):
            client(service).search(WARRIORS, 0.3)
        with pytest.raises(SearchTimeout):
            asyncio.run(client(service).asearch(WARRIORS, 0.3))


def test_a_reply_that_stops_behind_its_head_is_a_timeout() -> None:
    """requests calls it a lost connection, and the search would be reported as unreachable."""
    with serving(SILENT) as service, pytest.raises(SearchTimeout, match=r"0\.3 seconds"):
        client(service)._search(WARRIORS, 0.3)


def test_async_leaves_the_event_loop_free() -> None:
    """Searches run beside each other, and trouble has the same names."""

    async def three() -> list[Any]:
        return await asyncio.gather(*(client(service).asearch(WARRIORS, 5) for _ in range(3)))

    with serving(Reply({"results": [LEAGUE]}, pause=0.2)) as service:
        found_by = asyncio.run(three())
    assert [len(results) for results in found_by] == [1, 1, 1]
    with serving(Reply({}, 429)) as service, pytest.raises(SearchThrottled):
        asyncio.run(client(service).asearch(WARRIORS, 5))


def test_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the environment; without one nothing is sent; and it shows nowhere."""
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    for missing in (None, "", "  "):
        with pytest.raises(SearchUnavailable, match="TAVILY_API_KEY"):
            TavilyBackend(api_key=missing)
    for odd in ("tvly-\nx", "tvly x", "tvly-é"):
        with pytest.raises(SearchUnavailable) as caught:
            TavilyBackend(api_key=odd)
        assert odd not in str(caught.value)
    monkeypatch.setenv("TAVILY_API_KEY", f"{KEY}\n")
    with serving(found()) as service:
        backend = TavilyBackend(base_url=service.url)
        backend.search(WARRIORS, 5)
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(backend)
    assert KEY not in str(service.requests)


def test_an_entry_in_netrc_does_not_replace_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """The HTTP library below would send another password for the same host."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serving(found()) as service:
        client(service).search(WARRIORS, 5)
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"
