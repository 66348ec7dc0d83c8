"""The dense index, in files and on a server."""

import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rag_app.building import check_index
from rag_app.errors import DefinitionError, StoreError
from rag_app.index.search.dense import DenseIndex
from rag_app.index.search.search_index import IndexEntry, unit_vectors
from rag_app.index.store import Generation, Store
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench, texts


@pytest.fixture(params=["files", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    url = request.getfixturevalue("chroma_server") if request.param == "server" else ""
    store = Store(tmp_path / "store", url)
    store.create()
    return store


def rows(ids: range) -> list[IndexEntry]:
    return [IndexEntry(number, number, "public", "", "") for number in ids]


def test_finds_what_brute_force_finds(store: Store) -> None:
    """It finds the nearest vectors with their cosine, whichever entries were added again or deleted."""
    generation = store.new_generation()
    vectors = unit_vectors(np.random.default_rng(3).standard_normal((700, 48)))
    writer = DenseIndex(generation, writable=True)
    writer.add(rows(range(700)), vectors)
    writer.add(rows(range(100)), vectors[:100])
    writer.delete(range(600, 700))
    writer.close()
    index = DenseIndex(generation)
    index.load()
    assert index.ids() == set(range(600))
    assert index.count() == 600
    for query in vectors[::70]:
        wanted = sorted(enumerate((vectors[:600] @ query).tolist()), key=lambda pair: (-pair[1], pair[0]))[:20]
        found = index.search(query, 20)
        assert [key for key, _ in found] == [key for key, _ in wanted]
        assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=1e-5)
    index.close()


@pytest.mark.parametrize("count", [700, 2500, 9001])
def test_the_graph_is_written_a_few_times(tmp_path: Path, count: int) -> None:
    """However many entries are added, the graph is written at most nine times, and nothing is left in the log, which
    each opening would put into the graph again, but what is too little to be written."""
    store = Store(tmp_path / "store")
    store.create()
    generation = store.new_generation()
    vectors = unit_vectors(np.random.default_rng(3).standard_normal((count, 8)))
    writer = DenseIndex(generation, writable=True)
    written: set[int] = set()
    at_once = writer.begin_adding(count)
    for begin in range(0, count, at_once):
        writer.add(rows(range(begin, min(count, begin + at_once))), vectors[begin : begin + at_once])
        written |= {file.stat().st_mtime_ns for file in generation.chroma.glob("*/header.bin")}
    writer.end_adding()
    writer.close()
    assert len(written) <= 9
    assert waiting(generation) <= (count if count < 1000 else 1)  # Chroma never takes the last one out
    writer = DenseIndex(generation, writable=True)  # what follows is written as usual
    writer.add(rows(range(count, count + 1000)), vectors[[0] * 1000])
    writer.close()
    assert waiting(generation) <= 1
    index = DenseIndex(generation)
    index.load()
    assert index.ids() == set(range(count + 1000))
    assert index.search(vectors[5], 1)[0][0] == 5
    index.close()


def waiting(generation: Generation) -> int:
    """Entries in Chroma's log that are not in the graph on disk."""
    with closing(sqlite3.connect(generation.chroma / "chroma.sqlite3")) as connection:
        return connection.execute("SELECT count(*) FROM embeddings_queue").fetchone()[0]


def test_gone(store: Store) -> None:
    """One that is not there is reported to a reader, with the command that makes it."""
    with pytest.raises(StoreError, match="rag-app check"):
        DenseIndex(store.new_generation())


def test_index_on_a_server(bench: Workbench, chroma_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the graph on a server an index is built, asked, updated, rebuilt and checked as with files, and what is
    replaced leaves nothing on the server; another index on the same server is left alone."""
    monkeypatch.setenv("RAG_APP_CHROMA_URL", chroma_server)
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    for number in range(80):
        bench.write(f"rule{number}.md", f"Rule {number} of the house speaks of topic {number * 31}.")
    other = Workbench(bench.path.parent / "other")
    other.define()
    other.write("a.md", "Another house has a rule.")
    other.build()
    bench.build()
    assert not (bench.path / ".store" / "generations" / "1" / "chroma").exists()
    reader = bench.open()
    assert any("25 days" in text for text in texts(reader, "days of holiday"))
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    bench.build()
    found = " ".join(texts(reader, "days of holiday"))
    assert "30 days" in found
    assert "25 days" not in found
    bench.build(rebuild=True)
    assert any("30 days" in text for text in texts(reader, "days of holiday"))
    assert check_index(bench.path).ok
    assert other.texts("another house")
    assert len(_collections(chroma_server, bench)) == 1


def test_question_during_an_update_on_a_server(
    bench: Workbench, chroma_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that began before an update still finds all of its state, though the server has lost it."""
    monkeypatch.setenv("RAG_APP_CHROMA_URL", chroma_server)
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    for number in range(40):
        bench.write(f"rule{number}.md", f"Rule {number} of the house speaks of topic {number * 31}.")
    bench.build()
    vector = TinyEmbedding().get_query_embedding("days of holiday")
    with bench.open().snapshot() as view:
        bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
        bench.build()
        found = view.search_meaning(vector, 5, view.readable(None))
        assert any("25 days" in node.text for node in view.nodes([key for key, _ in found]).values())


def _collections(url: str, bench: Workbench) -> list[str]:
    import chromadb

    port = int(url.rpartition(":")[2])
    prefix = Store((bench.path / ".store").resolve(), url).collection_prefix
    client = chromadb.HttpClient(host="127.0.0.1", port=port)
    return [c.name for c in client.list_collections() if c.name.startswith(prefix)]


def _silent() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        waiting: list[socket.socket] = []
        done = threading.Event()

        def take() -> None:
            listening.settimeout(0.1)
            while not done.is_set():
                try:
                    waiting.append(listening.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=take)
        thread.start()
        yield listening.getsockname()[1]
        done.set()
        thread.join()
        for connection in waiting:
            connection.close()


silent_port = pytest.fixture(_silent)


def test_server_that_is_not_there(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that refuses connections is reported with its address and how to start one; nothing is built."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("RAG_APP_CHROMA_URL", f"http://127.0.0.1:{port}")
    with pytest.raises(StoreError, match=rf"http://127.0.0.1:{port} cannot be reached.*chroma run"):
        bench.build()
    monkeypatch.delenv("RAG_APP_CHROMA_URL")
    assert bench.build().added == 3


def test_server_that_says_nothing(bench: Workbench, monkeypatch: pytest.MonkeyPatch, silent_port: int) -> None:
    """A server that does not answer in time is reported; a question fails, it is not refused."""
    bench.build()
    monkeypatch.setattr("rag_app.index.search.dense._SECONDS", 0.3)
    monkeypatch.setenv("RAG_APP_CHROMA_URL", f"http://127.0.0.1:{silent_port}")
    doors: list[Callable[[], object]] = [bench.open, bench.build]
    for door in doors:
        with pytest.raises(StoreError, match=r"did not answer within 0\.3 seconds"):
            door()


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost", "http://"])
def test_wrong_address(bench: Workbench, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Something that is not an address is reported as a wrong setting."""
    monkeypatch.setenv("RAG_APP_CHROMA_URL", url)
    with pytest.raises(DefinitionError, match="http://localhost:8000"):
        bench.build()
