"""Replicas: brought to a newer state while they answer, from a folder, an archive or a server."""

import hashlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import check_index
from rag_app.errors import StoreError, UsageError
from rag_app.index.catalog import Catalog
from rag_app.index.package import sync
from rag_app.index.package.sync import sync_index
from rag_app.index.package.transfer import export_index
from rag_app.index.reader import IndexReader
from rag_app.index.search.dense import DenseIndex
from rag_app.index.store import Store
from rag_app.principal import Principal
from tests.index.workbench import Workbench, texts


def newer(bench: Workbench) -> None:
    """Another state of the documents."""
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    bench.write("lunch.md", "# Lunch\n\nLunch is free on Fridays.")
    (bench.documents / "parking.txt").unlink()
    bench.build()


def found(replica: Path) -> str:
    reader = IndexReader.open(replica)
    try:
        return " ".join(texts(reader, "days of holiday lunch bicycles", k=50))
    finally:
        reader.close()


def test_a_replica_follows_while_it_answers(bench: Workbench, tmp_path: Path) -> None:
    """A question during a synchronisation gets the old or the new state and never an error; then the new one."""
    bench.build()
    replica = tmp_path / "replica"
    assert sync_index(bench.path, replica).changed
    assert "25 days" in found(replica)
    assert not sync_index(bench.path, replica).changed
    newer(bench)
    reader = IndexReader.open(replica)
    seen: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            seen.append(" ".join(texts(reader, "days of holiday lunch bicycles", k=50)))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        report = sync_index(bench.path, replica)
    finally:
        done.set()
        asking.join()
    assert report.changed
    assert all(("25 days" in text) != ("30 days" in text) for text in seen)
    assert all(("Fridays" in text) == ("30 days" in text) for text in seen)
    assert "30 days" in " ".join(texts(reader, "days of holiday", k=50))
    reader.close()
    assert found(replica) == found(bench.path)
    assert check_index(replica).ok
    assert not sync_index(bench.path, replica).changed
    assert len(Workbench(replica).store.numbers()) == 1, "the replaced state takes no space"


def test_rules_and_people_follow(bench: Workbench, tmp_path: Path) -> None:
    """Who may read what, and who has which role, is that of the source."""
    bench.define("rules")
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="public")
    (bench.path / "principals.json").write_text('{"eve": {"roles": ["board"]}}')
    bench.build()
    replica = tmp_path / "replica"
    sync_index(bench.path, replica)
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="role", allowed_roles="[board]")
    (bench.path / "principals.json").write_text('{"eve": {}}')
    bench.build()
    sync_index(bench.path, replica)
    reader = IndexReader.open(replica)
    assert not any("9000" in text for text in texts(reader, "directors euros", Principal("eve")))
    assert any("9000" in text for text in texts(reader, "directors euros", Principal("ana", roles=("board",))))
    reader.close()
    assert (replica / "principals.json").read_text() == '{"eve": {}}'


class Stopped(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("room", "step"),
    [
        (Catalog, "adopt"),
        (DenseIndex, "add"),
        (Catalog, "flip"),
        (sync, "_define"),
        (Store, "switch"),
        (sync, "_set_mark"),
    ],
)
def test_stopped_between_steps(bench: Workbench, tmp_path: Path, room: Any, step: str, when: str) -> None:
    """A stop at any step leaves the old or the new state answering, whole; the next synchronisation completes."""
    bench.build()
    replica = tmp_path / "replica"
    sync_index(bench.path, replica)
    newer(bench)
    original = getattr(room, step)

    def broken(*args: Any, **kwargs: Any) -> Any:
        if when == "after":
            original(*args, **kwargs)
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, step, broken)
        with pytest.raises(Stopped):
            sync_index(bench.path, replica)
    state = found(replica)
    assert ("25 days" in state) != ("30 days" in state)
    assert ("Fridays" in state) == ("30 days" in state)
    (replica / ".store" / ".unpacked-left").mkdir()  # as a killed process leaves it
    sync_index(bench.path, replica)
    assert found(replica) == found(bench.path)
    assert check_index(replica).ok
    assert not [path.name for path in (replica / ".store").iterdir() if path.name.startswith((".unpacked", ".sync"))]


def test_refused(bench: Workbench, tmp_path: Path) -> None:
    """A folder with documents of its own is no replica, and none follows nothing or an index of another name."""
    bench.build()
    with pytest.raises(UsageError, match=r"There is no .*nothing: give an archive"):
        sync_index(tmp_path / "nothing", tmp_path / "replica")
    with pytest.raises(UsageError, match="documents of its own"):
        sync_index(bench.path, bench.path)
    sync_index(bench.path, tmp_path / "replica")
    other = Workbench(tmp_path / "other")
    other.write("tea.md", "# Tea\n\nTea is at four.")
    other.build()
    with pytest.raises(UsageError, match="new folder"):
        sync_index(other.path, tmp_path / "replica")
    assert "25 days" in found(tmp_path / "replica")


class Server:
    """Serves one archive on loopback, with an ETag."""

    def __init__(self, archive: Path) -> None:
        self.archive, self.sent, self.status = archive, 0, 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = outer.archive.read_bytes()
                tag = f'"{hashlib.sha256(content).hexdigest()}"'
                status = 304 if self.headers.get("If-None-Match") == tag and outer.status == 200 else outer.status
                self.send_response(status)
                self.send_header("ETag", tag)
                self.send_header("Content-Length", str(len(content) if status == 200 else 0))
                self.end_headers()
                if status == 200:
                    outer.sent += 1
                    self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/handbook.zip"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(bench: Workbench, tmp_path: Path) -> Iterator[Server]:
    bench.build()
    export_index(bench.path, tmp_path / "handbook.zip")
    server = Server(tmp_path / "handbook.zip")
    yield server
    server.close()


def test_from_a_server(bench: Workbench, server: Server, tmp_path: Path) -> None:
    """An archive is fetched only where it changed; where it cannot be had, or is damaged, the earlier state answers."""
    replica = tmp_path / "replica"
    assert sync_index(server.url, replica).changed
    assert not sync_index(server.url, replica).changed
    assert server.sent == 1
    newer(bench)
    server.archive.unlink()
    export_index(bench.path, server.archive)
    whole = server.archive.read_bytes()
    for server.status in (503, 302):
        with pytest.raises(StoreError, match=f"status {server.status}"):
            sync_index(server.url, replica)
    server.status = 200
    server.archive.write_bytes(whole[: len(whole) // 2] + b"\0" + whole[len(whole) // 2 + 1 :])
    with pytest.raises(StoreError, match=f"^{re.escape(server.url)} was not installed"):
        sync_index(server.url, replica)
    assert "25 days" in found(replica)
    server.archive.write_bytes(whole)
    assert sync_index(server.url, replica).changed
    assert found(replica) == found(bench.path)
    server.close()
    with pytest.raises(StoreError, match="cannot be fetched"):
        sync_index(server.url, replica)
