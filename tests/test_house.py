"""The layout of the code: what keeps it easy to find one's way in. CONTRIBUTING.md has the same rules in words."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType

import grimp

import rag_app
from rag_app import OpenIndex
from rag_app.text.nodes import HIDDEN

ROOT = Path(rag_app.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.name != "__init__.py")
STAGES = ("engine.py", "question.py", "respond", "retrieve", "postprocess", "synthesize")
OF_OTHERS = {
    "respond/response.py": "to_dict and from_dict of LlamaIndex's Response",
    "synthesize/parse_draft.py": "the JSON of a model's reply, before it has been checked",
}
"""Where a dictionary of anything is what third parties hand over."""


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_a_module_is_found_by_its_name() -> None:
    """No two modules of the package have one name."""
    counts = Counter(path.name for path in MODULES)
    assert [named(path) for path in MODULES if counts[path.name] > 1] == []


def test_a_folder_is_seen_at_a_glance() -> None:
    """No folder holds more than 18 modules."""
    counts = Counter(named(path.parent) for path in MODULES)
    assert {folder: count for folder, count in counts.items() if count > 18} == {}


def test_a_module_is_read_in_one_sitting() -> None:
    """No module is longer than 300 lines."""
    lengths = {named(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > 300} == {}


def test_a_function_is_seen_whole() -> None:
    """No function has more than 40 statements, those of the blocks within it counted."""
    counts = {
        f"{named(path)}:{function.name}": sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1
        for path in MODULES
        for function in functions(path)
    }
    assert {name: count for name, count in counts.items() if count > 40} == {}


def test_stages_are_joined_by_typed_values() -> None:
    """Between the stages of a question nothing is cast, and no public function speaks in dictionaries of anything."""
    found: list[str] = []
    for path in MODULES:
        if named(path).split("/")[0] not in STAGES or named(path) in OF_OTHERS:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        found += [f"{named(path)}:{call.lineno} cast" for call in calls if ast.unparse(call.func).endswith("cast")]
        for function in functions(path):
            parts = (argument.annotation for argument in ast.walk(function.args) if isinstance(argument, ast.arg))
            types = [ast.unparse(part) for part in (*parts, function.returns) if part is not None]
            if not function.name.startswith("_") and any("dict[str, Any]" in of_one for of_one in types):
                found.append(f"{named(path)}:{function.name}")
    assert found == []


def test_a_package_says_what_comes_in_and_what_goes_out() -> None:
    """The docstring of each package names both; that of the whole package shows how to use it."""
    for path in ROOT.rglob("__init__.py"):
        opening = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n\n")[0]
        assert path.parent == ROOT or (" in" in opening and " out" in opening), f"{named(path)}: {opening}"


def test_a_question_passes_through_few_modules(office: OpenIndex) -> None:
    """A question that is answered without a language model runs code of at most 45 modules. Lower it where one goes."""
    engine = office.as_query_engine()
    engine.query("What does a hotel room in Bergen cost a night?")
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(str(ROOT)):
            entered.add(named(Path(frame.f_code.co_filename)))

    sys.setprofile(note)
    try:
        answer = engine.query("How long is parental leave?").answer
    finally:
        sys.setprofile(None)
    assert answer.quotes
    assert len(entered) <= 45, sorted(entered)


def test_what_travels_hidden_in_a_node_is_written_down() -> None:
    """Each hidden key by which stages hand on what they find out about a passage stands in the design, and no other."""
    page = (ROOT.parent / "docs" / "design" / "way-of-a-question.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]*\|", page, re.MULTILINE)
    assert sorted(rows) == sorted(HIDDEN)


def test_no_module_needs_itself() -> None:
    """No import leads back to where it began, also not through a package or within a folder; types apart."""
    graph = grimp.build_graph("rag_app", exclude_type_checking_imports=True)
    TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}).prepare()
