"""One state of an index: what a question sees, from the first search to the last text."""

import hashlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import NoneType

from rag_app.errors import StoreError, UsageError
from rag_app.index.definition import IndexDefinition
from rag_app.index.facts import DOCUMENTS, WORDS, RevisionFacts, keep
from rag_app.index.queries import Queries
from rag_app.index.records import StoredDocument
from rag_app.index.search.dense import DenseIndex
from rag_app.index.search.search_index import PassageVectors, Scored, nearest, ordered, unit_vectors
from rag_app.index.search.sparse import SimilarWord, SparseIndex
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.principal import AccessRule, Principal, may_read

SCANNED = 50_000
"""Up to so many readable passages are compared one by one, which is exact and no slower than the graph (3.5 ms), once
their vectors were read (130 ms)."""
_HELD_BYTES = 256 << 20
"""Of vectors that are kept in memory to be compared: three times `SCANNED` of 384 numbers."""
_WIDTH = 3
"""Times the square root of an index's passages: what the graph is asked for beside what is needed. The more it returns,
the further it looks: of the ten nearest of a million it found .92 when asked for 500, .99 when asked for 3,000."""
_MUCH = 0.25
"""Share of an index from which on words are first searched for in all of it, and what may not be read is skipped:
hundreds of rules take Tantivy longer than the passages that are found in vain."""


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
    retrieved: str | None
    """ISO day on which a web page was retrieved; None for everything else."""
    supersedes: tuple[str, ...]
    """Ids of documents that it replaces, of those that the asker may read."""
    rule_id: str
    passages: int


class View(Queries):
    """A snapshot of an index; used by one question, within `IndexReader.snapshot`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        definition: IndexDefinition,
        meaning: Callable[[], DenseIndex],
        words: SparseIndex,
        facts: RevisionFacts,
        moved: Callable[[], bool],
    ) -> None:
        super().__init__(connection, definition.store_path)
        self._definition = definition
        self._meaning = meaning
        self._words = words
        self._facts = facts
        self._moved = moved
        if facts.manifest is None:  # each writer of it counts the revision up
            facts.manifest = self.read_manifest()
        self.manifest = facts.manifest

    @property
    def version(self) -> str:
        """Names the state: index and revision. With access rules it is not for askers: others' changes count too."""
        return f"{self._definition.name}, revision {self.manifest['revision']}"

    def is_newest(self) -> bool:
        """Whether nothing was changed since, access included: each change counts the revision up."""
        return not self._moved()

    def load(self) -> None:
        """Waits for the graph of the dense index."""
        self._meaning()

    def state(self, rule_ids: frozenset[str]) -> str:
        """Names what may be read: by the revision, or, with access rules, by a digest of the documents under these."""
        if self.manifest["access"] == "open":
            return self.version
        if self._facts.digests is None:
            self._facts.digests = self.digests_by_rule()
        digests = self._facts.digests
        if (digest := self._facts.states.get(rule_ids)) is None:
            readable = sorted((rule_id, digests[rule_id]) for rule_id in rule_ids if rule_id in digests)
            digest = hashlib.sha256(json.dumps(readable).encode()).hexdigest()[:12]
            keep(self._facts.states, rule_ids, digest)
        return f"{self._definition.name}, state {digest}"

    def rules(self) -> Mapping[str, AccessRule]:
        """The distinct access rules of the index, by their ids."""
        if self._facts.rules is None:
            self._facts.rules = self.read_rules()
        return self._facts.rules

    def readable(self, principal: Principal | None) -> frozenset[str]:
        """Ids of the rules under which the principal may read; empty where there is nothing for them.

        Raises:
            UsageError: the index has access rules and no principal is given, or something that is not a Principal.
        """
        if not isinstance(principal, (Principal, NoneType)):
            raise UsageError(f"Who asks must be a Principal(user_id, roles, departments), not {principal!r}.")
        if self.manifest["access"] == "open":
            return frozenset(self.rules())
        if principal is None:
            raise UsageError(f"The index {self._definition.name} has access rules: say who asks (a Principal).")
        known = self._facts.readable
        found = known.get(principal)
        if found is None:
            found = frozenset(rule_id for rule_id, rule in self.rules().items() if may_read(principal, rule))
            keep(known, principal, found)
        return found

    def search_meaning(
        self, vector: Sequence[float], k: int, rule_ids: frozenset[str], without: frozenset[int] = frozenset()
    ) -> Scored:
        """The `k` readable passages nearest to a query vector, with their cosine, best first; none of rows `without`.

        The graph is asked for many more than `k`, and what may not be read is skipped. Where little may be read, or the
        graph would have to return more than that, the readable vectors are compared one by one, which is exact.
        See docs/design/index-layout.md.
        """
        total, readable = self._sizes(rule_ids)
        if not readable:
            return []
        k = min(k, readable)
        query = unit_vectors([list(vector)])[0]
        if not math.isfinite(float(query.sum())):
            raise UsageError("The question's vector holds numbers that are not finite.")
        enough = math.ceil(1.5 * k * total / readable)
        asked = enough + math.ceil(_WIDTH * math.sqrt(total))
        while readable > max(asked, SCANNED):
            graph = self._meaning()
            try:
                near = graph.search(query, asked)
            except StoreError:
                if graph.holds_still or not self._moved():
                    raise
                break  # a server has removed the graph of this snapshot
            if not graph.holds_still and self._moved():
                break  # a server's graph may have lost what this snapshot still has
            found = self.permitted(near[:enough], rule_ids, without, k)
            if len(found) < k:
                found = self.permitted(near, rule_ids, without, k)
            if len(found) == k:
                exact = self.cosines([key for key, _ in found], vector)
                return ordered(exact.items())
            asked *= 4
        return nearest(self._vectors(rule_ids, readable), query, k, without)

    def search_words(
        self, text: str, k: int, rule_ids: frozenset[str], without: frozenset[int] = frozenset()
    ) -> Scored:
        """The `k` readable passages with the best BM25 scores above 0, best first; none of rows `without`."""
        total, readable = self._sizes(rule_ids)
        if not readable:
            return []
        k = min(k, readable)  # Tantivy sets memory aside for as many as it is asked for
        if total * _MUCH <= readable < total:
            asked = math.ceil(2 * k * total / readable)
            hits = self._words.search(text, asked)
            found = self.permitted(hits, rule_ids, without, k)
            if len(found) == k or len(hits) < asked:
                return found
        within, asked = None if readable == total else rule_ids, k
        while True:
            hits = self._words.search(text, asked, within)
            found = self.permitted(hits, rule_ids, without, k)
            if len(found) == k or len(hits) < asked:
                return found
            asked *= 4

    def count_holding(self, word: str, most: int, rule_ids: frozenset[str], without: frozenset[int]) -> int:
        """How many passages `search_words` would find for a word, up to `most`."""
        total, readable = self._sizes(rule_ids)
        if not readable:
            return 0
        asked = (word, most, rule_ids, without)
        if (count := self._facts.holding.get(asked)) is None:
            if total == readable == self._words.count() and not without:
                count = self._words.count_holding(word, min(most, readable))
            else:
                count = len(self.search_words(word, most, rule_ids, without))
            keep(self._facts.holding, asked, count, WORDS)
        return count

    def similar_words(self, word: str, edits: int, rule_ids: frozenset[str]) -> list[SimilarWord]:
        """Words of readable passages that are at most `edits` letters away from a word in small letters."""
        total, readable = self._sizes(rule_ids)
        return self._words.similar_words(word, edits, None if readable == total else rule_ids)

    def count_passages(self, rule_ids: frozenset[str]) -> int:
        """Passages under the rules."""
        return self._sizes(rule_ids)[1]

    def documents(self, rule_ids: frozenset[str]) -> list[DocumentInfo]:
        """Documents by path."""
        found = self.stored_under(rule_ids)
        readable = {document.document_id for document in found}
        return [
            DocumentInfo(
                document_id=document.document_id,
                title=document.title,
                path=document.path,
                source=document.source,
                version=document.version,
                effective_date=document.effective_date,
                retrieved=document.retrieved,
                supersedes=tuple(old for old in document.supersedes if old in readable),
                rule_id=document.rule.rule_id,
                passages=document.passages,
            )
            for document in found
        ]

    def copy_to(self, catalog: Path, vectors: Path) -> None:
        """Copies catalog and vectors, as this snapshot sees them, into new files."""
        for name, file in (("main", catalog), ("vectors", vectors)):
            with mapped_sqlite_errors(file), closing(sqlite3.connect(file)) as target:
                self._connection.backup(target, name=name)

    def _documents_at(self, docs: set[int]) -> dict[int, StoredDocument]:
        known = self._facts.documents
        found = {doc: document for doc in docs if (document := known.get(doc)) is not None}
        if unknown := docs - found.keys():
            for doc, document in super()._documents_at(unknown).items():
                found[doc] = document
                keep(known, doc, document, DOCUMENTS)
        return found

    def _vectors(self, rule_ids: frozenset[str], readable: int) -> Iterable[PassageVectors]:
        """Those of all readable passages: kept in memory where they are few, else read in parts."""
        if readable > SCANNED:
            return self.vectors_under(rule_ids, SCANNED)
        kept = self._facts.vectors
        if (known := kept.get(rule_ids)) is None:
            known = list(self.vectors_under(rule_ids, SCANNED))
            if sum(part.vectors.nbytes for parts in [*kept.values(), known] for part in parts) > _HELD_BYTES:
                kept.clear()
            kept[rule_ids] = known
        return known

    def _sizes(self, rule_ids: frozenset[str]) -> tuple[int, int]:
        """Passages in the index, and those under the rules."""
        if self._facts.passages is None:
            passages = self.passages_by_rule()
            self._facts.total = sum(passages.values())  # first: another thread takes it for known with the other
            self._facts.passages = passages
        passages = self._facts.passages
        if (readable := self._facts.sizes.get(rule_ids)) is None:
            readable = sum(passages.get(rule_id, 0) for rule_id in rule_ids)
            keep(self._facts.sizes, rule_ids, readable)
        return self._facts.total, readable
