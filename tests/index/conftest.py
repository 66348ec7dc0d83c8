"""A small index in a temporary folder."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.index.workbench import Workbench


@pytest.fixture(autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stores of plain folders stay within the test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """An open index with three documents, not built yet."""
    bench = Workbench(tmp_path / "handbook")
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.", title="Leave")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 140 euros a night.", title="Travel")
    bench.write("parking.txt", "Bicycles stand in the yard, cars behind the hall.")
    return bench


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Chroma server on loopback; its URL."""
    command = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma")
    server = subprocess.Popen(
        [command, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                httpx.get(f"{url}/api/v2/heartbeat", timeout=1).raise_for_status()
                break
            except httpx.HTTPError:
                assert server.poll() is None, "the Chroma server ended at once"
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(params=["files", pytest.param("server", marks=pytest.mark.long)])
def both_stores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test with the graph in files and, among the long tests, on a server."""
    if request.param == "server":
        monkeypatch.setenv("RAG_APP_CHROMA_URL", request.getfixturevalue("chroma_server"))
    return request.param
