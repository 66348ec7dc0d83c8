"""One state of an index: what a question sees, from the first search to the last text."""

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from rag_app.document import Document
from rag_app.errors import StoreError, UsageError
from rag_app.index.catalog import read_manifest
from rag_app.index.definition import IndexDefinition
from rag_app.index.dense import ChromaLeg
from rag_app.index.documents import (
    DocumentInfo,
    digests,
    list_documents,
    read_document,
    readable_among,
    standing,
    stands_at,
)
from rag_app.index.rows import (
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    all_typed,
    node_of,
    rule_of,
)
from rag_app.index.search_index import Scored, ordered
from rag_app.index.similarity import cosines, nearest_of_all
from rag_app.index.sparse import TantivyLeg
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.index.vectors import unit_vectors
from rag_app.index.versions import Standing, Superseded
from rag_app.principal import AccessRule, Principal, may_read

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode


SCANNED = 2000
"""Up to so many readable passages are compared one by one: it takes no longer than the graph (about 5 ms)."""


@dataclass(slots=True)
class RevisionFacts:
    """What is the same for all questions of one revision; None until somebody asks."""

    rules: Mapping[str, AccessRule] | None = None
    passages: Mapping[str, int] | None = None
    """Number of passages by rule."""
    digests: Mapping[str, str] | None = None
    """Of the documents under each rule."""


class View:
    """A snapshot of an index; used by one thread, within `IndexReader.snapshot`.

    Every method that takes `rule_ids` sees only documents under these rules. All raise StoreError where the store
    fails.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        definition: IndexDefinition,
        meaning: ChromaLeg,
        words: TantivyLeg,
        facts: "RevisionFacts",
        moved: Callable[[], bool],
    ) -> None:
        self._connection = connection
        self._definition = definition
        self._meaning = meaning
        self._words = words
        self._facts = facts
        self._moved = moved
        with self._mapped():
            self.manifest = read_manifest(connection)

    @property
    def version(self) -> str:
        """Names the state: index and revision. With access rules it is not for askers: others' changes count too."""
        return f"{self._definition.name}, revision {self.manifest['revision']}"

    def state(self, rule_ids: frozenset[str]) -> str:
        """Names what may be read: by the revision, or, with access rules, by a digest of the documents under these."""
        if self.manifest["access"] == "open":
            return self.version
        if self._facts.digests is None:
            with self._mapped():
                self._facts.digests = digests(self._connection)
        known = self._facts.digests
        readable = sorted((rule_id, known[rule_id]) for rule_id in rule_ids if rule_id in known)
        return f"{self._definition.name}, state {hashlib.sha256(json.dumps(readable).encode()).hexdigest()[:12]}"

    def rules(self) -> Mapping[str, AccessRule]:
        """The distinct access rules of the index, by their ids."""
        if self._facts.rules is None:
            rows = self._all(
                """SELECT rule_id, scope, names FROM rules r
                WHERE EXISTS (SELECT 1 FROM documents WHERE live = 1 AND rule_id = r.rule_id)"""
            )
            with self._mapped():
                self._facts.rules = {rule_id: rule_of(scope, names) for rule_id, scope, names in rows}
        return self._facts.rules

    def readable(self, principal: Principal | None) -> frozenset[str]:
        """Ids of the rules under which the principal may read; empty where there is nothing for them.

        Raises:
            UsageError: the index has access rules and no principal is given, or something that is none.
        """
        if not isinstance(principal, (Principal, NoneType)):
            raise UsageError(f"Who asks must be a Principal(user_id, roles, departments), not {principal!r}.")
        if self.manifest["access"] == "open":
            return frozenset(self.rules())
        if principal is None:
            raise UsageError(f"The index {self._definition.name} has access rules: say who asks (a Principal).")
        return frozenset(rule_id for rule_id, rule in self.rules().items() if may_read(principal, rule))

    def standing(self, rule_ids: frozenset[str], day: date) -> Standing:
        """What is not in force on `day`: of a later date, or superseded by what may be read itself."""
        with self._mapped():
            return standing(self._connection, rule_ids, day)

    def search_meaning(
        self, vector: Sequence[float], k: int, rule_ids: frozenset[str], without: frozenset[int] = frozenset()
    ) -> Scored:
        """The `k` readable passages nearest to a query vector, with their cosine, best first; none of rows `without`.

        The graph is asked for more than `k` and what may not be read is skipped. Where little may be read, or the graph
        would have to return more than that, the readable vectors are compared one by one, which is exact.
        See docs/design/leg-layout.md.
        """
        total, readable = self._sizes(rule_ids)
        if not readable:
            return []
        k = min(k, readable)
        query = unit_vectors([list(vector)])[0]
        if not math.isfinite(float(query.sum())):
            raise UsageError("The question's vector holds numbers that are not finite.")
        asked = math.ceil(1.5 * k * total / readable)
        while readable > max(asked, SCANNED):
            try:
                nearest = self._meaning.search(query, asked)
            except StoreError:
                if self._meaning.holds_still or not self._moved():
                    raise
                break  # a server has removed the graph of this snapshot
            if not self._meaning.holds_still and self._moved():
                break  # a server's graph may have lost what this snapshot still has
            found = self._permitted(nearest, rule_ids, without, k)
            if len(found) == k:
                exact = self.cosines([key for key, _ in found], vector)
                return ordered(exact.items())
            asked *= 4
        with self._mapped():
            return nearest_of_all(self._connection, query, k, rule_ids, without)

    def search_words(
        self, text: str, k: int, rule_ids: frozenset[str], without: frozenset[int] = frozenset()
    ) -> Scored:
        """The `k` readable passages with the best BM25 scores above 0, best first; none of rows `without`."""
        total, readable = self._sizes(rule_ids)
        if not readable:
            return []
        within = None if readable == total else rule_ids
        asked = k = min(k, readable)  # Tantivy sets memory aside for as many as it is asked for
        while True:
            hits = self._words.search(text, asked, within)
            found = self._permitted(hits, rule_ids, without, k)
            if len(found) == k or len(hits) < asked:
                return found
            asked *= 4

    def cosines(self, passage_ids: Iterable[int], vector: Sequence[float]) -> dict[int, float]:
        """Exact cosine (-1 to 1) between a query vector and each passage that is there."""
        with self._mapped():
            return cosines(self._connection, passage_ids, vector)

    def nodes(
        self, passage_ids: Iterable[int], superseded: Mapping[int, Superseded] | None = None
    ) -> "dict[int, TextNode]":
        """Passages as LlamaIndex nodes, by id, in the order asked; ids that are not there are left out.

        Those of `superseded` documents (by row) say what replaced them.
        """
        facts = ["document_id", "title", "source", "path", "markup", "version", "effective_date", "retrieved"]
        rows = self._all(
            f"""SELECT passage_id, doc, p.text, section, statements, lead_ins, links, start, page,
            {", ".join(f"documents.{fact}" for fact in facts)} FROM json_each(?) j
            CROSS JOIN passages p ON p.passage_id = j.value JOIN documents USING (doc) WHERE live = 1 ORDER BY j.key""",
            (json.dumps(list(passage_ids)),),
        )
        kinds = (NUMBER, NUMBER, *[TEXT] * 5, NUMBER, MAYBE_NUMBER, *[TEXT] * 5, *[MAYBE_TEXT] * 3)
        names = ["start", "page", *facts]
        with self._mapped():
            return {
                key: node_of(*texts, **dict(zip(names, more, strict=True)), replaced=(superseded or {}).get(doc))
                for key, doc, *texts, more in ((*row[:7], row[7:]) for row in all_typed(rows, *kinds))
            }

    def passages_of(self, document_id: str, rule_ids: frozenset[str], without: frozenset[int]) -> list[int]:
        """Ids of a document's passages in reading order; none where it is not under the rules, or is one of the rows
        `without`."""
        rows = self._all(
            """SELECT passage_id FROM documents JOIN passages USING (doc) WHERE live = 1 AND document_id = ?
            AND rule_id IN (SELECT value FROM json_each(?)) AND doc NOT IN (SELECT value FROM json_each(?))
            ORDER BY passage_id""",
            (document_id, json.dumps(sorted(rule_ids)), json.dumps(sorted(without))),
        )
        return [row[0] for row in rows]

    def passage_at(self, document_id: str, start: int) -> int | None:
        """The id of the passage that begins there; None where there is none."""
        rows = self._all(
            """SELECT passage_id FROM documents JOIN passages USING (doc)
            WHERE live = 1 AND document_id = ? AND start = ?""",
            (document_id, start),
        )
        return rows[0][0] if rows else None

    def documents(self, rule_ids: frozenset[str]) -> list[DocumentInfo]:
        """Documents by path."""
        with self._mapped():
            return list_documents(self._connection, rule_ids)

    def document(self, document_id: str, rule_ids: frozenset[str]) -> Document | None:
        """A document with its text; None where there is none under these rules."""
        with self._mapped():
            return read_document(self._connection, document_id, rule_ids)

    def readable_among(self, document_ids: Iterable[str], rule_ids: frozenset[str]) -> frozenset[str]:
        """Those of the ids that are of documents under the rules."""
        with self._mapped():
            return readable_among(self._connection, document_ids, rule_ids)

    def stands_at(self, document_id: str, start: int, text: str, rule_ids: frozenset[str]) -> bool:
        """Whether `text` stands at `start` of a document under the rules."""
        with self._mapped():
            return stands_at(self._connection, document_id, start, text, rule_ids)

    def copy_to(self, catalog: Path, vectors: Path) -> None:
        """Copies catalog and vectors, as this snapshot sees them, into new files."""
        for name, file in (("main", catalog), ("vectors", vectors)):
            with mapped_sqlite_errors(file), closing(sqlite3.connect(file)) as target:
                self._connection.backup(target, name=name)

    def _sizes(self, rule_ids: frozenset[str]) -> tuple[int, int]:
        """Passages in the index, and those under the rules."""
        if self._facts.passages is None:
            sql = "SELECT rule_id, sum(passage_count) FROM documents WHERE live = 1 GROUP BY rule_id"
            self._facts.passages = dict(self._all(sql))
        passages = self._facts.passages
        return sum(passages.values()), sum(passages.get(rule_id, 0) for rule_id in rule_ids)

    def _permitted(self, found: Scored, rule_ids: frozenset[str], without: frozenset[int], k: int) -> Scored:
        """The first `k` that are in the catalog and under the rules; a leg may be ahead of the catalog, or behind."""
        rows = self._all(
            """SELECT p.passage_id FROM json_each(?) j
            CROSS JOIN passages p INDEXED BY document_of ON p.passage_id = j.value
            CROSS JOIN documents d INDEXED BY document_rules ON d.doc = p.doc
            WHERE d.live = 1 AND d.rule_id IN (SELECT value FROM json_each(?))
            AND d.doc NOT IN (SELECT value FROM json_each(?))""",
            (
                json.dumps([passage_id for passage_id, _ in found]),
                json.dumps(sorted(rule_ids)),
                json.dumps(sorted(without)),
            ),
        )
        permitted = {row[0] for row in rows}
        return [pair for pair in found if pair[0] in permitted][:k]

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._mapped():
            return self._connection.execute(sql, values).fetchall()

    def _mapped(self):
        return mapped_sqlite_errors(self._definition.store_path)
