"""What a chat engine gives: LlamaIndex's chat responses, with the answer."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from dataclasses import dataclass, field

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse

from rag_app.answer import Answer
from rag_app.respond.events import Event
from rag_app.respond.response import GroundedResponse
from rag_app.respond.streamed_text import StreamedAnswer, TextInPieces


@dataclass
class GroundedChatResponse(AgentChatResponse):
    """A LlamaIndex chat response; `.answer` has the quotes and how they came about."""

    answer: Answer = field(default_factory=lambda: Answer(question="", status="insufficient_evidence"))

    @classmethod
    def of(cls, response: GroundedResponse) -> "GroundedChatResponse":
        """A query engine's response as a chat engine's."""
        return cls(
            response=response.response or "",
            source_nodes=response.source_nodes,
            metadata=response.metadata,
            answer=response.answer,
        )

    def _repr_html_(self) -> str:
        return self.answer._repr_html_()


@dataclass
class StreamingGroundedChatResponse(StreamedAnswer, StreamingAgentChatResponse):
    """A LlamaIndex streaming chat response: `response_gen` (or, from `astream_chat`, `async_response_gen()`) gives the
    text in pieces; `.answer` is there after the last one."""

    @classmethod
    def over(cls, events: Iterator[Event]) -> "StreamingGroundedChatResponse":
        """A response that reads these events as it is read."""
        response = cls(is_writing_to_memory=False)
        response.chat_stream = response._pieces(events)
        return response

    @classmethod
    def aover(cls, events: AsyncIterator[Event]) -> "StreamingGroundedChatResponse":
        """The same for asyncio."""
        response = cls(is_writing_to_memory=False)
        response.achat_stream = response._apieces(events)
        return response

    def _pieces(self, events: Iterator[Event]) -> Generator[ChatResponse, None, None]:
        text = TextInPieces()
        for event in events:
            if piece := self._piece(event, text):
                yield _delta(piece)

    async def _apieces(self, events: AsyncIterator[Event]) -> AsyncGenerator[ChatResponse, None]:
        text = TextInPieces()
        async for event in events:
            if piece := self._piece(event, text):
                yield _delta(piece)


def _delta(piece: str) -> ChatResponse:
    return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=piece), delta=piece)
