"""How things look in Jupyter, and the notebook that shows it."""

import copy
import os
import pickle
import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from rag_app import Answer, OpenIndex
from rag_app.answer import Drop, Hit, Trace
from rag_app.errors import UsageError
from rag_app.show.explain import explained
from rag_app.show.html.course import course_of, drops_of
from rag_app.show.notebook import explain
from rag_app.show.tables import Table

ROOT = Path(__file__).parents[2]
PAPERS = (
    "annual-leave-policy", "annual-leave-policy-2023", "approval-limits", "employee-handbook", "parental-leave-policy",
    "standby-and-callout-pay", "line-bonus", "pay-bands-2026", "radio-procedure",
)  # fmt: skip
OFFLINE = """
import socket
_connect = socket.socket.connect
def _guarded(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(("127.", "::1")):
        raise AssertionError(f"the notebook tried to reach {address}")
    return _connect(self, address)
socket.socket.connect = _guarded
"""


def test_an_explanation_shows_the_way(office: OpenIndex) -> None:
    """The explanation is a table of every passage with the stage that dropped it and why, and the gate; as text it is
    the same in lines, and as a DataFrame the same in rows."""
    shown = office.explain("What does a hotel room in Bergen cost?")
    page = shown._repr_html_()
    assert "Business travel › Hotels" in page
    assert "<b>quoted</b>" in page
    assert "gate.threshold" in page
    assert str(shown) == explained(shown.answer) == str(explain(shown.answer))
    frame = shown.passages.to_pandas()
    assert frame["fate"].iloc[0] == "quoted"
    assert list(frame["rank"]) == [*range(1, len(frame) + 1)]
    assert {line.fate for line in shown.passages if line.reason} <= {drop.stage for drop in shown.answer.trace.dropped}


def test_what_dropped_a_passage_is_said() -> None:
    """Each passage has its fate: quoted, evidence, or the stage that dropped it with its reason; one that a later
    search brought has no rank, and one dropped before it was fetched again is evidence."""
    hits = [Hit("d", "D", (), start, start + 9, 0.5) for start in (0, 10, 20)]
    fetched = Hit("e", "E", (), 0, 9, None)
    trace = Trace(
        retrieved=hits,
        kept=[hits[1], fetched],
        dropped=[
            Drop("quality filter", "too short", "d", 0, 9),
            Drop("rerank", "not among the best 8", "d", 10, 19),
            Drop("rerank", "not among the best 8", "d", 20, 29),
        ],
    )
    lines = course_of(Answer("q", "insufficient_evidence", reason="model_declined", trace=trace))
    assert [(line.rank, line.document_id, line.fate, line.reason) for line in lines] == [
        (1, "d", "quality filter", "too short"),
        (2, "d", "evidence", ""),
        (3, "d", "rerank", "not among the best 8"),
        (None, "e", "evidence", ""),
    ]
    assert [(drops.stage, drops.count, len(drops.places)) for drops in drops_of(trace)] == [
        ("quality filter", 1, 1),
        ("rerank", 2, 2),
    ]


def test_an_explanation_is_escaped() -> None:
    """No title, reason or warning becomes markup; a passage without a cosine has no bar."""
    nasty = "<script>alert(1)</script>"
    trace = Trace(
        retrieved=[Hit("d", nasty, (nasty,), 0, 9, None)],
        dropped=[Drop(nasty, nasty, "d", 0, 9)],
        warnings=[nasty],
        numbers={nasty: 1.0},
        milliseconds={nasty: 1.0},
    )
    answer = Answer("q", "insufficient_evidence", reason="nothing_found", trace=trace)
    shown = explain(answer)._repr_html_()
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;") == 8
    assert "<td>–</td>" in shown
    assert "<script>" not in explain(answer).passages._repr_html_()


def test_an_open_index_shows_itself(office: OpenIndex) -> None:
    """An open index is a small table: name, description, access, documents, passages, state, size, models, folder."""
    shown = office._repr_html_()
    for fact in ("office", "An office.", "open", "bge-small", "revision 1", ">4<", str(office.reader.definition.path)):
        assert fact in shown
    for name in ("passages", "size", "cross-encoder", "language model", "confidence gate"):
        assert f'<th scope="row">{name}</th>' in shown


def test_lists_become_tables(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents and passages found are lists, show themselves as tables, and become DataFrames with a row each; without
    pandas that alone says what to install."""
    documents, found = office.documents(), office.search("parental leave", k=3)
    assert [document.title for document in documents] == list(documents.to_pandas()["title"])
    frame = found.to_pandas()
    assert list(frame["rank"]) == [1, 2, 3]
    assert str(frame["text"][0]) == found[0].node.get_content()
    assert next(iter(frame["cosine"])) == found[0].node.metadata["cosine"]
    assert pickle.loads(pickle.dumps(documents)).to_pandas().equals(documents.to_pandas())
    assert '<th scope="col">document id</th>' in documents._repr_html_()
    assert Table([], [], "Nothing")._repr_html_()
    assert repr(Table([], [], "Nothing")) == "Nothing: 0"
    first, heads, *lines = repr(documents).splitlines()
    assert (first, len(lines)) == (f"Documents: {len(documents)}", len(documents))
    assert heads.split()[:2] == ["document_id", "title"]
    assert "retrieved" not in heads  # no file has it
    assert max(map(len, repr(found).splitlines())) < 300
    assert repr(Table([1] * 30, [{"n": "\x1b"}] * 30, "Rows")).endswith("␛\n... and 10 more")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        found.to_pandas()


def run_notebook(
    name: str, folder: Path, papers: tuple[str, ...] | None = (), is_twice: bool = False
) -> nbformat.NotebookNode:
    """Runs a notebook of the project, offline, beside a copy of the demo index (its documents, or some of them); with
    each cell run twice, one run after the other, where asked."""
    demo = ROOT / "indexes" / "fellwire"
    to = folder / "indexes" / "fellwire"
    (to / "documents").mkdir(parents=True)
    (folder / "notebooks").mkdir()
    for file in ("index.toml", "principals.json"):
        shutil.copy(demo / file, to / file)
    for file in (demo / "documents").iterdir():
        if papers is None or file.stem in papers:
            shutil.copy(file, to / "documents" / file.name)
    shutil.copytree(ROOT / "rag_app" / "demo", folder / "rag_app" / "demo")
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    if is_twice:
        notebook.cells = [copy.deepcopy(cell) for cell in notebook.cells for _ in range(2)]
    notebook.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder / "notebooks")}})
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "BEDROCK_"))}
    client.execute(env={**env, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")})
    return notebook


def outputs(notebook: nbformat.NotebookNode) -> list[str]:
    """Everything that the cells printed or showed."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            found.append(output.get("text") or data.get("text/html") or data.get("text/plain") or "")
    return found


def test_the_first_answer_is_near() -> None:
    """In at most ten lines the first notebook has an answer."""
    notebook = nbformat.read(ROOT / "notebooks" / "first_answer.ipynb", as_version=4)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    lines = [line for line in first.source.splitlines() if line.strip()]
    assert len(lines) <= 10
    assert any("query(" in line for line in lines)
    assert all(not cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize(
    "papers", [PAPERS, pytest.param(None, marks=pytest.mark.long)], ids=["some", "all"]
)  # fmt: skip
def test_the_first_notebook(tmp_path: Path, papers: tuple[str, ...] | None) -> None:
    """The first notebook runs offline from the build to the last cell and shows a highlighted quote with its source."""
    shown = outputs(run_notebook("first_answer.ipynb", tmp_path, papers))
    answer = next(output for output in shown if "<mark>" in output)
    assert "Annual Leave Policy" in answer
    assert "<details>" in answer
    assert any("insufficient_evidence" in output for output in shown)
    assert any("confidence gate" in output or "Dropped" in output for output in shown)


OTHERS = {
    "retrieval_and_gate": "below_confidence",
    "access_rules": "4000 euros",
    "evaluating": "without",
    "conversation": "The head of people approves it.",
    "web_recordings": "grounded",
    "llamaindex_parts": "The canteen serves lunch from 11:30 to 14:00 on working days.",
    "bedrock": "Skipped",
}
"""The other notebooks, and what each shows."""


def test_every_notebook_is_run_and_stripped() -> None:
    """Each notebook is one that a test runs, and holds no output."""
    files = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert [file.stem for file in files] == sorted([*OTHERS, "first_answer"])
    for file in files:
        cells = nbformat.read(file, as_version=4).cells
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), file.name


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_the_other_notebooks(name: str, tmp_path: Path) -> None:
    """A notebook runs offline, each of its cells twice, and what is printed the second time is what was printed the
    first time, but for the numbers of a run."""
    notebook = run_notebook(f"{name}.ipynb", tmp_path, is_twice=True)
    assert any(OTHERS[name] in output for output in outputs(notebook))
    cells = [cell for cell in notebook.cells[1:] if cell.cell_type == "code"]
    for first, second in zip(cells[::2], cells[1::2], strict=True):
        assert printed(first) == printed(second)


def printed(cell: nbformat.NotebookNode) -> str:
    """What a cell printed, without times and temporary folders."""
    text = "".join(output.get("text", "") for output in cell.outputs if output.get("name") == "stdout")
    return re.sub(r"[\d.]+ (?:ms|s)\b|/tmp/\S+|^milliseconds .*$", "", text, flags=re.MULTILINE)
