"""Reads a LlamaIndex ChatResponse: text, the provider's own token figures, why it ended."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rag_app.errors import ModelRefused, ModelReplyEmpty, ModelReplyMalformed
from rag_app.llm.call import ModelCall, ModelReply, Stop
from rag_app.llm.providers.integrations import REPLY_TOOL

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatResponse

_LENGTH = {"length", "max_tokens", "max_token", "max_output_tokens", "model_context_window_exceeded"}
_FILTERED = {
    *("content_filter", "content_filtered", "guardrail_intervened", "refusal", "safety", "recitation", "blocklist"),
    *("prohibited_content", "spii", "error_toxic"),
}
_MALFORMED = {"malformed_model_output", "malformed_tool_use", "malformed_function_call"}
_END = {
    *("stop", "end_turn", "stop_sequence", "tool_use", "tool_calls", "function_call", "eos", "eos_token"),
    *("complete", "finish", "endoftext", "end"),
}
_THOUGHT = re.compile(r"\A\s*(?:<think(?:ing)?>|(?![{\[\"`])\S).*?</think(?:ing)?>\s*", re.DOTALL | re.IGNORECASE)
"""What a model thought aloud before it replied; some servers leave out the opening tag."""
_REASON_KEYS = ("stopReason", "stop_reason", "finish_reason", "finishReason", "done_reason", "completionReason")
_CHOICE_KEYS = ("choices", "results", "outputs", "generations", "completions", "candidates")
_USAGE_KEYS = ("usage", "usage_metadata", "usageMetadata")
_INPUT_KEYS = ("inputTokens", "input_tokens", "prompt_tokens", "prompt_token_count", "promptTokenCount")
_OUTPUT_KEYS = ("outputTokens", "output_tokens", "completion_tokens", "candidates_token_count", "candidatesTokenCount")
_CACHED_KEYS = (
    *("cacheReadInputTokens", "cacheWriteInputTokens"),
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
)
"""Bedrock and Anthropic count cached input apart from the rest of the input; OpenAI counts it in."""


_MOST_DIGITS = 18
"""Of a figure that is given as text; Python reads no number of thousands of digits."""
LONGEST, LONGEST_PER_TOKEN = 20_000, 32
"""Characters of a reply: so many whatever its token limit, and so many for each token of it."""


def read_reply(response: "ChatResponse", call: ModelCall) -> ModelReply:
    """The reply in `response`.

    Raises:
        ModelRefused: a content filter or the model's own refusal stopped it.
        ModelReplyMalformed: the provider says that the model's output was malformed.
        ModelReplyEmpty: no text, although it was not cut off.
    """
    raw = _plain(response.raw)
    reason = next(_reasons(raw), "")
    request_id = _request_id(response.raw, raw)
    if reason in _FILTERED or _declined(raw):
        raise ModelRefused(
            "A content filter of the model's provider stopped the reply: reword the question.",
            request_id=request_id,
            stop=reason,
        )
    if reason in _MALFORMED:
        raise ModelReplyMalformed("The model's reply was malformed: ask again.", request_id=request_id, stop=reason)
    stop: Stop = "length" if reason in _LENGTH else "end" if reason in _END else "unknown"
    text = _text(response)
    if len(text) > max(LONGEST, LONGEST_PER_TOKEN * call.max_tokens):
        raise ModelReplyMalformed(
            f"The model's reply has {len(text):,} characters, far more than the {call.max_tokens:,} tokens it was "
            "allowed: ask again, or choose another model.",
            request_id=request_id,
            stop=reason,
        )
    if not text.strip():
        if stop != "length":
            raise ModelReplyEmpty("The model's reply held no text: ask again.", request_id=request_id, stop=reason)
        text = ""
    figures = _usage(response, raw)
    if figures is None:
        return ModelReply(
            text, sum(_estimate(said) for _, said in call.messages), _estimate(text), True, stop, request_id
        )
    return ModelReply(text, *figures, False, stop, request_id)


def _text(response: "ChatResponse") -> str:
    from llama_index.core.base.llms.types import ToolCallBlock

    for block in response.message.blocks:
        if isinstance(block, ToolCallBlock) and block.tool_name == REPLY_TOOL:
            given = block.tool_kwargs
            return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return _THOUGHT.sub("", response.message.content or "", count=1)


def _usage(response: "ChatResponse", raw: Mapping[str, Any]) -> tuple[int, int] | None:
    """Input and output tokens as the provider counts them; None where it gives none, or only zeros."""
    places = [raw.get(key) for key in _USAGE_KEYS]
    for place in (*places, response.additional_kwargs, response.message.additional_kwargs):
        found = _plain(place)
        given, made = _number(found, _INPUT_KEYS), _number(found, _OUTPUT_KEYS)
        if given and made is not None:
            if "prompt_tokens" not in found:
                given += sum(_number(found, (key,)) or 0 for key in _CACHED_KEYS)
            return given, made
    return None


def _number(found: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = found.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
            return int(value)  # the figures of InvokeModel come as headers
    return None


def _estimate(text: str) -> int:
    return -(-len(text) // 4)


def _reasons(raw: Mapping[str, Any]) -> Iterator[str]:
    places = [raw, *(_plain(choice[0]) for key in _CHOICE_KEYS if isinstance(choice := raw.get(key), list) and choice)]
    for place in places:
        for key in _REASON_KEYS:
            value = place.get(key)
            if isinstance(value, Mapping):
                value = value.get("reason")
            if value is not None:
                yield str(getattr(value, "name", value)).lower()


def _declined(raw: Mapping[str, Any]) -> bool:
    """Whether a message of the OpenAI kind carries the model's refusal instead of content."""
    choices = raw.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    return bool(_plain(_plain(choices[0]).get("message")).get("refusal"))


def _request_id(original: Any, raw: Mapping[str, Any]) -> str | None:
    found = getattr(original, "_request_id", None) or _plain(raw.get("ResponseMetadata")).get("RequestId")
    return found or raw.get("id")


def _plain(value: Any) -> Mapping[str, Any]:
    """`value` as a mapping; empty where it cannot be one."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    found = dump() if callable(dump) else None
    return found if isinstance(found, Mapping) else {}
