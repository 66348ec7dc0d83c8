"""Against stock LlamaIndex parts over the same documents with the same embedder."""

import time
from collections.abc import Sequence
from pathlib import Path

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter

from evals.benchmarks.answering import RULES, BenchIndex
from evals.benchmarks.corpus import write_corpus
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.result import Result, p50, p95
from rag_app.building import build_index
from rag_app.opened import open_index
from rag_app.principal import Principal

SPLITTERS = {"the default splitter": (1024, 200), "chunks of 256 tokens": (256, 20)}
"""Tokens of a chunk and of its overlap. The default embedder reads 512 tokens of a text, so of chunks of 1,024 it
reads half, and nothing finds what stands in the other half."""


def against_stock(
    folder: Path, index: BenchIndex, documents: int, rounds: int, embedder: BaseEmbedding
) -> list[Result]:
    """Processor time of a build, and time of a retrieval from the large index.

    Stock is `IngestionPipeline` with `SentenceSplitter` and the embedder, and a `VectorStoreIndex` in memory: it writes
    nothing to disk, and it has neither an index by words nor access rules.
    """
    corpus = write_corpus(folder / "small", documents, questions=0)
    results = compare_builds(corpus.folder, embedder)
    hashed = HashedEmbedding()
    everybody = Principal("reader", roles=tuple(f"r{role}" for role in range(RULES)))
    opened = open_index(index.corpus.folder, embedder=hashed)
    stock_index, chunks = stock_build(index.corpus.folder, hashed, *SPLITTERS["the default splitter"])
    ours_ms = _retrieve(opened.as_retriever(everybody), index.corpus.questions, rounds)
    for k in (opened.settings.keep, opened.settings.candidates):
        stock_ms = _retrieve(stock_index.as_retriever(similarity_top_k=k), index.corpus.questions, rounds)
        results.append(
            Result(
                f"hybrid retrieval against stock vectors in memory (k={k})",
                p50(ours_ms),
                "ms",
                p50(stock_ms),
                "stock",
                details={"p95": p95(ours_ms), "stock p95": p95(stock_ms), "stock chunks": chunks},
            )
        )
    opened.reader.close()
    return results


def compare_builds(folder: Path, embedder: BaseEmbedding) -> list[Result]:
    """`build_index` of a folder with an index.toml against stock with each of `SPLITTERS`, in processor time."""
    embedder.get_text_embedding("The model loads at the first text.")
    started = time.process_time()
    report = build_index(folder, embedder=embedder)
    ours = time.process_time() - started
    results: list[Result] = []
    for name, (tokens, overlap) in SPLITTERS.items():
        started = time.process_time()
        _, chunks = stock_build(folder, embedder, tokens, overlap)
        stock = time.process_time() - started
        results.append(
            Result(
                f"build against stock with {name}",
                ours,
                "s",
                stock,
                "stock",
                goal="1.5 times as fast",
                reached=ours * 1.5 <= stock,
                details={"our passages": report.passages, "stock chunks": chunks},
            )
        )
    return results


def stock_build(folder: Path, embedder: BaseEmbedding, tokens: int, overlap: int) -> tuple[VectorStoreIndex, int]:
    """The index that LlamaIndex's own parts make of the text files in `folder / "documents"`, and its chunks."""
    documents = [
        Document(text=path.read_text("utf-8"), metadata={"file_path": path.name})
        for path in sorted((folder / "documents").iterdir())
    ]
    splitter = SentenceSplitter(chunk_size=tokens, chunk_overlap=overlap)
    nodes = IngestionPipeline(transformations=[splitter, embedder]).run(documents=documents)
    # All is given, so that nothing is taken from the global Settings.
    index = VectorStoreIndex(
        list(nodes), embed_model=embedder, callback_manager=CallbackManager([]), transformations=[splitter]
    )
    return index, len(nodes)


def _retrieve(retriever: BaseRetriever, questions: Sequence[str], rounds: int) -> list[float]:
    times: list[float] = []
    for question in questions[: rounds + 3]:
        started = time.perf_counter()
        retriever.retrieve(question)
        times.append(1000 * (time.perf_counter() - started))
    return times[3:]
