"""The two legs behind one small protocol: by meaning (Chroma) and by words (Tantivy).

A leg knows passage ids and what it searches by, no text and no metadata; it is opened for writing by the one writer
or for reading, and a reader sees it as it was when it was opened.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import chromadb.api
import chromadb.config
import tantivy
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.api.models.Collection import Collection as ChromaCollection
from chromadb.errors import ChromaError

from rag_app.errors import StoreError
from rag_app.index.catalog import LegRow
from rag_app.index.vectors import Vector

Query = TypeVar("Query", contravariant=True)

Scored = list[tuple[int, float]]
"""Passage ids with scores, best first; equal scores by id."""


class Leg(Protocol[Query]):
    """One way to find passages. Every method raises StoreError where the store fails."""

    def add(self, rows: Sequence[LegRow], vectors: Vector) -> None: ...
    def delete(self, passage_ids: Collection[int]) -> None: ...
    def ids(self) -> set[int]: ...
    def count(self) -> int: ...
    def search(self, query: Query, k: int, rule_ids: Collection[str] | None = None) -> Scored: ...
    def close(self) -> None: ...


# With these, lists of 50 equalled brute force even among 10,000 random directions.
_HNSW: CreateHNSWConfiguration = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 1000}


class ChromaLeg:
    """By meaning: a graph of unit vectors (HNSW; Malkov and Yashunin, 2016), cosine similarity.

    It holds no access rules: filters cost Chroma more than anything else and fail while another process writes. The
    reader asks for more than it needs and keeps what may be read; see docs/design/leg-layout.md.
    """

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        """Opens the leg and loads its graph; a writer makes it where there is none, a reader writes nothing."""
        self._path = path
        if not writable and not (path / "chroma.sqlite3").is_file():
            raise _lost(path)
        with _mapped(path):
            # An own System for each opened leg: chromadb.PersistentClient would hand out one that is shared within
            # the process, and which could be reopened only by closing it under everybody else.
            self._system = chromadb.config.System(
                chromadb.config.Settings(
                    is_persistent=True,
                    persist_directory=str(path),
                    anonymized_telemetry=False,
                    migrations="apply" if writable else "validate",
                )
            )
            server = self._system.instance(chromadb.api.ServerAPI)
            self._system.start()
            self._batch = server.get_max_batch_size()
            place: Any = {"tenant": chromadb.config.DEFAULT_TENANT, "database": chromadb.config.DEFAULT_DATABASE}
            if writable:
                model = server.get_or_create_collection("passages", configuration={"hnsw": _HNSW}, **place)
            else:
                model = server.get_collection("passages", **place)
            self._collection = ChromaCollection(client=server, model=model, embedding_function=None)
            first = self._collection.get(limit=1, include=["embeddings"])["embeddings"]
            if first is not None and len(first):
                self._collection.query(query_embeddings=[first[0]], n_results=1, include=[])  # pyright: ignore

    def add(self, rows: Sequence[LegRow], vectors: Vector) -> None:
        with _mapped(self._path):
            for begin in range(0, len(rows), self._batch):
                self._collection.upsert(
                    ids=[str(row.passage_id) for row in rows[begin : begin + self._batch]],
                    embeddings=vectors[begin : begin + self._batch],  # pyright: ignore[reportArgumentType]
                )

    def delete(self, passage_ids: Collection[int]) -> None:
        ids = [str(passage_id) for passage_id in sorted(passage_ids)]
        with _mapped(self._path):
            for begin in range(0, len(ids), self._batch):
                self._collection.delete(ids=ids[begin : begin + self._batch])

    def ids(self) -> set[int]:
        with _mapped(self._path):
            return {int(key) for key in self._collection.get(include=[])["ids"]}

    def count(self) -> int:
        with _mapped(self._path):
            return self._collection.count()

    def search(self, query: Sequence[float] | Vector, k: int, rule_ids: Collection[str] | None = None) -> Scored:
        """The `k` nearest, with their cosine (-1 to 1). Raises ValueError where asked to filter."""
        if rule_ids is not None:
            raise ValueError("The Chroma leg cannot filter by access rule.")
        with _mapped(self._path):
            found = self._collection.query(query_embeddings=[query], n_results=k, include=["distances"])  # pyright: ignore
        keys, distances = found["ids"][0], (found["distances"] or [[]])[0]
        return _ordered([(int(key), 1.0 - distance) for key, distance in zip(keys, distances, strict=True)])

    def close(self) -> None:
        with _mapped(self._path):
            self._system.stop()


HEAD_WEIGHT = 2.0
"""How much more a word counts in title and section headings than in the text."""
_LONGEST_QUERY = 256
"""Different words of a query that are looked up; the rest of a longer text adds nothing."""
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
"""Scripts without spaces between words, which are searched by character."""


class TantivyLeg:
    """By words: BM25 over title and section, and text; English stems, letters without accents."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        """Opens the leg as it is now; a writer makes it where there is none."""
        self._path = path
        if not writable and not (path / "meta.json").is_file():
            raise _lost(path)
        with _mapped(path):
            path.mkdir(parents=True, exist_ok=True)
            self._schema = _tantivy_schema()
            self._index = tantivy.Index(self._schema, path=str(path))
            self._analyzer = _analyzer()
            self._index.register_tokenizer("words", self._analyzer)
            self._writer = self._index.writer(heap_size=64_000_000, num_threads=1) if writable else None
            self._searcher = self._index.searcher()

    def add(self, rows: Sequence[LegRow], vectors: Vector | None = None) -> None:
        with _mapped(self._path):
            self._delete([row.passage_id for row in rows])
            for row in rows:
                fields = {
                    "passage_id": row.passage_id,
                    "rule_id": row.rule_id,
                    "head": _spaced(row.head),
                    "body": _spaced(row.text),
                }
                self._writing().add_document(tantivy.Document.from_dict(fields, self._schema))
            self._commit()

    def delete(self, passage_ids: Collection[int]) -> None:
        with _mapped(self._path):
            self._delete(sorted(passage_ids))
            self._commit()

    def ids(self) -> set[int]:
        with _mapped(self._path):
            return {key for key, _ in self._search(tantivy.Query.all_query(), max(1, self._searcher.num_docs))}

    def count(self) -> int:
        return self._searcher.num_docs

    def search(self, query: str, k: int, rule_ids: Collection[str] | None = None) -> Scored:
        """The `k` passages with the best BM25 scores above 0, within the rules where some are given."""
        terms = list(dict.fromkeys(self._analyzer.analyze(_spaced(query))))[:_LONGEST_QUERY]
        if not terms or (rule_ids is not None and not rule_ids):
            return []
        with _mapped(self._path):
            words = []
            for term in terms:
                head = tantivy.Query.term_query(self._schema, "head", term, "freq")
                words.append((tantivy.Occur.Should, tantivy.Query.boost_query(head, HEAD_WEIGHT)))
                words.append((tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "body", term, "freq")))
            asked = tantivy.Query.boolean_query(words)
            if rule_ids is not None:
                within = tantivy.Query.term_set_query(self._schema, "rule_id", sorted(rule_ids))
                # A bare term set would add 1 to every score.
                silent = tantivy.Query.const_score_query(within, 0.0)
                asked = tantivy.Query.boolean_query([(tantivy.Occur.Must, asked), (tantivy.Occur.Must, silent)])
            found = self._search(asked, k)
        return _ordered([(key, score) for key, score in found if score > 0])

    def close(self) -> None:
        """Lets go of the writer's lock; waits until segments are merged."""
        if self._writer is not None:
            with _mapped(self._path):
                self._writer.wait_merging_threads()
        # Dropping them lets go of the mapped files.
        del self._writer, self._searcher, self._index

    def _search(self, query: tantivy.Query, limit: int) -> Scored:
        hits = self._searcher.search(query, limit, count=False).hits
        keys = self._searcher.fast_field_values("passage_id", [address for _, address in hits])
        return [(int(key), float(score)) for key, (score, _) in zip(keys, hits, strict=True) if key is not None]

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise ValueError("the leg is open for reading only")
        return self._writer

    def _delete(self, passage_ids: Sequence[int]) -> None:
        if passage_ids:
            # By query: delete_documents_by_term passes over unsigned fields in silence.
            gone = tantivy.Query.term_set_query(self._schema, "passage_id", passage_ids)
            self._writing().delete_documents_by_query(gone)

    def _commit(self) -> None:
        self._writing().commit()
        self._index.reload()
        self._searcher = self._index.searcher()


def _tantivy_schema() -> tantivy.Schema:
    return (
        tantivy.SchemaBuilder()
        .add_unsigned_field("passage_id", indexed=True, fast=True)
        .add_text_field("rule_id", tokenizer_name="raw", index_option="basic")
        .add_text_field("head", tokenizer_name="words", index_option="freq")
        .add_text_field("body", tokenizer_name="words", index_option="freq")
        .build()
    )


def _analyzer() -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(100))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def _spaced(text: str) -> str:
    return _UNSPACED.sub(r" \1 ", text)


def _ordered(scored: Scored) -> Scored:
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


def _lost(path: Path) -> StoreError:
    return StoreError(
        f"The {path.name} leg in {path.parent} is gone: run `rag-app check`, which makes it anew.", path=str(path)
    )


@contextmanager
def _mapped(path: Path) -> Iterator[None]:
    """Turns what Chroma (typed errors, and panics of its Rust core) and Tantivy (ValueError) raise into StoreError."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, StoreError):
        raise
    except BaseException as error:
        known = isinstance(error, (ChromaError, ValueError, OSError, RuntimeError))
        if not known and type(error).__name__ != "PanicException":
            raise
        reason = str(error)
        full = "No space left" in reason or "disk is full" in reason
        what = "the disk is full; free some space and build again" if full else reason
        raise StoreError(f"The {path.name} leg in {path.parent} failed: {what}.", path=str(path)) from error
