"""Runs the benchmarks, prints them as they come and keeps them as JSON."""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evals.benchmarks import stock
from evals.benchmarks.answering import answering, build_bench_index, opening
from evals.benchmarks.indexing import indexing_speed
from evals.benchmarks.reading import reading
from evals.benchmarks.result import Result, keep
from evals.benchmarks.starting import starting


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under a minute: a tenth of the size")
    quick = parser.parse_args().quick
    documents, passages, rounds = (3, 1_000, 15) if quick else (45, 10_000, 60)
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
        run("Starting", lambda: starting(3 if quick else 7))
        run("Reading", lambda: reading(folder, 20 if quick else 200))
        started = time.perf_counter()
        index = build_bench_index(folder / "large", passages, questions=rounds + 10)
        print(f"An index of {index.passages:,} passages ({time.perf_counter() - started:.0f} s)\n", flush=True)
        run("Indexing", lambda: indexing_speed(folder / "indexing", documents, index))
        run(f"Answering, {index.passages:,} passages", lambda: answering(index, rounds))
        run("Opening", lambda: opening(index))
        if stock.is_installed():
            run("Stock LlamaIndex parts", lambda: stock.against_stock(folder, index, max(1, documents // 6), rounds))
        else:
            print(f"Stock LlamaIndex parts: skipped, {stock.NEEDS} is not installed.\n")
    print(f"Kept in {keep(results, quick=quick)}")


main()
