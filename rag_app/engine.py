"""OPEN FIRST: how a question is answered, in the order of the stages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import Any, Protocol, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import QueryType

from rag_app.index.reader import IndexReader
from rag_app.onnx import CrossEncoder
from rag_app.postprocess.confidence import ConfidenceGate
from rag_app.postprocess.quality import QualityFilter
from rag_app.postprocess.rerank import CrossEncoderRerank
from rag_app.principal import Principal
from rag_app.question import Question, as_question
from rag_app.response import GroundedResponse
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.settings import Settings
from rag_app.synthesize.synthesizer import ValidatingSynthesizer

MayName = Callable[[set[str]], frozenset[str]]
"""Those of some documents that the asker may know of, as things are now."""


class IndexParts(Protocol):
    """What an engine needs of an open index; `rag_app.open_index` returns it."""

    @property
    def reader(self) -> IndexReader: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def embedder(self) -> BaseEmbedding: ...
    @property
    def cross_encoder(self) -> CrossEncoder | None: ...
    @property
    def gate_threshold(self) -> float: ...


def build_query_engine(index: IndexParts, *, principal: Principal | None = None) -> "GroundedQueryEngine":
    """A query engine over an open index, for one principal. Costs under a millisecond: models and legs are shared.

    Raises:
        UsageError: the index has access rules and no principal is given.
    """
    settings, reader = index.settings, index.reader
    reader.readable(principal)  # an index with access rules refuses to be asked by nobody
    return GroundedQueryEngine(
        retriever=HybridRetriever(reader, index.embedder, principal, settings),
        node_postprocessors=[
            QualityFilter(),
            ConfidenceGate(threshold=index.gate_threshold),
            CrossEncoderRerank(index.cross_encoder, windows=settings.rerank_windows, keep=settings.keep),
        ],
        response_synthesizer=ValidatingSynthesizer(
            may_cite=partial(reader.may_cite, principal=principal), max_quotes=settings.max_quotes
        ),
        may_name=partial(reader.readable_among, principal=principal),
    )


class GroundedQueryEngine(RetrieverQueryEngine):
    """A LlamaIndex query engine whose responses are grounded or refused; `response.answer` says which and why."""

    def __init__(self, *, may_name: MayName, **parts: Any) -> None:
        """`parts` are RetrieverQueryEngine's; `may_name` says which documents the trace may mention when all is done:
        access may have ended while the question ran, and an earlier stage may have dropped what no longer may be seen.
        """
        super().__init__(callback_manager=CallbackManager([]), **parts)
        self._may_name = may_name

    def query(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """Answers a question.

        Raises:
            UsageError: the question is empty, or too long.
            StoreError, ModelError: something failed while answering; never told as a refusal.
        """
        question = as_question(str_or_query_bundle, as_of)
        with self._traced(question):
            return cast(GroundedResponse, super().query(question))

    async def aquery(self, str_or_query_bundle: QueryType, *, as_of: date | None = None) -> GroundedResponse:
        """As `query`, without holding up the event loop."""
        question = as_question(str_or_query_bundle, as_of)
        with self._traced(question):
            return cast(GroundedResponse, await super().aquery(question))

    @contextmanager
    def _traced(self, question: Question) -> Iterator[None]:
        trace = question.trace
        with trace.timed("total"):
            try:
                yield
            finally:
                if withdrawn := trace.document_ids - self._may_name(trace.document_ids):
                    trace.forget(withdrawn)


__all__ = ["GroundedQueryEngine", "GroundedResponse", "IndexParts", "build_query_engine"]
