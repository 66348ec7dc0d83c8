"""The query engines that `engine.py` puts together: over one retriever, and over an index first and the web second."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any, cast

from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import QueryType

from rag_app.answer import Trace
from rag_app.errors import DefinitionError, UsageError
from rag_app.question import Question, as_question
from rag_app.response import GroundedResponse
from rag_app.settings import Component

MayName = Callable[[set[str]], frozenset[str]]
"""Those of some documents that the asker may know of, as things are now."""

GATE_CLOSED = ("nothing_readable", "nothing_found", "below_confidence")
"""Refusals of an index that has nothing near the question; the others had evidence and judged it."""


class GroundedQueryEngine(RetrieverQueryEngine):
    """A LlamaIndex query engine whose responses are grounded or refused; `response.answer` says which and why."""

    def __init__(
        self, *, may_name: MayName, knows_days: bool = True, off: Collection[Component] = (), **parts: Any
    ) -> None:
        """`parts` are RetrieverQueryEngine's; `may_name` says which documents the trace may mention when all is done:
        access may have ended while the question ran, and an earlier stage may have dropped what no longer may be seen.
        `knows_days` is False where documents in force on a day cannot be asked for; `off` is what was switched off, for
        the trace.
        """
        super().__init__(callback_manager=CallbackManager([]), **parts)
        self._may_name = may_name
        self._knows_days = knows_days
        self._off = tuple(sorted(off))

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
            StoreError, ModelError, SearchError: something failed while answering; never told as a refusal.
        """
        question = self._asked(str_or_query_bundle, as_of)
        with self._traced(question):
            return cast(GroundedResponse, super().query(question))

    async def aquery(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """As `query`, without holding up the event loop."""
        question = self._asked(str_or_query_bundle, as_of)
        with self._traced(question):
            return cast(GroundedResponse, await super().aquery(question))

    def _asked(self, str_or_query_bundle: QueryType, as_of: date | None) -> Question:
        question = as_question(str_or_query_bundle, as_of)
        if question.as_of and not self._knows_days:
            raise UsageError("The web cannot be asked for what was in force on a day: leave `as_of` out.")
        return question

    @contextmanager
    def _traced(self, question: Question) -> Iterator[None]:
        trace = question.trace
        if self._off:
            trace.warn(f"Switched off: {', '.join(self._off)}.")
        with trace.timed("total"):
            try:
                yield
            finally:
                self.forget_withdrawn(trace)

    def forget_withdrawn(self, trace: Trace) -> None:
        """Takes out of a trace what the asker may not know of any more."""
        if withdrawn := trace.document_ids - self._may_name(trace.document_ids):
            trace.forget(withdrawn)


class IndexThenWebEngine(GroundedQueryEngine):
    """Asks an index, and the web only where the index has nothing near the question: its gate closed.

    Then the answer is the web's alone, and its trace tells of both. What leaves the machine is a query made of the
    question, never of a document. An index that had evidence and declined it is not gone round.
    """

    def __init__(self, *, web: GroundedQueryEngine, **parts: Any) -> None:
        """`parts` are those of the engine over the index."""
        super().__init__(**parts)
        self._web = web

    def _get_prompt_modules(self) -> PromptMixinType:
        return {**super()._get_prompt_modules(), "web": self._web}

    def query(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """Answers a question; raises as `GroundedQueryEngine.query` does."""
        first = super().query(str_or_query_bundle, as_of=as_of)
        if not self._goes_on(str_or_query_bundle, as_of, first):
            return first
        return self._joined(first, self._web.query(first.answer.question))

    async def aquery(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """As `query`, without holding up the event loop."""
        first = await super().aquery(str_or_query_bundle, as_of=as_of)
        if not self._goes_on(str_or_query_bundle, as_of, first):
            return first
        return self._joined(first, await self._web.aquery(first.answer.question))

    def _goes_on(self, asked: QueryType, as_of: date | None, first: GroundedResponse) -> bool:
        if first.answer.reason not in GATE_CLOSED:
            return False
        if self._asked(asked, as_of).as_of:
            first.answer.trace.warn("The web was not searched: it cannot be asked for what was in force on a day.")
            return False
        return True

    def _joined(self, first: GroundedResponse, second: GroundedResponse) -> GroundedResponse:
        """The web's response, whose trace also tells what the index did before."""
        before, trace = first.answer.trace, second.answer.trace
        self.forget_withdrawn(before)  # the web took its time
        trace.index_version = before.index_version
        trace.dropped[:0] = before.dropped
        trace.numbers = {**{f"index.{name}": value for name, value in before.numbers.items()}, **trace.numbers}
        trace.milliseconds = {
            **{f"index: {stage}": spent for stage, spent in before.milliseconds.items()},
            **trace.milliseconds,
        }
        trace.model_calls += before.model_calls
        trace.input_tokens += before.input_tokens
        trace.output_tokens += before.output_tokens
        trace.tokens_estimated |= before.tokens_estimated
        trace.prompt_versions = {**before.prompt_versions, **trace.prompt_versions}
        trace.searches[:0] = before.searches
        for warning in before.warnings:
            trace.warn(warning)
        return second
