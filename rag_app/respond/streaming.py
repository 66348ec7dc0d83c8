"""A query engine whose responses stream: LlamaIndex's streaming responses, over the events of the grounded engine."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from dataclasses import dataclass

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.schema import QueryBundle

from rag_app.respond.events import Event
from rag_app.respond.query_engine import GroundedQueryEngine
from rag_app.respond.response import GroundedResponse
from rag_app.respond.streamed_text import StreamedAnswer, TextInPieces


@dataclass
class StreamingGroundedResponse(StreamedAnswer, StreamingResponse):
    """A LlamaIndex streaming response: `response_gen` gives the text in pieces, each of which was checked, quotes as
    soon as they stand; `.answer` is there after the last one. What goes wrong is raised while it is read."""

    @classmethod
    def over(cls, events: Iterator[Event]) -> "StreamingGroundedResponse":
        """A response that reads these events as it is read."""
        response = cls(response_gen=_nothing())
        response.response_gen = response._pieces(events)
        return response

    def get_response(self) -> GroundedResponse:
        """The whole response; reads the stream to its end."""
        str(self)
        return self._whole()

    def _pieces(self, events: Iterator[Event]) -> Generator[str, None, None]:
        text = TextInPieces()
        for event in events:
            if piece := self._piece(event, text):
                yield piece


@dataclass
class AsyncStreamingGroundedResponse(StreamedAnswer, AsyncStreamingResponse):
    """As `StreamingGroundedResponse`, for `aquery`: read it with `async_response_gen()`."""

    @classmethod
    def over(cls, events: AsyncIterator[Event]) -> "AsyncStreamingGroundedResponse":
        """A response that reads these events as it is read."""
        response = cls(response_gen=_anothing())
        response.response_gen = response._pieces(events)
        return response

    async def get_response(self) -> GroundedResponse:
        """The whole response; reads the stream to its end."""
        async for _ in self.async_response_gen():
            pass
        return self._whole()

    async def _pieces(self, events: AsyncIterator[Event]) -> AsyncGenerator[str, None]:
        text = TextInPieces()
        async for event in events:
            if piece := self._piece(event, text):
                yield piece


class StreamingQueryEngine(BaseQueryEngine):
    """Asks a grounded query engine; its responses stream. Made by `as_query_engine(streaming=True)`."""

    def __init__(self, engine: GroundedQueryEngine) -> None:
        super().__init__(callback_manager=engine.callback_manager)
        self.engine = engine

    def _query(self, query_bundle: QueryBundle) -> StreamingGroundedResponse:
        return StreamingGroundedResponse.over(self.engine.stream(query_bundle))

    async def _aquery(self, query_bundle: QueryBundle) -> AsyncStreamingGroundedResponse:
        return AsyncStreamingGroundedResponse.over(self.engine.astream(query_bundle))

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        pass

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"engine": self.engine}


def _nothing() -> Generator[str, None, None]:
    yield from ()


async def _anothing() -> AsyncGenerator[str, None]:
    for piece in ():
        yield piece
