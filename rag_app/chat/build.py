"""Puts a chat engine together over an open index."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rag_app.chat.chat_engine import GroundedChatEngine
from rag_app.chat.chat_retriever import FollowUpRetriever
from rag_app.chat.history import Quoted
from rag_app.engine import EngineMaker, FromSettings, IndexParts, build_query_engine
from rag_app.index.reader import IndexReader
from rag_app.models import load_llm
from rag_app.principal import Principal
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.settings import OnLowConfidence

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


def build_chat_engine(
    index: IndexParts,
    *,
    principal: Principal | None = None,
    llm: "LLM | str | FromSettings | None" = FromSettings.LLM,
    on_low_confidence: OnLowConfidence | None = None,
    summarise: bool = False,
    web: EngineMaker | None = None,
) -> GroundedChatEngine:
    """A chat engine over an open index, for one principal and one conversation.

    Args:
        llm: chooses the statements and completes follow-ups; None: both are done by rules. Left out: what the settings
            name.
        web: searched where the index has nothing near a turn. Of a follow-up the web gets only what was typed, never a
            title or a sentence of a document.

    The other arguments, and what is raised, are those of `build_query_engine`.
    """
    model = load_llm(index.settings.llm) if llm is FromSettings.LLM else load_llm(llm) if isinstance(llm, str) else llm
    engine = build_query_engine(
        index, principal=principal, llm=model, on_low_confidence=on_low_confidence, summarise=summarise, web=web
    )
    hybrid = HybridRetriever(index.reader, index.embedder, principal, index.settings)
    following = replace(engine.stages, retriever=FollowUpRetriever(engine.stages.retriever, hybrid))
    return GroundedChatEngine(
        engine.with_stages(following),
        still_stands=partial(_still_stands, index.reader, principal),
        llm=model,
        seconds=index.settings.model_seconds,
    )


def _still_stands(reader: IndexReader, principal: Principal | None, quotes: Sequence[Quoted]) -> list[bool]:
    with reader.snapshot() as view:
        rules = view.readable(principal)
        return [view.stands_at(quoted.document_id, quoted.start, quoted.text, rules) for quoted in quotes]
