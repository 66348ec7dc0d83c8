"""Reading replies of many providers' forms."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock, ToolCallBlock

from rag_app.errors import ModelRefused, ModelReplyEmpty, ModelReplyMalformed
from rag_app.llm import ModelReply
from rag_app.llm.providers.chat_only import chat_response
from rag_app.llm.reading import read_reply
from tests.llm.asking import a_call


def response(raw: Any = None, text: str | None = "Tea.", **kwargs: Any) -> ChatResponse:
    return ChatResponse(message=ChatMessage(role="assistant", content=text, **kwargs), raw=raw)


@pytest.mark.parametrize(
    ("raw", "input_tokens", "output_tokens", "stop"),
    [
        ({"usage": {"input_tokens": 3, "output_tokens": 2}, "stop_reason": "end_turn"}, 3, 2, "end"),
        (
            {"usage": {"prompt_tokens": 3, "completion_tokens": 2}, "choices": [{"finish_reason": "length"}]},
            3,
            2,
            "length",
        ),
        (
            {"usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 2}, "finish_reason": "STOP"},
            3,
            2,
            "end",
        ),
        ({"candidates": [{"finishReason": "MAX_TOKENS"}]}, 10, 1, "length"),
        ({"completions": [{"finishReason": {"reason": "length"}}]}, 10, 1, "length"),
        ({"outputs": [{"stop_reason": "stop"}]}, 10, 1, "end"),
        ({"generations": [{"finish_reason": "MAX_TOKENS"}]}, 10, 1, "length"),
        ({"done_reason": "stop"}, 10, 1, "end"),
        ({"choices": "nonsense", "usage": "nonsense", "stop_reason": None}, 10, 1, "unknown"),
        (SimpleNamespace(usage=1), 10, 1, "unknown"),
        (None, 10, 1, "unknown"),
    ],
)
def test_forms(raw: Any, input_tokens: int, output_tokens: int, stop: str) -> None:
    """Figures and the reason it ended are found in the forms of many providers; what is not found is unknown."""
    reply = read_reply(response(raw), a_call())
    assert (reply.input_tokens, reply.output_tokens, reply.stop) == (input_tokens, output_tokens, stop)
    assert reply.estimated == (input_tokens == 10)


def test_figures_that_llamaindex_normalised() -> None:
    """Where the raw reply tells nothing, the figures of the integration count."""
    reply = read_reply(response(None, additional_kwargs={"prompt_tokens": "3", "completion_tokens": "0"}), a_call())
    assert (reply.input_tokens, reply.output_tokens, reply.estimated) == (3, 0, False)


def test_thinking_is_not_the_reply() -> None:
    """What a model thought before is no part of what it said."""
    message = ChatMessage(role="assistant", blocks=[ThinkingBlock(content="Hm."), TextBlock(text="Tea.")])
    assert read_reply(ChatResponse(message=message), a_call()).text == "Tea."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('<think>Is it {"parts": []}?</think>\n\nTea.', "Tea."),
        ('  <Thinking>\n{"parts": []}</Thinking>Tea.', "Tea."),
        ('Hm, {"parts": []} would do.\n</think>\nTea.', "Tea."),
        ('{"quotes": ["a line with </think> in it"]}', '{"quotes": ["a line with </think> in it"]}'),
        ("<think>Tea.", "<think>Tea."),
    ],
)
def test_thinking_aloud_is_not_the_reply(said: str, text: str) -> None:
    """What a model thought aloud, between tags, is cut off in front; tags within a reply stay."""
    assert read_reply(response(text=said), a_call()).text == text


def test_nothing_but_thinking() -> None:
    """A reply of thoughts alone held no text."""
    with pytest.raises(ModelReplyEmpty):
        read_reply(response(text="<think>Hm.</think>"), a_call())


def test_only_our_tool_is_the_reply() -> None:
    """A tool call of another name is not taken for the reply."""
    blocks = [ToolCallBlock(tool_name="other", tool_kwargs={"a": 1}), TextBlock(text="Tea.")]
    assert read_reply(ChatResponse(message=ChatMessage(role="assistant", blocks=blocks)), a_call()).text == "Tea."
    blocks[0] = ToolCallBlock(tool_name="reply", tool_kwargs={"a": "é"})
    assert read_reply(ChatResponse(message=ChatMessage(role="assistant", blocks=blocks)), a_call()).text == '{"a": "é"}'


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"stop_reason": "refusal"}, ModelRefused),
        ({"candidates": [{"finishReason": "SAFETY"}]}, ModelRefused),
        ({"stopReason": "malformed_tool_use"}, ModelReplyMalformed),
    ],
)
def test_what_is_no_reply(raw: Any, kind: type[Exception]) -> None:
    """A refusal and output that its own provider calls malformed are errors."""
    with pytest.raises(kind):
        read_reply(response(raw), a_call())


def test_a_reply_far_longer_than_allowed_is_malformed() -> None:
    """A reply many times as long as its token limit allows is not read."""
    response = chat_response(ModelReply("word " * 20_000, 1, 1))
    with pytest.raises(ModelReplyMalformed, match="100,000 characters"):
        read_reply(response, a_call(max_tokens=100))
    assert read_reply(response, a_call(max_tokens=4_000)).text.startswith("word")


def test_nothing_said() -> None:
    """A message without content is an error."""
    with pytest.raises(ModelReplyEmpty):
        read_reply(response(text=None), a_call())


@given(
    st.builds(
        ModelReply,
        st.text(min_size=1).filter(str.strip),
        st.integers(1, 10**6),
        st.integers(0, 10**6),
        st.just(False),
        st.sampled_from(["end", "length", "unknown"]),
    )
)
def test_round_trip(reply: ModelReply) -> None:
    """A reply that goes through a LlamaIndex response comes back as it was."""
    assert read_reply(chat_response(reply), a_call()) == reply
