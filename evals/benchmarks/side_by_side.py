"""rag_app beside LlamaIndex as people use it, over a folder of pages with questions whose right pages are known.

Stock is `IngestionPipeline` with `SentenceSplitter`, `VectorStoreIndex` over Chroma on disk, `BM25Retriever`, both
fused by `QueryFusionRetriever`, and a sentence-transformers reranker, with the same embedder. A part whose package is
not installed is skipped by name. Builds are timed on the processor, over all threads; questions by the clock, each in
every way before the next one.

    python -m evals.benchmarks.side_by_side FOLDER     # with documents/ and questions*.jsonl, "gold": [paths]
"""

import argparse
import importlib.util
import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES

from evals.benchmarks.parts import ForgettingEmbedding
from evals.benchmarks.result import Result, keep, p50, p95
from rag_app.building import build_index
from rag_app.opened import open_index

SPLITTERS = {"chunks of 1,024 tokens": (1024, 200), "chunks of 256 tokens": (256, 20)}
"""Tokens of a chunk and of its overlap: the splitter's default, and what the default embedder reads as a whole."""
_K = (1, 5, 10)
_MOST = 50
"""Passages that each way may return, so that ten different pages are among them."""
_RERANKER = "cross-encoder/ms-marco-MiniLM-L-6-v2"


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages, and questions with the pages that answer them, by their paths."""

    folder: Path
    questions: tuple[tuple[str, frozenset[str]], ...]


@dataclass(slots=True)
class Way:
    """One way of retrieving: paths of the pages found, best first."""

    name: str
    find: Callable[[str], Sequence[str]]
    milliseconds: list[float] = field(default_factory=list)
    ranks: list[list[bool]] = field(default_factory=list)
    """For each question, which of the pages found are right."""

    def ask(self, question: str, gold: frozenset[str]) -> None:
        started = time.perf_counter()
        found = list(dict.fromkeys(self.find(question)))
        self.milliseconds.append(1000 * (time.perf_counter() - started))
        self.ranks.append([page in gold for page in found])

    def recall(self, k: int) -> float:
        """Share of questions with a right page among the first `k` pages."""
        return sum(any(right[:k]) for right in self.ranks) / max(1, len(self.ranks))


def load_pages(source: Path, target: Path, most: int) -> Pages:
    """Copies the pages that questions name, and others up to `most` pages, into `target / "documents"`; where fewer are
    wanted than are named, some of these with the questions about them alone."""
    questions = []
    for file in sorted(source.glob("questions*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            if case.get("gold"):
                questions.append((case["question"], frozenset(case["gold"])))
    named = sorted({page for _, gold in questions for page in gold})
    documents = source / "documents"
    others = sorted(p.relative_to(documents).as_posix() for p in documents.rglob("*.md"))
    others = [page for page in others if page not in named]
    rng = random.Random(7)
    rng.shuffle(named)
    rng.shuffle(others)
    chosen = [*named, *others][:most]
    questions = [(question, gold) for question, gold in questions if gold <= set(chosen)]
    for page in chosen:
        (target / "documents" / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(documents / page, target / "documents" / page)
    (target / "index.toml").write_text(
        '[index]\nname = "pages"\ndescription = "Pages."\naccess = "open"\n', encoding="utf-8"
    )
    return Pages(target, tuple(questions))


def side_by_side(pages: Pages, embedder: BaseEmbedding) -> list[Result]:
    """Build, update, opening, questions and recall of pages; ratios are rag_app's share of stock's."""
    embedder.get_text_embedding("The model loads at the first text.")
    report, built = _timed(build_index, pages.folder, embedder=embedder)
    _, updated = _timed(build_index, pages.folder, embedder=embedder)
    opened, opening = _timed(open_index, pages.folder, embedder=embedder, cross_encoder="none")
    retriever = opened.as_retriever()
    ways = [Way("rag_app", lambda question: [hit.node.metadata["path"] for hit in retriever.retrieve(question)])]
    results: list[Result] = []
    for name, (tokens, overlap) in SPLITTERS.items():
        if not _installed("llama_index.vector_stores.chroma"):
            print(f"  skipped: stock with {name} needs llama-index-vector-stores-chroma")
            continue
        place = pages.folder / f"stock-{tokens}"
        chunks, stock_built = _timed(_stock_build, pages, place, embedder, tokens, overlap)
        index, stock_opening = _timed(_stock_open, place, embedder)
        for what, ours, theirs in (("build", built, stock_built), ("opening", opening, stock_opening)):
            details = {"our passages": report.passages, "stock chunks": len(chunks)} if what == "build" else {}
            results.append(Result(f"{what}, stock with {name}", ours, "s", theirs, "stock", details=details))
        ways += _stock_ways(name, index, chunks)
    results.append(Result("update of nothing, rag_app", updated, "s", built, "its build"))
    for question, gold in pages.questions:
        for way in ways:
            way.ask(question, gold)
    opened.reader.close()
    ours = ways[0]
    for way in ways:
        details = {f"R@{k}": way.recall(k) for k in _K}
        details |= {"p95": p95(way.milliseconds), "questions": len(way.ranks)}
        results.append(
            Result(
                f"a question, {way.name}",
                p50(way.milliseconds),
                "ms",
                p50(ours.milliseconds),
                "rag_app",
                details=details,
            )
        )
    return results


def _stock_build(pages: Pages, place: Path, embedder: BaseEmbedding, tokens: int, overlap: int) -> list[Any]:
    from llama_index.vector_stores.chroma import ChromaVectorStore  # pyright: ignore[reportMissingImports]

    folder = pages.folder / "documents"
    documents = [
        Document(text=path.read_text("utf-8"), metadata={"path": path.relative_to(folder).as_posix()})
        for path in sorted(folder.rglob("*.md"))
    ]
    splitter = SentenceSplitter(chunk_size=tokens, chunk_overlap=overlap)
    store = ChromaVectorStore(chroma_collection=_collection(place))
    return list(IngestionPipeline(transformations=[splitter, embedder], vector_store=store).run(documents=documents))


def _stock_open(place: Path, embedder: BaseEmbedding) -> VectorStoreIndex:
    from llama_index.vector_stores.chroma import ChromaVectorStore  # pyright: ignore[reportMissingImports]

    store = ChromaVectorStore(chroma_collection=_collection(place))
    # All is given, so that nothing is taken from the global Settings.
    return VectorStoreIndex.from_vector_store(
        store, embed_model=embedder, callback_manager=CallbackManager([]), transformations=[embedder]
    )


def _collection(place: Path) -> Any:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))
    return client.get_or_create_collection("pages", embedding_function=None, metadata={"hnsw:space": "cosine"})


def _stock_ways(name: str, index: VectorStoreIndex, chunks: list[Any]) -> list[Way]:
    by_vector = index.as_retriever(similarity_top_k=_MOST)
    ways = [_way(f"stock vectors, {name}", by_vector)]
    if not _installed("llama_index.retrievers.bm25"):
        print(f"  skipped: BM25Retriever and QueryFusionRetriever with {name} need llama-index-retrievers-bm25")
        return ways
    from llama_index.retrievers.bm25 import BM25Retriever  # pyright: ignore[reportMissingImports]

    by_words = BM25Retriever.from_defaults(nodes=chunks, similarity_top_k=min(_MOST, len(chunks)))
    fused = QueryFusionRetriever(
        [by_vector, by_words],
        llm=MockLLM(),
        mode=FUSION_MODES.RECIPROCAL_RANK,
        similarity_top_k=_MOST,
        num_queries=1,
        use_async=False,
    )
    ways += [_way(f"stock BM25, {name}", by_words), _way(f"stock fusion, {name}", fused)]
    if not _installed("sentence_transformers"):
        print(f"  skipped: the reranker {_RERANKER} with {name} needs sentence-transformers")
        return ways
    from llama_index.core.postprocessor import SentenceTransformerRerank

    try:
        reranker = SentenceTransformerRerank(model=_RERANKER, top_n=_MOST)
    except OSError as error:  # what transformers raises where a model is not on disk and cannot be fetched
        print(f"  skipped: the reranker {_RERANKER} with {name} cannot be loaded ({str(error).splitlines()[0]})")
        return ways

    def rerank(question: str) -> list[str]:
        hits = reranker.postprocess_nodes(fused.retrieve(question), query_str=question)
        return [hit.node.metadata["path"] for hit in hits]

    return [*ways, Way(f"stock fusion and reranker, {name}", rerank)]


def _way(name: str, retriever: Any) -> Way:
    return Way(name, lambda question: [hit.node.metadata["path"] for hit in retriever.retrieve(question)])


def _installed(module: str) -> bool:
    """Whether `module` can be found; `find_spec` alone raises where the package above it is missing."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _timed(work: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, float]:
    """What `work` returns, and its seconds of the processor."""
    started = time.process_time()
    result = work(*args, **options)
    return result, time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.side_by_side", description=__doc__)
    parser.add_argument("folder", type=Path, help="with documents/ and questions*.jsonl")
    parser.add_argument("--pages", type=int, default=10_000, help="how many pages at most")
    parser.add_argument("--keep", type=Path, help="the folder for the JSON file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        results = side_by_side(load_pages(given.folder, Path(name), given.pages), ForgettingEmbedding())
    print(*results, sep="\n")
    if given.keep:
        print(f"Kept in {keep(results, quick=False, folder=given.keep)}")


if __name__ == "__main__":
    main()
