"""Which files lie in a folder, and their bytes; what keeps one from being read is a ReadError with its reason.

Hidden files (a name that begins with a dot, or `~$` as Office's locks do) are passed over, and so are the files at the
top that say what an index is or is asked, where documents lie beside them. Links to folders are not
followed and links that lead out of the folder are not read: both are errors, so that nothing goes missing unnoticed
and nothing from outside gets in. Where places decide who may read, no link is read at all: it would show to the readers
of its own place what is meant for those of another.

Files and folders are opened name by name below the folder, following no link, and what was opened is what is looked at
and read: whatever is swapped meanwhile, nothing from outside gets in.
"""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rag_app.errors import ReadError

SIDE_FILE_SUFFIX = ".meta.yaml"
"""`report.pdf.meta.yaml` says about `report.pdf` what front matter would, and wins over it."""
QUESTION_FILES = ("questions.jsonl", "questions.drafted.jsonl", "questions.proposal.jsonl")
_INDEX_FILES = ("index.toml", "principals.json", "urls.txt")
"""Of an index whose documents lie in its own folder. As documents they would give away who may read what."""
_NEARLY = re.compile(
    r"\.(?:[\w-]*[_-])?(?:meta|metadata|acl|access|permissions?|sidecar)(?:\.(?:ya?ml|json|toml|xml|ini|properties))?"
)
"""What follows the name of a file, with or without its suffix, in what other systems and people call its side file."""
_NEARLY_OF_WHOLE = re.compile(r"\.(?:[\w-]+\.)?(?:ya?ml|toml)")
"""What follows its name with the suffix."""


def list_files(folder: Path) -> list[tuple[Path, ReadError | None]]:
    """All files under `folder` but side files and those of the index itself, in the order of their paths, and what
    speaks against reading one."""
    own = {folder / name for name in QUESTION_FILES}
    if (folder / _INDEX_FILES[0]).is_file():
        own |= {folder / name for name in _INDEX_FILES}
    found = [(path, obstacle) for path, obstacle in _walk(folder) if path not in own]
    return sorted(found, key=lambda one: one[0].relative_to(folder).as_posix())


def _walk(folder: Path) -> Iterator[tuple[Path, ReadError | None]]:
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            names = _names(folder, current)
        except OSError as error:
            reason = f"The folder cannot be opened ({error.strerror}): check who may read it."
            yield current, ReadError(reason, code="unreadable")
            continue
        misspelt = _misspelt_side_files(names)
        for name in names:
            path = current / name
            owner = path.with_name(name.removesuffix(SIDE_FILE_SUFFIX))
            if name.startswith((".", "~$")):
                continue
            if os.path.isdir(path):  # unlike Path.is_dir, never raises
                if os.path.islink(path):
                    reason = "Links to folders are not followed: put the folder itself here."
                    yield path, ReadError(reason, code="link")
                else:
                    waiting.append(path)
            elif owner == path:
                yield path, _seems_to_have(misspelt.get(name), name)
            elif owner.name not in names:
                reason = f"There is no file {owner.name} that this side file could be about: rename or remove it."
                yield path, ReadError(reason, code="side_file")


def _misspelt_side_files(names: Collection[str]) -> dict[str, str]:
    """For files of a folder, by name, what seems to be meant as their side file and is not called so."""
    owners: dict[str, list[str]] = {}
    for name in names:
        for owner in {name.casefold(), os.path.splitext(name)[0].casefold()}:
            owners.setdefault(owner, []).append(name)
    found: dict[str, str] = {}
    for name in names:
        if name.endswith(SIDE_FILE_SUFFIX) and name.removesuffix(SIDE_FILE_SUFFIX) in names:
            continue
        plain = name.casefold().removeprefix(".")
        for dot in re.finditer(r"\.", plain):
            place = dot.start()
            is_near, is_near_whole = _NEARLY.fullmatch(plain, place), _NEARLY_OF_WHOLE.fullmatch(plain, place)
            for owner in owners.get(plain[:place], ()) if is_near or is_near_whole else ():
                if owner != name and (is_near or owner.casefold() == plain[:place]):
                    found[owner] = name
    return found


def _seems_to_have(side_file: str | None, name: str) -> ReadError | None:
    """What speaks against reading a file that something seems to be a side file of: it may say who may read it."""
    if side_file is None:
        return None
    reason = f"{side_file} seems to be its side file: rename it to {name}{SIDE_FILE_SUFFIX}, or remove it."
    return ReadError(reason, code="side_file")


def read_bytes(path: Path, root: Path, max_bytes: int, *, links: bool = True) -> bytes:
    """The bytes of a file that lies under `root`; `links` says whether links within it are followed.

    Raises ReadError with the code "unreadable", "link" or "too_large".
    """
    try:
        with os.fdopen(_open_file(path, root, links), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ReadError("This is not a regular file: remove it.", code="unreadable")
            data = file.read(max_bytes + 1) if status.st_size <= max_bytes else b""
            if max(status.st_size, len(data)) > max_bytes:
                reason = f"The file has more than {max_bytes:,} bytes: split it, or raise the limit."
                raise ReadError(reason, code="too_large")
            return data
    except (OSError, RuntimeError) as error:  # Python before 3.13 raises RuntimeError for links in a circle
        why = getattr(error, "strerror", None) or "its links lead in a circle"
        reason = f"The file cannot be opened ({why}): check who may read it, or remove it."
        raise ReadError(reason, code="unreadable") from error


def _open_file(path: Path, root: Path, links: bool) -> int:
    """A descriptor of a file under `root`. Raises ReadError, OSError and RuntimeError."""
    parts = path.relative_to(root).parts
    try:
        return _open(root, parts, os.O_NONBLOCK)  # without waiting: it may be a pipe
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):  # a link as the last name, or before it
            raise
    top, place = root.resolve(), path.resolve(strict=True)
    if not place.is_relative_to(top):
        raise ReadError("The link leads out of the folder: put the file itself here.", code="link")
    if not links:
        raise ReadError("With access rules links are not followed: put the file itself here.", code="link")
    return _open(top, place.relative_to(top).parts, os.O_NONBLOCK)


def _names(root: Path, folder: Path) -> list[str]:
    """What lies in a folder under `root`, or in `root` itself. Raises OSError."""
    opened = _open(root, folder.relative_to(root).parts, os.O_DIRECTORY)
    try:
        return os.listdir(opened)
    finally:
        os.close(opened)


def _open(root: Path, parts: Sequence[str], flags: int) -> int:
    """A descriptor of what lies at `parts` below `root`, to which no link leads. Raises OSError."""
    opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for number, name in enumerate(parts, start=1):
        inner = os.O_RDONLY | os.O_NOFOLLOW | (flags if number == len(parts) else os.O_DIRECTORY)
        try:
            deeper = os.open(name, inner, dir_fd=opened)
        finally:
            os.close(opened)
        opened = deeper
    return opened
