"""The base of LLM objects that answer whole conversations: recordings, and doubles for tests."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback

from rag_app.llm.call import ModelCall, ModelReply

_ROLES = {MessageRole.SYSTEM: "system", MessageRole.ASSISTANT: "assistant"}


class ChatOnlyLLM(CustomLLM):
    """A LlamaIndex LLM made of one function from a `ModelCall` to a `ModelReply`; everything else rests on it.

    `call_llm` hands it the whole call; anybody else's `chat` or `complete` is made into one.
    """

    @abstractmethod
    def reply(self, call: ModelCall, seconds: float) -> ModelReply:
        """The reply to `call`, of which `seconds` may be spent."""

    def __reduce__(self) -> Any:
        # LlamaIndex would leave out what does not pickle, without an error, and the copy would fail when used.
        raise TypeError(f"A {self.class_name()} cannot be pickled: make it again in the other process.")

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.class_name(), is_chat_model=True)

    @llm_chat_callback()
    def chat(
        self,
        messages: Sequence[ChatMessage],
        *,
        call: ModelCall | None = None,
        seconds: float = 600.0,
        **kwargs: Any,
    ) -> ChatResponse:
        return self._chat(messages, call=call, seconds=seconds, **kwargs)

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        response = self._chat(messages, **kwargs)
        response.delta = response.message.content
        return (each for each in [response])

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return self._complete(prompt, **kwargs)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        response = self._complete(prompt, **kwargs)
        response.delta = response.text
        return (each for each in [response])

    # The public methods announce themselves to LlamaIndex's callbacks and events; what they share does not, so that
    # each call is announced once.
    def _chat(
        self,
        messages: Sequence[ChatMessage],
        *,
        call: ModelCall | None = None,
        seconds: float = 600.0,
        **kwargs: Any,
    ) -> ChatResponse:
        return chat_response(self.reply(call or _call(messages, kwargs), seconds))

    def _complete(self, prompt: str, **kwargs: Any) -> CompletionResponse:
        response = self._chat([ChatMessage(role=MessageRole.USER, content=prompt)], **kwargs)
        return CompletionResponse(text=response.message.content or "", raw=response.raw)


def chat_response(reply: ModelReply) -> ChatResponse:
    """`reply` in a form that `read_reply` reads back as it was."""
    raw: dict[str, Any] = {"stop_reason": reply.stop}
    if not reply.estimated:
        raw["usage"] = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
    return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=reply.text), raw=raw)


def _call(messages: Sequence[ChatMessage], kwargs: dict[str, Any]) -> ModelCall:
    said = tuple((_ROLES.get(message.role, "user"), message.content or "") for message in messages)
    limit = kwargs.get("max_tokens")
    return ModelCall(said, max_tokens=limit if isinstance(limit, int) else 512, purpose="other")  # pyright: ignore
