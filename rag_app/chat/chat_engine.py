"""The LlamaIndex chat engine over an index: turns in, grounded answers out."""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine.types import BaseChatEngine

from rag_app.chat.chat_response import GroundedChatResponse, StreamingGroundedChatResponse
from rag_app.chat.chat_retriever import FollowUp
from rag_app.chat.clarify import asked_back, subjects_of
from rag_app.chat.history import Exchange, History, StillStands
from rag_app.chat.rewrite import RejectedRewrite, Rewrite, read_rewrite, rewrite_call
from rag_app.chat.understand import Understood, understand
from rag_app.errors import ModelError
from rag_app.llm import asking
from rag_app.llm.trouble import model_name
from rag_app.prompts import load_prompt
from rag_app.question import Part, Question, as_question
from rag_app.quote import Quote
from rag_app.respond.events import Disagreement, Event, Quoted, Summarised
from rag_app.respond.events import Understood as Understanding
from rag_app.respond.query_engine import GroundedQueryEngine, announced
from rag_app.respond.response import GroundedResponse
from rag_app.steps import Flow, arun, astream, held_back, in_thread, run, stream

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


class GroundedChatEngine(BaseChatEngine):
    """Answers the turns of one conversation, each with quotes or a refusal; a follow-up is completed from the turns
    before it. The response's `.answer` says what the turn was understood as.

    A turn that names its subject is answered exactly as the query engine answers it. Access is checked at every turn,
    for what is searched, for what is quoted, and for everything that the history holds. One conversation, one engine:
    turns are asked one after the other.
    """

    def __init__(
        self, engine: GroundedQueryEngine, *, still_stands: StillStands, llm: "LLM | None", seconds: float
    ) -> None:
        """
        Args:
            engine: answers; its retriever is a `FollowUpRetriever`.
            still_stands: says which quotes of earlier turns the asker may still read.
            llm: completes follow-ups; None: they are completed by rules.
            seconds: time for it, per turn.
        """
        self._engine = engine
        self._history = History(still_stands)
        self._llm = llm
        self._seconds = seconds
        self._prompt = load_prompt("follow_up") if llm else None

    def chat(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> GroundedChatResponse:
        """Answers a turn.

        Args:
            chat_history: the conversation so far, in the place of the one that this engine remembers.
            as_of: asks the documents in force on that day, for this turn; None: today.

        Raises:
            UsageError: the turn is empty or too long, a message of `chat_history` has no text, or `as_of` is not a day.
            StoreError, ModelError, SearchError: something failed while answering; the turn then does not enter the
                history.
        """
        return GroundedChatResponse.of(run(self._answering(message, chat_history, as_of)))

    async def achat(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> GroundedChatResponse:
        """As `chat`, without holding up the event loop."""
        return GroundedChatResponse.of(await arun(self._answering(message, chat_history, as_of)))

    def stream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> StreamingGroundedChatResponse:
        """As `chat`; the text comes in pieces, each of which was checked. Raises while it is read."""
        return StreamingGroundedChatResponse.over(self.stream(message, chat_history, as_of=as_of))

    async def astream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> StreamingGroundedChatResponse:
        """As `stream_chat`, without holding up the event loop."""
        return StreamingGroundedChatResponse.aover(self.astream(message, chat_history, as_of=as_of))

    def stream(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> Iterator[Event]:
        """What happens while a turn is answered; the last event is `Done`. See `rag_app.respond.events`."""
        return stream(self._answering(message, chat_history, as_of))

    def astream(
        self, message: str, chat_history: list[ChatMessage] | None = None, *, as_of: date | None = None
    ) -> AsyncIterator[Event]:
        """As `stream`, without holding up the event loop."""
        return astream(self._answering(message, chat_history, as_of))

    def reset(self) -> None:
        """Forgets the conversation."""
        self._history.clear()

    @property
    def chat_history(self) -> list[ChatMessage]:
        """The conversation so far, as far as the asker may read it at this moment."""
        return self._history.messages()

    @property
    def last_quotes(self) -> tuple[Quote, ...]:
        """What was quoted last, as far as the asker may read it at this moment."""
        answers = [exchange.answer for exchange in self._history.readable()[-1:] if exchange.answer]
        return answers[0].quotes if answers else ()

    def _answering(
        self, message: str, chat_history: list[ChatMessage] | None, as_of: date | None
    ) -> Flow[GroundedResponse]:
        asked = as_question(message, as_of)
        if chat_history is not None:
            self._history.replace(chat_history)
        return announced(self._turn(asked))

    def _turn(self, asked: Question) -> Flow[GroundedResponse]:
        before = yield from in_thread(self._history.readable)
        understood = understand(asked.query_str, before)
        if understood.leaning is None:
            response = yield from self._engine.answering(asked)
        else:
            response = yield from self._follow_up(asked, understood, before)
        self._history.add(asked.query_str, response.answer)
        return response

    def _follow_up(self, asked: Question, understood: Understood, before: Sequence[Exchange]) -> Flow[GroundedResponse]:
        rewrite = (yield from self._rewritten(asked, before)) if understood.context else None
        question = _completed(asked, understood, rewrite)
        question.trace.understood_as = question.query_str if question.query_str != asked.query_str else None
        response, held = yield from held_back(self._engine.answering(question), Quoted, Disagreement, Summarised)
        trace = response.answer.trace
        subjects = rewrite.either if rewrite else ()
        if trace.web is None:
            subjects = subjects or subjects_of(understood, response.answer)
        elif question.in_own_words != asked.query_str:
            trace.understood_as = question.in_own_words  # all that the web was asked
        answer = replace(response.answer, question=asked.query_str, understood_as=trace.understood_as)
        if len(subjects) > 1:
            answer = asked_back(answer, subjects)
            trace.understood_as = None
            return GroundedResponse(str(answer), [], response.metadata, answer)
        if answer.understood_as:
            yield Understanding(answer.understood_as)
        yield from held
        return replace(response, response=str(answer), answer=answer)

    def _rewritten(self, asked: Question, before: Sequence[Exchange]) -> Flow[Rewrite | None]:
        """What the model makes of a turn; None where the rules have to do, with the reason in the trace."""
        if self._llm is None or self._prompt is None:
            return None
        trace = asked.trace
        call = rewrite_call(asked.query_str, before, self._prompt, trace)
        try:
            with trace.timed(f"model: {call.purpose}", model=model_name(self._llm)):
                reply = yield from asking(self._llm, call, deadline=time.monotonic() + self._seconds)
            trace.count(call.purpose, reply.input_tokens, reply.output_tokens, reply.estimated)
            return read_rewrite(reply, asked.query_str, before)
        except RejectedRewrite as rejected:
            trace.warn(f"The follow-up was completed by rules, since the model's version was rejected: {rejected}.")
        except ModelError as error:
            trace.warn(f"The follow-up was completed by rules, since the model failed: {error}", degrades=True)
        return None


def _completed(asked: Question, understood: Understood, rewrite: Rewrite | None) -> FollowUp:
    """The question that is searched for and answered."""
    made = partial(
        FollowUp,
        as_of=asked.as_of,
        trace=asked.trace,
        alone=understood.turn,
        quoted=tuple(dict.fromkeys(quoted.document_id for quoted in understood.quoted)),
        said=understood.said,
        typed=understood.typed,
    )
    if rewrite and rewrite.question:
        return made(rewrite.question)
    if understood.replaced:
        context, text = understood.replaced
        return made(understood.completed, parts=(Part(text, context, is_follow_up=True),) if context else ())
    parts = tuple(
        Part(part.text, f"{understood.context} {part.context}".strip(), is_follow_up=True) for part in asked.parts
    )
    return made(understood.completed, parts=parts)
