"""The query engine that `engine.py` puts together of its stages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryBundle, QueryType

from rag_app.answer import Answer, Trace
from rag_app.errors import DefinitionError, UsageError
from rag_app.question import Question, as_question, question_of
from rag_app.respond.batch import Batch, BatchResult, Progress, arun_batch, run_batch
from rag_app.respond.events import Done, Event, Refused, Searching
from rag_app.respond.response import GroundedResponse
from rag_app.settings import Component
from rag_app.steps import Flow, Step, arun, astream, run, stream
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.trace import Facts

MayName = Callable[[set[str]], frozenset[str]]
"""Those of some documents that the asker may know of, as things are now."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of an engine, in the order in which a question passes through them, and what belongs to all of them.

    A list of nodes goes from each to the next; the same `Question` goes to all.
    """

    retriever: BaseRetriever
    postprocessors: tuple[BaseNodePostprocessor, ...]
    synthesizer: ValidatingSynthesizer
    may_name: MayName
    """Which documents the trace may mention when all is done: access may have ended while the question ran, and an
    earlier stage may have dropped what must no longer be seen."""
    state: Callable[[], str] = str
    """Names everything that an answer depends on besides its question, as things are now: what may be read, settings,
    models. "" where nobody can tell, as on the web."""
    pinned: Callable[[], AbstractContextManager[None]] = nullcontext
    """Within its block all stages see one state of what they search, whatever is written meanwhile."""
    knows_days: bool = True
    """False where documents in force on a day cannot be asked for."""
    off: frozenset[Component] = frozenset()
    """What was switched off; the trace says so."""


class GroundedQueryEngine(RetrieverQueryEngine):
    """A LlamaIndex query engine whose responses are grounded or refused; `response.answer` says which and why."""

    def __init__(self, stages: Stages) -> None:
        super().__init__(
            retriever=stages.retriever,
            node_postprocessors=list(stages.postprocessors),
            response_synthesizer=stages.synthesizer,
            callback_manager=CallbackManager([]),
        )
        self._stages = stages

    @property
    def stages(self) -> Stages:
        """What the engine is put together of."""
        return self._stages

    def with_stages(self, stages: Stages) -> "GroundedQueryEngine":
        """The same engine over other stages."""
        return GroundedQueryEngine(stages)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {**super()._get_prompt_modules(), "retriever": self.retriever}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        known = self.get_prompts()
        for name in prompts:
            if name not in known:
                raise DefinitionError(f"There is no prompt {name!r} here; there is: {', '.join(known)}.", prompt=name)

    def query(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """Answers a question.

        Raises:
            UsageError: the question is empty, or too long; or `as_of` is asked of the web.
            StoreError, ModelError, SearchError: something failed while answering; never reported as a refusal.
        """
        return _grounded(super().query(self._asked(str_or_query_bundle, as_of)))

    async def aquery(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """As `query`, without holding up the event loop."""
        return _grounded(await super().aquery(self._asked(str_or_query_bundle, as_of)))

    def stream(self, question: QueryType, *, as_of: date | None = None) -> Iterator[Event]:
        """What happens while a question is answered, as it happens; the last event is `respond.events.Done`.

        Raises as `query` does: at once where the question is wrong, else while the events are read.
        """
        return stream(announced(self.answering(self._asked(question, as_of))))

    def astream(self, question: QueryType, *, as_of: date | None = None) -> AsyncIterator[Event]:
        """As `stream`, without holding up the event loop."""
        return astream(announced(self.answering(self._asked(question, as_of))))

    def batch(
        self,
        questions: Iterable[str],
        *,
        concurrency: int = 4,
        results: str | Path | None = None,
        progress: Progress | None = None,
    ) -> list[BatchResult]:
        """Answers many questions: a few at the same time, each as `query` would, results in the order of the questions.

        Args:
            concurrency: questions that are asked at the same time.
            results: a file that answers are added to as they come; what it holds from an earlier run of the same engine
                is not asked again. With a `RecordingLLM` the model's replies are kept as well.
            progress: called with how many questions are done and how many there are.

        Returns:
            An answer or an error for each question; an error spoils nothing else.

        Raises:
            UsageError: `concurrency` is under 1, `questions` is a single text, or the results file cannot be read.
        """
        batch = Batch(questions, results=results, state=self._stages.state(), progress=progress)
        return run_batch(batch, lambda question: self.query(question).answer, concurrency)

    async def abatch(
        self,
        questions: Iterable[str],
        *,
        concurrency: int = 4,
        results: str | Path | None = None,
        progress: Progress | None = None,
    ) -> list[BatchResult]:
        """As `batch`, without holding up the event loop."""
        state = await asyncio.to_thread(self._stages.state)
        batch = Batch(questions, results=results, state=state, progress=progress)

        async def ask(question: str) -> Answer:
            return (await self.aquery(question)).answer

        return await arun_batch(batch, ask, concurrency)

    def answering(self, question: Question) -> Flow[GroundedResponse]:
        """Passes a question through the stages, as a flow (see `rag_app.steps`)."""
        with self._traced(question) as facts:
            with self.callback_manager.event(
                CBEventType.QUERY, payload={EventPayload.QUERY_STR: question.query_str}
            ) as announce:
                yield Searching(tuple(question.queries))
                nodes = yield from Step(partial(self.retrieve, question), partial(self.aretrieve, question))
                response = yield from self._stages.synthesizer.answering(question, nodes)
                announce.on_end(payload={EventPayload.RESPONSE: response})
            facts |= {"status": response.answer.status, "quotes": len(response.answer.quotes)}
            if response.answer.reason:
                facts["refusal_reason"] = response.answer.reason
            return response

    def _query(self, query_bundle: QueryBundle) -> GroundedResponse:
        return run(self.answering(question_of(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> GroundedResponse:
        return await arun(self.answering(question_of(query_bundle)))

    def _asked(self, str_or_query_bundle: QueryType, as_of: date | None) -> Question:
        question = as_question(str_or_query_bundle, as_of)
        if question.as_of and not self._stages.knows_days:
            raise UsageError("A search of the web cannot go back to an earlier day: leave `as_of` out.")
        return question

    @contextmanager
    def _traced(self, question: Question) -> Iterator[Facts]:
        trace = question.trace
        if self._stages.off:
            trace.warn(f"Switched off: {', '.join(sorted(self._stages.off))}.")
        with trace.timed("total") as facts:
            try:
                with self._stages.pinned():
                    yield facts
            finally:
                self.remove_withdrawn(trace)

    def remove_withdrawn(self, trace: Trace) -> None:
        """Takes out of a trace what the asker must no longer know of."""
        if withdrawn := trace.document_ids - self._stages.may_name(trace.document_ids):
            trace.remove_documents(withdrawn)


def announced(flow: Flow[GroundedResponse]) -> Flow[GroundedResponse]:
    """A flow with the events that end it: a refusal, where it is one, and the response."""
    response = yield from flow
    answer = response.answer
    if answer.status in ("insufficient_evidence", "needs_clarification"):
        yield Refused(answer.reason, answer.ambiguous)
    yield Done(response)
    return response


def _grounded(response: object) -> GroundedResponse:
    """The response of `ValidatingSynthesizer`, whose type LlamaIndex's own `query` does not name."""
    assert isinstance(response, GroundedResponse)
    return response
