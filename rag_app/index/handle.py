"""The open files of one revision: dense and sparse index as they were then, and connections to the catalog."""

import sqlite3
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack

from rag_app.errors import StoreError
from rag_app.index.facts import RevisionFacts
from rag_app.index.lock import files_at_rest, in_use
from rag_app.index.manifest import check_format, read_manifest, read_revision
from rag_app.index.queries import Queries, begin_snapshot
from rag_app.index.search.dense import DenseIndex
from rag_app.index.search.sparse import SparseIndex
from rag_app.index.search.vectors import attach
from rag_app.index.sqlite import connect, mapped_sqlite_errors
from rag_app.index.store import Generation, Store

_TRIES = 5


class Handle:
    """One revision, opened. Closes when it is retired and nobody uses it any more.

    As long as it is open, no writer removes the files of its generation.
    """

    def __init__(self, store: Store, generation: Generation) -> None:
        """Opens the revision in force.

        Raises:
            StoreError: a file is damaged or gone; or the generation was replaced while it was opened.
            IndexMismatch: it is of another format.
        """
        self._store = store
        self.generation = generation
        self._free: list[sqlite3.Connection] = []  # append and pop are atomic
        self._guard = threading.Lock()
        self._users = 0
        self._retired = False
        self._files = ExitStack()
        self.facts = RevisionFacts()
        self.revision: int
        self.words: SparseIndex
        self._graph: Future[DenseIndex]
        self.opened_with: sqlite3.Connection
        """Sees this revision, whatever came after it, until it is given to `end`."""
        try:
            self._files.enter_context(in_use(generation.in_use))
            self._open()
        except BaseException:
            self._close()
            raise

    def meaning(self) -> DenseIndex:
        """The dense index, once its graph is read. Raises StoreError where it cannot be read."""
        return self._graph.result()

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

    def begin(self) -> sqlite3.Connection | None:
        """A connection that sees this revision until `end`; None where another one is in force by now."""
        if self._store.current() != self.generation:
            return None
        connection = self._connect()
        try:
            if self._begin(connection) == self.revision:
                return connection
        except BaseException:
            connection.close()
            raise
        self.end(connection)
        return None

    def moved(self) -> bool:
        """Whether another revision is in force by now."""
        if self._store.current() != self.generation:
            return True
        connection = self._connect()
        try:
            with mapped_sqlite_errors(self.generation.catalog):
                return read_revision(connection) != self.revision
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

    def _open(self) -> None:
        connection = self._connect()
        self._files.callback(connection.close)
        with mapped_sqlite_errors(self.generation.catalog):
            check_format(read_manifest(connection), self.generation.catalog)
        for _ in range(_TRIES):
            # Writers change the revision under the same lock. Only where this process may not write to the store does
            # the lock not bind it, and it looks again.
            with ExitStack() as at_rest, ExitStack() as opened:
                locked = at_rest.enter_context(files_at_rest(self.generation.path))
                self.revision = self._begin(connection)
                meaning = DenseIndex(self.generation)
                opened.callback(meaning.close)
                self.words = SparseIndex(self.generation.tantivy)
                opened.callback(self.words.close)
                wanted = sum(Queries(connection, self.generation.catalog).passages_by_rule().values())
                self._check_size("sparse", self.words, wanted)
                self._graph = self._load(meaning, wanted, at_rest.pop_all())
                opened.callback(wait, [self._graph])
                if not (locked and meaning.holds_still):
                    self._graph.result()
                if not self.moved():
                    self.opened_with = connection
                    self._files.enter_context(opened.pop_all())
                    return
                connection.execute("ROLLBACK")
        raise StoreError("The index keeps changing: ask again.", path=str(self.generation.path))

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._free.pop()
        except IndexError:
            connection = connect(self.generation.catalog, writable=False)
            try:
                attach(connection, self._store.vectors)
            except BaseException:
                connection.close()
                raise
            return connection

    def _begin(self, connection: sqlite3.Connection) -> int:
        """Holds catalog and vectors still for a connection; returns the revision."""
        with mapped_sqlite_errors(self.generation.catalog):
            begin_snapshot(connection)
            return read_revision(connection)

    def _check_size(self, name: str, index: DenseIndex | SparseIndex, wanted: int) -> None:
        """Raises StoreError where an index has lost passages: what it does not find would pass for not being there."""
        if index.count() < wanted:
            raise StoreError(  # without numbers, which with access rules not everybody may know
                f"The {name} index in {self.generation.path} has lost passages: run `rag-app check`, which repairs it.",
                path=str(self.generation.path),
            )

    def _load(self, meaning: DenseIndex, wanted: int, locks: ExitStack) -> "Future[DenseIndex]":
        """Reads the dense index in a thread of its own, and then lets go of the locks: opening does not wait for what
        only a search needs."""

        def load() -> DenseIndex:
            with locks:
                meaning.load()
                self._check_size("dense", meaning, wanted)
            return meaning

        pool = ThreadPoolExecutor(1, thread_name_prefix="graph")
        try:
            return pool.submit(load)
        finally:
            pool.shutdown(wait=False)

    def _close(self) -> None:
        while self._free:
            self._free.pop().close()
        self._files.close()
