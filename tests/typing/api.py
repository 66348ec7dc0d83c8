"""The public API as users type it: never run, only read by the type checker, which must find nothing to say."""

from datetime import date
from pathlib import Path
from typing import assert_type

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from rag_app import (
    AccessRule,
    Answer,
    BatchResult,
    BuildReport,
    ConfidenceGate,
    Conflict,
    CrossEncoderRerank,
    Done,
    GroundedChatEngine,
    GroundedChatResponse,
    GroundedQueryEngine,
    GroundedResponse,
    HybridRetriever,
    LeadIn,
    OpenIndex,
    Principal,
    QualityFilter,
    Question,
    Quote,
    Quoted,
    RagAppError,
    Settings,
    StreamingGroundedChatResponse,
    StreamingQueryEngine,
    Summary,
    SummarySentence,
    Trace,
    ValidatingSynthesizer,
    build_index,
    build_query_engine,
    may_read,
    open_index,
)


def build(folder: Path, embedder: BaseEmbedding) -> None:
    """A folder becomes an index."""

    def progress(done: int, total: int, what: str) -> None:
        print(done, total, what)

    assert_type(build_index("indexes/handbook"), BuildReport)
    report = build_index(folder, rebuild=True, progress=progress, embedder=embedder, settings=Settings(candidates=20))
    assert_type(report.documents, int)
    assert_type(report.ok, bool)
    assert_type([problem.reason for problem in report.problems], list[str])


def ask(folder: Path) -> None:
    """An index answers."""
    index = open_index(folder, candidates=80)
    assert_type(index, OpenIndex)
    ana = Principal(user_id="ana", roles=("manager",), departments=("people",))
    engine = index.as_query_engine(principal=ana)
    assert_type(engine, GroundedQueryEngine)
    response = engine.query("How long is parental leave?", as_of=date(2026, 1, 1))
    assert_type(response, GroundedResponse)
    assert_type(str(response), str)
    read(response.answer)
    for found in index.search("leave", ana, k=3):
        assert_type(found, NodeWithScore)
    assert_type([document.title for document in index.documents(ana)], list[str])
    engine.query(QueryBundle("leave"))
    engine.query(Question("leave", as_of=date(2026, 1, 1)))
    assert_type(build_query_engine(index, principal=None), GroundedQueryEngine)


async def ask_without_waiting(engine: GroundedQueryEngine) -> None:
    """The same, asynchronously."""
    assert_type(await engine.aquery("How long is parental leave?"), GroundedResponse)
    assert_type(await engine.abatch(["How long is parental leave?"]), list[BatchResult])
    async for event in engine.astream("How long is parental leave?"):
        print(event)


def converse(index: OpenIndex, ana: Principal) -> None:
    """Conversations, streams and batches."""
    talk = index.as_chat_engine(ana, llm=None)
    assert_type(talk, GroundedChatEngine)
    assert_type(talk.chat("And who approves it?"), GroundedChatResponse)
    assert_type(talk.chat("And who approves it?").answer.understood_as, str | None)
    assert_type(talk.stream_chat("And who approves it?"), StreamingGroundedChatResponse)
    assert_type(index.as_query_engine(ana, streaming=True), StreamingQueryEngine)
    engine = index.as_query_engine(ana, llm=None)
    for event in engine.stream("How long is parental leave?"):
        if isinstance(event, Quoted):
            assert_type(event.quote, Quote)
        elif isinstance(event, Done):
            assert_type(event.response, GroundedResponse)
    for result in engine.batch(["How long is parental leave?"], concurrency=2, results=Path("results.jsonl")):
        assert_type(result, BatchResult)
        assert_type(result.answer, Answer | None)
        assert_type(result.error, RagAppError | None)


def read(answer: Answer) -> None:
    """Every field of an answer has a type that says what can be done with it."""
    for quote in answer.quotes:
        assert_type(quote, Quote)
        assert_type(quote.document_id, str)
        assert_type((quote.start, quote.end), tuple[int, int])
        assert_type(quote.page, int | None)
        assert_type(quote.section, tuple[str, ...])
        assert_type(quote.lead_in, tuple[LeadIn, ...])
    if answer.status == "insufficient_evidence" and answer.reason == "below_confidence":
        print(answer.trace.numbers["gate.best_cosine"])
    assert_type(answer.missing, tuple[str, ...])
    assert_type(answer.conflicts, tuple[Conflict, ...])
    assert_type(answer.summary, Summary | None)
    assert_type(answer.own_words, str | None)
    for sentence in answer.summary.sentences if answer.summary else ():
        assert_type(sentence, SummarySentence)
        assert_type(sentence.quotes, tuple[int, ...])
    assert_type(answer.trace, Trace)
    assert_type(answer.trace.warnings, list[str])


def stock_parts(index: OpenIndex, retriever: BaseRetriever, synthesizer: BaseSynthesizer) -> None:
    """Every part stands where LlamaIndex wants one of its own."""

    def may_cite(node: BaseNode) -> bool:
        return "public" in node.metadata

    ours: BaseRetriever = index.as_retriever()
    assert_type(index.as_retriever(), HybridRetriever)
    parts: list[BaseNodePostprocessor] = [
        QualityFilter(),
        ConfidenceGate(threshold=0.5),
        CrossEncoderRerank(None, top_n=4),
    ]
    RetrieverQueryEngine(ours, synthesizer, node_postprocessors=parts)
    RetrieverQueryEngine(retriever, ValidatingSynthesizer(may_cite=may_cite, max_quotes=3))


def trouble(index: OpenIndex) -> None:
    """Errors are one tree, with what a developer needs."""
    try:
        index.as_query_engine()
    except RagAppError as error:
        print(error, error.details)


def access() -> None:
    """Who may read is one function."""
    rule = AccessRule("role", ("manager",))
    assert_type(may_read(Principal("ana"), rule), bool)
