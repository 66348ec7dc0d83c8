"""Builds over a real Ray cluster on this machine."""

import importlib
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import build_index, check_index
from rag_app.errors import BuildError
from rag_app.index.build import stage
from rag_app.index.build.ray_spread import RaySpread
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench

ray: Any = pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = pytest.mark.long


class SlowEmbedding(TinyEmbedding):
    """Takes long enough to be killed at it."""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        time.sleep(0.2)
        return super()._get_text_embeddings(texts)


class StuckOnNode(SlowEmbedding):
    """On one node of the cluster it never comes to an end; it makes a file when it begins there."""

    node_id: str
    begun: str

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        if ray.get_runtime_context().get_node_id() == self.node_id:
            Path(self.begun).touch()
            time.sleep(600)
        return super()._get_text_embeddings(texts)


class Failing(TinyEmbedding):
    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        if any("number13" in text for text in texts):
            raise RuntimeError("out of memory")
        return super()._get_text_embeddings(texts)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One node; more can be added, each with its own scheduler and store of objects."""
    os.environ.update({"RAY_worker_niceness": "0"})  # workers would wait for everything else on a busy machine
    nodes = importlib.import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test
    yield nodes
    ray.shutdown()
    nodes.shutdown()
    os.environ.pop("RAY_worker_niceness")


@pytest.fixture(scope="module")
def spread(cluster: Any) -> RaySpread:
    return RaySpread()


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "GROUP", 20)


def write_documents(bench: Workbench, count: int = 60) -> None:
    bench.define("open")
    for number in range(count):
        sections = "\n\n".join(f"## Part {part}\n\nRule number{number} has part {part * 31}." for part in range(3))
        bench.write(f"d{number}.md", f"# Rule {number}\n\n{sections}", title=f"Rule {number}")
    bench.write("empty.md", "")
    (bench.documents / "odd.bin").write_bytes(b"\0\1")


def contents(bench: Workbench) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of catalog and vectors, but for the moment of the build."""
    current = bench.store.current()
    assert current is not None
    found: dict[str, list[tuple[Any, ...]]] = {}
    for file, tables in ((current.catalog, ("documents", "passages", "rules")), (bench.store.vectors, ("vectors",))):
        with closing(sqlite3.connect(file)) as connection:
            for table in tables:
                found[table] = connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
    return found


def test_the_same_as_a_local_build(spread: RaySpread, tmp_path: Path) -> None:
    """Catalog and vectors of a build over Ray are those of a local one, row by row, after an update too; problems of
    files are the same."""
    here, there = Workbench(tmp_path / "here"), Workbench(tmp_path / "there")
    for bench in (here, there):
        write_documents(bench)
    local = build_index(here.path, embedder=TinyEmbedding())
    report = build_index(there.path, embedder=TinyEmbedding(), spread=spread)
    assert (report.added, report.passages, report.problems) == (local.added, local.passages, local.problems)
    assert contents(there) == contents(here)
    for bench in (here, there):
        bench.write("d7.md", "# Rule 7\n\nRule seven is another one now.", title="Rule 7")
        (bench.documents / "d9.md").unlink()
    build_index(here.path, embedder=TinyEmbedding())
    report = build_index(there.path, embedder=TinyEmbedding(), spread=spread)
    assert (report.changed, report.removed, report.unchanged) == (1, 1, 58)
    assert contents(there) == contents(here)
    assert check_index(there.path).ok


def kill_workers(stop: threading.Event, killed: list[int]) -> None:
    """Kills five worker processes of Ray, one after another, as a machine that fails would."""
    while len(killed) < 5 and not stop.wait(0.4):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes()
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            if command.startswith(b"ray::_apply") and _is_ours(parent):
                os.kill(int(process.name), signal.SIGKILL)
                killed.append(int(process.name))
                break


def _is_ours(process: int) -> bool:
    """Whether a process descends from this one."""
    while process > 1:
        if process == os.getpid():
            return True
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return False
    return False


def test_killed_workers_lose_and_double_nothing(spread: RaySpread, tmp_path: Path) -> None:
    """Workers that are killed again and again while they read, cut and embed change nothing of the result."""
    here, there = Workbench(tmp_path / "here"), Workbench(tmp_path / "there")
    for bench in (here, there):
        write_documents(bench)
    build_index(here.path, embedder=TinyEmbedding(embed_batch_size=5))
    stop, killed = threading.Event(), []
    killer = threading.Thread(target=kill_workers, args=(stop, killed))
    killer.start()
    try:
        report = build_index(there.path, embedder=SlowEmbedding(embed_batch_size=5), spread=spread)
    finally:
        stop.set()
        killer.join()
    assert len(killed) == 5
    assert report.embedded == 180
    assert contents(there) == contents(here)
    assert check_index(there.path).ok


def test_a_lost_machine_loses_and_doubles_nothing(cluster: Any, spread: RaySpread, tmp_path: Path) -> None:
    """A node that is gone in the middle of a build, with what it was doing and what it had made, changes nothing."""
    here, there = Workbench(tmp_path / "here"), Workbench(tmp_path / "there")
    for bench in (here, there):
        write_documents(bench, 40)
        # Its passages are more than Ray sends with a reply: they stay on the node that cut them until they are fetched.
        bench.write("long.md", "\n\n".join(f"Rule number{number} has no exception." * 8 for number in range(400)))
    build_index(here.path, embedder=TinyEmbedding(embed_batch_size=5))
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    begun, stop = tmp_path / "begun", threading.Event()

    def lose_node() -> None:
        while not begun.exists() and not stop.wait(0.05):
            pass
        cluster.remove_node(node, allow_graceful=False)

    loser = threading.Thread(target=lose_node)
    loser.start()
    try:
        embedder = StuckOnNode(embed_batch_size=5, node_id=node.node_id, begun=str(begun))
        report = build_index(there.path, embedder=embedder, spread=spread)
    finally:
        stop.set()
        loser.join()
    assert node not in cluster.list_all_nodes()
    assert begun.exists()
    assert report.embedded == report.passages
    assert contents(there) == contents(here)
    assert check_index(there.path).ok


def test_an_embedder_that_fails_on_a_worker(spread: RaySpread, tmp_path: Path) -> None:
    """What an embedder raises on a worker is named like here, and the retry goes on from there."""
    bench = Workbench(tmp_path / "bench")
    write_documents(bench, 20)
    with pytest.raises(BuildError, match="out of memory"):
        build_index(bench.path, embedder=Failing(embed_batch_size=5), spread=spread)
    report = build_index(bench.path, embedder=TinyEmbedding(), spread=spread)
    assert report.documents == 20
    assert 0 < report.embedded < 60
