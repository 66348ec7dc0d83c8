"""Files are parsed in a process of their own, with limits: a file made to hang or to swell is given up, not the build.

The process is started for the first such file and used for all that follow. Where a file takes more than `SECONDS` or
`MEMORY`, or brings the process down, that file is a ReadError and the next one gets a new process.
"""

import atexit
import logging
import os
import pickle
import selectors
import struct
import subprocess
import sys
import threading
import time
from typing import IO, Any

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted, Reply
from rag_app.read.kinds import Kind, call

SECONDS = 30.0
"""Of processor time that reading one file may take: on a busy machine a large file takes its time on the clock."""
_MOST_WAITING = 20
"""Times `SECONDS` on the clock, after which a file is given up in any case."""
MEMORY = 1 << 30
"""Bytes that reading one file may take, beyond what the process takes by itself."""
_log = logging.getLogger(__name__)


def read_guarded(kind: Kind, data: bytes) -> Extracted:
    """The text of a file, read in the guarded process where its kind can be made to hang or to swell.

    Raises ReadError: that of the reader, or with the code "too_large" where the file takes too much, or "broken" where
    it brings the process down.
    """
    return run_guarded(kind.reader, data) if kind.guarded else kind.read(data)


def run_guarded(function: str, what: Any) -> Any:
    """What a function ("module:name") makes of `what` in the guarded process; both must be picklable.

    Raises ReadError as `read_guarded` does.
    """
    return _process.run(function, what) if sys.executable else call(function, what)


class _Process:
    """The reader process; one at a time, made when it is wanted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def run(self, function: str, what: Any) -> Any:
        with self._lock:
            running = self._start()
            if running is None:
                return call(function, what)
            try:
                reply = _ask(running, (function, what, MEMORY))
            except TimeoutError as error:  # an OSError too
                self._stop()
                raise ReadError(
                    f"Reading the file took more than {SECONDS:.0f} seconds and was given up: split it up, or export "
                    "it again.",
                    code="too_large",
                ) from error
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                self._stop()
                raise ReadError(
                    "Reading the file crashed the program that reads it: export it again.", code="broken"
                ) from error
            except BaseException:  # stopped by the user: a reply would come to the wrong question
                self._stop()
                raise
            if reply.swelled:
                self._stop()
        if reply.code:
            raise ReadError(reply.reason, code=reply.code)
        return reply.made

    def _start(self) -> "subprocess.Popen[bytes] | None":
        if self._running is not None and self._owner == os.getpid() and self._running.poll() is None:
            return self._running
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)) or ".",
            "OMP_NUM_THREADS": "1",
        }
        try:
            self._running = subprocess.Popen(
                [sys.executable, "-m", "rag_app.read.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the build, which ends this process itself
            )
        except OSError as error:
            _log.warning("Files are read without limits on time and memory: no process can be started (%s).", error)
            return None
        self._owner = os.getpid()
        return self._running

    def _stop(self) -> None:
        running, self._running = self._running, None
        if running is not None and self._owner == os.getpid():
            running.kill()
            running.wait()
            for pipe in (running.stdin, running.stdout):
                if pipe is not None:
                    pipe.close()

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._stop()


def _ask(running: "subprocess.Popen[bytes]", question: tuple[str, Any, int]) -> Reply:
    assert running.stdin is not None
    assert running.stdout is not None
    message = pickle.dumps(question, protocol=5)
    running.stdin.write(struct.pack("<Q", len(message)) + message)
    running.stdin.flush()
    clock = _Clock(running.pid)
    (size,) = struct.unpack("<Q", _receive(running.stdout, 8, clock))
    return pickle.loads(_receive(running.stdout, size, clock))


class _Clock:
    """The processor time of a process since now; time on the clock where the system does not tell it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._worked = self._processor()
        self._begun = time.monotonic()

    def has_run_out(self) -> bool:
        waited = time.monotonic() - self._begun
        now = self._processor()
        worked = waited if now is None or self._worked is None else now - self._worked
        return worked >= SECONDS or waited >= SECONDS * _MOST_WAITING

    def _processor(self) -> float | None:
        try:
            with open(f"/proc/{self._pid}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return None


def _receive(pipe: IO[bytes], size: int, clock: _Clock) -> bytes:
    """So many bytes. Raises TimeoutError where the time has run out and EOFError where the other end is gone."""
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while size:
            if not selector.select(0.5):
                if clock.has_run_out():
                    raise TimeoutError
                continue
            part = os.read(pipe.fileno(), min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
    return b"".join(parts)


_process = _Process()
atexit.register(_process.close)
