"""How each LlamaIndex integration takes a token limit, a schema and a time limit for one call.

An LLM of an unknown class gets the messages alone: its own limits hold, and nothing is passed that it may not know.
Temperature belongs to the LLM object: ours are made with 0, a user's keeps what it was given (several new models
refuse the parameter). `llm.metadata` is never read: it raises for inference profiles of Bedrock.
"""

from collections.abc import Callable
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from rag_app.llm.call import ModelCall

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage

REPLY_TOOL = "reply"
"""Name of the one tool that stands for "answer in this schema" where a model has tools but no JSON mode."""


def chat_messages(call: ModelCall) -> "list[ChatMessage]":
    from llama_index.core.base.llms.types import ChatMessage, MessageRole

    return [ChatMessage(role=MessageRole(role), content=text) for role, text in call.messages]


def arguments(llm: object, call: ModelCall, seconds: float) -> dict[str, Any]:
    """Keyword arguments of `llm.chat` and `llm.achat` for this call, of which `seconds` may be spent."""
    make = _known(llm)
    return make(llm, call, seconds) if make else {}


def is_sync_only(llm: object) -> bool:
    """Whether `llm.achat` would block the event loop, or share the few threads of its default executor."""
    from llama_index.core.llms import CustomLLM

    achat = unwrap(type(llm).achat)  # pyright: ignore[reportAttributeAccessIssue]
    return achat is unwrap(CustomLLM.achat) or not {"BedrockConverse", "Bedrock"}.isdisjoint(_classes(llm))


def _known(llm: object) -> "Callable[[Any, ModelCall, float], dict[str, Any]] | None":
    classes = _classes(llm)
    return next((make for name, make in _BY_CLASS.items() if name in classes), None)


def _classes(llm: object) -> set[str]:
    ours = ("llama_index.llms.", "rag_app.")
    return {base.__name__ for base in type(llm).__mro__ if base.__module__.startswith(ours)}


def _converse(llm: Any, call: ModelCall, seconds: float) -> dict[str, Any]:
    given: dict[str, Any] = {"max_tokens": call.max_tokens}
    if call.schema is not None and llm.supports_forced_tool_calls and takes_tools(llm.model):
        tool = {"name": REPLY_TOOL, "description": "Give the reply.", "inputSchema": {"json": call.schema}}
        given["tools"] = {"tools": [{"toolSpec": tool}], "toolChoice": {"any": {}}}
    return given


def takes_tools(model: str) -> bool:
    """Whether a Bedrock model can be made to use a tool. Not the integration's own list: it raises for profiles."""
    return any(family in model for family in ("anthropic.claude-", "amazon.nova-", "mistral.mistral-large-"))


def _invoke(llm: Any, call: ModelCall, seconds: float) -> dict[str, Any]:
    return {llm._provider.max_tokens_key: call.max_tokens}


def _openai(llm: Any, call: ModelCall, seconds: float) -> dict[str, Any]:
    given: dict[str, Any] = {"max_tokens": call.max_tokens, "timeout": seconds}
    if call.schema is not None and llm._should_use_structure_outputs():
        given["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": REPLY_TOOL, "schema": call.schema},
        }
    return given


def _whole_call(llm: Any, call: ModelCall, seconds: float) -> dict[str, Any]:
    return {"call": call, "seconds": seconds}


_BY_CLASS: dict[str, Callable[[Any, ModelCall, float], dict[str, Any]]] = {
    "ChatOnlyLLM": _whole_call,
    "BedrockConverse": _converse,
    "Bedrock": _invoke,
    "OpenAI": _openai,
}
"""By the name of a class or of one it inherits from, so that an extra need not be installed to ask."""
