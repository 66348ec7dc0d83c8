"""What child processes do in the tests that kill them, or ask while another one writes."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import rag_app.building
import rag_app.index.dense  # loaded here, so that forked processes need not
import rag_app.index.package.transfer
import rag_app.index.reader
from rag_app.testing import TinyEmbedding

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


def ask(folder: Path, threads: int, stop: Any, told: Any) -> None:
    """Asks again and again in some threads until told to stop; tells what was seen, or what went wrong."""
    import threading

    from tests.index.workbench import texts

    reader = rag_app.index.reader.IndexReader.open(folder)
    seen: set[str] = set()
    troubles: list[str] = []
    asked = [0]

    def go() -> None:
        while not stop.is_set():
            begun = time.time()
            try:
                found = texts(reader, "days of holiday, hotels a night", k=50)
                told.put(("answer", begun, tuple(found)))
                seen.update(found)
                asked[0] += 1
            except Exception as error:  # noqa: BLE001
                troubles.append(repr(error))
                return

    running = [threading.Thread(target=go) for _ in range(threads)]
    told.put(("ready",))
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    told.put(("done", asked[0], troubles))
