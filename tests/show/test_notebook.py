"""How things look in Jupyter, and the notebook that shows it."""

import os
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from rag_app import Answer, OpenIndex
from rag_app.answer import Drop, Hit, Trace
from rag_app.show.explain import explained
from rag_app.show.notebook import explain

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
    """The explanation is a table of what was found and dropped, with the gate; as text it is the same in lines."""
    answer = office.as_query_engine().query("What does a hotel room in Bergen cost?").answer
    shown = explain(answer)._repr_html_()
    assert "Business travel › Hotels" in shown
    assert "<b>quoted</b>" in shown
    assert "gate.threshold" in shown
    assert str(explain(answer)) == explained(answer)


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
    shown = explain(Answer("q", "insufficient_evidence", reason="nothing_found", trace=trace))._repr_html_()
    assert "<script>" not in shown
    assert shown.count("&lt;script&gt;") == 6
    assert "<td>–</td>" in shown


def test_an_open_index_shows_itself(office: OpenIndex) -> None:
    """An open index is a small table: name, description, access, embedder, state, documents, folder."""
    shown = office._repr_html_()
    for fact in ("office", "An office.", "open", "bge-small", "revision 1", ">4<", str(office.reader.definition.path)):
        assert fact in shown


def run_notebook(name: str, folder: Path, papers: tuple[str, ...] | None) -> nbformat.NotebookNode:
    """Runs a notebook of the project, offline, beside a copy of the demo index (its documents, or some of them)."""
    demo = ROOT / "indexes" / "fellwire"
    to = folder / "indexes" / "fellwire"
    (to / "documents").mkdir(parents=True)
    (folder / "notebooks").mkdir()
    for file in ("index.toml", "principals.json"):
        shutil.copy(demo / file, to / file)
    for file in (demo / "documents").iterdir():
        if papers is None or file.stem in papers:
            shutil.copy(file, to / "documents" / file.name)
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(OFFLINE))
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(folder / "notebooks")}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
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
