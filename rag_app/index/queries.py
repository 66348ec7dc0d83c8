"""Everything that is read from a catalog and its vectors, by one connection. Nothing else selects from them, but for
`manifest.py`."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_app.document import Document
from rag_app.index.manifest import read_manifest
from rag_app.index.records import (
    DOCUMENT,
    PASSAGE,
    StoredDocument,
    checked,
    node_of,
    rule_of,
    stored_document,
)
from rag_app.index.search.search_index import PassageVectors, Scored, Vector, cosines, stack, unit_vectors
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.index.versions import Dated, NotInForce, Superseded, find_superseded
from rag_app.principal import AccessRule
from rag_app.show.lines import headings

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

_ALL_UNDER = "live = 1 AND rule_id IN (SELECT value FROM json_each(?))"
"""Where everything under some rules is looked for. What is looked for by its id, `_under` compares with the rules."""
_NOT_LATER = "(effective_date IS NULL OR effective_date <= ?)"


class Queries:
    """One thread at a time. Every method that takes `rule_ids` sees only documents under these access rules.

    All raise StoreError where a file cannot be read or holds what was never stored.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        """`file` is the catalog, named in messages."""
        self._connection = connection
        self._file = file
        connection.row_factory = sqlite3.Row

    def read_manifest(self) -> dict[str, str]:
        with self._mapped():
            return read_manifest(self._connection)

    def read_rules(self) -> dict[str, AccessRule]:
        """The distinct access rules of visible documents, by their ids."""
        sql = """SELECT rule_id, scope, names FROM rules r
            WHERE EXISTS (SELECT 1 FROM documents WHERE live = 1 AND rule_id = r.rule_id)"""
        with self._mapped():
            return {row["rule_id"]: rule_of(*row) for row in self._connection.execute(sql)}

    def passages_by_rule(self) -> dict[str, int]:
        """How many passages there are under each access rule."""
        sql = "SELECT rule_id, sum(passage_count) FROM documents WHERE live = 1 GROUP BY rule_id"
        with self._mapped():
            return {row[0]: int(row[1]) for row in self._connection.execute(sql)}

    def digests_by_rule(self) -> dict[str, str]:
        """By access rule, a digest of all documents under it: equal documents, equal digest."""
        # Without the rest of each row, whose own digest would have to be compared: a large index is soon asked then.
        sql = """SELECT rule_id, document_id, path, sha256, cutting FROM documents WHERE live = 1
            ORDER BY rule_id, document_id"""
        under: dict[str, hashlib._Hash] = {}
        with self._mapped():
            for rule_id, *facts in self._connection.execute(sql):
                under.setdefault(rule_id, hashlib.sha256()).update(json.dumps(facts).encode())
        return {rule_id: digest.hexdigest() for rule_id, digest in under.items()}

    def stored(
        self,
        where: str = "live = 1",
        values: Sequence[Any] = (),
        *,
        index: str = "",
        rule_ids: frozenset[str] | None = None,
    ) -> list[StoredDocument]:
        """Documents without their texts; `where` is SQL, `index` what SQLite must search by."""
        sql = f"""SELECT doc, digest, {", ".join(DOCUMENT)}, scope, names
            FROM documents {f"INDEXED BY {index}" if index else ""} JOIN rules USING (rule_id)
            WHERE {where} ORDER BY path"""
        with self._mapped():
            rows = self._connection.execute(sql, values)
            return [stored_document(row) for row in rows if rule_ids is None or row["rule_id"] in rule_ids]

    def stored_under(self, rule_ids: frozenset[str]) -> list[StoredDocument]:
        """Visible documents, by path."""
        return self.stored(_ALL_UNDER, (_json(rule_ids),))

    def document(self, document_id: str, rule_ids: frozenset[str]) -> Document | None:
        """A document with its text; None where there is none under these rules."""
        found = self.stored("live = 1 AND document_id = ?", (document_id,), rule_ids=rule_ids)
        if not found:
            return None
        with self._mapped():
            row = self._connection.execute("SELECT text FROM documents WHERE doc = ?", (found[0].doc,)).fetchone()
            return found[0].with_text(row["text"])

    def readable_among(self, document_ids: Iterable[str], rule_ids: frozenset[str]) -> frozenset[str]:
        """Those of the ids that are of documents under the rules."""
        sql = """SELECT document_id, rule_id FROM documents INDEXED BY live_documents
            WHERE live = 1 AND document_id IN (SELECT value FROM json_each(?))"""
        return frozenset(self._under(rule_ids, sql, _json(document_ids)))

    def stands_at(self, document_id: str, start: int, text: str, rule_ids: frozenset[str]) -> bool:
        """Whether `text` stands at `start` of a document under the rules."""
        # A passage of ours is found without reading the document, which may be long.
        sql = """SELECT rule_id, p.start, p.text FROM documents d JOIN passages p USING (doc)
            WHERE live = 1 AND document_id = ? AND p.start <= ? AND p.end >= ?"""
        end = start + len(text)
        with self._mapped():
            for row in self._connection.execute(sql, (document_id, start, end)):
                within = row["text"][start - row["start"] : end - row["start"]]
                if row["rule_id"] in rule_ids and within == text:
                    return True
        document = self.document(document_id, rule_ids)
        return document is not None and document.text[start:end] == text

    def not_in_force(self, rule_ids: frozenset[str], day: date) -> NotInForce:
        """What is not in force on `day`: of a later date, or superseded.

        What supersedes counts only if it may be read itself: a document replaced by an unreadable one is in force for
        askers who cannot know of the other.
        """
        today = day.isoformat()
        sql = "SELECT doc, rule_id FROM documents INDEXED BY document_dates WHERE effective_date > ? AND live = 1"
        later = frozenset(self._under(rule_ids, sql, today))
        where = f"supersedes != '[]' AND {_NOT_LATER} AND live = 1"
        superseding = self.stored(where, (today,), index="superseding", rule_ids=rule_ids)
        if not superseding:
            return NotInForce(later)
        old = _json({document_id for document in superseding for document_id in document.supersedes})
        where = f"document_id IN (SELECT value FROM json_each(?)) AND {_NOT_LATER} AND live = 1"
        superseded = self.stored(where, (old, today), index="live_documents", rule_ids=rule_ids)
        dated = {
            one.doc: Dated(one.doc, one.document_id, one.title, one.effective_date, one.supersedes)
            for one in (*superseding, *superseded)
        }
        return NotInForce(later, find_superseded(dated.values()))

    def nodes(
        self, passage_ids: Iterable[int], superseded: Mapping[int, Superseded] | None = None
    ) -> "dict[int, TextNode]":
        """Passages as LlamaIndex nodes, by id, in the order asked; ids that are not there are left out.

        Those of `superseded` documents (by row) say what replaced them.
        """
        with self._mapped():
            rows = self._passages(passage_ids)
            documents = self._documents_at({row["doc"] for row in rows})
            replaced = superseded or {}
            return {
                row["passage_id"]: node_of(row, documents[row["doc"]], replaced.get(row["doc"]))
                for row in rows
                if row["doc"] in documents
            }

    def texts(self, passage_ids: Iterable[int]) -> dict[int, str]:
        """Title, headings and text of passages, by id, in the order asked: for seeing how they write a word."""
        found: dict[int, str] = {}
        with self._mapped():
            for row in self._passages(passage_ids):
                values = checked(row, PASSAGE)
                section = " > ".join(headings(row["title"], json.loads(values["section"])))
                found[row["passage_id"]] = "\n".join(filter(None, (row["title"], section, values["text"])))
        return found

    def _passages(self, passage_ids: Iterable[int]) -> list[sqlite3.Row]:
        sql = f"""SELECT passage_id, title, p.digest, {", ".join(f"p.{name}" for name in PASSAGE)} FROM json_each(?) j
            CROSS JOIN passages p ON p.passage_id = j.value JOIN documents USING (doc) WHERE live = 1 ORDER BY j.key"""
        return self._connection.execute(sql, (json.dumps(list(passage_ids)),)).fetchall()

    def _documents_at(self, docs: set[int]) -> dict[int, StoredDocument]:
        """Documents by row."""
        found = self.stored("doc IN (SELECT value FROM json_each(?))", (_json(docs),))
        return {document.doc: document for document in found}

    def passages_of(self, document_id: str, rule_ids: frozenset[str], without: frozenset[int]) -> list[int]:
        """Ids of a document's passages in reading order; none where it is not under the rules, or is one of the rows
        `without`."""
        sql = """SELECT passage_id, rule_id FROM documents JOIN passages USING (doc) WHERE live = 1 AND document_id = ?
            AND doc NOT IN (SELECT value FROM json_each(?)) ORDER BY passage_id"""
        return self._under(rule_ids, sql, document_id, _json(without))

    def passage_at(self, document_id: str, start: int) -> int | None:
        """The id of the passage that begins there; None where there is none."""
        sql = """SELECT passage_id FROM documents JOIN passages USING (doc)
            WHERE live = 1 AND document_id = ? AND start = ?"""
        return next(iter(self._column(sql, document_id, start)), None)

    def permitted(self, found: Scored, rule_ids: frozenset[str], without: frozenset[int], k: int) -> Scored:
        """The first `k` that are here and under the rules, and not of rows `without`; an index may be ahead of the
        catalog, or behind."""
        sql = """SELECT p.passage_id, rule_id FROM json_each(?) j
            CROSS JOIN passages p INDEXED BY document_of ON p.passage_id = j.value
            CROSS JOIN documents d INDEXED BY document_rules ON d.doc = p.doc
            WHERE live = 1 AND d.doc NOT IN (SELECT value FROM json_each(?))"""
        keys = json.dumps([passage_id for passage_id, _ in found])
        permitted = set(self._under(rule_ids, sql, keys, _json(without)))
        return [pair for pair in found if pair[0] in permitted][:k]

    def cosines(self, passage_ids: Iterable[int], vector: Sequence[float]) -> dict[int, float]:
        """Exact cosine (-1 to 1) between a query vector and each passage that is here."""
        sql = """SELECT passage_id, v.vector FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value
            LEFT JOIN vectors.vectors v ON v.vector_id = p.vector_id"""
        return dict(self._scored(sql, (json.dumps(list(passage_ids)),), unit_vectors([list(vector)])[0]))

    def vectors_under(self, rule_ids: frozenset[str], at_once: int) -> Iterator[PassageVectors]:
        """The vectors of all passages under the rules, at most so many at a time."""
        sql = f"""SELECT passage_id, d.doc, v.vector FROM documents d CROSS JOIN passages p ON p.doc = d.doc
            LEFT JOIN vectors.vectors v ON v.vector_id = p.vector_id WHERE {_ALL_UNDER}"""
        with self._mapped():
            rows = self._connection.execute(sql, (_json(rule_ids),))
            while batch := rows.fetchmany(at_once):
                ids, docs, vectors = zip(*batch, strict=True)
                yield PassageVectors(np.array(ids), np.array(docs), stack(vectors))

    def _scored(self, sql: str, values: tuple[Any, ...], query: Vector) -> list[tuple[int, float]]:
        with self._mapped():
            rows = self._connection.execute(sql, values).fetchall()
            if not rows:
                return []
            vectors = stack([row["vector"] for row in rows])
        return list(zip([row["passage_id"] for row in rows], cosines(vectors, query).tolist(), strict=True))

    def _under(self, rule_ids: frozenset[str], sql: str, *values: Any) -> list[Any]:
        """What is selected, each with its rule, as far as it is under the rules. They are compared here: an index may
        have thousands, which SQLite would take in again with each of the many small queries of a question."""
        with self._mapped():
            return [value for value, rule_id in self._connection.execute(sql, values) if rule_id in rule_ids]

    def _column(self, sql: str, *values: Any) -> list[Any]:
        with self._mapped():
            return [row[0] for row in self._connection.execute(sql, values)]

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        with mapped_sqlite_errors(self._file):
            yield


def begin_snapshot(connection: sqlite3.Connection) -> None:
    """Holds catalog and vectors still for a connection until it rolls back."""
    connection.execute("BEGIN")
    # Reading begins the snapshot of each file. Vectors first: those of a revision are there before it is in force, and
    # go after it.
    connection.execute("SELECT vector_id FROM vectors.vectors LIMIT 1").fetchone()
    connection.execute("SELECT key FROM manifest LIMIT 1").fetchone()


def _json(values: Iterable[Any]) -> str:
    return json.dumps(sorted(values))
