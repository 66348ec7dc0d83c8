"""Against stock LlamaIndex parts over the same documents with the same embedder."""

import importlib.util
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from evals.benchmarks.answering import RULES, BenchIndex
from evals.benchmarks.corpus import write_corpus
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.result import Result, p50, p95
from rag_app.building import build_index
from rag_app.models import load_embedder
from rag_app.opened import open_index
from rag_app.principal import Principal

NEEDS = "llama-index-vector-stores-chroma"


def is_installed() -> bool:
    """Whether the stock Chroma integration is there to compare with."""
    try:
        return importlib.util.find_spec("llama_index.vector_stores.chroma") is not None
    except ModuleNotFoundError:  # not even the folder of such integrations
        return False


def against_stock(folder: Path, index: BenchIndex, documents: int, rounds: int) -> list[Result]:
    """Build time with the default embedder, and retrieval from the large index.

    Stock is `SentenceSplitter` at its defaults, `VectorStoreIndex` and `ChromaVectorStore`. It embeds chunks of 1,024
    tokens, of which the embedder reads 512; ours embeds passages of about 110 words and each statement besides.
    """
    corpus = write_corpus(folder / "small", documents, questions=0)
    embedder = load_embedder()
    embedder.get_text_embedding("The model loads at the first text.")
    started = time.perf_counter()
    build_index(corpus.folder)
    ours = time.perf_counter() - started
    started = time.perf_counter()
    _, chunks = _stock_index(corpus.folder, folder / "stock-small", embedder)
    stock = time.perf_counter() - started
    results = [Result("build, default embedder", ours, "s", stock, "stock", details={"stock chunks": chunks})]

    hashed = HashedEmbedding()
    everybody = Principal("reader", roles=tuple(f"r{role}" for role in range(RULES)))
    opened = open_index(index.corpus.folder, embedder=hashed)
    stock_index, chunks = _stock_index(index.corpus.folder, folder / "stock-large", hashed)
    ours_ms = _retrieve(opened.as_retriever(everybody), index.corpus.questions, rounds)
    for k in (opened.settings.keep, opened.settings.candidates):
        stock_ms = _retrieve(stock_index.as_retriever(similarity_top_k=k), index.corpus.questions, rounds)
        results.append(
            Result(
                f"retrieval, both legs, against stock vectors (k={k})",
                p50(ours_ms),
                "ms",
                p50(stock_ms),
                "stock",
                details={"p95": p95(ours_ms), "stock p95": p95(stock_ms), "stock chunks": chunks},
            )
        )
    opened.reader.close()
    return results


def _retrieve(retriever: Any, questions: Sequence[str], rounds: int) -> list[float]:
    times = []
    for question in questions[: rounds + 3]:
        started = time.perf_counter()
        retriever.retrieve(question)
        times.append(1000 * (time.perf_counter() - started))
    return times[3:]


def _stock_index(folder: Path, store: Path, embedder: BaseEmbedding) -> tuple[Any, int]:
    import chromadb
    import chromadb.config
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.vector_stores.chroma import ChromaVectorStore  # pyright: ignore[reportMissingImports]

    documents = [
        Document(text=path.read_text("utf-8"), metadata={"file_path": path.name})
        for path in sorted((folder / "documents").iterdir())
    ]
    client = chromadb.PersistentClient(str(store), settings=chromadb.config.Settings(anonymized_telemetry=False))
    collection = client.create_collection("stock", embedding_function=None, metadata={"hnsw:space": "cosine"})
    nodes = SentenceSplitter().get_nodes_from_documents(documents)
    context = StorageContext.from_defaults(vector_store=ChromaVectorStore(chroma_collection=collection))
    return VectorStoreIndex(nodes, storage_context=context, embed_model=embedder), len(nodes)
