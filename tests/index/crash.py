"""What child processes do in the tests that kill them, or ask while another one writes."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import rag_app.building
import rag_app.index.package.transfer
import rag_app.index.reader
import rag_app.index.search.dense  # loaded here, so that forked processes need not
from rag_app.testing import TinyEmbedding

KILLS = int(os.environ.get("RAG_APP_TEST_KILLS", "100"))
"""Of each kind in the long tests; `RAG_APP_TEST_KILLS=20 pytest -m long` tries fewer."""
_WRITING = f"{os.sep}rag_app{os.sep}index{os.sep}"


def write(folder: Path, rebuild: bool, kill_at: int | None, told: Any) -> None:
    """Builds the index of a folder; dies by SIGKILL at the given step, and without one tells how many there are.

    A step is a call in or out of the code of rag_app.index.
    """
    embedder = TinyEmbedding()
    told.put(("began", time.perf_counter()))
    _counted(lambda: rag_app.building.build_index(folder, rebuild=rebuild, embedder=embedder), kill_at, told)


def carry(kind: str, source: Path, target: Path, kill_at: int | None, told: Any) -> None:
    """Exports or installs; dies by SIGKILL at the given step, and without one tells how many there are."""
    move = (
        rag_app.index.package.transfer.export_index
        if kind == "export"
        else rag_app.index.package.transfer.install_index
    )
    _counted(lambda: move(source, target), kill_at, told)


def _counted(work: Callable[[], object], kill_at: int | None, told: Any) -> None:
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal steps
        if event != "c_exception" and _WRITING in frame.f_code.co_filename:
            steps += 1
            if steps == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    told.put(("steps", steps))


def ask(folder: Path, threads: int, stop: Any, asked: Any, told: Any) -> None:
    """Asks an index again and again in some threads; see `in_threads`."""
    reader = rag_app.index.reader.IndexReader.open(folder)

    def once(count: int, is_new: bool) -> list[str]:
        if not is_new:
            return citable(reader)
        with closing(rag_app.index.reader.IndexReader.open(folder)) as other:
            return citable(other)

    in_threads(threads, stop, asked, told, once)


def in_threads(threads: int, stop: Any, asked: Any, told: Any, once: Callable[[int, bool], object]) -> None:
    """Asks again and again in some threads until `stop` is set; tells ("answer", when asked, what `once` returned), and
    at last ("done", what went wrong).

    Args:
        once: asks; receives how many questions its thread asked before, and whether to open the index for it, as
            somebody does who comes in the middle of a build.
    """
    troubles: list[str] = []

    def go(number: int) -> None:
        count = 0
        while not stop.is_set() and len(troubles) < 20:
            begun = time.time()
            try:
                told.put(("answer", begun, once(count, (count + 1) % 20 == number)))
            except Exception as error:  # noqa: BLE001
                troubles.append(repr(error))
            count += 1
            with asked:
                asked.value += 1

    running = [threading.Thread(target=go, args=(number,)) for number in range(threads)]
    told.put(("ready",))
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    told.put(("done", troubles))


class Asking:
    """Processes with threads that ask while this one writes."""

    def __init__(self, context: Any, asking: Callable[..., None], folder: Path, processes: int, threads: int) -> None:
        """`asking` is `ask` or another function with its arguments."""
        self.asked = context.Value("q", 0)
        self._stop, self._told = context.Event(), context.Queue()
        self._heard: list[Any] = []
        self._running = [
            context.Process(target=asking, args=(folder, threads, self._stop, self.asked, self._told))
            for _ in range(processes)
        ]
        for process in self._running:
            process.start()
        self._wait_for("ready")

    def end(self) -> tuple[list[tuple[float, Any]], list[str]]:
        """Stops them; returns when each question was asked and what came of it, and what went wrong."""
        self._stop.set()
        self._wait_for("done")
        for process in self._running:
            process.join(60)
        answers = [(begun, found) for _, begun, found in (item for item in self._heard if item[0] == "answer")]
        return answers, [trouble for item in self._heard if item[0] == "done" for trouble in item[1]]

    def _wait_for(self, what: str) -> None:
        while sum(item[0] == what for item in self._heard) < len(self._running):
            self._heard.append(self._told.get(timeout=300))


def citable(reader: rag_app.index.reader.IndexReader) -> list[str]:
    """What a question finds in either index and may cite when it is done, as the query engine goes about it."""
    question = "days of holiday, hotels a night"
    with reader.pinned():
        with reader.snapshot() as view:
            rules = view.readable(None)
            found = view.search_meaning(TinyEmbedding().get_query_embedding(question), 50, rules)
            found += view.search_words(question, 50, rules)
            nodes = view.nodes([key for key, _ in found]).values()
        return sorted(node.get_content() for node in nodes if reader.may_cite(node, None))
