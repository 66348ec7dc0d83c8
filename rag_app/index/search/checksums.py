"""Checksums of Chroma's graph files, which it neither writes nor reads: a flipped byte would hide passages in silence.

A writer removes them before it changes anything and writes them when it is done; where one was stopped there are none,
and nothing is compared until the next one.
"""

import json
import os
import zlib
from pathlib import Path

_AT_ONCE = 1 << 20
_LAST = "index_metadata.pickle"
"""The file that stands beside the others once there is a graph in them; before, opening them writes them."""
_whole: dict[Path, dict[str, tuple[int, int, int]]] = {}
"""By folder and file: size, time and checksum of what was read, so that it is read once in a process."""


def write_checksums(folder: Path) -> None:
    """Writes them for the graph files below `folder`, beside it. Raises OSError."""
    file = _beside(folder)
    temporary = file.with_name(file.name + ".new")
    with temporary.open("w", encoding="ascii") as out:
        json.dump(_found(folder), out, sort_keys=True)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, file)


def has_checksums(folder: Path) -> bool:
    """Whether nothing was changed below `folder` since they were written."""
    return _beside(folder).exists()


def remove_checksums(folder: Path) -> None:
    """For a writer that is about to change the files below `folder`. Raises OSError."""
    _beside(folder).unlink(missing_ok=True)


def verify_checksums(folder: Path) -> None:
    """Compares the graph files below `folder` with their checksums.

    Raises:
        ValueError: one is not what was written, or gone; or the checksums are not valid.
        OSError: one cannot be read.
    """
    written = _read(folder)
    if written is None:
        return
    wanted, found = json.loads(written), _found(folder)
    if wanted == found or _read(folder) != written:  # a writer came, whom no lock holds off on read-only ground
        return
    if not isinstance(wanted, dict):
        raise ValueError("its checksums are damaged")
    damaged = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
    raise ValueError(f"{Path(damaged[0]).name} is damaged")


def _beside(folder: Path) -> Path:
    return folder.with_name(folder.name + ".checksums")


def _read(folder: Path) -> str | None:
    try:
        return _beside(folder).read_text(encoding="ascii")
    except FileNotFoundError:
        return None


def _found(folder: Path) -> dict[str, int]:
    """The checksum of each graph file, by its place: all files but the database, which changes while it is read."""
    known, seen = _whole.get(folder, {}), {}
    for file in sorted(file for last in folder.glob(f"*/{_LAST}") for file in last.parent.iterdir()):
        status, name = file.stat(), str(file.relative_to(folder))
        size, time, checksum = known.get(name, (-1, -1, 0))
        if (size, time) != (status.st_size, status.st_mtime_ns):
            checksum = _checksum(file)
        seen[name] = (status.st_size, status.st_mtime_ns, checksum)
    _whole[folder] = seen
    return {name: checksum for name, (_, _, checksum) in seen.items()}


def _checksum(file: Path) -> int:
    found = 0
    with file.open("rb") as data:
        while part := data.read(_AT_ONCE):
            found = zlib.crc32(part, found)
    return found
