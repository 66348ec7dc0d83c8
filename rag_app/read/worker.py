"""The process that parses files for `guard.py`: questions on standard input, replies on standard output."""

import os
import pickle
import struct
import sys
from typing import IO, Any

from rag_app.errors import ReadError
from rag_app.read.extracted import Reply
from rag_app.read.kinds import call


def answer(function: str, what: Any) -> Reply:
    """Reads one file."""
    try:
        return Reply(call(function, what))
    except ReadError as error:
        swelled = isinstance(error.__cause__, MemoryError)
        if not swelled:
            return Reply(None, error.details["code"], str(error))
    except MemoryError:
        pass
    except Exception as error:  # noqa: BLE001 - whatever a parser raises is about this one file
        return Reply(None, "broken", f"The file cannot be read ({type(error).__name__}): export it again.")
    reason = "Reading the file took more than 1 GB of memory and was given up: split it up, or export it again."
    return Reply(None, "too_large", reason, swelled=True)


def limit_memory(allowed: int) -> None:
    """Lets this process take so many bytes more than it has now, where the system knows such a limit."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + allowed, hard))
    except (ImportError, OSError, ValueError):
        return


def _receive(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def main() -> None:
    """Answers until the other end is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a parser prints is no reply
    questions = sys.stdin.buffer
    limited = False
    while True:
        (size,) = struct.unpack("<Q", _receive(questions, 8))
        function, what, allowed = pickle.loads(_receive(questions, size))
        if not limited:
            limit_memory(allowed)
            limited = True
        message = pickle.dumps(answer(function, what), protocol=5)
        replies.write(struct.pack("<Q", len(message)) + message)
        replies.flush()


if __name__ == "__main__":
    main()
