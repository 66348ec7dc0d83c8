"""The LlamaIndex response synthesizer: nodes in, a GroundedResponse out."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.response_synthesizers.base import BaseSynthesizer, QueryTextType
from llama_index.core.schema import NodeWithScore
from llama_index_instrumentation import get_dispatcher

from rag_app.answer import Answer, Quote
from rag_app.errors import DefinitionError, UsageError
from rag_app.index.calibration import Declining
from rag_app.prompts import load_prompt
from rag_app.question import Question, Referred, checked_question
from rag_app.respond.events import Disagreement, Quoted, Retrieved
from rag_app.respond.response import GroundedResponse
from rag_app.settings import Component, Settings, load_settings
from rag_app.steps import Flow, arun, in_thread, run
from rag_app.synthesize.drive import driven
from rag_app.synthesize.evidence import Evidence, Ledger, MayCite, build_ledger
from rag_app.synthesize.flow import answer_flow
from rag_app.synthesize.near_examples import NearExamples
from rag_app.synthesize.offline.extractive import answer_without_model
from rag_app.synthesize.offline.nearest import nearest_statements
from rag_app.synthesize.summary import PROMPTS as SUMMARY_PROMPTS
from rag_app.synthesize.turn import FlowOptions, SearchAgain

_dispatcher = get_dispatcher(__name__)

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

PROMPTS = ("draft", "coverage", "recheck", "repair", "ungrounded")
MoreNodes = Callable[[Question, Sequence[str]], list[NodeWithScore]]
"""Further searches for a question, under the rules and through the postprocessors of the first one."""
ReferredNodes = Callable[[Question, Referred], list[NodeWithScore]]
"""The passages that statements refer to, under the same rules."""


class ValidatingSynthesizer(BaseSynthesizer):
    """Answers with whole statements of the nodes it is given, each with its place, or with a refusal.

    Args:
        may_cite: says of a node, at the moment of answering, whether the asker may be shown it. There is no default:
            the caller who builds an engine says who may read.
        max_quotes: how many statements are shown at most per part of a question when no model chooses.
        llm: chooses the statements; None: they are chosen without a language model.
        search_again: makes the searches that the model may ask for once; None: it may not.
        fetch_referred: fetches what chosen statements refer to ("as set out in the Travel Rules", "the checks below"),
            to stand beside the evidence in the next round; None: it is not fetched.
        examples: worked examples for the draft prompt; None: there are none.
        settings: what a question may spend, and what happens where the evidence is weak.
        summarise: the model also writes a summary beside the quotes, in the voice of the prompt "voice"; each of its
            sentences is checked against the quotes. Without a model there is none, and a warning says so.
        declining: when a draft without a model is declined; None: by `settings` alone, as nothing was calibrated.

    Raises:
        UsageError: `llm` is not a LlamaIndex LLM; or `settings` want answers from a model's own knowledge without one.
    """

    def __init__(
        self,
        *,
        may_cite: MayCite,
        max_quotes: int = 4,
        llm: "LLM | None" = None,
        search_again: MoreNodes | None = None,
        fetch_referred: ReferredNodes | None = None,
        examples: NearExamples | None = None,
        settings: Settings | None = None,
        summarise: bool = False,
        declining: Declining | None = None,
    ) -> None:
        # BaseSynthesizer.__init__ reads the global Settings (which fall back to OpenAI) and loads a tokenizer.
        settings = settings or load_settings()
        if llm is not None and not isinstance(llm, BaseLLM):
            given = f"the class {llm.__name__}: call it" if isinstance(llm, type) else repr(type(llm).__name__)
            raise UsageError(f"llm= takes a LlamaIndex LLM, a short name or None, and was given {given}.")
        if llm is None and settings.on_low_confidence == "ungrounded":
            raise UsageError('on_low_confidence="ungrounded" needs a language model: name one with llm=.')
        self._may_cite = may_cite
        self._max_quotes = max_quotes
        self._chat_model = llm
        self._declining = declining or Declining(threshold=settings.decline_threshold)
        self._search_again = search_again
        self._fetch_referred = fetch_referred
        self._examples = examples if llm else None
        self._seconds = settings.model_seconds
        names = (*PROMPTS, *SUMMARY_PROMPTS) if summarise else PROMPTS
        self._options = FlowOptions(
            prompts={name: load_prompt(name) for name in names} if llm else {},
            max_calls=settings.max_model_calls,
            prompt_tokens=settings.prompt_tokens,
            reply_tokens=settings.reply_tokens,
            max_quotes=settings.max_quotes_for_model,
            may_search=search_again is not None,
            may_fetch=fetch_referred is not None,
            declining=self._declining,
            may_cover=Component.COVERAGE not in settings.without,
            is_ungrounded_allowed=settings.on_low_confidence == "ungrounded",
            is_summary_wanted=summarise,
        )
        self._callback_manager = CallbackManager([])
        self._streaming = False

    @property
    def callback_manager(self) -> CallbackManager:
        return self._callback_manager

    @callback_manager.setter
    def callback_manager(self, callback_manager: CallbackManager) -> None:
        self._callback_manager = callback_manager

    def _get_prompts(self) -> PromptDictType:
        return {name: prompt.template for name, prompt in self._options.prompts.items()}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """Replaces prompts by name. Raises DefinitionError for an unknown one, or one with the wrong variables."""
        known = dict(self._options.prompts)
        for name, template in prompts.items():
            if name not in known:
                has = ", ".join(known) or "none, since no language model chooses"
                raise DefinitionError(f"There is no prompt {name!r} here; there is: {has}.", prompt=name)
            known[name] = known[name].replaced(template)
        self._options = replace(self._options, prompts=known)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def get_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any) -> str:
        """Not offered: bare texts have no place that could be cited. Raises TypeError, always."""
        raise TypeError("ValidatingSynthesizer answers from nodes: call synthesize(query, nodes).")

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any) -> str:
        """Not offered: bare texts have no place that could be cited. Raises TypeError, always."""
        raise TypeError("ValidatingSynthesizer answers from nodes: call asynthesize(query, nodes).")

    def synthesize(
        self,
        query: QueryTextType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> GroundedResponse:
        """The answer to `query` from `nodes`, best first; no node is a refusal, not an error.

        Raises:
            UsageError: `query` is empty or too long, where a third-party engine did not check it.
            ModelError: the language model failed; never reported as a refusal.
        """
        return run(self.answering(query, nodes))

    async def asynthesize(
        self,
        query: QueryTextType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> GroundedResponse:
        """As `synthesize`, without holding up the event loop."""
        return await arun(self.answering(query, nodes))

    def answering(self, query: QueryTextType, nodes: list[NodeWithScore]) -> Flow[GroundedResponse]:
        """`synthesize` as a flow (see `rag_app.steps`), with its events."""
        question, llm = checked_question(query), self._chat_model
        with self._announced(question) as announce:
            find = _Find(self._search_again, self._fetch_referred)
            turn = yield from in_thread(
                _Evidence, question, nodes, self._may_cite, find, self._examples, self._declining
            )
            yield Retrieved(tuple(question.trace.kept))
            if llm is None:
                answer = yield from in_thread(
                    answer_without_model, question, turn.ledger, self._max_quotes, self._declining
                )
                if self._options.is_summary_wanted and answer.quotes:
                    question.trace.warn("No summary: it takes a language model, and none is set.")
                for quote in answer.quotes:
                    yield Quoted(quote)
                for conflict in answer.conflicts:
                    yield Disagreement(conflict)
            else:
                flow = answer_flow(question, turn.ledger, self._options, turn.examples)
                answer = yield from driven(flow, llm, turn, question.trace, self._seconds)
            return announce((yield from in_thread(turn.response, answer)))

    @contextmanager
    def _announced(self, question: Question) -> Iterator[Callable[[GroundedResponse], GroundedResponse]]:
        """Tells LlamaIndex's callbacks and instrumentation of a question, and of its response."""
        _dispatcher.event(SynthesizeStartEvent(query=question))
        with self._callback_manager.event(
            CBEventType.SYNTHESIZE, payload={EventPayload.QUERY_STR: question.query_str}
        ) as event:

            def announce(response: GroundedResponse) -> GroundedResponse:
                event.on_end(payload={EventPayload.RESPONSE: response})
                _dispatcher.event(SynthesizeEndEvent(query=question, response=response))
                return response

            yield announce


@dataclass(frozen=True, slots=True)
class _Find:
    """How evidence is extended."""

    searched: MoreNodes | None
    referred: ReferredNodes | None

    def __call__(self, question: Question, request: SearchAgain) -> list[NodeWithScore]:
        found = self.searched(question, request.queries) if self.searched and request.queries else []
        along = self.referred(question, request.referred) if self.referred and request.referred != Referred() else []
        return [*found, *along]


class _Evidence:
    """The ledger of one turn, and the way back from it to nodes."""

    def __init__(
        self,
        question: Question,
        nodes: list[NodeWithScore],
        may_cite: MayCite,
        find: _Find,
        examples: NearExamples | None,
        declining: Declining,
    ) -> None:
        self.question = question
        self.declining = declining
        self.may_cite = may_cite
        self.find = find
        with question.trace.timed("evidence"):
            self.ledger = build_ledger(nodes, may_cite, question.trace)
        self.examples = examples.show(question) if examples and self.ledger.evidence else ""

    def search(self, request: SearchAgain) -> Ledger:
        """The ledger with what further searches find behind it."""
        nodes = self.find(self.question, request)
        self.ledger = build_ledger(nodes, self.may_cite, self.question.trace, before=request.before)
        return self.ledger

    def may_show(self, quote: Quote) -> bool:
        """Whether a quote may be shown, as things are now: it is shown before the answer is whole."""
        return all(self.may_cite(e.node.node) for e in self.ledger.evidence if _holds(e, quote))

    def response(self, answer: Answer) -> GroundedResponse:
        sources = [e.node for e in self.ledger.evidence if any(_holds(e, quote) for quote in answer.quotes)]
        if answer.quotes and answer.trace.model_calls and not all(self.may_cite(source.node) for source in sources):
            answer, sources = self._withdrawn(answer), []
        elif answer.status == "insufficient_evidence" and self.ledger.evidence:
            nearest = nearest_statements(self.question, self.ledger, self.declining, self.may_cite)
            answer = replace(answer, nearest=nearest)
        return GroundedResponse(response=str(answer), source_nodes=sources, metadata={}, answer=answer)

    def _withdrawn(self, answer: Answer) -> Answer:
        """A model takes seconds, in which a document may have been withdrawn: then nothing of its answer is shown."""
        return Answer(answer.question, "insufficient_evidence", reason="nothing_validated", trace=answer.trace)


def _holds(evidence: Evidence, quote: Quote) -> bool:
    return (evidence.document_id, evidence.start) == (quote.document_id, quote.context_start)
