"""The catalog: what documents, versions and readers there are. The legs follow it; what it does not have is not there.

A document is staged first, with its passages, and seen by nobody; `flip` then makes all staged documents visible,
and the ones they replace invisible, in one transaction that also counts the revision up. Passage ids are never reused.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rag_app.document import Document
from rag_app.errors import IndexMismatch
from rag_app.index.rows import (
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    all_typed,
    document_values,
    of_json,
    passage_values,
    rule_of,
    rule_values,
    typed,
)
from rag_app.index.sqlite import Damaged, compact, connect, mapped_sqlite_errors, transaction
from rag_app.principal import AccessRule
from rag_app.text.passages import Passage

FORMAT = "4"
"""Of the catalog and the legs; another one has to be rebuilt."""
_FACTS = ("format", "revision", "created", "name", "access", "access_globs", "embedder", "fingerprint", "reader")
"""What a manifest holds at least."""

_SCHEMA = """
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE rules (rule_id TEXT PRIMARY KEY, scope TEXT NOT NULL, names TEXT NOT NULL);
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY AUTOINCREMENT,
    live INTEGER NOT NULL DEFAULT 0,
    rule_id TEXT NOT NULL REFERENCES rules,
    passage_count INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    markup TEXT NOT NULL,
    version TEXT,
    effective_date TEXT,
    retrieved TEXT,
    supersedes TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    body_sha TEXT NOT NULL,
    cutting TEXT NOT NULL,
    body_start INTEGER NOT NULL,
    page_starts TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE UNIQUE INDEX live_documents ON documents (document_id) WHERE live = 1;
CREATE INDEX document_rules ON documents (doc, live, rule_id);
CREATE INDEX document_sizes ON documents (live, rule_id, passage_count);
CREATE INDEX document_dates ON documents (effective_date, live, rule_id);
CREATE INDEX superseding ON documents (doc) WHERE supersedes != '[]';
CREATE TABLE passages (
    passage_id INTEGER PRIMARY KEY AUTOINCREMENT,
    doc INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    vector_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    page INTEGER,
    section TEXT NOT NULL,
    statements TEXT NOT NULL,
    lead_ins TEXT NOT NULL,
    links TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX passages_of ON passages (doc, passage_id, vector_id);
CREATE INDEX document_of ON passages (passage_id, doc);
"""


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """What an update compares a file with."""

    doc: int
    document_id: str
    path: str
    title: str
    sha256: str
    body_sha: str
    cutting: str
    version: str | None
    effective_date: str | None
    supersedes: str
    """JSON."""
    rule: AccessRule


@dataclass(frozen=True, slots=True)
class LegRow:
    """One passage as the legs get it."""

    passage_id: int
    vector_id: int
    rule_id: str
    head: str
    """Title and section headings."""
    text: str


class Catalog:
    """The catalog of one generation, opened by the one writer."""

    def __init__(self, file: Path, *, writable: bool = True) -> None:
        """Opens an existing catalog; one that is not writable stays the same to the last byte.

        Raises:
            StoreError: it cannot be opened or is damaged.
            IndexMismatch: it is of another format.
        """
        self._file = file
        self._connection = connect(file, writable=writable)
        try:
            with self._mapped():
                self._connection.execute("PRAGMA foreign_keys = ON")
            check_format(self.manifest(), file)
        except BaseException:
            self._connection.close()
            raise

    @staticmethod
    def create(file: Path, first_id: int, manifest: dict[str, str]) -> None:
        """Makes an empty catalog whose passage ids begin at `first_id`."""
        with closing(connect(file, writable=True)) as connection, mapped_sqlite_errors(file):
            connection.executescript(_SCHEMA)
            with transaction(connection):
                connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('passages', ?)", (first_id - 1,))
                connection.executemany(
                    "INSERT INTO manifest VALUES (?, ?)", {"format": FORMAT, "revision": "0", **manifest}.items()
                )

    def __enter__(self) -> "Catalog":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def manifest(self) -> dict[str, str]:
        with self._mapped():
            return read_manifest(self._connection)

    def documents(self) -> list[KnownDocument]:
        """The visible documents, by path."""
        columns = ", ".join(field.name for field in fields(KnownDocument) if field.name != "rule")
        kinds = (NUMBER, *[TEXT] * 6, MAYBE_TEXT, MAYBE_TEXT, TEXT)
        with self._mapped():
            rows = self._connection.execute(
                f"SELECT scope, names, {columns} FROM documents JOIN rules USING (rule_id) WHERE live = 1 ORDER BY path"
            )
            return [KnownDocument(*typed(row, *kinds), rule=rule_of(scope, names)) for scope, names, *row in rows]

    def pages(self) -> list[tuple[str, str, str]]:
        """Id, title and source of the visible documents, by path."""
        sql = "SELECT document_id, title, source FROM documents WHERE live = 1 ORDER BY path"
        with self._mapped():
            rows = all_typed(self._connection.execute(sql), TEXT, TEXT, TEXT)
        return [(document_id, title, source) for document_id, title, source in rows]

    def stage(
        self,
        document: Document,
        rule: AccessRule,
        cutting: str,
        rows: Sequence[tuple[Passage, int]],
    ) -> int:
        """Stores a document, seen by nobody yet; returns its row.

        Each passage comes with the id of its vector.
        """
        with self._mapped(), transaction(self._connection):
            self._connection.execute("INSERT OR IGNORE INTO rules VALUES (?, ?, ?)", rule_values(rule))
            doc = self._insert("documents", document_values(document, rule, cutting, len(rows)))
            for passage, vector_id in rows:
                self._insert("passages", {"doc": doc, "vector_id": vector_id, **passage_values(document, passage)})
        return doc

    def staged(self) -> set[int]:
        """Rows of documents that are not visible: being staged, or left over by a build that was stopped."""
        with self._mapped():
            return {row[0] for row in self._connection.execute("SELECT doc FROM documents WHERE live = 0")}

    def flip(self, removed: Iterable[int], manifest: dict[str, str]) -> int:
        """Makes everything staged visible and removes what it replaces, at once; returns the new revision."""
        with self._mapped(), transaction(self._connection):
            self._connection.executemany("DELETE FROM documents WHERE doc = ?", ((doc,) for doc in removed))
            self._connection.execute("UPDATE documents SET live = 1 WHERE live = 0")
            self._connection.execute("DELETE FROM rules WHERE rule_id NOT IN (SELECT rule_id FROM documents)")
            revision = int(read_manifest(self._connection)["revision"]) + 1
            self._set({**manifest, "revision": str(revision)})
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
        with self._mapped():
            if docs is None:
                sql = "SELECT passage_id FROM passages JOIN documents USING (doc) WHERE live = 1"
                return {row[0] for row in self._connection.execute(sql)}
            sql = "SELECT passage_id FROM passages WHERE doc = ?"
            return {row[0] for doc in docs for row in self._connection.execute(sql, (doc,))}

    def vector_ids(self) -> set[int]:
        """Vectors that a passage here rests on."""
        with self._mapped():
            return {row[0] for row in self._connection.execute("SELECT DISTINCT vector_id FROM passages")}

    def leg_rows(self, passage_ids: Iterable[int], at_once: int = 2000) -> Iterator[list[LegRow]]:
        """Passages as the legs get them, in order of their ids, some at a time."""
        wanted = sorted(passage_ids)
        for begin in range(0, len(wanted), at_once):
            with self._mapped():
                rows = self._connection.execute(
                    """SELECT passage_id, vector_id, rule_id, title, section, p.text
                    FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value JOIN documents USING (doc)
                    ORDER BY passage_id""",
                    (json.dumps(wanted[begin : begin + at_once]),),
                )
                found = [
                    LegRow(passage_id, vector_id, rule_id, "\n".join((title, *of_json(section, str))), text)
                    for passage_id, vector_id, rule_id, title, section, text in all_typed(
                        rows, NUMBER, NUMBER, *[TEXT] * 4
                    )
                ]
            yield found

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        return int(self._connection.execute(sql, tuple(values.values())).lastrowid or 0)

    def _set(self, values: dict[str, str]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", values.items())

    def _mapped(self):
        return mapped_sqlite_errors(self._file)


def read_manifest(connection: sqlite3.Connection) -> dict[str, str]:
    """Raises Damaged."""
    manifest = dict(connection.execute("SELECT key, value FROM manifest").fetchall())
    typed(list(manifest.values()), *[TEXT] * len(manifest))
    if lacking := [key for key in _FACTS if key not in manifest]:
        raise Damaged(f"its manifest lacks {lacking[0]!r}")
    if not re.fullmatch(r"[0-9]{1,18}", manifest["revision"]):
        raise Damaged("its revision is no number")
    return manifest


def check_format(manifest: dict[str, str], file: Path) -> None:
    """Raises IndexMismatch where a catalog is of another format than this version reads."""
    if manifest.get("format") != FORMAT:
        raise IndexMismatch(
            f"The index in {file.parent} has format {manifest.get('format')!r}, this version reads {FORMAT!r}: "
            "build it anew with --rebuild.",
            path=str(file),
        )
