"""Bedrock through its real client, against a local server that speaks its wire format."""

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
from rag_app.llm import ModelReply
from rag_app.models import load_llm
from tests.llm.asking import SCHEMA, a_call, aask, ask
from tests.llm.servers import REQUEST_ID, Sent, Server, aws_error, converse, serving, titan

pytest.importorskip("llama_index.llms.bedrock_converse", reason="needs the extra bedrock")
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated class Bedrock")

CLAUDE = "anthropic.claude-3-haiku-20240307-v1:0"
PROFILE = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3d4e5f6"
TITAN = "amazon.titan-text-express-v1"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    @contextmanager
    def of(*script: Sent) -> Iterator[Server]:
        with serving(*script) as server:
            monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
            yield server

    return of


def test_reply_with_the_providers_figures(endpoint: Any) -> None:
    """A reply carries the text, the tokens that Bedrock counted, and that it ended by itself."""
    with endpoint(converse("Tea.")) as server:
        assert ask(load_llm(f"bedrock:{CLAUDE}")) == ModelReply("Tea.", 41, 7, False, "end")
    (request,) = server.received
    assert request.path == f"/model/{CLAUDE}/converse"
    assert request.body["inferenceConfig"] == {"maxTokens": 33, "temperature": 0.0}
    assert request.body["system"] == [{"text": "Answer in one word."}]
    assert request.body["messages"] == [{"role": "user", "content": [{"text": "What is in the pot?"}]}]
    assert "toolConfig" not in request.body


def test_cached_input_is_counted(endpoint: Any) -> None:
    """Input that came from the provider's cache, which Bedrock counts apart, is part of the input tokens."""
    usage = {"inputTokens": 1, "outputTokens": 7, "totalTokens": 48, "cacheReadInputTokens": 40}
    with endpoint(converse(usage=usage)):
        assert ask(load_llm(f"bedrock:{CLAUDE}")).input_tokens == 41


def test_schema_becomes_a_tool(endpoint: Any) -> None:
    """A model that can be made to use a tool is given the schema as one, and its choice comes back as JSON text."""
    with endpoint(converse(None, stop="tool_use", tool={"labels": ["1.2"]})) as server:
        reply = ask(load_llm(f"bedrock:eu.{CLAUDE}"), a_call(schema=SCHEMA))
    assert json.loads(reply.text) == {"labels": ["1.2"]}
    assert reply.stop == "end"
    config = server.received[0].body["toolConfig"]
    assert config["toolChoice"] == {"any": {}}
    assert config["tools"][0]["toolSpec"]["inputSchema"] == {"json": SCHEMA}


@pytest.mark.parametrize("name", ["meta.llama3-70b-instruct-v1:0", PROFILE])
def test_schema_is_left_out_where_tools_may_not_work(endpoint: Any, name: str) -> None:
    """A model of which nobody knows whether it takes tools gets none."""
    with endpoint(converse()) as server:
        ask(load_llm(f"bedrock:{name}"), a_call(schema=SCHEMA))
    assert "toolConfig" not in server.received[0].body


@pytest.mark.parametrize("name", [PROFILE, "eu.anthropic.claude-next-9-v1:0", "sa.amazon.nova-next-v1:0", "us.a.b"])
def test_inference_profiles(endpoint: Any, name: str) -> None:
    """An inference profile is called under its own name, also one of a model that the integration never heard of."""
    with endpoint(converse()) as server:
        assert ask(load_llm(f"bedrock:{name}")).text == "Tea."
    assert server.received[0].path == f"/model/{name}/converse"


def test_no_temperature_where_the_model_refuses_one(endpoint: Any) -> None:
    """A model that takes no temperature is sent none, under its profile's name too."""
    with endpoint(converse()) as server:
        ask(load_llm("bedrock:eu.anthropic.claude-opus-4-7"))
    assert server.received[0].body["inferenceConfig"] == {"maxTokens": 33}


ERRORS = [
    (429, "ThrottlingException", "Too many tokens", ModelThrottled, 3),
    (429, "ModelNotReadyException", "Loading", ModelThrottled, 3),
    (400, "ServiceQuotaExceededException", "Quota", ModelThrottled, 3),
    (408, "ModelTimeoutException", "Processing time exceeded", ModelTimeout, 3),
    (424, "ModelErrorException", "The model failed", ModelUnreachable, 3),
    (500, "InternalServerException", "Oops", ModelUnreachable, 3),
    (503, "ServiceUnavailableException", "Try again", ModelUnreachable, 3),
    (400, "ValidationException", "The provided model identifier is invalid.", ModelRejected, 1),
    (403, "AccessDeniedException", "You don't have access to the model", ModelRejected, 1),
    (403, "UnrecognizedClientException", "The security token is invalid.", ModelRejected, 1),
    (404, "ResourceNotFoundException", "Could not resolve the model", ModelRejected, 1),
]


@pytest.mark.parametrize(("status", "code", "message", "kind", "requests"), ERRORS)
def test_errors(endpoint: Any, status: int, code: str, message: str, kind: type[ModelError], requests: int) -> None:
    """Every error of Bedrock has its type, its request id and its words; only what may pass is tried again."""
    with endpoint(aws_error(status, code, message)) as server:
        with pytest.raises(kind) as caught:
            ask(load_llm(f"bedrock:{CLAUDE}"))
        assert len(server.received) == requests, "neither client nor policy tries otherwise"
    assert type(caught.value) is kind
    assert caught.value.details["request_id"] == REQUEST_ID
    assert caught.value.details["status"] == status
    assert caught.value.details["model"] == CLAUDE
    assert caught.value.details["purpose"] == "draft"
    assert message.rstrip(".") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_throttled_twice_then_fine(endpoint: Any) -> None:
    """Two refusals for load and then a reply are a reply."""
    busy = aws_error(429, "ThrottlingException", "Too many requests")
    with endpoint(busy, busy, converse()) as server:
        assert ask(load_llm(f"bedrock:{CLAUDE}")).text == "Tea."
        assert len(server.received) == 3


@pytest.mark.parametrize("name", [f"bedrock:{CLAUDE}", f"bedrock-invoke:{TITAN}"])
def test_slow_reply_is_cut_at_the_deadline(endpoint: Any, name: str) -> None:
    """A server that does not answer is given up at the deadline, though the client itself would wait on."""
    if name.startswith("bedrock-invoke"):
        pytest.importorskip("llama_index.llms.bedrock")
    reply = titan() if name.startswith("bedrock-invoke") else converse()
    with endpoint(reply, converse(hangs=True)) as server:
        llm = load_llm(name)
        assert ask(llm).text == "Tea."
        with pytest.raises(ModelTimeout, match="did not reply in time"):
            ask(llm, seconds=0.1)
        with pytest.raises(ModelTimeout):
            asyncio.run(aask(llm, seconds=0.1))
        server.wait_for(3)


@pytest.mark.parametrize("stop", ["guardrail_intervened", "content_filtered"])
def test_content_filter(endpoint: Any, stop: str) -> None:
    """A reply that a guardrail replaced is an error, not an answer."""
    with endpoint(converse("Sorry, I cannot help with that.", stop=stop)), pytest.raises(ModelRefused) as caught:
        ask(load_llm(f"bedrock:{CLAUDE}"))
    assert caught.value.details["request_id"] == REQUEST_ID
    assert caught.value.details["model"] == CLAUDE


def test_cut_off_reply_is_told_apart(endpoint: Any) -> None:
    """A reply that reached its limit says so, also where nothing but thinking fitted in."""
    with endpoint(converse("Tea and", stop="max_tokens"), converse(None, stop="max_tokens")):
        llm = load_llm(f"bedrock:{CLAUDE}")
        assert ask(llm).stop == "length"
        assert (ask(llm).text, ask(llm).stop) == ("", "length")


@pytest.mark.parametrize("text", [None, " \n"])
def test_empty_reply(endpoint: Any, text: str | None) -> None:
    """A reply with no text is an error."""
    with endpoint(converse(text)), pytest.raises(ModelReplyEmpty):
        ask(load_llm(f"bedrock:{CLAUDE}"))


@pytest.mark.parametrize("body", [b"{not json", b"<html>gateway</html>", b"{}"])
def test_garbage_for_a_reply(endpoint: Any, body: bytes) -> None:
    """A body that is no reply of Bedrock's is an error that says so."""
    with endpoint(Sent(body)), pytest.raises(ModelReplyMalformed):
        ask(load_llm(f"bedrock:{CLAUDE}"))


def test_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody listens is trouble with the connection."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:9")
    with pytest.raises(ModelUnreachable, match="cannot be reached"):
        ask(load_llm(f"bedrock:{CLAUDE}"))


@pytest.mark.parametrize("name", [f"bedrock:{CLAUDE}", f"bedrock-invoke:{TITAN}"])
def test_missing_region(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """With no region, one sentence says so before anything is asked."""
    if name.startswith("bedrock-invoke"):
        pytest.importorskip("llama_index.llms.bedrock")
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(ModelUnavailable, match="needs an AWS region: set AWS_REGION"):
        load_llm(name)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert load_llm(name) is not None


def test_missing_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile that does not exist is one sentence that names it."""
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ModelUnavailable, match="nobody"):
        load_llm(f"bedrock:{CLAUDE}")


def test_missing_credentials(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without credentials the call is rejected in one sentence, and nothing is sent."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with endpoint(converse()) as server:
        with pytest.raises(ModelRejected, match=r"Unable to locate credentials.*: set the credentials"):
            ask(load_llm(f"bedrock:{CLAUDE}"))
        assert server.received == []


def test_loading_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading opens no connection, not even to look for credentials."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a connection was opened"))
    assert load_llm(f"bedrock:{CLAUDE}") is not None


def test_changed_environment_is_noticed(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key or address that changes within a process, as in a notebook, is used from the next loading on."""
    with endpoint(converse("first")):
        assert ask(load_llm(f"bedrock:{CLAUDE}")).text == "first"
    with endpoint(converse("second")):
        assert ask(load_llm(f"bedrock:{CLAUDE}")).text == "second"


def test_twenty_at_once(endpoint: Any) -> None:
    """Twenty asynchronous calls are under way at the same moment."""

    async def all_of_them(llm: Any) -> list[ModelReply]:
        return await asyncio.gather(*(aask(llm) for _ in range(20)))

    with endpoint(converse(together=Barrier(20))):
        replies = asyncio.run(all_of_them(load_llm(f"bedrock:{CLAUDE}")))
    assert [reply.text for reply in replies] == ["Tea."] * 20


def test_invoke_model(endpoint: Any) -> None:
    """The older API gives text, figures and the reason it stopped; its token limit has the model's own name."""
    pytest.importorskip("llama_index.llms.bedrock", reason="needs the extra bedrock-invoke")
    with endpoint(titan(), titan(reason="LENGTH"), titan(reason="CONTENT_FILTERED")) as server:
        llm = load_llm(f"bedrock-invoke:{TITAN}")
        assert ask(llm) == ModelReply("Tea.", 41, 7, False, "end")
        assert ask(llm).stop == "length"
        with pytest.raises(ModelRefused):
            ask(llm)
    assert server.received[0].path == f"/model/{TITAN}/invoke"
    assert server.received[0].body["textGenerationConfig"] == {"temperature": 0.0, "maxTokenCount": 33}


@pytest.mark.parametrize(("status", "code", "message", "kind", "requests"), ERRORS[:1] + ERRORS[-4:])
def test_invoke_model_errors(
    endpoint: Any, status: int, code: str, message: str, kind: type[ModelError], requests: int
) -> None:
    """The older API has the same errors."""
    pytest.importorskip("llama_index.llms.bedrock", reason="needs the extra bedrock-invoke")
    with endpoint(aws_error(status, code, message)) as server:
        with pytest.raises(kind) as caught:
            ask(load_llm(f"bedrock-invoke:{TITAN}"))
        assert len(server.received) == requests
    assert caught.value.details["request_id"] == REQUEST_ID


def test_invoke_model_by_many(endpoint: Any) -> None:
    """The older API's client only blocks; asynchronous calls are under way at the same moment all the same."""
    pytest.importorskip("llama_index.llms.bedrock", reason="needs the extra bedrock-invoke")

    async def all_of_them(llm: Any) -> list[ModelReply]:
        return await asyncio.gather(*(aask(llm) for _ in range(20)))

    with endpoint(titan(together=Barrier(20))):
        assert len(asyncio.run(all_of_them(load_llm(f"bedrock-invoke:{TITAN}")))) == 20


def test_invoke_model_of_nobody_knows_whom() -> None:
    """InvokeModel cannot speak to a model whose maker is unknown; the sentence names the other way."""
    pytest.importorskip("llama_index.llms.bedrock", reason="needs the extra bedrock-invoke")
    with pytest.raises(ModelUnavailable, match=f"use bedrock:{PROFILE}"):
        load_llm(f"bedrock-invoke:{PROFILE}")


def test_a_users_own_object(endpoint: Any) -> None:
    """A BedrockConverse object that somebody made is called as it is, with its own temperature."""
    from llama_index.llms.bedrock_converse import BedrockConverse  # pyright: ignore[reportMissingImports]

    with endpoint(converse()) as server:
        own = BedrockConverse(model=CLAUDE, region_name="eu-west-1", temperature=0.4, max_retries=1)
        assert ask(own) == ModelReply("Tea.", 41, 7, False, "end")
    assert server.received[0].body["inferenceConfig"] == {"maxTokens": 33, "temperature": 0.4}
