"""Paths that people give, checked at one place before anything is made of them."""

import os
from pathlib import Path
from typing import Any

from rag_app.errors import SetupError, UsageError

_SHOWN = 200
"""Characters of a path in a message."""


def given_path(value: Any, what: str) -> Path:
    """The path, `~` expanded; nothing need be there.

    Args:
        what: names it in a message: "The folder", "The archive".

    Raises:
        UsageError: it is no path, or begins with the home of somebody unknown.
        SetupError: nobody may look there, it is too long, or its links lead in a circle.
    """
    if not isinstance(value, (str, os.PathLike)) or not isinstance(text := os.fspath(value), str) or not text:
        raise UsageError(f"{what} must be a path (a text or a pathlib.Path), not {value!r}.")
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    if "\0" in text:
        raise UsageError(f"{what} {shown!r} holds a zero character: give another path.")
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{what} {shown} is in the home of a user who is not known: write it without ~.") from error
    try:
        path.absolute()
    except OSError as error:
        raise SetupError("The working directory is gone: change to one that is there, or give a full path.") from error
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise SetupError(f"{what} {shown} cannot be read ({error.strerror}): give another path.") from error
    return path


def bytes_in(folder: Path) -> int:
    """What the files below a folder take on the disk."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
