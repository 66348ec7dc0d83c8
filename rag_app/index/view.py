"""One state of an index: what a question sees, from the first search to the last text."""

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_app.corpus.document import Document
from rag_app.corpus.nodes import passage_node
from rag_app.errors import StoreError, UsageError
from rag_app.index.catalog import iso_date
from rag_app.index.definition import IndexDefinition
from rag_app.index.legs import ChromaLeg, Scored, TantivyLeg
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.index.vectors import Vector, stack, unit_vectors
from rag_app.principal import AccessRule, Principal, may_read

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode


SCANNED = 2000
"""Up to so many readable passages are compared one by one: it takes no longer than the graph (about 5 ms)."""


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document without its text."""

    document_id: str
    title: str
    path: str
    source: str
    version: str | None
    effective_date: str | None
    """ISO date; None where the document states none."""
    supersedes: tuple[str, ...]
    rule_id: str
    passages: int


class View:
    """A snapshot of an index; used by one thread, within `IndexReader.snapshot`.

    Every method that takes `rule_ids` sees only documents under these rules. All raise StoreError where the store
    fails.
    """

    def __init__(
        self, connection: sqlite3.Connection, definition: IndexDefinition, meaning: ChromaLeg, words: TantivyLeg
    ) -> None:
        self._connection = connection
        self._definition = definition
        self._meaning = meaning
        self._words = words
        self._passages: dict[str, int] | None = None
        self.manifest: dict[str, str] = dict(self._all("SELECT key, value FROM manifest"))

    @property
    def version(self) -> str:
        """Names the state: index and revision."""
        return f"{self._definition.name}, revision {self.manifest['revision']}"

    def rules(self) -> dict[str, AccessRule]:
        """The distinct access rules of the index, by their ids."""
        rows = self._all(
            """SELECT rule_id, scope, names FROM rules r
            WHERE EXISTS (SELECT 1 FROM documents WHERE live = 1 AND rule_id = r.rule_id)"""
        )
        return {rule_id: AccessRule(scope, tuple(json.loads(names))) for rule_id, scope, names in rows}

    def readable(self, principal: Principal | None) -> frozenset[str]:
        """Ids of the rules under which the principal may read; empty where there is nothing for them.

        Raises:
            UsageError: the index has access rules and no principal is given.
        """
        if self.manifest["access"] == "open":
            return frozenset(self.rules())
        if principal is None:
            raise UsageError(f"The index {self._definition.name} has access rules: say who asks (a Principal).")
        return frozenset(rule_id for rule_id, rule in self.rules().items() if may_read(principal, rule))

    def not_in_force(self, rule_ids: frozenset[str], day: date) -> frozenset[int]:
        """Rows of readable documents that are not in force on `day`: of a later date, or superseded by then.

        What supersedes counts only if it may be read itself: a document replaced by an unreadable one is in force for
        whoever cannot know of the other.
        """
        rows = self._all(
            """SELECT doc, document_id, effective_date, supersedes FROM documents WHERE live = 1
            AND rule_id IN (SELECT value FROM json_each(?)) AND (supersedes != '[]' OR effective_date > ?)""",
            (json.dumps(sorted(rule_ids)), day.isoformat()),
        )
        later = {doc for doc, _, effective, _ in rows if effective and effective > day.isoformat()}
        replaced = {old for doc, _, _, supersedes in rows if doc not in later for old in json.loads(supersedes)}
        superseded = self._all(
            "SELECT doc FROM documents WHERE live = 1 AND document_id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(replaced)),),
        )
        return frozenset(later.union(row[0] for row in superseded))

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
        query = unit_vectors([list(vector)])[0]
        if not math.isfinite(float(query.sum())):
            raise UsageError("The question's vector holds numbers that are not finite.")
        asked = math.ceil(1.5 * k * total / readable)
        while readable > max(asked, SCANNED):
            found = self._permitted(self._meaning.search(query, asked), rule_ids, without, k)
            if len(found) == k:
                exact = self.cosines([key for key, _ in found], vector)
                return _ordered(exact.items())
            asked *= 4
        return self._scan(query, k, rule_ids, without)

    def search_words(
        self, text: str, k: int, rule_ids: frozenset[str], without: frozenset[int] = frozenset()
    ) -> Scored:
        """The `k` readable passages with the best BM25 scores above 0, best first; none of rows `without`."""
        total, readable = self._sizes(rule_ids)
        if not readable:
            return []
        within = None if readable == total else rule_ids
        asked = k
        while True:
            hits = self._words.search(text, asked, within)
            found = self._permitted(hits, rule_ids, without, k)
            if len(found) == k or len(hits) < asked:
                return found
            asked *= 4

    def cosines(self, passage_ids: Iterable[int], vector: Sequence[float]) -> dict[int, float]:
        """Exact cosine (-1 to 1) between a query vector and each passage that is there."""
        sql = """SELECT passage_id, v.vector FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value
            CROSS JOIN vectors.vectors v ON v.vector_id = p.vector_id"""
        return dict(self._scored(sql, (json.dumps(list(passage_ids)),), unit_vectors([list(vector)])[0]))

    def statement_cosines(self, passage_ids: Iterable[int], vector: Sequence[float]) -> dict[int, list[float]]:
        """Exact cosine (-1 to 1) between a query vector and each statement of each passage that is there."""
        sql = """SELECT passage_id, v.vector FROM json_each(?) j CROSS JOIN passages p ON p.passage_id = j.value
            CROSS JOIN json_each(p.statement_vectors) s CROSS JOIN vectors.vectors v ON v.vector_id = s.value
            ORDER BY passage_id, s.key"""
        cosines: dict[int, list[float]] = {}
        for passage_id, score in self._scored(sql, (json.dumps(list(passage_ids)),), unit_vectors([list(vector)])[0]):
            cosines.setdefault(passage_id, []).append(score)
        return cosines

    def nodes(self, passage_ids: Iterable[int]) -> "dict[int, TextNode]":
        """Passages as LlamaIndex nodes, by id, in the order asked; ids that are not there are left out."""
        columns = [
            "document_id",
            "title",
            "source",
            "version",
            "effective_date",
            "supersedes",
            "rule_id",
            "start",
            "page",
        ]
        rows = self._all(
            f"""SELECT passage_id, p.text, section, statements, lead_ins, {", ".join(columns)} FROM json_each(?) j
            CROSS JOIN passages p ON p.passage_id = j.value JOIN documents USING (doc) WHERE live = 1 ORDER BY j.key""",
            (json.dumps(list(passage_ids)),),
        )
        return {row[0]: _node(*row[:5], **dict(zip(columns, row[5:], strict=True))) for row in rows}

    def documents(self, rule_ids: frozenset[str]) -> list[DocumentInfo]:
        """Documents by path."""
        rows = self._all(
            """SELECT document_id, title, path, source, version, effective_date, supersedes, rule_id, passage_count
            FROM documents WHERE live = 1 AND rule_id IN (SELECT value FROM json_each(?)) ORDER BY path""",
            (json.dumps(sorted(rule_ids)),),
        )
        return [
            DocumentInfo(*plain, supersedes=tuple(json.loads(supersedes)), rule_id=rule_id, passages=passages)
            for *plain, supersedes, rule_id, passages in rows
        ]

    def document(self, document_id: str, rule_ids: frozenset[str]) -> Document | None:
        """A document with its text; None where there is none under these rules."""
        rows = self._all(
            """SELECT document_id, title, d.text, path, source, sha256, markup, body_start, page_starts, version,
            effective_date, supersedes, scope, names FROM documents d JOIN rules USING (rule_id)
            WHERE live = 1 AND document_id = ? AND rule_id IN (SELECT value FROM json_each(?))""",
            (document_id, json.dumps(sorted(rule_ids))),
        )
        for *plain, page_starts, version, effective, supersedes, scope, names in rows:
            return Document(
                *plain,
                page_starts=tuple(json.loads(page_starts)),
                version=version,
                effective_date=iso_date(effective),
                supersedes=tuple(json.loads(supersedes)),
                access=AccessRule(scope, tuple(json.loads(names))),
            )
        return None

    def _sizes(self, rule_ids: frozenset[str]) -> tuple[int, int]:
        """Passages in the index, and those under the rules."""
        if self._passages is None:
            sql = "SELECT rule_id, sum(passage_count) FROM documents WHERE live = 1 GROUP BY rule_id"
            self._passages = dict(self._all(sql))
        return sum(self._passages.values()), sum(self._passages.get(rule_id, 0) for rule_id in rule_ids)

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

    def _scan(self, query: Vector, k: int, rule_ids: frozenset[str], without: frozenset[int]) -> Scored:
        """The `k` nearest of all readable passages, by comparing each."""
        sql = """SELECT passage_id, v.vector FROM documents d CROSS JOIN passages p ON p.doc = d.doc
            CROSS JOIN vectors.vectors v ON v.vector_id = p.vector_id
            WHERE d.live = 1 AND d.rule_id IN (SELECT value FROM json_each(?))
            AND d.doc NOT IN (SELECT value FROM json_each(?))"""
        scored = self._scored(sql, (json.dumps(sorted(rule_ids)), json.dumps(sorted(without))), query)
        return _ordered(scored)[:k]

    def _scored(self, sql: str, values: tuple[Any, ...], query: Vector) -> Scored:
        rows = self._all(sql, values)
        if not rows:
            return []
        try:
            scores = stack([row[1] for row in rows]) @ query
        except ValueError as error:
            stored = len(rows[0][1]) // 4
            raise StoreError(
                f"The index holds vectors of {stored} numbers and was asked with one of {len(query)}: use the embedder "
                "it was built with."
            ) from error
        # Rounded, so that equal vectors score equally whatever the order they were multiplied in.
        rounded = np.round(np.clip(scores, -1.0, 1.0).astype(np.float64), 6).tolist()
        return [(row[0], score) for row, score in zip(rows, rounded, strict=True)]

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with mapped_sqlite_errors(self._definition.store_path):
            return self._connection.execute(sql, values).fetchall()


def _ordered(scored: Iterable[tuple[int, float]]) -> Scored:
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def _node(
    passage_id: int, text: str, section: str, statements: str, lead_ins: str, *, supersedes: str, **facts: Any
) -> "TextNode":
    path = json.loads(section)
    return passage_node(
        str(passage_id),
        text,
        **facts,
        section=" > ".join(path) or None,
        section_path=path,
        statements=json.loads(statements),
        lead_ins=json.loads(lead_ins),
        supersedes=json.loads(supersedes) or None,
    )
