"""The dense index, which finds by meaning: Chroma, as files of its own or on a server."""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb.api
import chromadb.config
import httpx
import numpy as np
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.api.models.Collection import Collection as ChromaCollection
from chromadb.errors import NotFoundError

from rag_app.errors import DefinitionError, StoreError
from rag_app.index.search.checksums import has_checksums, remove_checksums, verify_checksums, write_checksums
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
from rag_app.index.store import Generation, Store

# With these, lists of 50 equalled brute force even among 10,000 random directions.
_HNSW: CreateHNSWConfiguration = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 1000}
_FEW = 1000
"""Entries that wait in Chroma's log before the graph is written to disk (its `sync_threshold`), unless many come."""
_PARTS = 8
"""How often at most the graph is written while many entries are added: it is written as a whole each time, and what
waits for it lies in the log, which every opening puts into the graph again."""
_MOST_WAITING = 10_000
"""Entries that wait at most where readers may open the index meanwhile: some ten seconds of each opening."""
_PLACE: Any = {"tenant": chromadb.config.DEFAULT_TENANT, "database": chromadb.config.DEFAULT_DATABASE}
_TOLERANCE = 1e-3
"""How much a number of a unit vector may differ from what was written: Chroma scales vectors again."""
_SECONDS = 30.0
"""How long a server may take for one call."""


class DenseIndex:
    """By meaning: a graph of unit vectors (HNSW; Malkov and Yashunin, 2016), cosine similarity.

    It holds no access rules: filters cost Chroma more than anything else and fail while another process writes. The
    reader asks for more than it needs and keeps what may be read; see docs/design/index-layout.md.
    """

    def __init__(self, generation: Generation, *, writable: bool = False) -> None:
        """A writer opens it, or makes it where there is none. A reader writes nothing, and calls `load` first.

        Raises:
            StoreError: it is gone; for a writer, or on a server, also where it cannot be opened or reached.
        """
        self._path = generation.chroma
        self.holds_still = not generation.chroma_url
        """Whether a reader sees it as it was when it was opened; a server's changes under its readers."""
        self._url = generation.chroma_url
        self._writable = writable
        self._ground = ExitStack()
        self._name = generation.collection
        self._system: chromadb.config.System | None = None
        if writable or self._url:
            self._start()
        elif not (self._path / "chroma.sqlite3").is_file():
            raise lost_index(self._path)

    def begin_adding(self, count: int) -> int:
        """Chooses how often the graph is written meanwhile, so that a million entries cost no more each than a
        thousand: written after every thousand, it would be written as often as it has thousands."""
        if not self.holds_still:
            return AT_ONCE
        parts = min(_PARTS, max(1, count // _FEW))
        if self.count():
            parts = max(parts, math.ceil(count / _MOST_WAITING))
        batches = math.ceil(count / parts / AT_ONCE)  # of a part
        at_once = math.ceil(count / parts / batches)
        # The last part is the smallest: its last batch must reach the threshold too, or it would stay in the log.
        last = count - (parts - 1) * batches * at_once
        self._write_after(max(_FEW, last))
        return at_once

    def end_adding(self) -> None:
        if self.holds_still:
            self._write_after(_FEW, now=False)

    def add(self, rows: Sequence[IndexEntry], vectors: Vector) -> None:
        with self._changing():
            for begin in range(0, len(rows), self._batch):
                self._collection.upsert(
                    ids=[str(row.passage_id) for row in rows[begin : begin + self._batch]],
                    embeddings=vectors[begin : begin + self._batch],  # pyright: ignore[reportArgumentType]
                )

    def delete(self, passage_ids: Collection[int]) -> None:
        ids = [str(passage_id) for passage_id in sorted(passage_ids)]
        with self._changing():
            for begin in range(0, len(ids), self._batch):
                self._collection.delete(ids=ids[begin : begin + self._batch])

    def ids(self) -> set[int]:
        with self._mapped():
            return {int(key) for key in self._collection.get(include=[])["ids"]}

    def count(self) -> int:
        with self._mapped():
            return self._collection.count()

    def altered(self, rows: Sequence[IndexEntry], vectors: Vector) -> set[int]:
        """Those of some passages whose vector is not the one that was written."""
        with self._mapped():
            given = self._collection.get(ids=[str(row.passage_id) for row in rows], include=["embeddings"])
        held = dict(zip(given["ids"], given["embeddings"] if given["embeddings"] is not None else (), strict=True))
        return {
            row.passage_id
            for row, vector in zip(rows, vectors, strict=True)
            if not np.allclose(held.get(str(row.passage_id), np.nan), vector, rtol=0, atol=_TOLERANCE)
        }

    def search(self, query: Sequence[float] | Vector, k: int, rule_ids: Collection[str] | None = None) -> Scored:
        """The `k` nearest, with their cosine (-1 to 1). Raises ValueError where asked to filter."""
        if rule_ids is not None:
            raise ValueError("The dense index cannot filter by access rule.")
        with self._mapped():
            found = self._collection.query(query_embeddings=[query], n_results=k, include=["distances"])  # pyright: ignore
        keys, distances = found["ids"][0], (found["distances"] or [[]])[0]
        return ordered([(int(key), 1.0 - distance) for key, distance in zip(keys, distances, strict=True)])

    def load(self) -> None:
        """Opens it for reading and reads the graph, which takes seconds where it is large. Nobody may write meanwhile;
        what is written later is not in it. A server's is read by the server.

        Raises:
            StoreError: it is damaged, or gone.
        """
        if self.holds_still:
            self._start()

    def close(self) -> None:
        with self._mapped():
            if self._system is not None:
                self._system.stop()
                if self._writable and self.holds_still and not has_checksums(self._path):
                    self._start()  # as the next reader would: the first to open it puts what waits into the graph
                    self._system.stop()
                    write_checksums(self._path)
            self._ground.close()

    def _start(self) -> None:
        with self._mapped():
            if self._url:
                self._system, server = _connect(self._url)
            else:
                verify_checksums(self._path)
                place = self._path if self._writable else self._ground.enter_context(open_for_reading(self._path))
                self._system, server = _open(place, self._writable)
            self._batch = server.get_max_batch_size()
            try:
                make = server.get_or_create_collection if self._writable else server.get_collection
                hnsw: Any = {"configuration": {"hnsw": _HNSW}} if self._writable else {}
                model = make(self._name, **hnsw, **_PLACE)
            except NotFoundError as error:
                raise lost_index(self._path) from error
            self._collection = ChromaCollection(client=server, model=model, embedding_function=None)
            if self.holds_still:
                self._heeded: int = model.configuration_json["hnsw"]["sync_threshold"]
                self._chosen = self._heeded
                self._read_graph()

    def _write_after(self, waiting: int, *, now: bool = True) -> None:
        """Sets how many entries wait in the log before the graph is written; Chroma heeds it from the next opening
        on, so the index is opened again where it must hold `now`."""
        if waiting != self._chosen:
            with self._mapped():
                self._collection.modify(configuration={"hnsw": {"sync_threshold": waiting}})
            self._chosen = waiting
        if now and waiting != self._heeded:
            self.close()
            self._start()

    def _read_graph(self) -> None:
        first = self._collection.get(limit=1, include=["embeddings"])["embeddings"]
        if first is not None and len(first):
            self._collection.query(query_embeddings=[first[0]], n_results=1, include=[])  # pyright: ignore

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._mapped():
            if self.holds_still:
                remove_checksums(self._path)
            yield

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        with mapped_index_errors(self._path), _mapped_server_errors(self._url):
            yield


def remove_unused(store: Store) -> None:
    """Removes every generation of a store but the one in force, and those that somebody still reads; from a server
    too, on which nobody can tell who reads. Raises StoreError where it cannot be reached."""
    store.remove_unused()
    if not store.chroma_url:
        return
    current = store.current()
    remove_collections(store.chroma_url, store.collection_prefix, current.collection if current else None)


def remove_collections(url: str, prefix: str, keep: str | None) -> None:
    """Removes from a server the collections of a store, but for one. Raises StoreError where it cannot be reached."""
    with mapped_index_errors(Path(prefix)), _mapped_server_errors(url):
        system, server = _connect(url)
        try:
            for collection in server.list_collections(**_PLACE):
                if collection.name.startswith(prefix) and collection.name != keep:
                    server.delete_collection(collection.name, **_PLACE)
        finally:
            system.stop()


def _open(path: Path, writable: bool) -> "tuple[chromadb.config.System, chromadb.api.ServerAPI]":
    # An own System for each opened index: chromadb.PersistentClient would hand out one that is shared within the
    # process, and which could be reopened only by closing it under everybody else.
    system = chromadb.config.System(
        chromadb.config.Settings(
            is_persistent=True,
            persist_directory=str(path),
            anonymized_telemetry=False,
            migrations="apply" if writable else "validate",
        )
    )
    server = system.instance(chromadb.api.ServerAPI)
    system.start()
    return system, server


def _connect(url: str) -> "tuple[chromadb.config.System, chromadb.api.ServerAPI]":
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DefinitionError(f"The Chroma server must be given like http://localhost:8000, not {url!r}.", url=url)
    secure = parts.scheme == "https"
    system = chromadb.config.System(
        chromadb.config.Settings(
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=parts.hostname,
            chroma_server_http_port=parts.port or (443 if secure else 8000),
            chroma_server_ssl_enabled=secure,
            anonymized_telemetry=False,
        )
    )
    server = system.instance(chromadb.api.ServerAPI)
    session: httpx.Client = server._session  # pyright: ignore  # it would wait for ever
    session.timeout = httpx.Timeout(_SECONDS)
    system.start()
    return system, server


@contextmanager
def _mapped_server_errors(url: str) -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise StoreError(
            f"The Chroma server at {url} did not answer within {_SECONDS:g} seconds: try again, or look at its load.",
            url=url,
        ) from error
    except httpx.HTTPError as error:
        raise StoreError(
            f"The Chroma server at {url} cannot be reached ({error}): start it with `chroma run`, or correct the "
            "setting chroma_url.",
            url=url,
        ) from error
