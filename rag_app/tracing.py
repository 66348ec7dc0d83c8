"""OpenTelemetry spans of the stages of a question, named after the GenAI semantic conventions.

Nothing is recorded until `start_tracing` is called, and nothing is ever sent by rag_app itself: the application's
tracer provider decides where spans go.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag_app.errors import ModelUnavailable
from rag_app.trace import Fact, Facts, Trace, observe_stages

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

_ATTRIBUTES = {
    "source": "gen_ai.data_source.id",
    "top_k": "gen_ai.request.top_k",
    "model": "gen_ai.request.model",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "query": "gen_ai.retrieval.query.text",
}
"""What a stage reports under a name of the conventions; everything else is named `rag_app.NAME`."""
_TEXT = frozenset({"query"})
_OPERATIONS = {
    "total": "invoke_workflow",
    "search": "retrieval",
    "web search": "retrieval",
    "embed question": "embeddings",
    "embed pages": "embeddings",
}


def start_tracing(tracer_provider: "TracerProvider | None" = None, *, text: bool = False, ids: bool = False) -> None:
    """Makes an OpenTelemetry span of each question, and of each stage below it, in this process from now on.

    A span holds which stage it was, how long it took, models, counts, tokens, the status of the answer and, where
    something failed, the class of the error. Calling it again replaces what was set before.

    Args:
        tracer_provider: where spans go; None: the global provider of OpenTelemetry.
        text: also record the question's text.
        ids: also record the ids of the documents that were retrieved and that reached the evidence. As in an answer's
            trace, only documents that the asker may read.

    Raises:
        ModelUnavailable: OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import trace as opentelemetry
    except ImportError as error:
        raise ModelUnavailable('Tracing needs an extra: pip install "rag_app[otel]".') from error
    provider = tracer_provider or opentelemetry.get_tracer_provider()
    observe_stages(_Spans(provider.get_tracer("rag_app"), text=text, ids=ids))


def stop_tracing() -> None:
    """No span is made from now on."""
    observe_stages(None)


class _Spans:
    """Makes a span of each stage."""

    def __init__(self, tracer: "Tracer", *, text: bool, ids: bool) -> None:
        self._tracer = tracer
        self._text = text
        self._ids = ids
        self._questions: dict[int, Span] = {}
        """The span of each question that is being answered, by the identity of its trace. A flow may be advanced by
        several threads or tasks, so the current context cannot say which question a stage belongs to."""

    @contextmanager
    def __call__(self, trace: Trace, stage: str, facts: Facts) -> Iterator[None]:
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

        above = self._questions.get(id(trace))
        operation = "chat" if stage.startswith("model: ") else _OPERATIONS.get(stage)
        span = self._tracer.start_span(
            _span_name(stage, operation, facts),
            context=set_span_in_context(above) if above else None,
            kind=SpanKind.CLIENT if operation == "chat" else SpanKind.INTERNAL,
            attributes={"rag_app.stage": stage} | ({"gen_ai.operation.name": operation} if operation else {}),
        )
        if stage == "total":
            self._questions[id(trace)] = span
        try:
            yield
        except Exception as error:
            # The message may quote the question or a document; the class says what kind of trouble it was.
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(Status(StatusCode.ERROR))
            raise
        finally:
            span.set_attributes(self._shown(facts))
            if stage == "total":
                self._questions.pop(id(trace), None)
                span.set_attributes(self._of_question(trace))
            span.end()

    def _shown(self, facts: Mapping[str, Fact]) -> dict[str, Any]:
        shown = {name: value for name, value in facts.items() if self._text or name not in _TEXT}
        return {_ATTRIBUTES.get(name, f"rag_app.{name}"): value for name, value in shown.items()}

    def _of_question(self, trace: Trace) -> dict[str, Any]:
        """What is known of a question when all is done."""
        known: dict[str, Any] = {
            "gen_ai.workflow.name": "rag_app",
            "gen_ai.usage.input_tokens": trace.input_tokens,
            "gen_ai.usage.output_tokens": trace.output_tokens,
            "rag_app.model_calls": trace.model_calls,
            "rag_app.passages.retrieved": len(trace.retrieved),
            "rag_app.passages.kept": len(trace.kept),
            "rag_app.degraded": trace.degraded,
        }
        if self._ids:
            known["rag_app.documents.retrieved"] = list(dict.fromkeys(hit.document_id for hit in trace.retrieved))
            known["rag_app.documents.kept"] = list(dict.fromkeys(hit.document_id for hit in trace.kept))
        return known


def _span_name(stage: str, operation: str | None, facts: Mapping[str, Fact]) -> str:
    """As the conventions have it, the operation and what it works on; of a stage that they do not know, its name."""
    if operation is None:
        return f"rag_app {stage}"
    if operation == "invoke_workflow":
        return f"{operation} rag_app"
    return f"{operation} {facts.get('model') or facts.get('source') or ''}".rstrip()
