"""Runs the benchmarks, prints them as they come and keeps them as JSON."""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core.base.embeddings.base import BaseEmbedding

from evals.benchmarks import stock
from evals.benchmarks.answering import answering, build_bench_index, opening
from evals.benchmarks.indexing import indexing_speed
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.reading import reading
from evals.benchmarks.result import KEPT, Result, keep
from evals.benchmarks.scale import scale
from evals.benchmarks.starting import starting
from rag_app.models import load_embedder


@dataclass(frozen=True, slots=True)
class _Size:
    """How much is measured."""

    starts: int
    pages: int
    documents: int
    passages: int
    rounds: int
    make_embedder: Callable[[], BaseEmbedding]
    """Of builds that are set against bare forward passes and against stock parts."""


_WHOLE = _Size(starts=7, pages=200, documents=45, passages=10_000, rounds=60, make_embedder=load_embedder)
_QUICK = _Size(starts=1, pages=5, documents=3, passages=200, rounds=2, make_embedder=HashedEmbedding)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs everything. `arguments` are those of the command line where None are given."""
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks", description=__doc__)
    quick_help = "seconds instead of half an hour: shows that everything runs; its figures mean nothing"
    parser.add_argument("--quick", action="store_true", help=quick_help)
    parser.add_argument("--keep", type=Path, default=KEPT, help="the folder for the JSON file (default: %(default)s)")
    given = parser.parse_args(arguments)
    size = _QUICK if given.quick else _WHOLE
    results: list[Result] = []

    def run(title: str, benchmark: Callable[[], list[Result]]) -> None:
        started = time.perf_counter()
        print(title, flush=True)
        found = benchmark()
        results.extend(found)
        print(*found, sep="\n", flush=True)
        print(f"  ({time.perf_counter() - started:.0f} s)\n", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("Starting", lambda: starting(size.starts))
        run("Reading", lambda: reading(folder, size.pages))
        started = time.perf_counter()
        index = build_bench_index(folder / "large", size.passages, questions=size.rounds + 10)
        print(f"An index of {index.passages:,} passages ({time.perf_counter() - started:.0f} s)\n", flush=True)
        run("Indexing", lambda: indexing_speed(folder / "indexing", size.documents, index, size.make_embedder))
        run(f"Answering, {index.passages:,} passages", lambda: answering(index, size.rounds))
        run("Opening", lambda: opening(index))
        run("Growing", lambda: scale(folder / "scale", size.passages, size.rounds))
        parts = max(1, size.documents // 6)
        run(
            "Stock LlamaIndex parts",
            lambda: stock.against_stock(folder, index, parts, size.rounds, size.make_embedder()),
        )
    print(f"Kept in {keep(results, quick=given.quick, folder=given.keep)}")


if __name__ == "__main__":
    main()
