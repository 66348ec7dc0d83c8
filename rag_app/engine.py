"""OPEN FIRST: how a question is answered, in the order of the stages."""

from enum import Enum
from functools import partial
from typing import Any, Protocol, cast, get_args

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever

from rag_app.errors import DefinitionError, ModelUnavailable, UsageError
from rag_app.index.calibration import Calibration
from rag_app.index.reader import IndexReader
from rag_app.llm.onnx import CrossEncoder
from rag_app.models import load_cross_encoder, load_embedder, load_llm
from rag_app.postprocess.confidence import ConfidenceGate
from rag_app.postprocess.pointers import PointerDetector
from rag_app.postprocess.quality import QualityFilter
from rag_app.postprocess.rerank import CrossEncoderRerank, MissingCrossEncoder
from rag_app.principal import Principal
from rag_app.query_engine import GroundedQueryEngine, IndexThenWebEngine
from rag_app.response import GroundedResponse
from rag_app.retrieve.further import FurtherSearches
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.retrieve.multi_query import MultiQueryRetriever
from rag_app.retrieve.readable_titles import ReadableTitles
from rag_app.settings import Component, OnLowConfidence, Settings, load_settings
from rag_app.synthesize.near_examples import NearExamples
from rag_app.synthesize.offline.decline import Declining
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.web.retriever import WebSearch, is_web_page


class FromSettings(Enum):
    """Stands for an argument that was left out."""

    LLM = "the language model that the settings name"


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
    @property
    def calibration(self) -> Calibration | None: ...
    @property
    def examples(self) -> NearExamples | None: ...


def build_query_engine(
    index: IndexParts | None = None,
    *,
    principal: Principal | None = None,
    llm: LLM | str | FromSettings | None = FromSettings.LLM,
    on_low_confidence: OnLowConfidence | None = None,
    summarise: bool = False,
    web: WebSearch | None = None,
    settings: Settings | None = None,
    embedder: BaseEmbedding | None = None,
) -> GroundedQueryEngine:
    """A query engine over an open index, for one principal; over the web; or over the index first and the web second.

    Costs under a millisecond over an index: models and legs are shared.

    Args:
        llm: chooses the statements: any LlamaIndex LLM, or a short name (see `rag_app.models`); None: none does.
            Left out: what the settings name.
        on_low_confidence: instead of the setting: refuse, or let the model answer from its own knowledge.
        summarise: the model also writes two or three sentences beside the quotes, checked against them and labelled;
            their voice is the prompt "response_synthesizer:voice" (see `update_prompts`).
        web: searches the web: where the index has nothing near the question, or always where no index is given.
        settings: without an index, instead of those of the environment.
        embedder: without an index, instead of the one that the settings name.

    Raises:
        UsageError: the index has access rules and no principal is given; `llm` is no language model; "ungrounded"
            without one; neither index nor web.
        DefinitionError: no language model or region has that name; or a setting is out of range.
        ModelUnavailable: its extra, its region or its address is missing.
        SearchUnavailable: the search service has no key, or its extra is missing.
    """
    if index is None and web is None:
        raise UsageError(
            "Give an index, as open_index() returns it, or the web: build_query_engine(web=WebSearch(...))."
        )
    if index is not None and not isinstance(getattr(index, "reader", None), IndexReader):
        raise UsageError(f"An engine needs an index as open_index() returns it, not {index!r}.")
    settings = index.settings if index else settings or load_settings()
    if on_low_confidence is not None:
        if on_low_confidence not in get_args(OnLowConfidence):
            choices = " or ".join(get_args(OnLowConfidence))
            raise UsageError(f"on_low_confidence is {choices}, not {on_low_confidence!r}.")
        settings = settings.model_copy(update={"on_low_confidence": on_low_confidence})
    model = load_llm(settings.llm) if llm is FromSettings.LLM else load_llm(llm) if isinstance(llm, str) else llm
    over_web = None
    if web:
        measure = index.embedder if index else embedder or load_embedder(settings.embedding)
        reranker = index.cross_encoder if index else load_reranker(settings.cross_encoder)
        over_web = _web_parts(web, settings, model, measure, reranker, summarise)
    if index is None:
        return GroundedQueryEngine(**cast(dict[str, Any], over_web))
    if over_web:  # the web, asked last, is what may answer without grounds
        settings = settings.model_copy(update={"on_low_confidence": "refuse"})
    over_index = _index_parts(index, principal, settings, model, summarise)
    if over_web is None:
        return GroundedQueryEngine(**over_index)
    return IndexThenWebEngine(web=GroundedQueryEngine(**over_web), **over_index)


def _index_parts(
    index: IndexParts, principal: Principal | None, settings: Settings, model: LLM | None, summarise: bool
) -> dict[str, Any]:
    reader = index.reader
    reader.readable(principal)  # an index with access rules refuses to be asked by nobody
    hybrid = HybridRetriever(reader, index.embedder, principal, settings)
    retriever: BaseRetriever = hybrid
    if model and settings.multi_query:
        if settings.max_model_calls < 2:
            raise DefinitionError("Other phrasings (multi_query) take a call of their own: set max_model_calls to 2.")
        retriever = MultiQueryRetriever(
            hybrid, model, count=settings.multi_query, seconds=settings.multi_query_seconds, measure=hybrid.measure
        )
    keep = settings.keep_for_model if model else settings.keep
    off = settings.without
    reads_pairs = None if Component.CROSS_ENCODER in off else index.cross_encoder
    stages: list[BaseNodePostprocessor] = [
        *([] if Component.QUALITY_FILTER in off else [QualityFilter()]),
        *([] if Component.CONFIDENCE_GATE in off else [ConfidenceGate(threshold=index.gate_threshold)]),
        CrossEncoderRerank(reads_pairs, windows=settings.rerank_windows, keep=keep),
    ]
    pointers = PointerDetector(ReadableTitles(reader, principal), hybrid.passages_of)
    return {
        "retriever": retriever,
        "node_postprocessors": [*stages, pointers] if model and Component.POINTERS not in off else stages,
        "response_synthesizer": ValidatingSynthesizer(
            may_cite=partial(reader.may_cite, principal=principal),
            max_quotes=settings.max_quotes,
            llm=model,
            search_again=FurtherSearches(hybrid, stages, keep=settings.keep // 2),
            settings=settings,
            summarise=summarise,
            declining=Declining.of(index.calibration, settings),
            examples=index.examples if model else None,
        ),
        "may_name": partial(reader.readable_among, principal=principal),
        "off": off,
    }


def _web_parts(
    web: WebSearch,
    settings: Settings,
    model: LLM | None,
    embedder: BaseEmbedding,
    cross_encoder: CrossEncoder | None,
    summarise: bool,
) -> dict[str, Any]:
    """The same stages over the web, where the relevance check stands in for the gate, and everybody may read."""
    keep = settings.keep_for_model if model else settings.keep
    return {
        "retriever": web.retriever(embedder, settings, model),
        "node_postprocessors": [
            QualityFilter(),
            CrossEncoderRerank(cross_encoder, windows=settings.rerank_windows, keep=keep),
        ],
        "response_synthesizer": ValidatingSynthesizer(
            may_cite=is_web_page, max_quotes=settings.max_quotes, llm=model, settings=settings, summarise=summarise
        ),
        "may_name": frozenset,
        "knows_days": False,
    }


def load_reranker(name: str) -> CrossEncoder | None:
    """The cross-encoder of that name; one that cannot be loaded is told of in the trace of every answer."""
    try:
        return load_cross_encoder(name)
    except ModelUnavailable as error:
        return MissingCrossEncoder(error)


__all__ = [
    "FromSettings",
    "GroundedQueryEngine",
    "GroundedResponse",
    "IndexParts",
    "IndexThenWebEngine",
    "build_query_engine",
    "load_reranker",
]
