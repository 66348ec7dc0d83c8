"""Runs the cases of the web search benchmark: live, or from their recordings; and freezes recordings."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.search_bench.judging import Outcome, failed, frozen, judge_look_up, moved
from evals.search_bench.search_case import SearchCase
from evals.search_bench.search_recording import (
    Recorded,
    Recording,
    key_of,
    load_recording,
    recording_path,
    replaying,
    save_recording,
    wire_reply,
)
from rag_app.errors import SearchError
from rag_app.llm import ModelCall, ModelReply, RetryPolicy, call_llm
from rag_app.llm.providers.chat_only import ChatOnlyLLM
from rag_app.web.intent import IntentGate
from rag_app.web.look_up import LookedUp
from rag_app.web.region import load_region
from rag_app.web.search import SearchBackend, SearchRequest, WebResult
from rag_app.web.tavily import TavilyBackend, arguments_of
from rag_app.web.web_retriever import WebSearchRetriever

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


@dataclass(frozen=True, slots=True)
class Replayed:
    """A case replayed from its recording."""

    outcome: Outcome
    moved: tuple[str, ...]
    """What differs from the day it was frozen; empty where nothing does."""
    now: Recording
    """The recording as it would be frozen now."""


def replay(case: SearchCase, folder: Path, *, in_order: bool = False) -> Replayed:
    """Asks a case of its recording, through the real client and a server on loopback.

    Args:
        in_order: a constructed recording is read by the order of its replies, and bound again to the requests.

    Raises:
        DefinitionError: the recording is missing or wrong.
    """
    recording = load_recording(recording_path(folder, case.region, case.id))
    if recording.expects:
        case = replace(case, verdicts=recording.expects)
    llm = None if recording.classifier is None else _Recorded(recording.classifier)
    with replaying(recording, in_order=in_order and recording.origin == "constructed") as server:
        found, trouble = None, ""
        try:
            found = _look_up(case, TavilyBackend(api_key="replay", base_url=server.url), llm)
        except SearchError as error:
            trouble = str(error)
        if server.unknown:  # also where a search before it found enough to go on
            known = " | ".join(str(one.request.get("query")) for one in recording.searches) or "no search"
            trouble = f"search {len(server.asked) + 1} is not in the recording: {server.unknown[0]}; it holds: {known}"
        if trouble or found is None:
            return Replayed(failed(case, trouble), (trouble,), recording)
        now = replace(server.rebound() if in_order else recording, verdicts=frozen(found))
    outcome = judge_look_up(case, found, load_region(case.region))
    return Replayed(outcome, tuple(moved(recording.verdicts, now.verdicts)), now)


def ask_live(case: SearchCase, backend: SearchBackend, llm: "LLM | None" = None) -> Outcome:
    """Asks a case of the real service. A search that fails is an outcome of its own, never a verdict."""
    try:
        return judge_look_up(case, _look_up(case, backend, llm), load_region(case.region))
    except SearchError as error:
        return failed(case, str(error))


def record(
    case: SearchCase, backend: SearchBackend, llm: "LLM | None" = None, *, today: Callable[[], datetime] | None = None
) -> tuple[Recording, Outcome]:
    """Asks a case of the real service and model, and keeps all that they said. Raises SearchError."""
    heard, listening = _Heard(backend), None if llm is None else _Listening(llm)
    found = _look_up(case, heard, listening)
    day = (today or (lambda: datetime.now(UTC)))().date().isoformat()
    recording = Recording(
        case=case.id,
        origin="recorded",
        note=f"Recorded from the service {backend.name} on {day}.",
        classifier=listening.said if listening else None,
        searches=tuple(heard.searches),
        verdicts=frozen(found),
    )
    return recording, judge_look_up(case, found, load_region(case.region))


def freeze(recording: Recording, region: str, folder: Path) -> Path:
    """Writes a recording where `replay` looks for it."""
    path = recording_path(folder, region, recording.case)
    save_recording(path, recording)
    return path


def _look_up(case: SearchCase, backend: SearchBackend, llm: "LLM | None") -> LookedUp:
    from llama_index.core.embeddings.mock_embed_model import MockEmbedding

    profile = load_region(case.region)
    retriever = WebSearchRetriever(
        backend,
        profile,
        embedder=MockEmbedding(embed_dim=1),  # a look-up measures no passages
        gate=IntentGate(profile, llm),
        policy=RetryPolicy(attempts=1),
    )
    return retriever.look_up(case.message)


class _Recorded(ChatOnlyLLM):
    """A model that says what it said when it was recorded."""

    said: str

    def __init__(self, said: str) -> None:
        super().__init__(said=said)  # pyright: ignore[reportCallIssue]

    def reply(self, call: ModelCall, seconds: float) -> ModelReply:
        return ModelReply(self.said, 0, 0, estimated=True)


class _Listening(ChatOnlyLLM):
    """Hands a call on to a model, and keeps what it said."""

    inner: Any
    said: str | None = None

    def __init__(self, inner: "LLM") -> None:
        super().__init__(inner=inner)  # pyright: ignore[reportCallIssue]

    def reply(self, call: ModelCall, seconds: float) -> ModelReply:
        reply = call_llm(self.inner, call, deadline=time.monotonic() + seconds)
        self.said = reply.text
        return reply


class _Heard:
    """Hands searches on to a service, and keeps what it replied, as it would have stood on the wire."""

    def __init__(self, inner: SearchBackend) -> None:
        self.inner = inner
        self.name = inner.name
        self.searches: list[Recorded] = []

    def search(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        return self._kept(request, self.inner.search(request, seconds))

    async def asearch(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        return self._kept(request, await self.inner.asearch(request, seconds))

    def _kept(self, request: SearchRequest, results: list[WebResult]) -> list[WebResult]:
        self.searches.append(Recorded(key_of(arguments_of(request)), wire_reply(request.query, results)))
        return results
