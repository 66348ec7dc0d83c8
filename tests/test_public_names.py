"""What `from rag_app import ...` offers; a name that goes or comes is a decision, and is made here too."""

import ast
import inspect
from pathlib import Path
from types import FunctionType

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


def source_of(found: type | FunctionType) -> ast.ClassDef | ast.FunctionDef:
    """The syntax tree of a public class or function."""
    tree = ast.parse(Path(str(inspect.getsourcefile(found))).read_text(encoding="utf-8"))
    return next(n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef) and n.name == found.__name__)


def is_number(annotation: ast.expr) -> bool:
    """Whether a type is a bare number, or one that may be None."""
    return bool({"int", "float"} & set(ast.unparse(annotation).replace("|", " ").split()))


def untold_by_function(function: ast.FunctionDef | ast.AsyncFunctionDef, doc: str) -> list[str]:
    """What the signature and the docstrings of a function leave open."""
    rules = function.args
    given = [*rules.posonlyargs, *rules.args, *rules.kwonlyargs, rules.vararg, rules.kwarg]
    named = [one for one in given if one is not None and one.arg not in ("self", "cls")]
    found = [f"type of {one.arg}" for one in named if one.annotation is None]
    found += ["type of what it returns"] if function.returns is None else []
    if not doc.startswith("As `"):  # which refers to the function that tells
        found += [f"{p.arg}" for p in named if p.annotation and is_number(p.annotation) and p.arg not in doc]
    raised = [n.exc.func for n in ast.walk(function) if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)]
    return found + [f"{ast.unparse(error)}" for error in raised if ast.unparse(error) not in doc]


def untold_by_class(cls: type, source: ast.ClassDef) -> list[str]:
    """What the public attributes and methods of a class leave open."""
    doc = ast.get_docstring(source) or ""
    found = []
    for part, after in zip(source.body, [*source.body[1:], None], strict=True):
        if isinstance(part, ast.AnnAssign):
            name = ast.unparse(part.target)
            is_told = name in doc or (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
            is_told = is_told or (part.value is not None and "description=" in ast.unparse(part.value))
            found += [name] if is_number(part.annotation) and not is_told and not name.startswith("_") else []
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_overload = any("overload" in ast.unparse(mark) for mark in part.decorator_list)
        is_inherited = any(part.name in vars(base) for base in cls.__mro__[1:])
        if is_overload or (part.name.startswith("_") and part.name != "__init__"):
            continue
        own = ast.get_docstring(part) or ""
        found += [f"{part.name}: docstring"] if not own and not is_inherited and part.name != "__init__" else []
        if not is_inherited or own:
            found += [f"{part.name}: {untold}" for untold in untold_by_function(part, own + doc)]
    return found


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_is_documented(name: str) -> None:
    """Every parameter has a type; every number says what it counts or measures; every error that is raised in place is
    named in a docstring, and every method has one or has that of LlamaIndex."""
    found = getattr(rag_app, name)
    source = source_of(found)
    if isinstance(source, ast.ClassDef):
        assert untold_by_class(found, source) == []
    else:
        assert untold_by_function(source, ast.get_docstring(source) or "") == []


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
