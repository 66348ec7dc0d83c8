"""What `from rag_app import ...` offers; a name that goes or comes is a decision, and is made here too."""

import ast
import inspect
from pathlib import Path

import pytest

import rag_app

PUBLIC = [
    "AccessRule",
    "Answer",
    "AsyncStreamingGroundedResponse",
    "BatchResult",
    "BuildReport",
    "ConfidenceGate",
    "Conflict",
    "CrossEncoderRerank",
    "Disagreement",
    "Done",
    "GroundedChatEngine",
    "GroundedChatResponse",
    "GroundedQueryEngine",
    "GroundedResponse",
    "HybridRetriever",
    "IntentGate",
    "LeadIn",
    "MultiQueryRetriever",
    "OpenIndex",
    "PointerDetector",
    "Principal",
    "QualityFilter",
    "Question",
    "Quote",
    "Quoted",
    "RagAppError",
    "RecordingLLM",
    "Refused",
    "RegionProfile",
    "Retrieved",
    "Searching",
    "Settings",
    "StreamingGroundedChatResponse",
    "StreamingGroundedResponse",
    "StreamingQueryEngine",
    "Summarised",
    "Summary",
    "SummarySentence",
    "Trace",
    "Understood",
    "ValidatingSynthesizer",
    "WebSearch",
    "WebSearchRetriever",
    "build_index",
    "build_query_engine",
    "load_region",
    "may_read",
    "open_index",
    "start_tracing",
    "stop_tracing",
]


def test_the_list_of_public_names() -> None:
    """The public names are these and no others, and `dir` lists them."""
    assert sorted(rag_app.__all__) == PUBLIC
    assert sorted(dir(rag_app)) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_loads_and_says_what_it_is(name: str) -> None:
    """Every public name loads, is the class or function of that name, and has a docstring of its own."""
    found = getattr(rag_app, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)


def test_types_see_the_same_names() -> None:
    """What a type checker imports under TYPE_CHECKING is what loads at run time, from the same module."""
    tree = ast.parse(Path(str(rag_app.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed == rag_app._WHERE


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there fails as it does in any module, naming it."""
    with pytest.raises(AttributeError, match="open_indexes"):
        _ = rag_app.open_indexes  # pyright: ignore[reportAttributeAccessIssue]
