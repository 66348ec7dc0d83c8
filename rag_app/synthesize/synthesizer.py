"""The LlamaIndex response synthesizer: nodes in, a GroundedResponse out."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.response_synthesizers.base import BaseSynthesizer, QueryTextType
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_instrumentation import get_dispatcher

from rag_app.answer import Answer, Reason
from rag_app.question import Question
from rag_app.response import GroundedResponse
from rag_app.synthesize.evidence import Ledger, MayCite, build_ledger
from rag_app.synthesize.extractive import draft_extractive
from rag_app.synthesize.validate import validate_draft

_dispatcher = get_dispatcher(__name__)


class ValidatingSynthesizer(BaseSynthesizer):
    """Answers with whole statements of the nodes it is given, each with its place, or with a refusal.

    Args:
        may_cite: says of a node, at the moment of answering, whether the asker may be shown it. There is no default:
            whoever builds an engine says who may read.
        max_quotes: how many statements are shown at most per part of a question.
    """

    def __init__(self, *, may_cite: MayCite, max_quotes: int = 4) -> None:
        # BaseSynthesizer.__init__ reads the global Settings (which fall back to OpenAI) and loads a tokenizer.
        self._may_cite = may_cite
        self._max_quotes = max_quotes
        self._callback_manager = CallbackManager([])
        self._streaming = False

    @property
    def callback_manager(self) -> CallbackManager:
        return self._callback_manager

    @callback_manager.setter
    def callback_manager(self, callback_manager: CallbackManager) -> None:
        self._callback_manager = callback_manager

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """There is no prompt to replace: statements are chosen without a language model."""

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def get_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any) -> str:
        """Not offered: bare texts have no place that could be cited."""
        raise TypeError("ValidatingSynthesizer answers from nodes: call synthesize(query, nodes).")

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any) -> str:
        """Not offered: bare texts have no place that could be cited."""
        raise TypeError("ValidatingSynthesizer answers from nodes: call asynthesize(query, nodes).")

    def synthesize(
        self,
        query: QueryTextType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> GroundedResponse:
        """The answer to `query` from `nodes`, best first; no node is a refusal, not an error."""
        question = _as_question(query)
        _dispatcher.event(SynthesizeStartEvent(query=question))
        with self._callback_manager.event(
            CBEventType.SYNTHESIZE, payload={EventPayload.QUERY_STR: question.query_str}
        ) as event:
            with question.trace.timed("evidence"):
                ledger = build_ledger(nodes, self._may_cite, question.trace)
            answer = self._answer(question, ledger)
            cited = {(quote.document_id, quote.context_start) for quote in answer.quotes}
            sources = [e.node for e in ledger.evidence if (e.document_id, e.start) in cited]
            response = GroundedResponse(response=str(answer), source_nodes=sources, metadata={}, answer=answer)
            event.on_end(payload={EventPayload.RESPONSE: response})
        _dispatcher.event(SynthesizeEndEvent(query=question, response=response))
        return response

    async def asynthesize(
        self,
        query: QueryTextType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> GroundedResponse:
        """As `synthesize`, without holding up the event loop."""
        return await asyncio.to_thread(self.synthesize, query, nodes, additional_source_nodes)

    def _answer(self, question: Question, ledger: Ledger) -> Answer:
        if not ledger.evidence:
            return _refusal(question, question.refusal or "nothing_found")
        with question.trace.timed("draft"):
            draft = draft_extractive(question.parts, ledger, self._max_quotes, question.trace)
        if draft.declined:
            return _refusal(question, draft.declined)
        with question.trace.timed("validate"):
            found = validate_draft(draft, ledger, question.trace)
        if not found.quotes:
            return _refusal(question, "nothing_validated")
        missing = tuple(part.text for number, part in enumerate(draft.parts) if number not in found.answered)
        return Answer(question.query_str, "grounded", found.quotes, missing, trace=question.trace)


def _as_question(query: QueryTextType) -> Question:
    if isinstance(query, Question):
        return query
    if isinstance(query, QueryBundle):
        return Question(query.query_str, embedding=query.embedding)
    return Question(str(query))


def _refusal(question: Question, reason: Reason) -> Answer:
    return Answer(question.query_str, "insufficient_evidence", reason=reason, trace=question.trace)
