"""The sparse index, which finds by words: Tantivy."""

import json
import zlib
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import tantivy
from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag_app.index.search.search_index import (
    AT_ONCE,
    IndexEntry,
    Scored,
    Vector,
    lost_index,
    mapped_index_errors,
    open_for_reading,
    ordered,
)
from rag_app.spelling import as_pairs, fold

HEADINGS_WEIGHT = 2.0
"""How much more a word counts in title and section headings than in the text."""
_LONGEST_QUERY = 256
"""Different words of a query that are looked up; the rest of a longer text adds nothing."""
_LONGEST_WORD = 40
"""Bytes of a word that misspelt ones are compared with."""


@dataclass(frozen=True, slots=True)
class SimilarWord:
    """A word of the index that is written almost like another."""

    word: str
    """In small letters without accents."""
    edits: int
    passages: int
    """In how many of those searched it stands."""


class SparseIndex:
    """By words: BM25 over title and section, and text; English stems, letters without accents."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        """Opens it as it is now; a writer makes it where there is none."""
        self._path = path
        self._ground = ExitStack()
        with mapped_index_errors(path):
            if not writable and not (path / "meta.json").is_file():
                raise lost_index(path)
            if writable:
                path.mkdir(parents=True, exist_ok=True)
            _verify(path)
            self._schema = _tantivy_schema()
            place = path if writable else self._ground.enter_context(open_for_reading(path))
            self._index = tantivy.Index(self._schema, path=str(place))
            self._analyzer = _analyzer()
            self._index.register_tokenizer("words", self._analyzer)
            self._written = _as_written()
            self._index.register_tokenizer("written", self._written)
            self._writer = self._index.writer(heap_size=64_000_000, num_threads=1) if writable else None
            self._searcher = self._index.searcher()

    def begin_adding(self, count: int) -> int:
        return AT_ONCE

    def end_adding(self) -> None:
        """Nothing remains to be done: each `add` is complete."""

    def add(self, rows: Sequence[IndexEntry], vectors: Vector | None = None) -> None:
        with mapped_index_errors(self._path):
            self._delete([row.passage_id for row in rows])
            for row in rows:
                fields = {
                    "passage_id": row.passage_id,
                    "rule_id": row.rule_id,
                    "headings": as_pairs(fold(row.headings), and_characters=True),
                    "body": as_pairs(fold(row.text), and_characters=True),
                    "vocabulary": fold(f"{row.headings}\n{row.text}"),
                }
                self._writing().add_document(tantivy.Document.from_dict(fields, self._schema))
            self._commit()

    def delete(self, passage_ids: Collection[int]) -> None:
        with mapped_index_errors(self._path):
            self._delete(sorted(passage_ids))
            self._commit()

    def ids(self) -> set[int]:
        with mapped_index_errors(self._path):
            return {key for key, _ in self._search(tantivy.Query.all_query(), max(1, self._searcher.num_docs))}

    def count(self) -> int:
        return self._searcher.num_docs

    def altered(self, rows: Sequence[IndexEntry], vectors: Vector) -> set[int]:
        """Nothing: its files were compared with their checksums when it was opened."""
        return set()

    def search(self, query: str, k: int, rule_ids: Collection[str] | None = None) -> Scored:
        """The `k` passages with the best BM25 scores above 0, within the rules where some are given."""
        terms = self._terms(query)
        if not terms or (rule_ids is not None and not rule_ids):
            return []
        with mapped_index_errors(self._path):
            asked = self._any_of(terms)
            if rule_ids is not None:
                # A bare term set would add 1 to every score.
                silent = tantivy.Query.const_score_query(self._under(rule_ids), 0.0)
                asked = tantivy.Query.boolean_query([(tantivy.Occur.Must, asked), (tantivy.Occur.Must, silent)])
            found = self._search(asked, k)
        return ordered([(key, score) for key, score in found if score > 0])

    def count_holding(self, text: str, most: int) -> int:
        """How many passages hold a word of `text`, up to `most`: as many as `search` finds, and without their ids."""
        terms = self._terms(text)
        if not terms:
            return 0
        with mapped_index_errors(self._path):
            return len(self._searcher.search(self._any_of(terms), most, count=False).hits)

    def similar_words(self, word: str, edits: int, rule_ids: Collection[str] | None = None) -> list[SimilarWord]:
        """The words of passages, within the rules where some are given, that are at most `edits` away from `word`:
        letters left out, added, changed or swapped, accents aside. They begin with one of the first two of `word`."""
        if rule_ids is not None and not rule_ids:
            return []
        (word,) = self._written.analyze(word) or ("",)
        with mapped_index_errors(self._path):
            initials = dict.fromkeys(word[:2])
            words = [term for one in initials for term, _ in self._searcher.terms_with_prefix("vocabulary", one)]
            near = process.extract(word, words, scorer=OSA.distance, score_cutoff=edits, limit=None)
            # Passages are counted of these alone: of every word with that initial, all of its passages would be read.
            counted = [(other, int(distance), self._count_written(other, rule_ids)) for other, distance, _ in near]
        return [SimilarWord(*one) for one in counted if one[-1]]

    def close(self) -> None:
        """Lets go of the writer's lock; waits until segments are merged."""
        if self._writer is not None:
            with mapped_index_errors(self._path):
                self._writer.wait_merging_threads()
        # Dropping them lets go of the mapped files.
        del self._writer, self._searcher, self._index
        self._ground.close()

    def _terms(self, text: str) -> list[str]:
        return list(dict.fromkeys(self._analyzer.analyze(as_pairs(fold(text)))))[:_LONGEST_QUERY]

    def _under(self, rule_ids: Collection[str]) -> tantivy.Query:
        return tantivy.Query.term_set_query(self._schema, "rule_id", sorted(rule_ids))

    def _count_written(self, word: str, rule_ids: Collection[str] | None) -> int:
        """In how many passages, within the rules where some are given, a word stands as it is written here."""
        asked = tantivy.Query.term_query(self._schema, "vocabulary", word, "basic")
        if rule_ids is not None:
            must = tantivy.Occur.Must
            asked = tantivy.Query.boolean_query([(must, asked), (must, self._under(rule_ids))])
        return self._searcher.search(asked, 1, count=True).count  # pyright: ignore[reportAttributeAccessIssue]

    def _any_of(self, terms: Sequence[str]) -> tantivy.Query:
        words = []
        for term in terms:
            headings = tantivy.Query.term_query(self._schema, "headings", term, "freq")
            words.append((tantivy.Occur.Should, tantivy.Query.boost_query(headings, HEADINGS_WEIGHT)))
            words.append((tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "body", term, "freq")))
        return tantivy.Query.boolean_query(words)

    def _search(self, query: tantivy.Query, limit: int) -> Scored:
        hits = self._searcher.search(query, limit, count=False).hits
        keys = self._searcher.fast_field_values("passage_id", [address for _, address in hits])
        return [(int(key), float(score)) for key, (score, _) in zip(keys, hits, strict=True) if key is not None]

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise ValueError("the index is open for reading only")
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


_whole: dict[Path, set[tuple[str, int, int]]] = {}
"""By folder, name, size and time of the files that were found whole: they never change."""


def _verify(path: Path) -> None:
    """Compares Tantivy's files with their checksums, which it writes and does not read. Raises ValueError.

    Only files of committed segments count: a writer that is stopped leaves others behind, half written.
    """
    meta = path / "meta.json"
    if not meta.is_file():
        return
    found = set()
    committed = {segment["segment_id"].replace("-", "") for segment in json.loads(meta.read_bytes())["segments"]}
    for file in path.iterdir():
        if file.name.partition(".")[0] not in committed:
            continue
        status = file.stat()
        known = (file.name, status.st_size, status.st_mtime_ns)
        if known not in _whole.get(path, ()):
            # Each ends with a note as JSON, its length, and a fixed number.
            data = file.read_bytes()
            end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
            if end < 0 or json.loads(data[end:-8])["crc"] != zlib.crc32(memoryview(data)[:end]):
                raise ValueError(f"{file.name} is damaged")
        found.add(known)
    _whole[path] = found


def _tantivy_schema() -> tantivy.Schema:
    return (
        tantivy.SchemaBuilder()
        .add_unsigned_field("passage_id", indexed=True, fast=True)
        .add_text_field("rule_id", tokenizer_name="raw", index_option="basic")
        .add_text_field("headings", tokenizer_name="words", index_option="freq")
        .add_text_field("body", tokenizer_name="words", index_option="freq")
        .add_text_field("vocabulary", tokenizer_name="written", index_option="basic")
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


def _as_written() -> tantivy.TextAnalyzer:
    """Words as they are written but for their accents, which misspelt ones are compared with: stems are no words."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST_WORD))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )
