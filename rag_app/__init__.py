"""rag_app: answers from a body of documents in the documents' own sentences, or a plain refusal.

    from rag_app import build_index, open_index

    build_index("indexes/handbook")
    engine = open_index("indexes/handbook").as_query_engine()
    print(engine.query("How long is parental leave?"))

Names load what they need when they are first used, so that importing this package is light.
"""

import logging
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag_app.answer import Answer, Conflict, LeadIn, Quote, Summary, SummarySentence, Trace
    from rag_app.building import BuildReport, build_index
    from rag_app.chat.chat_engine import GroundedChatEngine
    from rag_app.chat.chat_response import GroundedChatResponse, StreamingGroundedChatResponse
    from rag_app.engine import build_query_engine
    from rag_app.errors import RagAppError
    from rag_app.llm.recording import RecordingLLM
    from rag_app.opened import OpenIndex, open_index
    from rag_app.postprocess.confidence import ConfidenceGate
    from rag_app.postprocess.pointers import PointerDetector
    from rag_app.postprocess.quality import QualityFilter
    from rag_app.postprocess.rerank import CrossEncoderRerank
    from rag_app.principal import AccessRule, Principal, may_read
    from rag_app.question import Question
    from rag_app.respond.batch import BatchResult
    from rag_app.respond.events import (
        Disagreement,
        Done,
        Quoted,
        Refused,
        Retrieved,
        Searching,
        Summarised,
        Understood,
    )
    from rag_app.respond.query_engine import GroundedQueryEngine
    from rag_app.respond.response import GroundedResponse
    from rag_app.respond.streaming import (
        AsyncStreamingGroundedResponse,
        StreamingGroundedResponse,
        StreamingQueryEngine,
    )
    from rag_app.retrieve.hybrid import HybridRetriever
    from rag_app.retrieve.multi_query import MultiQueryRetriever
    from rag_app.settings import Settings
    from rag_app.synthesize.synthesizer import ValidatingSynthesizer
    from rag_app.tracing import start_tracing, stop_tracing
    from rag_app.web.intent import IntentGate
    from rag_app.web.region import RegionProfile, load_region
    from rag_app.web.web_engine import WebSearch
    from rag_app.web.web_retriever import WebSearchRetriever

if os.name != "posix":
    raise ImportError(
        "rag_app runs on Linux and macOS only: it locks and opens files in ways that Windows does not have. There, use "
        "the Windows Subsystem for Linux."
    )

logging.getLogger(__name__).addHandler(logging.NullHandler())  # silent unless the application says otherwise

_WHERE = {
    "build_index": "rag_app.building",
    "BuildReport": "rag_app.building",
    "open_index": "rag_app.opened",
    "OpenIndex": "rag_app.opened",
    "build_query_engine": "rag_app.engine",
    "GroundedQueryEngine": "rag_app.respond.query_engine",
    "Principal": "rag_app.principal",
    "AccessRule": "rag_app.principal",
    "may_read": "rag_app.principal",
    "Settings": "rag_app.settings",
    "Question": "rag_app.question",
    "Answer": "rag_app.answer",
    "Quote": "rag_app.answer",
    "LeadIn": "rag_app.answer",
    "Conflict": "rag_app.answer",
    "Summary": "rag_app.answer",
    "SummarySentence": "rag_app.answer",
    "Trace": "rag_app.answer",
    "GroundedResponse": "rag_app.respond.response",
    "HybridRetriever": "rag_app.retrieve.hybrid",
    "MultiQueryRetriever": "rag_app.retrieve.multi_query",
    "WebSearch": "rag_app.web.web_engine",
    "WebSearchRetriever": "rag_app.web.web_retriever",
    "IntentGate": "rag_app.web.intent",
    "RegionProfile": "rag_app.web.region",
    "load_region": "rag_app.web.region",
    "QualityFilter": "rag_app.postprocess.quality",
    "ConfidenceGate": "rag_app.postprocess.confidence",
    "CrossEncoderRerank": "rag_app.postprocess.rerank",
    "PointerDetector": "rag_app.postprocess.pointers",
    "ValidatingSynthesizer": "rag_app.synthesize.synthesizer",
    "BatchResult": "rag_app.respond.batch",
    "GroundedChatEngine": "rag_app.chat.chat_engine",
    "GroundedChatResponse": "rag_app.chat.chat_response",
    "StreamingGroundedChatResponse": "rag_app.chat.chat_response",
    "StreamingQueryEngine": "rag_app.respond.streaming",
    "StreamingGroundedResponse": "rag_app.respond.streaming",
    "AsyncStreamingGroundedResponse": "rag_app.respond.streaming",
    "Searching": "rag_app.respond.events",
    "Retrieved": "rag_app.respond.events",
    "Understood": "rag_app.respond.events",
    "Quoted": "rag_app.respond.events",
    "Disagreement": "rag_app.respond.events",
    "Summarised": "rag_app.respond.events",
    "Refused": "rag_app.respond.events",
    "Done": "rag_app.respond.events",
    "RecordingLLM": "rag_app.llm.recording",
    "start_tracing": "rag_app.tracing",
    "stop_tracing": "rag_app.tracing",
    "RagAppError": "rag_app.errors",
}

__all__ = [
    "build_index",
    "BuildReport",
    "open_index",
    "OpenIndex",
    "build_query_engine",
    "GroundedQueryEngine",
    "Principal",
    "AccessRule",
    "may_read",
    "Settings",
    "Question",
    "Answer",
    "Quote",
    "LeadIn",
    "Conflict",
    "Summary",
    "SummarySentence",
    "Trace",
    "GroundedResponse",
    "HybridRetriever",
    "MultiQueryRetriever",
    "WebSearch",
    "WebSearchRetriever",
    "IntentGate",
    "RegionProfile",
    "load_region",
    "QualityFilter",
    "ConfidenceGate",
    "CrossEncoderRerank",
    "PointerDetector",
    "ValidatingSynthesizer",
    "BatchResult",
    "GroundedChatEngine",
    "GroundedChatResponse",
    "StreamingGroundedChatResponse",
    "StreamingQueryEngine",
    "StreamingGroundedResponse",
    "AsyncStreamingGroundedResponse",
    "Searching",
    "Retrieved",
    "Understood",
    "Quoted",
    "Disagreement",
    "Summarised",
    "Refused",
    "Done",
    "RecordingLLM",
    "start_tracing",
    "stop_tracing",
    "RagAppError",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'rag_app' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
