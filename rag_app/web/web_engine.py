"""Engines over the web: alone, or behind an index that is asked first."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.prompts.mixin import PromptMixinType

from rag_app.answer import Reason
from rag_app.engine import EngineParts
from rag_app.llm import RetryPolicy
from rag_app.postprocess.quality import QualityFilter
from rag_app.postprocess.rerank import CrossEncoderRerank
from rag_app.question import Question, as_question
from rag_app.respond.query_engine import GroundedQueryEngine, Stages
from rag_app.respond.response import GroundedResponse
from rag_app.settings import Settings
from rag_app.steps import Flow
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.web.intent import IntentGate
from rag_app.web.region import RegionProfile, load_region
from rag_app.web.search import SearchBackend
from rag_app.web.tavily import TavilyBackend
from rag_app.web.web_retriever import POLICY, WebSearchRetriever, is_web_page, now

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

GATE_CLOSED: tuple[Reason, ...] = ("nothing_readable", "nothing_found", "below_confidence")
"""Refusals of an index that has nothing near the question; the others had evidence and judged it."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Where and how an engine searches the web: what `web=` of `build_query_engine` takes."""

    region: str | Path | RegionProfile = ""
    """A profile, its code or the path of its file; "" takes the setting `region`."""
    backend: SearchBackend | None = None
    """The search service; None: Tavily, with the key in TAVILY_API_KEY."""
    now: Callable[[], datetime] = now
    """The time that is written into citations as that of retrieval."""
    policy: RetryPolicy = POLICY
    """How often a search that failed for a moment is tried again."""

    def retriever(self, embedder: BaseEmbedding, settings: Settings, llm: "LLM | None" = None) -> WebSearchRetriever:
        """The retriever for an engine.

        Raises:
            DefinitionError: no region is given, or its profile is wrong.
            SearchUnavailable: the search service has no key, or its extra is missing.
        """
        region = self.region or settings.region
        profile = region if isinstance(region, RegionProfile) else load_region(region)
        return WebSearchRetriever(
            self.backend or TavilyBackend(base_url=settings.tavily_url),
            profile,
            embedder=embedder,
            gate=IntentGate(profile, llm, seconds=settings.intent_seconds),
            settings=settings,
            now=self.now,
            policy=self.policy,
        )

    def stages(self, parts: EngineParts) -> Stages:
        """The stages over the web: the relevance check takes the place of the gate, and everybody may read."""
        settings, llm = parts.settings, parts.llm
        return Stages(
            retriever=self.retriever(parts.embedder, settings, llm),
            postprocessors=(
                QualityFilter(),
                CrossEncoderRerank(
                    parts.cross_encoder,
                    windows=settings.rerank_windows,
                    keep=settings.keep_for_model if llm else settings.keep,
                ),
            ),
            synthesizer=ValidatingSynthesizer(
                may_cite=is_web_page,
                max_quotes=settings.max_quotes,
                llm=llm,
                settings=settings,
                summarise=parts.summarise,
            ),
            may_name=frozenset,
            knows_days=False,
        )

    def make_engine(self, parts: EngineParts, over_index: Stages | None) -> GroundedQueryEngine:
        """An engine over the web, or with `over_index` one that asks the index first. Raises as `retriever` does."""
        over_web = GroundedQueryEngine(self.stages(parts))
        return IndexThenWebEngine(over_index, over_web) if over_index else over_web


class IndexThenWebEngine(GroundedQueryEngine):
    """Asks an index, and the web only where the index has nothing near the question, so that its gate closed.

    Then the answer is the web's alone, and its trace reports on both. What leaves the machine is a query made of the
    question, never of a document. An index that had evidence and declined it is not bypassed.
    """

    def __init__(self, over_index: Stages, web: GroundedQueryEngine) -> None:
        super().__init__(over_index)
        self._web = web

    def with_stages(self, stages: Stages) -> "IndexThenWebEngine":
        return IndexThenWebEngine(stages, self._web)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {**super()._get_prompt_modules(), "web": self._web}

    def answering(self, question: Question) -> Flow[GroundedResponse]:
        """Answers a question from the index, or from the web."""
        first = yield from super().answering(question)
        if first.answer.reason not in GATE_CLOSED:
            return first
        if question.as_of:
            first.answer.trace.warn("The web was not searched: it cannot be asked for what was in force on a day.")
            return first
        return self._joined(first, (yield from self._web.answering(as_question(question.in_own_words))))

    def _joined(self, first: GroundedResponse, second: GroundedResponse) -> GroundedResponse:
        """The web's response, whose trace also reports what the index did before."""
        before, trace = first.answer.trace, second.answer.trace
        self.remove_withdrawn(before)  # the web took its time
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
