"""OPEN FIRST: how a question is answered, in the order of the stages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from enum import Enum
from functools import partial
from types import NoneType
from typing import Any, Protocol, cast, get_args

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryType

from rag_app.errors import UsageError
from rag_app.index.reader import IndexReader
from rag_app.models import load_llm
from rag_app.onnx import CrossEncoder
from rag_app.postprocess.confidence import ConfidenceGate
from rag_app.postprocess.pointers import PointerDetector
from rag_app.postprocess.quality import QualityFilter
from rag_app.postprocess.rerank import CrossEncoderRerank
from rag_app.principal import Principal
from rag_app.question import Question, as_question
from rag_app.response import GroundedResponse
from rag_app.retrieve.again import FurtherSearches
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.retrieve.multi_query import MultiQueryRetriever
from rag_app.retrieve.titles import ReadableTitles
from rag_app.settings import OnLowConfidence, Settings
from rag_app.synthesize.synthesizer import ValidatingSynthesizer


class FromSettings(Enum):
    """Stands for an argument that was left out."""

    LLM = "the language model that the settings name"


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


def build_query_engine(
    index: IndexParts,
    *,
    principal: Principal | None = None,
    llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
    on_low_confidence: OnLowConfidence | None = None,
) -> "GroundedQueryEngine":
    """A query engine over an open index, for one principal. Costs under a millisecond: models and legs are shared.

    Args:
        llm: chooses the statements: any LlamaIndex LLM, or a short name (see `rag_app.models`); None: none does.
            Left out: what the settings name.
        on_low_confidence: instead of the setting: refuse, or let the model answer from its own knowledge.

    Raises:
        UsageError: the index has access rules and no principal is given; "ungrounded" without a language model; or an
            argument is not what it should be.
        DefinitionError: no language model has that name.
        ModelUnavailable: its extra, its region or its address is missing.
    """
    if not isinstance(getattr(index, "reader", None), IndexReader):
        raise UsageError(f"An engine needs an index as open_index() returns it, not {index!r}.")
    settings, reader = index.settings, index.reader
    reader.readable(principal)  # an index with access rules refuses to be asked by nobody
    if on_low_confidence is not None:
        if on_low_confidence not in get_args(OnLowConfidence):
            raise UsageError(
                f"on_low_confidence must be one of {get_args(OnLowConfidence)}, not {on_low_confidence!r}."
            )
        settings = settings.model_copy(update={"on_low_confidence": on_low_confidence})
    name = settings.llm if llm is FromSettings.LLM else llm
    model = load_llm(name) if isinstance(name, str) else name
    if not isinstance(model, (LLM, NoneType)):
        raise UsageError(f"llm must be a LlamaIndex LLM, a name or None, not {model!r}.")
    hybrid = HybridRetriever(reader, index.embedder, principal, settings)
    retriever: BaseRetriever = hybrid
    if model and settings.multi_query:
        retriever = MultiQueryRetriever(
            hybrid, model, count=settings.multi_query, seconds=settings.multi_query_seconds, measure=hybrid.measure
        )
    keep = settings.keep_for_model if model else settings.keep
    stages: list[BaseNodePostprocessor] = [
        QualityFilter(),
        ConfidenceGate(threshold=index.gate_threshold),
        CrossEncoderRerank(index.cross_encoder, windows=settings.rerank_windows, keep=keep),
    ]
    pointers = PointerDetector(ReadableTitles(reader, principal), hybrid.passages_of)
    return GroundedQueryEngine(
        retriever=retriever,
        node_postprocessors=[*stages, pointers] if model else stages,
        response_synthesizer=ValidatingSynthesizer(
            may_cite=partial(reader.may_cite, principal=principal),
            max_quotes=settings.max_quotes,
            llm=model,
            search_again=FurtherSearches(hybrid, stages, keep=settings.keep // 2),
            settings=settings,
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


__all__ = ["FromSettings", "GroundedQueryEngine", "GroundedResponse", "IndexParts", "build_query_engine"]
