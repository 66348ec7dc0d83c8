"""Each part keeps what LlamaIndex promises of its kind: sync and async, callbacks, instrumentation events, prompts and
pickling."""

import asyncio
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.instrumentation import get_dispatcher  # pyright: ignore[reportPrivateImportUsage]
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers.base import BaseSynthesizer
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app import CrossEncoderRerank, MultiQueryRetriever, OpenIndex, Question, RecordingLLM
from rag_app.errors import DefinitionError
from rag_app.testing import ScriptedLLM

BERGEN = "What does a hotel room in Bergen cost?"


class Heard(BaseEventHandler):
    """Names of the instrumentation events."""

    names: list[str] = []  # noqa: RUF012 - a field of a pydantic model

    def handle(self, event: Any, **kwargs: Any) -> None:
        self.names.append(event.class_name())


@contextmanager
def listening() -> Iterator[list[str]]:
    heard = Heard()
    dispatcher = get_dispatcher()
    dispatcher.add_event_handler(heard)
    try:
        yield heard.names
    finally:
        dispatcher.event_handlers.remove(heard)


def phrasing() -> ScriptedLLM:
    return ScriptedLLM(lambda messages: '{"phrasings": ["rate a night in Bergen"]}')


def texts(found: Any) -> Any:
    """What two equal results have in common: their texts, with the scores of passages."""
    if isinstance(found, list) and found and isinstance(found[0], NodeWithScore):
        return [(node.node.get_content(), node.score) for node in found]
    return found if isinstance(found, list) else str(found)


class Part:
    """One part: how it is used in both ways, and what handlers hear of it."""

    def __init__(
        self,
        kind: type,
        part: Any,
        use: Callable[[Any], Any],
        ause: Callable[[Any], Any],
        events: str = "",
        callback: CBEventType | None = None,
    ) -> None:
        self.kind, self.part, self.use, self.ause = kind, part, use, ause
        self.events, self.callback = events, callback


def parts_of(office: OpenIndex) -> dict[str, Part]:
    question = QueryBundle(BERGEN)
    nodes = office.as_retriever().retrieve(BERGEN)
    engine = office.as_query_engine()
    with_model = office.as_query_engine(llm=ScriptedLLM(lambda messages: '{"parts": [{"labels": ["1.1"]}]}'))

    def retriever(part: BaseRetriever) -> Part:
        return Part(
            BaseRetriever, part, lambda p: p.retrieve(question), lambda p: p.aretrieve(question),
            "RetrievalStartEvent RetrievalEndEvent", CBEventType.RETRIEVE,
        )  # fmt: skip

    def postprocessor(part: BaseNodePostprocessor) -> Part:
        events, callback = ("", None)
        if isinstance(part, CrossEncoderRerank):
            events, callback = "ReRankStartEvent ReRankEndEvent", CBEventType.RERANKING
        return Part(
            BaseNodePostprocessor, part,
            lambda p: p.postprocess_nodes(list(nodes), Question(BERGEN)),
            lambda p: p.apostprocess_nodes(list(nodes), Question(BERGEN)),
            events, callback,
        )  # fmt: skip

    return {
        "HybridRetriever": retriever(office.as_retriever()),
        "MultiQueryRetriever": retriever(MultiQueryRetriever(office.as_retriever(), phrasing())),
        **{type(part).__name__: postprocessor(part) for part in with_model.stages.postprocessors},
        "ValidatingSynthesizer": Part(
            BaseSynthesizer, engine.stages.synthesizer,
            lambda p: p.synthesize(question, nodes), lambda p: p.asynthesize(question, nodes),
            "SynthesizeStartEvent SynthesizeEndEvent", CBEventType.SYNTHESIZE,
        ),
        "GroundedQueryEngine": Part(
            BaseQueryEngine, engine, lambda p: p.query(BERGEN), lambda p: p.aquery(BERGEN),
            "QueryStartEvent RetrievalStartEvent ReRankStartEvent SynthesizeStartEvent QueryEndEvent",
            CBEventType.QUERY,
        ),
        "GroundedChatEngine": Part(
            BaseChatEngine, office.as_chat_engine(), lambda p: p.chat(BERGEN, []), lambda p: p.achat(BERGEN, []),
            "RetrievalStartEvent ReRankStartEvent SynthesizeStartEvent SynthesizeEndEvent",
        ),
        "OnnxEmbedding": Part(
            BaseEmbedding, office.embedder,
            lambda p: p.get_query_embedding(BERGEN), lambda p: p.aget_query_embedding(BERGEN),
            "EmbeddingStartEvent EmbeddingEndEvent", CBEventType.EMBEDDING,
        ),
        "ScriptedLLM": Part(
            LLM, phrasing(),
            lambda p: p.chat([ChatMessage("x")]), lambda p: p.achat([ChatMessage("x")]),
            "LLMChatStartEvent LLMChatEndEvent", CBEventType.LLM,
        ),
    }  # fmt: skip


NAMES = [
    "HybridRetriever", "MultiQueryRetriever", "QualityFilter", "ConfidenceGate", "CrossEncoderRerank",
    "PointerDetector", "ValidatingSynthesizer", "GroundedQueryEngine", "GroundedChatEngine", "OnnxEmbedding",
    "ScriptedLLM",
]  # fmt: skip


@pytest.fixture(scope="module")
def parts(office: OpenIndex) -> dict[str, Part]:
    found = parts_of(office)
    assert sorted(found) == sorted(NAMES)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_same_in_both_ways(parts: dict[str, Part], name: str) -> None:
    """A part is of LlamaIndex's own kind and gives the same whether it is called or awaited; instrumentation events
    come in their order both times."""
    part = parts[name]
    assert isinstance(part.part, part.kind)
    with listening() as heard:
        called = part.use(part.part)
    with listening() as heard_async:
        awaited = asyncio.run(part.ause(part.part))
    assert texts(awaited) == texts(called)
    for events in (heard, heard_async):
        in_order = iter(events)
        assert all(event in in_order for event in part.events.split()), events


@pytest.mark.parametrize("name", [name for name in NAMES if name != "GroundedChatEngine"])
def test_callbacks(parts: dict[str, Part], name: str) -> None:
    """A callback handler is given one pair of events, of the kind of the part; a part without a kind takes a handler
    all the same."""
    part, handler = parts[name], LlamaDebugHandler(print_trace_on_end=False)
    before = part.part.callback_manager
    part.part.callback_manager = CallbackManager([handler])
    try:
        part.use(part.part)
    finally:
        part.part.callback_manager = before
    if part.callback:
        assert len(handler.get_event_pairs(part.callback)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_pickling(parts: dict[str, Part], name: str) -> None:
    """A part works after pickling as before; one that holds a model that cannot be sent says so when it is pickled."""
    part = parts[name]
    if name in ("MultiQueryRetriever", "ScriptedLLM"):
        with pytest.raises(TypeError, match="make it again"):
            pickle.dumps(part.part)
    else:
        assert texts(part.use(pickle.loads(pickle.dumps(part.part)))) == texts(part.use(part.part))


def test_prompts(office: OpenIndex) -> None:
    """Every prompt of an engine with a model can be got and replaced, with its effect on what the model is sent; an
    unknown name and a template that lacks a variable are refused."""
    llm = ScriptedLLM(lambda messages: '{"phrasings": []}')
    retriever = MultiQueryRetriever(office.as_retriever(), llm)
    (name,) = retriever.get_prompts()
    retriever.update_prompts({name: PromptTemplate("MARKED {question} {count}")})
    retriever.retrieve(BERGEN)
    assert "MARKED" in llm.calls[-1].messages[-1][1]
    with pytest.raises(DefinitionError):
        retriever.update_prompts({name: PromptTemplate("MARKED")})
    engine = office.as_query_engine(llm=llm)
    assert "response_synthesizer:draft" in engine.get_prompts()
    for part in (engine, retriever):
        with pytest.raises(DefinitionError, match="no prompt"):
            part.update_prompts({"nothing": PromptTemplate("x")})


def test_names_that_llamaindex_users_know(office: OpenIndex) -> None:
    """A cross-encoder is named by its short name and told how many to keep by `top_n`; an unknown name lists those
    there are."""
    nodes = office.as_retriever().retrieve(BERGEN)
    rerank = CrossEncoderRerank("minilm-l12", top_n=2)
    assert len(rerank.postprocess_nodes(nodes, query_str=BERGEN)) == 2
    assert CrossEncoderRerank(top_n=1).postprocess_nodes(nodes, query_str=BERGEN)[0].node.metadata["document_id"]
    with pytest.raises(DefinitionError, match="minilm-l12"):
        CrossEncoderRerank("nothing")


def test_every_stage_in_a_stock_engine(office: OpenIndex) -> None:
    """LlamaIndex's own engine over the stages of ours gives the same answer, sync and async."""
    ours = office.as_query_engine()
    stages = ours.stages
    stock = RetrieverQueryEngine(
        retriever=stages.retriever,
        response_synthesizer=stages.synthesizer,
        node_postprocessors=list(stages.postprocessors),
    )
    wanted = str(ours.query(BERGEN))
    assert "190 euros" in wanted
    assert str(stock.query(BERGEN)) == str(asyncio.run(stock.aquery(BERGEN))) == wanted


def test_a_recording_is_an_llm(tmp_path: Any) -> None:
    """A recording takes LlamaIndex's calls and repeats them without the model, sync and async, with the same events."""
    file = tmp_path / "replies.jsonl"
    RecordingLLM(ScriptedLLM(["yes"]), path=file, mode="record").complete("Is it?")
    replay = RecordingLLM(path=file)
    with listening() as heard:
        said = replay.complete("Is it?").text
    assert said == asyncio.run(replay.acomplete("Is it?")).text == "yes"
    assert {"LLMCompletionStartEvent", "LLMCompletionEndEvent"} <= set(heard)
