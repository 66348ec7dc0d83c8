"""The catalog, as its writer sees it: what documents, versions and readers there are. What it lacks is not there.

A document is staged first, with its passages, and seen by nobody; `flip` then makes all staged documents visible,
and the ones they replace invisible, in one transaction that also counts the revision up. Passage ids are never reused.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from rag_app.document import Document
from rag_app.index.manifest import FORMAT, check_format, manifest_digest
from rag_app.index.queries import Queries
from rag_app.index.records import (
    DOCUMENT,
    PASSAGE,
    SCHEMA,
    checked,
    digest_of,
    document_values,
    passage_values,
    rule_values,
)
from rag_app.index.search.search_index import IndexEntry
from rag_app.index.sqlite import compact, connect, mapped_sqlite_errors, transaction
from rag_app.principal import AccessRule
from rag_app.text.passages import Passage


class Staged(NamedTuple):
    """A document as it is stored, with its passages, each with the id of its vector."""

    document: Document
    rule: AccessRule
    cutting: str
    passages: Sequence[tuple[Passage, int]]


class Catalog(Queries):
    """The catalog of one generation, opened by the one writer."""

    def __init__(self, file: Path, *, writable: bool = True) -> None:
        """Opens an existing catalog; one that is not writable stays the same to the last byte.

        Raises:
            StoreError: it cannot be opened or is damaged.
            IndexMismatch: it is of another format.
        """
        super().__init__(connect(file, writable=writable), file)
        try:
            with self._mapped():
                self._connection.execute("PRAGMA foreign_keys = ON")
            check_format(self.read_manifest(), file)
        except BaseException:
            self._connection.close()
            raise

    @staticmethod
    def create(file: Path, first_id: int, manifest: dict[str, str]) -> None:
        """Makes an empty catalog whose passage ids begin at `first_id`."""
        with closing(connect(file, writable=True)) as connection, mapped_sqlite_errors(file):
            connection.executescript(SCHEMA)
            with transaction(connection):
                connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('passages', ?)", (first_id - 1,))
                facts = {"format": FORMAT, "revision": "0", **manifest}
                facts["digest"] = manifest_digest(facts)
                connection.executemany("INSERT INTO manifest VALUES (?, ?)", facts.items())

    def __enter__(self) -> "Catalog":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def stage(self, documents: Iterable[Staged]) -> None:
        """Stores documents at once, seen by nobody yet."""
        with self._mapped(), transaction(self._connection):
            for document, rule, cutting, rows in documents:
                self._connection.execute("INSERT OR IGNORE INTO rules VALUES (?, ?, ?)", rule_values(rule))
                doc = self._insert("documents", document_values(document, rule, cutting, len(rows)))
                for passage, vector_id in rows:
                    self._insert("passages", passage_values(document, passage, doc, vector_id))

    def adopt(self, other: "Catalog", vector_ids: Mapping[int, int]) -> None:
        """Stages every visible document of another catalog; `vector_ids` are those of this one's vectors, by theirs."""
        with self._mapped(), transaction(self._connection):
            for rule in other.read_rules().values():
                self._connection.execute("INSERT OR IGNORE INTO rules VALUES (?, ?, ?)", rule_values(rule))
            theirs = other._connection
            for their_doc in other._column("SELECT doc FROM documents WHERE live = 1 ORDER BY doc"):
                row = theirs.execute("SELECT * FROM documents WHERE doc = ?", (their_doc,)).fetchone()
                document = {**checked(row, DOCUMENT), "digest": row["digest"], "text": row["text"]}
                doc = self._insert("documents", document)
                sql = "SELECT * FROM passages WHERE doc = ? ORDER BY passage_id"
                for one in theirs.execute(sql, (their_doc,)):
                    values = checked(one, PASSAGE) | {"doc": doc, "vector_id": vector_ids[one["vector_id"]]}
                    values["digest"] = digest_of([values[name] for name in PASSAGE])
                    self._insert("passages", values)

    def staged(self) -> set[int]:
        """Rows of documents that are not visible: being staged, or left over by a build that was stopped."""
        with self._mapped():
            return set(self._column("SELECT doc FROM documents WHERE live = 0"))

    def flip(self, removed: Iterable[int], manifest: dict[str, str]) -> int:
        """Makes everything staged visible and removes what it replaces, at once; returns the new revision."""
        with self._mapped(), transaction(self._connection):
            self._connection.executemany("DELETE FROM documents WHERE doc = ?", ((doc,) for doc in removed))
            self._connection.execute("UPDATE documents SET live = 1 WHERE live = 0")
            self._connection.execute("DELETE FROM rules WHERE rule_id NOT IN (SELECT rule_id FROM documents)")
            facts = {**self.read_manifest(), **manifest}
            revision = int(facts["revision"]) + 1
            facts["revision"] = str(revision)
            facts["digest"] = manifest_digest(facts)
            self._connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", facts.items())
        return revision

    def compact(self) -> None:
        """Leaves nothing in the file that is not in use."""
        with self._mapped():
            compact(self._connection)

    def discard_staged(self) -> None:
        """Removes what was staged and never became visible."""
        with self._mapped(), transaction(self._connection):
            self._connection.execute("DELETE FROM documents WHERE live = 0")

    def passage_ids(self, docs: Iterable[int] | None = None) -> set[int]:
        """Ids of all visible passages, or of those of some documents, visible or not."""
        if docs is None:
            return set(self._column("SELECT passage_id FROM passages JOIN documents USING (doc) WHERE live = 1"))
        sql = "SELECT passage_id FROM passages WHERE doc IN (SELECT value FROM json_each(?))"
        return set(self._column(sql, json.dumps(list(docs))))

    def sizes(self) -> dict[str, int]:
        """How many visible `documents` there are, and `passages` of them."""
        sql = "SELECT count(*) documents, coalesce(sum(passage_count), 0) passages FROM documents WHERE live = 1"
        with self._mapped():
            return dict(self._connection.execute(sql).fetchone())

    def vector_ids(self) -> set[int]:
        """Vectors that a passage here rests on."""
        return set(self._column("SELECT DISTINCT vector_id FROM passages"))

    def entries(self, passage_ids: Iterable[int], at_once: int) -> Iterator[list[IndexEntry]]:
        """Passages as dense and sparse index get them, in order of their ids, some at a time."""
        wanted = sorted(passage_ids)
        sql = f"""SELECT passage_id, rule_id, title, p.digest, {", ".join(f"p.{name}" for name in PASSAGE)}
            FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value JOIN documents USING (doc)
            ORDER BY passage_id"""
        for begin in range(0, len(wanted), at_once):
            with self._mapped():
                rows = self._connection.execute(sql, (json.dumps(wanted[begin : begin + at_once]),)).fetchall()
                found = []
                for row in rows:
                    values = checked(row, PASSAGE)
                    headings = "\n".join((row["title"], *json.loads(values["section"])))
                    found.append(
                        IndexEntry(row["passage_id"], values["vector_id"], row["rule_id"], headings, values["text"])
                    )
            yield found

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        return int(self._connection.execute(sql, tuple(values.values())).lastrowid or 0)
