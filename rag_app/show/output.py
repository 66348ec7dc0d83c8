"""Standard output and error as commands need them: any terminal can show them, and nobody need read to the end."""

import io
import os
import sys


class _Unread(io.FileIO):
    """A file that takes what nobody reads any more, as behind `| head -1`: the command ends as it would have."""

    def write(self, data: bytes) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return len(data)


def prepare_output() -> None:
    """Replaces both streams, where they are this process's own."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another in its place
            if stream is getattr(sys, f"__{name}__"):
                file = io.BufferedWriter(_Unread(stream.fileno(), "wb", closefd=False))  # pyright: ignore[reportArgumentType]
                at_once = name == "stderr" or stream.isatty()
                setattr(sys, name, io.TextIOWrapper(file, stream.encoding, "replace", line_buffering=at_once))


def finish_output() -> None:
    """Writes out what is left. Raises OSError where it cannot be written; nothing is tried again then."""
    stream = sys.stdout
    if stream is None:  # closed by the parent process
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        raise
