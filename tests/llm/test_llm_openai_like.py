"""OpenAI-compatible servers through the real openai client, against a local one that speaks the wire format."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Barrier
from typing import Any

import pytest

from rag_app.errors import (
    ModelError,
    ModelRefused,
    ModelRejected,
    ModelReplyEmpty,
    ModelReplyMalformed,
    ModelThrottled,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreachable,
)
from rag_app.llm import ModelReply, RetryPolicy
from rag_app.models import load_llm
from tests.llm.asking import SCHEMA, a_call, aask, ask
from tests.llm.servers import REQUEST_ID, Sent, Server, completion, openai_error, serving

pytest.importorskip("llama_index.llms.openai_like", reason="needs the extra openai-like")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    @contextmanager
    def of(*script: Sent) -> Iterator[Server]:
        with serving(*script) as server:
            monkeypatch.setenv("RAG_APP_OPENAI_BASE_URL", f"{server.url}/v1")
            yield server

    return of


def test_reply_with_the_providers_figures(endpoint: Any) -> None:
    """A reply carries the text, the server's own token figures, and that it ended by itself."""
    with endpoint(completion("Tea.")) as server:
        assert ask(load_llm("openai-like:/models/local.gguf")) == ModelReply("Tea.", 41, 7, False, "end")
    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.body["model"] == "/models/local.gguf"
    assert (request.body["max_tokens"], request.body["temperature"]) == (33, 0.0)
    assert [(said["role"], said["content"]) for said in request.body["messages"]] == list(a_call().messages)
    assert "response_format" not in request.body


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
def test_estimate_where_there_are_no_figures(endpoint: Any, usage: dict[str, int] | None) -> None:
    """A server that counts nothing gets an estimate, marked as one."""
    with endpoint(completion("Tea and water", usage=usage)):
        assert ask(load_llm("openai-like:local")) == ModelReply("Tea and water", 10, 4, True, "end")


GATEWAY_ERRORS = [
    ({"error": {"code": 429, "message": "wait until noon"}, "choices": None}, ModelThrottled, "wait until noon", 3),
    ({"object": "error", "code": "daily", "message": "balance used up"}, ModelRejected, "balance used up", 1),
    ({"error": {"code": "content_filter", "message": "not this"}}, ModelRefused, "not this", 1),
    ({"error": "upstream is gone"}, ModelUnreachable, "upstream is gone", 3),
    ({"code": 429, "msg": "slow down", "data": None}, ModelThrottled, "slow down", 3),
    ({"errors": [{"code": "17", "message": "quota of the day used up"}]}, ModelRejected, "quota of the day", 1),
    ({"base_resp": {"status_code": 1002, "status_msg": "rate limit reached"}}, ModelThrottled, "rate limit reached", 3),
    ({"error": {"type": "content_policy_violation", "message": "flagged"}}, ModelRefused, "flagged", 1),
    ({"error": {"type": "authentication_error", "message": "wrong key"}}, ModelRejected, "wrong key", 1),
    ({"success": False, "detail": "model is loading"}, ModelUnreachable, "model is loading", 3),
    (
        {"choices": [{"error": {"code": 429, "message": "later, please"}, "message": {"content": ""}}]},
        ModelThrottled,
        "later, please",
        3,
    ),
]


@pytest.mark.parametrize(("body", "kind", "words", "requests"), GATEWAY_ERRORS)
def test_an_error_in_a_successful_reply(
    endpoint: Any, body: dict[str, Any], kind: type[ModelError], words: str, requests: int
) -> None:
    """An error that a gateway sends with status 200 has its kind, its words and its request id; only what may pass is
    tried again."""
    for run in (ask, lambda llm: asyncio.run(aask(llm))):
        with endpoint(Sent(body, headers={"x-request-id": REQUEST_ID})) as server:
            with pytest.raises(kind, match=words) as caught:
                run(load_llm("openai-like:local"))
            assert len(server.received) == requests
        assert caught.value.details["request_id"] == REQUEST_ID


def test_a_limit_in_a_successful_reply_passes(endpoint: Any) -> None:
    """A rate limit within a reply of status 200 is waited for, and the next reply counts."""
    with endpoint(Sent({"error": {"code": 429, "message": "slow down"}}), completion("Tea.")):
        reply = ask(load_llm("openai-like:local"))
    assert (reply.text, reply.request_id) == ("Tea.", REQUEST_ID)


def test_an_error_in_plain_text(endpoint: Any) -> None:
    """An error is read as one also where the gateway does not say that it sends JSON; its own id names the request."""
    body = json.dumps({"error": {"code": 400, "message": "not so"}, "request_id": "of-the-body"}).encode()
    with endpoint(Sent(body, headers={"Content-Type": "text/plain"})), pytest.raises(ModelRejected) as caught:
        ask(load_llm("openai-like:local"))
    assert caught.value.details["request_id"] == "of-the-body"


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "Green "}, {"type": "text", "text": "tea."}],
        [{"type": "reasoning", "text": "Black?"}, {"type": "text", "text": "Green tea."}],
        [{"type": "output_text", "text": {"value": "Green tea."}}],
        ["Green ", "tea."],
        {"type": "text", "text": "Green tea."},
    ],
)
def test_content_as_blocks(endpoint: Any, content: Any) -> None:
    """Content that comes as blocks is their text, without what the model thought before."""
    with endpoint(completion(content)):
        assert ask(load_llm("openai-like:local")).text == "Green tea."


def test_schema(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema is sent as response_format, unless the environment says that the server takes none."""
    with endpoint(completion('{"labels": []}')) as server:
        reply = ask(load_llm("openai-like:local"), a_call(schema=SCHEMA))
        monkeypatch.setenv("RAG_APP_OPENAI_JSON_SCHEMA", "0")
        ask(load_llm("openai-like:local"), a_call(schema=SCHEMA))
    assert json.loads(reply.text) == {"labels": []}
    assert server.received[0].body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "response_format" not in server.received[1].body


def test_schema_that_is_not_taken(endpoint: Any) -> None:
    """A server that rejects the schema is an error which names the setting that leaves it out."""
    error = openai_error(400, None, "This response_format type is unavailable now")
    with endpoint(error), pytest.raises(ModelRejected, match="set RAG_APP_OPENAI_JSON_SCHEMA=0"):
        ask(load_llm("openai-like:local"), a_call(schema=SCHEMA))


ERRORS = [
    (401, "invalid_api_key", "Incorrect API key provided", ModelRejected, 1),
    (403, None, "Country not supported", ModelRejected, 1),
    (404, "model_not_found", "The model does not exist", ModelRejected, 1),
    (400, "context_length_exceeded", "Too many tokens", ModelRejected, 1),
    (400, "content_filter", "The prompt was filtered", ModelRefused, 1),
    (429, "insufficient_quota", "You exceeded your current quota", ModelRejected, 1),
    (429, "rate_limit_exceeded", "Slow down", ModelThrottled, 3),
    (408, None, "Request timeout", ModelTimeout, 3),
    (500, None, "The server had an error", ModelUnreachable, 3),
    (503, None, "Overloaded", ModelUnreachable, 3),
    (504, None, "Gateway timeout", ModelTimeout, 3),
]


@pytest.mark.parametrize(("status", "code", "message", "kind", "requests"), ERRORS)
def test_errors(
    endpoint: Any, status: int, code: str | None, message: str, kind: type[ModelError], requests: int
) -> None:
    """Every error of a server has its type, its request id and its words; only what may pass is tried again."""
    with endpoint(openai_error(status, code, message)) as server:
        with pytest.raises(kind) as caught:
            ask(load_llm("openai-like:local"))
        assert len(server.received) == requests, "neither client nor policy tries otherwise"
    assert type(caught.value) is kind
    assert caught.value.details["request_id"] == REQUEST_ID
    assert REQUEST_ID in str(caught.value)
    assert caught.value.details["status"] == status
    assert caught.value.details["model"] == "local"
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_throttled_twice_then_fine(endpoint: Any, asynchronous: bool) -> None:
    """Two refusals for load and then a reply are a reply."""
    busy = openai_error(429, "rate_limit_exceeded", "Slow down")
    with endpoint(busy, busy, completion()) as server:
        llm = load_llm("openai-like:local")
        assert (asyncio.run(aask(llm)) if asynchronous else ask(llm)).text == "Tea."
        assert len(server.received) == 3


def test_retry_after_beyond_the_deadline(endpoint: Any) -> None:
    """A server that asks for a longer wait than the deadline allows is not asked again."""
    busy = openai_error(429, "rate_limit_exceeded", "Slow down", **{"retry-after": "60"})
    with endpoint(busy, completion()) as server:
        with pytest.raises(ModelThrottled) as caught:
            ask(load_llm("openai-like:local"), policy=RetryPolicy())
        assert len(server.received) == 1
    assert caught.value.details["retry_after"] == 60


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("Fri, 31 Dec 2100 23:59:59 GMT", 1e9, 1e10),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0, 0),
        ("1e300", 1e300, 1e300),
        ("soon", None, None),
        ("-5", None, None),
        ("nan", None, None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None, None),
    ],
)
def test_retry_after_in_any_form(endpoint: Any, header: str, least: float | None, most: float | None) -> None:
    """Retry-After is read as seconds or as a date; what is neither counts for nothing, and none of them waits."""
    busy = openai_error(429, "rate_limit_exceeded", "Slow down", **{"retry-after": header})
    with endpoint(busy), pytest.raises(ModelThrottled) as caught:
        ask(load_llm("openai-like:local"), policy=RetryPolicy(wait=lambda _: 60.0))
    asked = caught.value.details["retry_after"]
    assert asked is None if least is None or most is None else least <= asked <= most


def test_slow_reply_is_cut_at_the_deadline(endpoint: Any) -> None:
    """A server that does not answer is given up at the deadline, sync and async."""
    with endpoint(completion(hangs=True)) as server:
        llm = load_llm("openai-like:local")
        with pytest.raises(ModelTimeout, match="The model local did not reply in time"):
            ask(llm, seconds=0.2)
        with pytest.raises(ModelTimeout):
            asyncio.run(aask(llm, seconds=0.2))
        assert len(server.received) <= 2, "no time is left for another attempt"


def test_content_filter(endpoint: Any) -> None:
    """A reply that a filter stopped, or in which the model refuses, is an error, not an answer."""
    with endpoint(completion("Sor", finish="content_filter"), completion(None, refusal="I cannot help.")):
        llm = load_llm("openai-like:local")
        for _ in range(2):
            with pytest.raises(ModelRefused):
                ask(llm)


def test_cut_off_reply_is_told_apart(endpoint: Any) -> None:
    """A reply that reached its limit says so, also where nothing but thinking fitted in."""
    with endpoint(completion("Tea and", finish="length"), completion("", finish="length")):
        llm = load_llm("openai-like:local")
        assert (ask(llm).text, ask(llm).text) == ("Tea and", "")
        assert ask(llm).stop == "length"


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_empty_reply(endpoint: Any, text: str | None) -> None:
    """A reply with no text is an error."""
    with endpoint(completion(text)), pytest.raises(ModelReplyEmpty):
        ask(load_llm("openai-like:local"))


@pytest.mark.parametrize(
    "sent",
    [
        Sent(b"{not json"),
        Sent(b"<html>gateway</html>", headers={"Content-Type": "text/html"}),
        Sent({"choices": []}),
    ],
)
def test_garbage_for_a_reply(endpoint: Any, sent: Sent) -> None:
    """A body that is no chat completion is an error that says so."""
    with endpoint(sent) as server:
        with pytest.raises(ModelReplyMalformed) as caught:
            ask(load_llm("openai-like:local"))
        assert len(server.received) == 1
    assert "object is not" not in str(caught.value)
    assert "out of range" not in str(caught.value)


def test_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody listens is trouble with the connection."""
    monkeypatch.setenv("RAG_APP_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    llm = load_llm("openai-like:local")
    with pytest.raises(ModelUnreachable, match="cannot be reached"):
        ask(llm)
    with pytest.raises(ModelUnreachable):
        asyncio.run(aask(llm))


@pytest.mark.parametrize("url", [None, "", "localhost:8000"])
def test_address_must_be_named(monkeypatch: pytest.MonkeyPatch, url: str | None) -> None:
    """With no address nothing is sent to anybody's default one: one sentence names the variable."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-secret")
    if url is not None:
        monkeypatch.setenv("RAG_APP_OPENAI_BASE_URL", url)
    said = "does not begin with http.*set RAG_APP_OPENAI_BASE_URL" if url else "set RAG_APP_OPENAI_BASE_URL"
    with pytest.raises(ModelUnavailable, match=said):
        load_llm("openai-like:local")


def test_key_goes_only_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for OpenAI goes to the address of the OPENAI_ variables, never to another server of ours."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    with serving(completion()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        ask(load_llm("openai-like:local"))
        monkeypatch.setenv("RAG_APP_OPENAI_BASE_URL", f"{server.url}/v1")
        ask(load_llm("openai-like:local"))
        monkeypatch.setenv("RAG_APP_OPENAI_API_KEY", "sk-ours")
        ask(load_llm("openai-like:local"))
    sent = [request.headers["authorization"] for request in server.received]
    assert sent == ["Bearer sk-theirs", "Bearer none", "Bearer sk-ours"]


def test_twenty_at_once(endpoint: Any) -> None:
    """Twenty asynchronous calls are under way at the same moment."""

    async def all_of_them(llm: Any) -> list[ModelReply]:
        return await asyncio.gather(*(aask(llm) for _ in range(20)))

    with endpoint(completion(together=Barrier(20))):
        assert len(asyncio.run(all_of_them(load_llm("openai-like:local")))) == 20


def test_one_event_loop_after_the_other(endpoint: Any) -> None:
    """The same model answers in one event loop after the other, and to a sync call inside a running one."""

    async def sync_inside() -> ModelReply:
        return ask(llm)

    with endpoint(completion()):
        llm = load_llm("openai-like:local")
        for _ in range(3):
            assert asyncio.run(aask(llm, policy=RetryPolicy(attempts=1))).text == "Tea."
        assert asyncio.run(sync_inside()).text == "Tea."
