"""Passages of web pages that a search service finds for a message, checked for topic and region."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode
from tenacity import AsyncRetrying, Retrying

from rag_app.answer import Drop, Trace
from rag_app.errors import SearchTimeout
from rag_app.llm import RetryPolicy
from rag_app.question import Question, checked_question
from rag_app.settings import Settings, load_settings
from rag_app.steps import Flow, Step, arun, in_thread, run
from rag_app.text.nodes import hit_of, node_statements, slice_of
from rag_app.web.intent import Intent, IntentGate
from rag_app.web.judging.similarity import measured
from rag_app.web.judging.terms import Text, stem_of
from rag_app.web.look_up import LookedUp, climb
from rag_app.web.region import RegionProfile
from rag_app.web.result_pages import LONGEST_PAGE, passages_of
from rag_app.web.search import SearchBackend, SearchRequest, WebResult

Clock = Callable[[], datetime]

POLICY = RetryPolicy(attempts=2)


def now() -> datetime:
    return datetime.now(UTC)


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
        now: Clock = now,
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
            SearchError: the search service failed; never reported as an empty result.
        """
        return run(self._looked_up(message, trace or Trace()))

    def _looked_up(self, message: str, trace: Trace) -> Flow[LookedUp]:
        intent = yield from self._gate.judged(message, trace)
        deadline = time.monotonic() + self._settings.web_seconds
        with trace.timed("web search", source=self._backend.name, top_k=self._settings.web_results):
            return (
                yield from climb(
                    intent,
                    self._profile,
                    self._backend.name,
                    trace,
                    self._settings.web_results,
                    partial(self._searching, deadline=deadline),
                    self._now().date(),
                )
            )

    def _searching(self, request: SearchRequest, deadline: float) -> Step[list[WebResult]]:
        tried = self._policy.arguments(deadline)
        return Step(
            partial(Retrying(**tried), self._search, request, deadline),
            partial(AsyncRetrying(**tried), self._asearch, request, deadline),
        )

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
        return run(self._found(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await arun(self._found(query_bundle))

    def _found(self, query_bundle: QueryBundle) -> Flow[list[NodeWithScore]]:
        question = checked_question(query_bundle)
        found = yield from self._looked_up(question.query_str, question.trace)
        return (yield from in_thread(self._nodes, question, found))

    def _nodes(self, question: Question, found: LookedUp) -> list[NodeWithScore]:
        trace = question.trace
        trace.web = found.searched
        trace.searches += dict.fromkeys(attempt.query for attempt in found.searched.attempts)
        if found.judgement is None:
            return question.refuse("not_for_search")
        for number, reason in found.judgement.dropped:
            trace.dropped.append(Drop("relevance", reason, found.results[number].url, None, None))
        if not found.usable:
            return question.refuse("nothing_found" if found.judgement.verdict == "empty" else "nothing_relevant")
        if found.searched.doubt:
            trace.warn(found.searched.doubt)
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
            return question.refuse("nothing_found")
        if found.judgement.verdict == "clean" and found.intent.is_open:
            question.leads = frozenset(place for passage in passages for place in _naming(passage.node, found.intent))
        most = self._settings.web_passages
        nodes = measured(passages, question, found.intent.search_query, self._embedder, most)
        trace.retrieved = [hit_of(node) for node in nodes]
        return nodes


def is_web_page(node: BaseNode) -> bool:
    """Whether a node is a passage of a web page, which everybody may read."""
    return node.metadata.get("retrieved") is not None


def _naming(node: TextNode, intent: Intent) -> Iterator[tuple[str, int]]:
    """The statements of a node that name what a message names, by document id and start."""
    for statement in node_statements(node):
        said = Text(slice_of(node, statement.span) or "")
        if any(said.has(stem_of(word)) for word in intent.subject):
            yield node.metadata["document_id"], statement.start
