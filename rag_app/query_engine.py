"""The query engine that `engine.py` puts together of its stages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import cast

from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers.base import BaseSynthesizer
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryType

from rag_app.answer import Trace
from rag_app.errors import DefinitionError, UsageError
from rag_app.question import Question, as_question
from rag_app.response import GroundedResponse
from rag_app.settings import Component

MayName = Callable[[set[str]], frozenset[str]]
"""Those of some documents that the asker may know of, as things are now."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of an engine, in the order in which a question passes through them, and what belongs to all of them.

    A list of nodes goes from each to the next; the same `Question` goes to all.
    """

    retriever: BaseRetriever
    postprocessors: tuple[BaseNodePostprocessor, ...]
    synthesizer: BaseSynthesizer
    may_name: MayName
    """Which documents the trace may mention when all is done: access may have ended while the question ran, and an
    earlier stage may have dropped what must no longer be seen."""
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
        if question.as_of and not self._stages.knows_days:
            raise UsageError("The web cannot be asked for what was in force on a day: leave `as_of` out.")
        return question

    @contextmanager
    def _traced(self, question: Question) -> Iterator[None]:
        trace = question.trace
        if self._stages.off:
            trace.warn(f"Switched off: {', '.join(sorted(self._stages.off))}.")
        with trace.timed("total"):
            try:
                yield
            finally:
                self.forget_withdrawn(trace)

    def forget_withdrawn(self, trace: Trace) -> None:
        """Takes out of a trace what the asker must no longer know of."""
        if withdrawn := trace.document_ids - self._stages.may_name(trace.document_ids):
            trace.forget(withdrawn)
