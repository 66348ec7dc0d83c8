"""How files of a store are opened, those of SQLite above all, and what their errors mean to a person."""

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_app.errors import StoreError

_BUSY_MS = 20_000
_NO_VALUE = ("Could not decode to UTF-8", "malformed JSON")
"""How errors begin that tell of stored values that we never wrote."""


TOO_MANY_FILES = "too many files are open; close some, or allow more (ulimit -n)"
REBUILD = "build the index again with --rebuild"


class Damaged(ValueError):
    """A row holds something that was not written by us; says what, as half a sentence."""


def connect(file: Path, *, writable: bool, remedy: str = REBUILD) -> sqlite3.Connection:
    """A connection in autocommit mode that any one thread may use at a time.

    Write-ahead logging lets readers read on, in their own snapshot, while one writer writes. `remedy` is what helps
    where the file is damaged.
    """
    with mapped_sqlite_errors(file, remedy):
        if writable:
            connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        else:
            connection = sqlite3.connect(reading_uri(file), uri=True, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            if writable:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            else:
                connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
    return connection


def reading_uri(file: Path) -> str:
    """How a reader names a database to SQLite."""
    # What lies on read-only ground cannot change either; without `immutable` SQLite would want to write there.
    mode = "mode=rw" if os.access(file.parent, os.W_OK) else "mode=ro&immutable=1"
    return f"{file.resolve().as_uri()}?{mode}"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def compact(connection: sqlite3.Connection) -> None:
    """Leaves nothing in the file that was deleted from it, and no second file beside it."""
    connection.execute("VACUUM")
    connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def mapped_sqlite_errors(file: Path, remedy: str = REBUILD) -> Iterator[None]:
    """Turns SQLite's errors on `file`, and what is `Damaged` in it, into a StoreError that says what to do.

    `remedy` is what helps where it is damaged.
    """
    try:
        yield
    except Damaged as error:
        raise StoreError(f"{file} is damaged ({error}): {remedy}.", path=str(file)) from error
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_FULL"):
            what = "the disk is full; free some space and try again"
        elif name.startswith("SQLITE_IOERR"):
            what = "its disk is full or failing; free some space and try again"
        elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or str(error).startswith(_NO_VALUE):
            what = f"it is damaged; {remedy}"
        elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            what = "another process holds it; try again in a moment"
        elif name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")):
            what = "it cannot be opened for this; look at the permissions of its folder"
        else:
            what = str(error)
        raise StoreError(f"{file} failed: {what}.", path=str(file), sqlite=name or str(error)) from error


@contextmanager
def mapped_os_errors(path: Path) -> Iterator[None]:
    """Turns what the operating system says while writing below `path` into a StoreError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = "the disk is full; free some space and build again"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            reason = "it cannot be written to; allow writing there"
        elif error.errno in (errno.EMFILE, errno.ENFILE):
            reason = TOO_MANY_FILES
        else:
            reason = str(error)
        raise StoreError(f"The store {path} could not be written: {reason}.", path=str(path)) from error


def read_regular(file: Path) -> bytes:
    """The bytes of a regular file. Raises OSError; for a pipe, which would have to be waited for, too."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(file))
        return opened.read()
