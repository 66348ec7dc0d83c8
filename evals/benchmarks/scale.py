"""How an index grows: one of many passages beside one of a tenth, so that a ratio of 1 means growth in step.

Vectors are those of hashed words, so that the store is measured and not a model. Times are of the processor, over all
threads of this process, so that other work on the machine weighs little.

    python -m evals.benchmarks.scale --passages 100000
"""

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from evals.benchmarks.corpus import SECTIONS, write_corpus
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.result import Result, p50, p95
from rag_app.building import build_index
from rag_app.opened import OpenIndex, open_index

_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Size:
    """What was measured at one size."""

    passages: int
    build_ms: float
    """Of processor time a passage, the embedder's share left out."""
    update_ms: float
    """Of an update in which nothing has changed, a passage."""
    disk_kb: float
    """Of the store, a passage."""
    memory_mb: float
    """The most that the process has held so far; sizes are measured from the smallest up."""
    open_ms: float
    ask_ms: list[float]
    """Of each question, without a model."""


def measured_at(folder: Path, passages: int, rounds: int) -> Size:
    """Builds, updates, opens and asks an index of about `passages` passages in an empty folder."""
    corpus = write_corpus(folder, max(1, passages // SECTIONS), questions=_WARM_UP + rounds)
    embedder = HashedEmbedding()
    started = time.process_time()
    report = build_index(corpus.folder, embedder=embedder)
    built = time.process_time() - started - embedder.text_seconds
    started = time.process_time()
    build_index(corpus.folder, embedder=embedder)
    updated = time.process_time() - started
    store = sum(file.stat().st_size for file in Path(report.store).rglob("*") if file.is_file())
    started = time.process_time()
    opened = open_index(corpus.folder, embedder=embedder, cross_encoder="none", gate_threshold=-1.0)
    opening = time.process_time() - started
    asked = _ask(opened, corpus.questions)
    opened.reader.close()
    return Size(
        passages=report.passages,
        build_ms=1000 * built / report.passages,
        update_ms=1000 * updated / report.passages,
        disk_kb=store / 1000 / report.passages,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        open_ms=1000 * opening,
        ask_ms=asked,
    )


def scale(folder: Path, passages: int, rounds: int) -> list[Result]:
    """An index of `passages` passages against one of a tenth of them."""
    small = measured_at(folder / "small", passages // 10, rounds)
    large = measured_at(folder / "large", passages, rounds)
    against = f"at {small.passages:,} passages"

    def compared(name: str, measured: float, before: float, unit: str, **details: float) -> Result:
        return Result(f"{name}, {large.passages:,} passages", measured, unit, before, against, details=details)

    return [
        compared("build without embedding, a passage", large.build_ms, small.build_ms, "ms"),
        compared("update of an unchanged index, a passage", large.update_ms, small.update_ms, "ms"),
        compared("disk, a passage", large.disk_kb, small.disk_kb, "kB"),
        compared("most memory of the process", large.memory_mb, small.memory_mb, "MB"),
        compared("opening", large.open_ms, small.open_ms, "ms"),
        compared("our own part of an answer", p50(large.ask_ms), p50(small.ask_ms), "ms", p95=p95(large.ask_ms)),
    ]


def _ask(opened: OpenIndex, questions: tuple[str, ...]) -> list[float]:
    engine = opened.as_query_engine(llm=None)
    times: list[float] = []
    for question in questions:
        started = time.process_time()
        engine.query(question)
        times.append(1000 * (time.process_time() - started))
    return times[_WARM_UP:]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.scale", description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=40, help="questions asked of each index")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(*scale(Path(name), arguments.passages, arguments.rounds), sep="\n")


if __name__ == "__main__":
    main()
