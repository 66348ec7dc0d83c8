"""Real processes: killed while they write, and asking while another one writes."""

import multiprocessing
import os
import random
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import check_index
from rag_app.errors import IndexMissing
from rag_app.index.reader import IndexReader
from rag_app.testing import TinyEmbedding
from tests.index import crash
from tests.index.workbench import Workbench

KINDS = ["build", "update", "rebuild"]


@pytest.fixture(scope="module")
def processes() -> Any:
    """Processes that begin with everything imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.index.crash"])
    return context


def old_documents(bench: Workbench) -> None:
    bench.define("open")
    for number in range(14):
        bench.write(
            f"d{number}.md", f"# Rule {number}\n\nRule number{number} of the house is old{number}.", title="Rule"
        )


def new_documents(bench: Workbench) -> None:
    """Some changed, some gone, some added, one moved."""
    for number in range(5):
        bench.write(
            f"d{number}.md", f"# Rule {number}\n\nRule number{number} of the house is new{number}.", title="Rule"
        )
    for number in (5, 6, 7):
        (bench.documents / f"d{number}.md").unlink()
    for number in (20, 21, 22):
        bench.write(
            f"d{number}.md", f"# Rule {number}\n\nRule number{number} of the house is new{number}.", title="Rule"
        )
    (bench.documents / "moved").mkdir()
    (bench.documents / "d8.md").rename(bench.documents / "moved" / "d8.md")


def state(bench: Workbench) -> frozenset[tuple[str, str]]:
    """Documents with their text, having seen that both indexes find all of them and nothing else."""
    reader = IndexReader.open(bench.path)
    try:
        with reader.snapshot() as view:
            rules = view.readable(None)
            documents = {}
            for info in view.documents(rules):
                document = view.document(info.document_id, rules)
                assert document is not None
                documents[info.document_id] = document.text
            query = TinyEmbedding().get_query_embedding("rule of the house")
            words = {key for key, _ in view.search_words("rule house", 200, rules)}
            found = view._meaning().search(query, view._meaning().count())
            meaning = {key for key, _ in view.permitted(found, rules, frozenset(), 200)}
            for ids in (words, meaning):
                nodes = view.nodes(ids).values()
                assert {node.metadata["document_id"] for node in nodes} == set(documents)
                assert all(node.text in documents[node.metadata["document_id"]] for node in nodes)
            return frozenset(documents.items())
    finally:
        reader.close()


class Kills:
    """Runs builds in child processes and kills them."""

    def __init__(self, processes: Any, folder: Path) -> None:
        self._processes = processes
        self._folder = folder
        self.old, self.new = Workbench(folder / "old"), Workbench(folder / "new")
        for bench in (self.old, self.new):
            old_documents(bench)
        self.old.build()
        new_documents(self.new)
        self.new.build()
        self.states = {"old": state(self.old), "new": state(self.new)}
        self.steps: dict[str, int] = {}
        self.seconds: dict[str, float] = {}
        for kind in KINDS:
            told, begun = self.run(self.fresh(kind), kind, None, None)
            self.steps[kind] = told
            self.seconds[kind] = begun

    def fresh(self, kind: str) -> Workbench:
        """An index before the build that is to be killed."""
        path = self._folder / "trial"
        shutil.rmtree(path, ignore_errors=True)
        if kind == "build":
            bench = Workbench(path)
            old_documents(bench)
        else:
            shutil.copytree(self.old.path, path)
            bench = Workbench(path)
        new_documents(bench)
        return bench

    def run(self, bench: Workbench, kind: str, kill_at: int | None, after: float | None) -> tuple[int, float]:
        """One build in a child; killed at a step or after some seconds. Returns its steps and how long it took."""
        told = self._processes.SimpleQueue()
        child = self._processes.Process(target=crash.write, args=(bench.path, kind == "rebuild", kill_at, told))
        child.start()
        told.get()
        begun = time.perf_counter()
        if after is not None:
            time.sleep(after)
            with suppress(ProcessLookupError):  # it was done already
                os.kill(child.pid, signal.SIGKILL)
        child.join(120)
        spent = time.perf_counter() - begun
        if kill_at is None and after is None:
            assert child.exitcode == 0
            return told.get()[1], spent
        assert child.exitcode in (0, -signal.SIGKILL)
        return 0, spent

    def trial(self, seed: int) -> None:
        """One kill, and everything that must be true afterwards."""
        rng = random.Random(seed)
        kind = KINDS[seed % 3]
        bench = self.fresh(kind)
        if seed % 2:
            self.run(bench, kind, rng.randrange(1, self.steps[kind] + 1), None)
        else:
            self.run(bench, kind, None, rng.uniform(0, self.seconds[kind]))
        if bench.store.current() is None:
            assert kind == "build"
            with pytest.raises(IndexMissing):
                state(bench)
        else:
            assert state(bench) in self.states.values(), f"seed {seed}"
            assert kind != "build" or state(bench) == self.states["new"]
            check_index(bench.path)
            assert check_index(bench.path).ok, f"seed {seed}"
            assert state(bench) in self.states.values(), f"seed {seed}"
        bench.build(rebuild=kind == "rebuild")
        assert state(bench) == self.states["new"], f"seed {seed}"
        assert check_index(bench.path).ok, f"seed {seed}"
        assert len(bench.store.numbers()) == 1


@pytest.fixture(scope="module")
def kills(processes: Any, tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return Kills(processes, tmp_path_factory.mktemp("kills"))


@pytest.mark.parametrize("seed", range(6))
def test_killed(kills: Kills, seed: int) -> None:
    """A build, update or rebuild killed at any step or moment leaves the old or the new version answering in both
    indexes, with no document lost; check then finds nothing or repairs it, and the next build completes."""
    kills.trial(seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_killed_a_hundred_times(kills: Kills, kind: str) -> None:
    """100 of 100 kills of builds, of updates and of rebuilds are survived."""
    first = 300 + KINDS.index(kind)
    for seed in range(first, first + crash.KILLS * len(KINDS), len(KINDS)):
        kills.trial(seed)


def test_lock_of_a_killed_writer(processes: Any, bench: Workbench) -> None:
    """The lock of a writer that was killed holds nobody up."""
    bench.build()
    bench.write("leave.md", "Everybody gets 30 days of holiday.", title="Leave")
    told = processes.SimpleQueue()
    child = processes.Process(target=crash.write, args=(bench.path, False, 200, told))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    assert (bench.store.path / "writer.json").exists()
    assert bench.build().changed == 1


def write_versions(bench: Workbench, marks: list[tuple[float, str]], rounds: int) -> None:
    """Updates and rebuilds; adds each version's mark with the time from which it is the one in force."""
    for number in range(len(marks), len(marks) + rounds):
        bench.write("leave.md", f"# Leave\n\nEverybody gets {number}00 days of holiday a year.", title="Leave")
        bench.write("travel.md", f"# Travel\n\nHotels are refunded up to {number}01 euros a night.", title="Travel")
        bench.build(rebuild=number % 4 == 3)
        marks.append((time.time(), f"{number}0"))


def check_answers(answers: list[tuple[float, list[str]]], marks: list[tuple[float, str]]) -> None:
    """Every answer is of one version, and of none that another one had replaced before the question was asked."""
    order = [mark for _, mark in marks]
    for begun, found in answers:
        text = " ".join(found)
        seen = [mark for mark in order if f"gets {mark}0 days" in text]
        assert len(seen) == 1, text
        assert f"up to {seen[0]}1 euros" in text
        in_force = [mark for since, mark in marks if since < begun]
        assert not in_force or order.index(seen[0]) >= order.index(in_force[-1]), "a stale text came back"


def asking(processes: Any, bench: Workbench, children: int, threads: int, questions: int) -> int:
    """Processes with threads ask while this one writes; returns how many versions it wrote."""
    marks: list[tuple[float, str]] = []
    write_versions(bench, marks, 1)
    others = crash.Asking(processes, crash.ask, bench.path, children, threads)
    while others.asked.value < questions:
        write_versions(bench, marks, 4)
    answers, troubles = others.end()
    assert troubles == []
    assert len(answers) >= questions
    check_answers(answers, marks)
    assert bench.build().unchanged == 3
    assert len(bench.store.numbers()) == 1, "what nobody reads any more is gone"
    return len(marks)


def test_processes_ask_while_one_writes(processes: Any, bench: Workbench) -> None:
    """Two processes with two threads each ask while a third updates and rebuilds: no error, no mixture, no document
    that is found in neither version, and no text of a version that was replaced before the question."""
    assert asking(processes, bench, children=2, threads=2, questions=100) >= 5
