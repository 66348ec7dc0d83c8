"""An open index: what people hold in their hands."""

import threading
from dataclasses import asdict
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import NodeWithScore
from llama_index.core.tools import QueryEngineTool

from rag_app.answer import Answer
from rag_app.chat.build import build_chat_engine
from rag_app.chat.chat_engine import GroundedChatEngine
from rag_app.engine import EngineMaker, FromSettings, build_query_engine
from rag_app.errors import UsageError
from rag_app.index.calibration import Calibration, calibration_in
from rag_app.index.definition import load_definition
from rag_app.index.overview import overview
from rag_app.index.reader import DocumentInfo, IndexReader
from rag_app.llm.onnx import CrossEncoder
from rag_app.models import check_embedder, default_gate_threshold, load_embedder, load_reranker, warm_up
from rag_app.principal import Principal
from rag_app.question import as_question
from rag_app.respond.query_engine import GroundedQueryEngine
from rag_app.respond.streaming import StreamingQueryEngine
from rag_app.respond.tool import question_tool
from rag_app.retrieve.found_table import found_table
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.settings import Component, OnLowConfidence, Settings, load_settings
from rag_app.show.html.style import facts_table
from rag_app.show.notebook import Explanation
from rag_app.show.tables import Table
from rag_app.synthesize.examples import load_examples
from rag_app.synthesize.near_examples import NearExamples

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


class OpenIndex:
    """A built index, opened for asking. Thread-safe; models load with the first engine or retriever and are shared.

    Every door takes the principal who asks; an index with access rules refuses to be asked without one.
    """

    def __init__(self, reader: IndexReader, settings: Settings, embedder: BaseEmbedding | None = None) -> None:
        self.reader = reader
        self.settings = settings
        self._embedder = embedder
        self._loading = threading.Lock()

    def __reduce__(self) -> tuple[type["OpenIndex"], tuple[Any, ...]]:
        return OpenIndex, (self.reader, self.settings, self._embedder)

    def __repr__(self) -> str:
        return f"<OpenIndex {self.reader.definition.name!r} in {self.reader.definition.path}>"

    def _repr_html_(self) -> str:
        definition = self.reader.definition
        facts = {
            **overview(self.reader),
            "cross-encoder": self.settings.cross_encoder,
            "language model": self.settings.llm,
            "confidence gate": f"cosine {self.gate_threshold:.2f}",
        }
        return facts_table(definition.name, definition.description, facts | {"folder": str(definition.path)})

    @property
    def embedder(self) -> BaseEmbedding:
        """The embedder, loaded and compared with the one that the index was built with.

        Raises:
            IndexMismatch: the index was built with another embedder.
            ModelUnavailable: the embedder's files are not installed.
        """
        return self._checked_embedder

    @cached_property
    def _checked_embedder(self) -> BaseEmbedding:
        with self._loading:
            embedder = self._embedder or load_embedder(self.settings.embedding)
            self.reader.check_embedder(embedder)
            return embedder

    @property
    def cross_encoder(self) -> CrossEncoder | None:
        """The cross-encoder; of one that cannot be loaded, the trace of every answer says why."""
        return load_reranker(self.settings.cross_encoder)

    @property
    def calibration(self) -> Calibration | None:
        """What was fitted to questions about this index; None where nothing was, or where it is switched off.

        Raises StoreError where it cannot be read.
        """
        if Component.CALIBRATION in self.settings.without:
            return None
        with self.reader.snapshot() as view:
            return calibration_in(view.manifest)

    @property
    def gate_threshold(self) -> float:
        """Setting, else the calibrated one, else the embedder's default."""
        calibration = self.calibration if self.settings.gate_threshold is None else None
        if calibration and calibration.gate_threshold is not None:
            return calibration.gate_threshold
        return self.uncalibrated_gate_threshold

    @property
    def uncalibrated_gate_threshold(self) -> float:
        """Setting, else the embedder's default: -1, always open, for an embedder object, which nobody measured."""
        if self.settings.gate_threshold is not None:
            return self.settings.gate_threshold
        return default_gate_threshold(self.settings.embedding) if self._embedder is None else -1.0

    @property
    def examples(self) -> NearExamples | None:
        """The worked examples for draft prompts; None where the settings name no file.

        Raises DefinitionError where it cannot be read, or a line is wrong.
        """
        return self._near_examples if self.settings.examples else None

    @cached_property
    def _near_examples(self) -> NearExamples:
        knobs = self.settings
        return NearExamples(
            load_examples(self.reader.definition.path / knobs.examples),
            self.embedder,
            floor=knobs.examples_floor,
            most=knobs.examples_most,
            tokens=knobs.prompt_tokens // 4,
        )

    def warm_up(self) -> dict[str, float]:
        """Loads what a first question waits for, models and the graph of the dense index: seconds that each took.

        Raises IndexMismatch, ModelUnavailable, ModelError or StoreError, as the first question would.
        """
        return warm_up(self.embedder, self.cross_encoder, self.reader.load)

    def documents(self, principal: Principal | None = None) -> Table[DocumentInfo]:
        """What the principal may read, by path: a list, which shows itself as a table and has `to_pandas()`.

        Raises UsageError where the index has access rules and no principal is given.
        """
        found = self.reader.documents(principal)
        rows = ({**asdict(document), "supersedes": ", ".join(document.supersedes)} for document in found)
        return Table(found, rows, "Documents")

    def search(
        self, question: str, principal: Principal | None = None, k: int = 10, *, as_of: date | None = None
    ) -> Table[NodeWithScore]:
        """The `k` best passages of documents in force (today, or on a day), fused from dense and sparse index: a list,
        which shows itself as a table and has `to_pandas()`.

        Raises UsageError where the question is empty or `k` is under 1; or as `documents` does.
        """
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise UsageError(f"Ask for at least one passage, not {k!r}.", k=k)
        settings = self.settings.model_copy(update={"candidates": max(k, self.settings.candidates)})
        self.reader.readable(principal)
        retriever = HybridRetriever(self.reader, self.embedder, principal, settings)
        return found_table(retriever.retrieve(as_question(question, as_of))[:k])

    def explain(
        self, question: str, principal: Principal | None = None, *, as_of: date | None = None, **options: Any
    ) -> Explanation:
        """Answers a question and shows how: each stage's passages, what dropped where and why, the numbers behind the
        decisions, the milliseconds. Text in a terminal, tables in a notebook; `.answer` is the answer.

        Args:
            options: those of `as_query_engine`.

        Raises UsageError, StoreError or ModelError, as an engine's `query` does.
        """
        return Explanation(self.as_query_engine(principal, **options).query(question, as_of=as_of).answer)

    def files(self, answer: Answer) -> dict[str, str]:
        """Where the files of the quoted documents lie on this machine, by document id; those that are not there, and
        pages of the web, are left out. For `Answer.save_html`."""
        folder = self.reader.definition.documents_folder
        found = {quote.document_id: folder / quote.path for quote in answer.quotes if folder and quote.path}
        return {document_id: str(file) for document_id, file in found.items() if file.is_file()}

    def as_retriever(self, principal: Principal | None = None) -> HybridRetriever:
        """The hybrid retriever alone, to stand in any LlamaIndex query engine. Raises as `documents` does."""
        self.reader.readable(principal)
        return HybridRetriever(self.reader, self.embedder, principal, self.settings)

    @overload
    def as_query_engine(
        self,
        principal: Principal | None = None,
        *,
        llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
        on_low_confidence: OnLowConfidence | None = None,
        summarise: bool = False,
        web: EngineMaker | None = None,
        streaming: Literal[False] = False,
    ) -> GroundedQueryEngine: ...
    @overload
    def as_query_engine(
        self,
        principal: Principal | None = None,
        *,
        llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
        on_low_confidence: OnLowConfidence | None = None,
        summarise: bool = False,
        web: EngineMaker | None = None,
        streaming: Literal[True],
    ) -> StreamingQueryEngine: ...
    def as_query_engine(
        self,
        principal: Principal | None = None,
        *,
        llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
        on_low_confidence: OnLowConfidence | None = None,
        summarise: bool = False,
        web: EngineMaker | None = None,
        streaming: bool = False,
    ) -> GroundedQueryEngine | StreamingQueryEngine:
        """A query engine for one principal; making one costs under a millisecond. See `build_query_engine`.

        Args:
            streaming: its responses are LlamaIndex's streaming ones: quotes as soon as they stand. Every engine gives
                typed events besides, see `GroundedQueryEngine.stream`.
        """
        engine = build_query_engine(
            self, principal=principal, llm=llm, on_low_confidence=on_low_confidence, summarise=summarise, web=web
        )
        return StreamingQueryEngine(engine) if streaming else engine

    def as_chat_engine(
        self,
        principal: Principal | None = None,
        *,
        llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
        on_low_confidence: OnLowConfidence | None = None,
        summarise: bool = False,
        web: EngineMaker | None = None,
    ) -> GroundedChatEngine:
        """A chat engine for one principal and one conversation. See `build_chat_engine`."""
        return build_chat_engine(
            self, principal=principal, llm=llm, on_low_confidence=on_low_confidence, summarise=summarise, web=web
        )

    def as_tool(
        self,
        principal: Principal | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        return_direct: bool = True,
        **options: Any,
    ) -> QueryEngineTool:
        """A tool for LlamaIndex agents and for engines over several tools, for one principal.

        Args:
            name: what the agent calls it; left out, the index's name.
            description: from which an agent sees when to ask it; left out, the index's description.
            return_direct: the agent hands the answer on as it is, so that no model retypes a quote.
            options: those of `as_query_engine`.

        Raises UsageError, DefinitionError or ModelUnavailable, as `as_query_engine` does.
        """
        definition = self.reader.definition
        return question_tool(
            self.as_query_engine(principal, **options),
            name=name or definition.name,
            description=description or definition.description,
            return_direct=return_direct,
        )


def open_index(path: str | Path, *, embedder: BaseEmbedding | None = None, **settings: Any) -> OpenIndex:
    """Opens a built index for reading.

    Args:
        path: the folder that `build_index` was given.
        embedder: an embedder object, instead of the one that the settings name.
        settings: knobs of `Settings` that override the environment and index.toml.

    Raises:
        UsageError: `path` is not a path, or `embedder` not an embedder.
        IndexMissing: nothing was built there.
        IndexMismatch: it was built by another version, with other parts, or when index.toml named another access.
        DefinitionError: index.toml or a setting is wrong.
    """
    check_embedder(embedder)
    definition = load_definition(path)
    knobs = load_settings(definition.settings, **settings)
    reader = IndexReader(definition, knobs)
    reader.check_access()
    return OpenIndex(reader, knobs, embedder)
