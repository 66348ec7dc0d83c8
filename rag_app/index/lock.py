"""Who writes and who reads. The locks are the operating system's and end with the process that holds them."""

import errno
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from rag_app.errors import StoreError, StoreLocked
from rag_app.index.sqlite import TOO_MANY_FILES, mapped_os_errors, read_regular

_LONGEST_WRITE = 120
"""Seconds."""
_LONGEST_TOLD = 100 * 86_400
"""Seconds; more can only come of a clock that was changed."""


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
        with suppress(OSError):  # it only says who writes; the lock counts
            owner.unlink()
        lock.release()


def _who(owner: Path) -> str:
    try:
        facts = json.loads(read_regular(owner))
        minutes, seconds = divmod(min(max(0, round(time.time() - facts["since"])), _LONGEST_TOLD), 60)
        age = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        return f"Process {facts['pid']} on {facts['host']} has been building this index for {age}."
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return "Another process is building this index."


@contextmanager
def files_at_rest(generation: Path) -> Iterator[bool]:
    """Held while Chroma's and Tantivy's files, or the revision, are changed, and while they are opened: a half-written
    file must not be loaded. Yields whether writers are held off: a process that may not write there cannot lock."""
    if not os.access(generation, os.W_OK):
        yield False
        return
    with mapped_os_errors(generation):
        lock = FileLock(generation / "files.lock", thread_local=False)
        try:
            lock.acquire(timeout=_LONGEST_WRITE)
        except Timeout as error:
            raise StoreLocked(
                f"The files in {generation} have been locked by a writer for a long time: ask again later."
            ) from error
    try:
        yield True
    finally:
        lock.release()


@contextmanager
def in_use(mark: Path) -> Iterator[None]:
    """Keeps `remove_if_unused` from removing a generation; any number of readers may hold it at a time.

    Raises:
        StoreError: it is being removed, or gone.
    """
    try:
        file = os.open(mark, os.O_RDONLY | os.O_NONBLOCK | (os.O_CREAT if os.access(mark.parent, os.W_OK) else 0))
    except OSError as error:
        remedy = TOO_MANY_FILES if error.errno in (errno.EMFILE, errno.ENFILE) else "run `rag-app rebuild`"
        raise StoreError(f"{mark} cannot be opened ({error.strerror}): {remedy}.", path=str(mark)) from error
    try:
        with mapped_os_errors(mark.parent):
            free = _flock(file, exclusive=False)
        if not free:
            raise StoreError(f"{mark.parent} has been replaced: open the index again.", path=str(mark))
        yield
    finally:
        os.close(file)


def remove_if_unused(folder: Path, mark: Path) -> None:
    """Removes a generation that was replaced, unless somebody reads it. What cannot be removed yet goes next time."""
    try:
        file = os.open(mark, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:  # left by a removal that was stopped
        shutil.rmtree(folder, ignore_errors=True)
        return
    except OSError:  # somebody may read it: too many open files say nothing about that
        return
    try:
        with mapped_os_errors(folder):
            free = _flock(file, exclusive=True)
        if free:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(file)


def _flock(file: int, *, exclusive: bool) -> bool:
    """Takes the lock of an open file for as long as it is open; False where that would have to wait."""
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
