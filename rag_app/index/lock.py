"""One writer at a time. The lock is the operating system's and ends with the process that holds it."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from rag_app.errors import StoreLocked
from rag_app.index.store import mapped_os_errors


@contextmanager
def writing(store: Path) -> Iterator[None]:
    """Holds the writer's lock of a store.

    Raises:
        StoreLocked: somebody else writes; the message names process and host, and how long they have been at it.
    """
    owner = store / "writer.json"
    with mapped_os_errors(store):
        lock = FileLock(store / "lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreLocked(f"{_who(owner)} Wait until it is done, or stop it.", path=str(store)) from error
    try:
        with mapped_os_errors(store):
            owner.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}))
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _who(owner: Path) -> str:
    try:
        facts = json.loads(owner.read_text())
        minutes, seconds = divmod(max(0, round(time.time() - facts["since"])), 60)
        age = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        return f"Process {facts['pid']} on {facts['host']} has been building this index for {age}."
    except (OSError, ValueError, KeyError, TypeError):
        return "Another process is building this index."


@contextmanager
def legs_at_rest(generation: Path) -> Iterator[None]:
    """Held while a leg's files are written, and while they are opened: a half-written file must not be loaded."""
    if not os.access(generation, os.W_OK):  # nobody writes there
        yield
        return
    with mapped_os_errors(generation):
        lock = FileLock(generation / "legs.lock", thread_local=False)
        try:
            lock.acquire(timeout=120)
        except Timeout as error:
            raise StoreLocked(f"The legs in {generation} are being written for long: ask again later.") from error
    try:
        yield
    finally:
        lock.release()
