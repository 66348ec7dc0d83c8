"""The open files of one revision: both legs as they were then, and connections to the catalog."""

import sqlite3
import threading
from pathlib import Path

from rag_app.errors import StoreError
from rag_app.index.catalog import check_format, read_manifest
from rag_app.index.dense import ChromaLeg
from rag_app.index.lock import legs_at_rest
from rag_app.index.sparse import TantivyLeg
from rag_app.index.sqlite import connect, mapped_sqlite_errors
from rag_app.index.store import Generation, Store
from rag_app.index.vectors import attach
from rag_app.index.view import RevisionFacts

_TRIES = 5


class Handle:
    """One revision, opened. Closes when it is retired and nobody uses it any more."""

    def __init__(self, generation: Generation, vectors: Path) -> None:
        self._generation = generation
        self._vectors = vectors
        self._free: list[sqlite3.Connection] = []  # append and pop are atomic
        self._guard = threading.Lock()
        self._users = 0
        self._retired = False
        self.facts = RevisionFacts()
        connection = self._connect()
        with mapped_sqlite_errors(generation.catalog):
            check_format(read_manifest(connection), generation.catalog)
        for _ in range(_TRIES):
            self.revision = self._revision_now(connection)
            with legs_at_rest(generation.path):
                self.meaning = ChromaLeg(generation)
                self.words = TantivyLeg(generation.tantivy)
            # A leg opened after the next revision may have lost passages of this one.
            if self._revision_now(connection) == self.revision:
                self._check_legs(connection)
                self._free.append(connection)
                return
            self._close_legs()
        connection.close()
        raise StoreError("The index keeps changing: ask again.", path=str(generation.path))

    @property
    def generation(self) -> int:
        return self._generation.number

    def acquire(self) -> bool:
        """Begins a use; False where the handle is retired."""
        with self._guard:
            if self._retired:
                return False
            self._users += 1
            return True

    def release(self) -> None:
        """Ends a use."""
        with self._guard:
            self._users -= 1
            last = self._retired and self._users == 0
        if last:
            self._close()

    def retire(self) -> None:
        """No new uses; the files close with the last one that is running."""
        with self._guard:
            last = not self._retired and self._users == 0
            self._retired = True
        if last:
            self._close()

    def begin(self, store: Store) -> sqlite3.Connection | None:
        """A connection that sees this revision until `end`; None where another one is in force by now."""
        if store.current() != self._generation:
            return None
        connection = self._connect()
        try:
            with mapped_sqlite_errors(self._generation.catalog):
                connection.execute("BEGIN")
                if _revision(connection) == self.revision:
                    # Reading begins the snapshot; the vectors are to be held still as well.
                    connection.execute("SELECT vector_id FROM vectors.vectors LIMIT 1").fetchone()
                    return connection
                connection.execute("ROLLBACK")
        except StoreError:
            connection.close()
            raise
        self._free.append(connection)
        return None

    def moved(self, store: Store) -> bool:
        """Whether another revision is in force by now."""
        if store.current() != self._generation:
            return True
        connection = self._connect()
        try:
            return self._revision_now(connection) != self.revision
        finally:
            self._free.append(connection)

    def end(self, connection: sqlite3.Connection) -> None:
        """Gives back a connection that `begin` handed out."""
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            connection.close()
        else:
            self._free.append(connection)

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._free.pop()
        except IndexError:
            connection = connect(self._generation.catalog, writable=False)
            attach(connection, self._vectors)
            return connection

    def _close(self) -> None:
        self._close_legs()
        while self._free:
            self._free.pop().close()

    def _check_legs(self, connection: sqlite3.Connection) -> None:
        """Raises StoreError where a leg has lost passages: what it does not find would pass for not being there."""
        with mapped_sqlite_errors(self._generation.catalog):
            sql = "SELECT coalesce(sum(passage_count), 0) FROM documents WHERE live = 1"
            wanted = connection.execute(sql).fetchone()[0]
        for name, leg in (("meaning", self.meaning), ("words", self.words)):
            if leg.count() < wanted:
                self._close_legs()
                connection.close()
                raise StoreError(  # without numbers, which with access rules not everybody may know
                    f"The {name} leg of the index in {self._generation.path} has lost passages: run `rag-app check`, "
                    "which repairs it.",
                    path=str(self._generation.path),
                )

    def _revision_now(self, connection: sqlite3.Connection) -> int:
        with mapped_sqlite_errors(self._generation.catalog):
            return _revision(connection)

    def _close_legs(self) -> None:
        self.meaning.close()
        self.words.close()


def _revision(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM manifest WHERE key = 'revision'").fetchone()[0])
