"""OpenTelemetry spans of a question, kept in memory."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from rag_app import OpenIndex, start_tracing, stop_tracing
from rag_app.errors import ModelError, StoreError
from rag_app.testing import ScriptedLLM
from tests.office import MANAGER, SECRETS, VISITOR
from tests.synthesize.turns import said

HOLIDAY = "How many days of paid holiday does every employee get?"


class Spans:
    """What was exported, by name."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    def taken(self) -> list[ReadableSpan]:
        found = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return found

    def by_name(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.taken()}


def id_of(span: ReadableSpan) -> int | None:
    return span.context.span_id if span.context else None


def parent_of(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


@pytest.fixture
def spans() -> Iterator[Spans]:
    yield Spans()
    stop_tracing()


def test_a_span_for_each_stage(tiny_office: OpenIndex, spans: Spans) -> None:
    """A question is one span with its stages below it, under the names of the conventions, and says how it ended."""
    start_tracing(spans.provider)
    answer = tiny_office.as_query_engine().query(HOLIDAY).answer
    found = spans.by_name()
    whole = found["invoke_workflow rag_app"]
    below = [span for span in found.values() if span is not whole]
    assert {parent_of(span) for span in below} == {id_of(whole)}
    assert {"embeddings tiny", "rag_app quality filter", "rag_app rerank", "rag_app evidence"} <= found.keys()
    search = dict(found["retrieval office"].attributes or {})
    assert search == {
        "rag_app.stage": "search",
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "office",
        "gen_ai.request.top_k": tiny_office.settings.candidates,
    }
    recorded = dict(whole.attributes or {})
    assert recorded["rag_app.status"] == answer.status
    assert recorded["rag_app.quotes"] == len(answer.quotes)
    assert recorded["rag_app.passages.kept"] == len(answer.trace.kept)


def test_neither_text_nor_ids(office: OpenIndex, guarded: OpenIndex, spans: Spans) -> None:
    """Unless asked for, no span holds a word of the question or a document's id; asked for, ids are those that the
    asker may read."""
    start_tracing(spans.provider)
    documents = [document.document_id for document in office.documents()]
    office.as_query_engine().query(HOLIDAY)
    written = " ".join(span.to_json() for span in spans.taken())
    assert "holiday" not in written.lower()
    assert not [document_id for document_id in documents if f'"{document_id}"' in written]

    start_tracing(spans.provider, text=True, ids=True)
    guarded.as_query_engine(VISITOR).query("What does the zephyr bonus pay?")
    found = spans.by_name()
    asked = dict(found["retrieval office"].attributes or {})["gen_ai.retrieval.query.text"]
    assert isinstance(asked, str)
    assert asked.startswith("What does the")
    readable = {document.document_id for document in guarded.documents(VISITOR)}
    retrieved = dict(found["invoke_workflow rag_app"].attributes or {})["rag_app.documents.retrieved"]
    assert isinstance(retrieved, tuple)
    assert set(retrieved) <= readable

    start_tracing(spans.provider, ids=True)
    guarded.as_query_engine(VISITOR).query("Who may spend what?")
    written = " ".join(span.to_json() for span in spans.taken()).lower()
    assert not [secret for secret in SECRETS if secret in written]
    guarded.as_query_engine(MANAGER).query("Who may spend what?")
    assert "budget" in " ".join(span.to_json() for span in spans.taken())


def test_a_model_and_its_trouble(tiny_office: OpenIndex, spans: Spans) -> None:
    """A model's call is a client span with its tokens; where it fails, both spans carry the class of the error and no
    message."""
    start_tracing(spans.provider)
    tiny_office.as_query_engine(llm=ScriptedLLM([said(["1.1"])])).query(HOLIDAY)
    (chat,) = [span for span in spans.taken() if span.kind is SpanKind.CLIENT]
    assert chat.name.startswith("chat ")
    recorded = dict(chat.attributes or {})
    assert recorded["gen_ai.operation.name"] == "chat"
    assert int(str(recorded["gen_ai.usage.input_tokens"])) > 0

    with pytest.raises(ModelError):
        tiny_office.as_query_engine(llm=ScriptedLLM([ValueError("holiday")])).query(HOLIDAY)
    failed = spans.by_name()["invoke_workflow rag_app"]
    assert failed.status.status_code is StatusCode.ERROR
    assert "holiday" not in failed.to_json()


def test_questions_asked_side_by_side(tiny_office: OpenIndex, spans: Spans) -> None:
    """Stages of questions that run at the same time stand below their own question; an abandoned stream ends its
    span."""
    start_tracing(spans.provider)

    async def ask() -> None:
        engine = tiny_office.as_query_engine()
        await asyncio.gather(*(engine.aquery(f"{HOLIDAY} {number}") for number in range(4)))

    asyncio.run(ask())
    found = spans.taken()
    whole = [span for span in found if span.name == "invoke_workflow rag_app"]
    searches = [span for span in found if span.name == "retrieval office"]
    assert len({id_of(span) for span in whole}) == len(searches) == 4
    assert len({parent_of(span) for span in searches}) == 4

    events = tiny_office.as_query_engine().stream(HOLIDAY)
    next(events)
    events.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert "invoke_workflow rag_app" in spans.by_name()


def test_off_unless_started(tiny_office: OpenIndex, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `start_tracing`, and after `stop_tracing`, nothing is recorded and OpenTelemetry's interface is not
    touched; trouble of the store is marked on the stage that met it."""
    tiny_office.as_query_engine().query(HOLIDAY)
    start_tracing(spans.provider)

    def fails(*_: object, **__: object) -> None:
        raise StoreError("The disk is gone.")

    engine = tiny_office.as_query_engine()
    with monkeypatch.context() as broken:
        broken.setattr(type(tiny_office.reader), "snapshot", fails)
        with pytest.raises(StoreError):
            engine.query(HOLIDAY)
    assert dict(spans.by_name()["invoke_workflow rag_app"].attributes or {})["error.type"] == "StoreError"
    stop_tracing()
    tiny_office.as_query_engine().query(HOLIDAY)
    assert spans.taken() == []


def test_importing_loads_no_opentelemetry() -> None:
    """The names can be imported where OpenTelemetry is not installed; starting then says which extra to install."""
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from rag_app import start_tracing\n"
        "try: start_tracing()\n"
        "except Exception as error: print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert 'pip install "rag_app[otel]"' in printed
