"""OPEN FIRST: how a question is answered, in the order of the stages."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Protocol, get_args, runtime_checkable

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever

from rag_app.errors import DefinitionError, UsageError
from rag_app.index.calibration import Calibration, Declining
from rag_app.index.reader import IndexReader
from rag_app.llm.onnx import CrossEncoder
from rag_app.llm.trouble import model_name
from rag_app.models import load_embedder, load_llm, load_reranker
from rag_app.postprocess.confidence import ConfidenceGate
from rag_app.postprocess.pointers import PointerDetector
from rag_app.postprocess.quality import QualityFilter
from rag_app.postprocess.rerank import CrossEncoderRerank
from rag_app.principal import Principal
from rag_app.respond.batch import state_of
from rag_app.respond.query_engine import GroundedQueryEngine, Stages
from rag_app.retrieve.further import FurtherSearches, ReadableTitles
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.retrieve.multi_query import MultiQueryRetriever
from rag_app.settings import Component, OnLowConfidence, Settings, load_settings
from rag_app.synthesize.evidence import MayCiteTogether
from rag_app.synthesize.near_examples import NearExamples
from rag_app.synthesize.synthesizer import ValidatingSynthesizer


def stages_over(index: "IndexParts", principal: Principal | None, parts: "EngineParts") -> Stages:
    """The stages through which a question about an index passes, first to last."""
    reader, settings, llm, off = index.reader, parts.settings, parts.llm, parts.settings.without
    hybrid = HybridRetriever(reader, parts.embedder, principal, settings)
    narrowing = (
        *_unless(Component.QUALITY_FILTER in off, QualityFilter()),
        *_unless(Component.CONFIDENCE_GATE in off, ConfidenceGate(threshold=index.gate_threshold)),
        CrossEncoderRerank(
            None if Component.CROSS_ENCODER in off else parts.cross_encoder,
            windows=settings.rerank_windows,
            top_n=settings.keep_for_model if llm else settings.keep,
        ),
    )
    further = FurtherSearches(hybrid, narrowing, keep=settings.keep // 2)
    pointers = PointerDetector(ReadableTitles(reader, principal), hybrid.passages_of)
    return Stages(
        retriever=_with_other_phrasings(hybrid, parts),
        postprocessors=(*narrowing, *_unless(llm is None or Component.POINTERS in off, pointers)),
        synthesizer=ValidatingSynthesizer(
            may_cite=MayCiteTogether(partial(reader.may_cite_each, principal=principal)),
            max_quotes=settings.max_quotes,
            llm=llm,
            search_again=further,
            fetch_referred=None if Component.POINTERS in off else further.referred,
            settings=settings,
            summarise=parts.summarise,
            declining=Declining.of(index.calibration, settings),
            examples=index.examples if llm else None,
        ),
        may_name=partial(reader.readable_among, principal=principal),
        state=partial(_state, index, principal, parts),
        pinned=reader.pinned,
        off=frozenset(off),
    )


def _state(index: "IndexParts", principal: Principal | None, parts: "EngineParts") -> str:
    with index.reader.snapshot() as view:
        readable = view.state(view.readable(principal))
    model = parts.llm and model_name(parts.llm)
    return state_of((readable, parts.settings.model_dump_json(), index.gate_threshold, model, parts.summarise))


def _unless(is_off: bool, stage: BaseNodePostprocessor) -> Iterable[BaseNodePostprocessor]:
    return () if is_off else (stage,)


def _with_other_phrasings(hybrid: HybridRetriever, parts: "EngineParts") -> BaseRetriever:
    settings = parts.settings
    if parts.llm is None or not settings.multi_query:
        return hybrid
    if settings.max_model_calls < 2:
        raise DefinitionError(
            "Other phrasings (multi_query) take a model call of their own: set max_model_calls to at least 2."
        )
    return MultiQueryRetriever(
        hybrid, parts.llm, count=settings.multi_query, seconds=settings.multi_query_seconds, measure=hybrid.measure
    )


@dataclass(frozen=True, slots=True)
class EngineParts:
    """What the stages of an engine share, whatever they search."""

    settings: Settings
    llm: LLM | None
    """Chooses the statements; None: they are chosen without a language model."""
    embedder: BaseEmbedding
    cross_encoder: CrossEncoder | None
    summarise: bool = False


@runtime_checkable
class EngineMaker(Protocol):
    """What `web=` takes: makes an engine over sources of its own."""

    def make_engine(self, parts: EngineParts, over_index: Stages | None) -> GroundedQueryEngine:
        """The engine; with `over_index`, one that asks the index first."""
        ...


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


class FromSettings(Enum):
    """Stands for an argument that was left out."""

    LLM = "the language model that the settings name"


def build_query_engine(
    index: IndexParts | None = None,
    *,
    principal: Principal | None = None,
    llm: LLM | str | FromSettings | None = FromSettings.LLM,
    on_low_confidence: OnLowConfidence | None = None,
    summarise: bool = False,
    web: EngineMaker | None = None,
    settings: Settings | None = None,
    embedder: BaseEmbedding | None = None,
) -> GroundedQueryEngine:
    """A query engine over an open index, for one principal; over the web; or over the index first and the web second.

    Costs under a millisecond over an index: models, dense and sparse index are shared.

    Args:
        llm: chooses the statements: any LlamaIndex LLM, or a short name (see `rag_app.models`); None: they are chosen
            without a language model. Left out: what the settings name.
        on_low_confidence: overrides the setting: refuse, or let the model answer from its own knowledge.
        summarise: the model also writes two or three sentences beside the quotes, checked against them and labelled;
            their voice is the prompt "response_synthesizer:voice" (see `update_prompts`).
        web: searches the web, a `rag_app.WebSearch`: where the index has nothing near the question, or always where no
            index is given.
        settings: without an index, instead of those of the environment.
        embedder: without an index, instead of the one that the settings name.

    Raises:
        UsageError: the index has access rules and no principal is given; `llm` is not a language model; "ungrounded"
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
    if web is not None and not isinstance(web, EngineMaker):
        raise UsageError(f'web= takes a WebSearch, such as WebSearch("nz"), not {web!r}.')
    settings = index.settings if index else settings or load_settings()
    if on_low_confidence is not None:
        if on_low_confidence not in get_args(OnLowConfidence):
            choices = " or ".join(get_args(OnLowConfidence))
            raise UsageError(f"on_low_confidence is {choices}, not {on_low_confidence!r}.")
        settings = settings.model_copy(update={"on_low_confidence": on_low_confidence})
    parts = EngineParts(
        settings=settings,
        llm=load_llm(settings.llm) if llm is FromSettings.LLM else load_llm(llm) if isinstance(llm, str) else llm,
        embedder=index.embedder if index else embedder or load_embedder(settings.embedding),
        cross_encoder=index.cross_encoder if index else load_reranker(settings.cross_encoder),
        summarise=summarise,
    )
    if index is not None:
        index.reader.readable(principal)  # an index with access rules refuses to be asked without a principal
    if web is None:
        assert index is not None
        return GroundedQueryEngine(stages_over(index, principal, parts))
    if index is None:
        return web.make_engine(parts, None)
    # The web is asked last, so only it may answer without evidence.
    first = replace(parts, settings=settings.model_copy(update={"on_low_confidence": "refuse"}))
    return web.make_engine(parts, stages_over(index, principal, first))
