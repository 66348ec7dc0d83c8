"""Passages of web pages that a search service finds for a message, checked for topic and region."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode
from tenacity import AsyncRetrying, Retrying

from rag_app.answer import Drop, Reason, Trace
from rag_app.errors import SearchError, SearchTimeout
from rag_app.llm import RetryPolicy
from rag_app.question import Question, as_question
from rag_app.settings import Settings, load_settings
from rag_app.text.nodes import LEADS, hide, hit_of, node_statements, slice_of
from rag_app.web.intent import Intent, IntentGate
from rag_app.web.look_up import LookedUp, climb
from rag_app.web.region import RegionProfile, load_region
from rag_app.web.result_pages import LONGEST_PAGE, passages_of
from rag_app.web.search import SearchBackend, SearchRequest, WebResult
from rag_app.web.similarity import measured
from rag_app.web.tavily import TavilyBackend
from rag_app.web.terms import Text, stem_of

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Clock = Callable[[], datetime]

POLICY = RetryPolicy(attempts=2)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Where and how an engine searches the web."""

    region: str | Path | RegionProfile = ""
    """A profile, its code or the path of its file; "" takes the setting `region`."""
    backend: SearchBackend | None = None
    """The search service; None: Tavily, with the key in TAVILY_API_KEY."""
    now: Clock = _now
    """The time that is written into citations as that of retrieval."""
    policy: RetryPolicy = POLICY
    """How often a search that failed for a moment is tried again."""

    def retriever(self, embedder: BaseEmbedding, settings: Settings, llm: "LLM | None" = None) -> "WebSearchRetriever":
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


class WebSearchRetriever(BaseRetriever):
    """Searches the web for a message and hands on passages of the pages that pass the relevance check.

    What leaves the machine is the query, made of the message alone. While results are not clean the ladder of tries
    goes on; the best set seen is kept, and every try and verdict stands in `trace.web`. From a set that is suspect or
    empty nothing comes back, and the question is refused. Nodes carry title, URL, domain, dates, their statements and
    cosines, so that all later stages work on them as on passages of an index.

    Args:
        backend: the search service.
        profile: of the region that messages are from.
        embedder: measures passages on the fly.
        gate: makes the query; left out: by the rules of the profile.
        settings: how much is searched and measured.
    """

    def __init__(
        self,
        backend: SearchBackend,
        profile: RegionProfile,
        *,
        embedder: BaseEmbedding,
        gate: IntentGate | None = None,
        settings: Settings | None = None,
        now: Clock = _now,
        policy: RetryPolicy = POLICY,
    ) -> None:
        super().__init__()
        self._backend = backend
        self._profile = profile
        self._embedder = embedder
        self._gate = gate or IntentGate(profile)
        self._settings = settings or load_settings()
        self._now = now
        self._policy = policy

    def _get_prompt_modules(self) -> dict[str, IntentGate]:
        return {"intent_gate": self._gate}

    def look_up(self, message: str, trace: Trace | None = None) -> LookedUp:
        """Searches without reading the pages: what is asked, what was tried, and the best set of results.

        Raises:
            SearchError: the search service failed; never told as an empty result.
        """
        trace = trace or Trace()
        intent = self._gate.judge(message, trace)
        deadline = time.monotonic() + self._settings.web_seconds
        steps = self._climb(intent, trace)
        came: list[WebResult] | SearchError | None = None
        with trace.timed("web search"):
            while True:
                try:
                    request = next(steps) if came is None else steps.send(came)
                except StopIteration as finished:
                    return finished.value
                try:
                    came = Retrying(**self._policy.arguments(deadline))(self._search, request, deadline)
                except SearchError as error:
                    came = error

    async def alook_up(self, message: str, trace: Trace | None = None) -> LookedUp:
        """As `look_up`, without holding up the event loop."""
        trace = trace or Trace()
        intent = await self._gate.ajudge(message, trace)
        deadline = time.monotonic() + self._settings.web_seconds
        steps = self._climb(intent, trace)
        came: list[WebResult] | SearchError | None = None
        with trace.timed("web search"):
            while True:
                try:
                    request = next(steps) if came is None else steps.send(came)
                except StopIteration as finished:
                    return finished.value
                try:
                    came = await AsyncRetrying(**self._policy.arguments(deadline))(self._asearch, request, deadline)
                except SearchError as error:
                    came = error

    def _climb(self, intent: Intent, trace: Trace):
        return climb(intent, self._profile, self._backend.name, trace, self._settings.web_results)

    def _search(self, request: SearchRequest, deadline: float) -> list[WebResult]:
        return self._backend.search(request, self._left(deadline))

    async def _asearch(self, request: SearchRequest, deadline: float) -> list[WebResult]:
        return await self._backend.asearch(request, self._left(deadline))

    def _left(self, deadline: float) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise SearchTimeout(
                "The time for searching the web was used up: ask again, or raise the setting web_seconds.",
                backend=self._backend.name,
                status=None,
            )
        return left

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = _asked(query_bundle)
        return self._nodes(question, self.look_up(question.query_str, question.trace))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = _asked(query_bundle)
        found = await self.alook_up(question.query_str, question.trace)
        return await asyncio.to_thread(self._nodes, question, found)

    def _nodes(self, question: Question, found: LookedUp) -> list[NodeWithScore]:
        trace = question.trace
        trace.web = found.searched
        trace.searches += dict.fromkeys(attempt.query for attempt in found.searched.attempts)
        if found.judgement is None:
            return _refused(question, "not_for_search")
        for number, reason in found.judgement.dropped:
            trace.dropped.append(Drop("relevance", reason, found.results[number].url, None, None))
        if not found.usable:
            return _refused(question, "nothing_found" if found.judgement.verdict == "empty" else "nothing_relevant")
        if found.judgement.verdict == "weak":
            trace.warn(f"The web pages may not be what is asked for: {found.judgement.reasons[0]}.")
        for result in found.usable:
            if len(result.raw_content or result.content) > LONGEST_PAGE:
                reason = f"only about its first {LONGEST_PAGE:,} characters were read"
                trace.dropped.append(Drop("web", reason, result.url, None, None))
        retrieved = self._now()
        passages = [
            passage
            for result in found.usable
            for passage in passages_of(result, retrieved, target_words=self._settings.target_words)
        ]
        if not passages:
            return _refused(question, "nothing_found")
        if found.judgement.verdict == "clean" and found.intent.is_open:
            question.is_open = True
            for passage in passages:
                hide(passage.node, LEADS, _naming(passage.node, found.intent))
        most = self._settings.web_passages
        nodes = measured(passages, question, found.intent.search_query, self._embedder, most)
        trace.retrieved = [hit_of(node) for node in nodes]
        return nodes


def is_web_page(node: BaseNode) -> bool:
    """Whether a node is a passage of a web page, which everybody may read."""
    return node.metadata.get("retrieved") is not None


def _naming(node: TextNode, intent: Intent) -> list[int]:
    """Indexes of the statements of a node that name what a message names."""
    said = [Text(slice_of(node, statement.span) or "") for statement in node_statements(node)]
    return [n for n, text in enumerate(said) if any(text.has(stem_of(word)) for word in intent.subject)]


def _asked(query_bundle: QueryBundle) -> Question:
    """The question; in a stranger's engine one whose trace nobody reads. Raises UsageError for an empty one."""
    return query_bundle if isinstance(query_bundle, Question) else as_question(query_bundle)


def _refused(question: Question, reason: Reason) -> list[NodeWithScore]:
    question.refusal = reason
    return []
