"""A store of up to a million passages: built, updated, opened and asked, each step in a process of its own.

Texts are generated and vectors are those of hashed words, so that the store is measured and neither a model nor the
cutting of texts: everything else is what `rag_app.build_index` does. Times are of the processor, over all threads.

    python -m evals.benchmarks.large --passages 100000 --rules 1000 --keep large.json
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from evals.benchmarks.corpus import SECTIONS
from evals.benchmarks.generated import GeneratedSource
from evals.benchmarks.parts import HashedEmbedding
from evals.benchmarks.result import p50, p95
from rag_app.index.build import builder, stage
from rag_app.index.definition import load_definition
from rag_app.index.search.search_index import stack
from rag_app.index.view import View
from rag_app.opened import OpenIndex, open_index
from rag_app.principal import Principal
from rag_app.settings import load_settings

SHARES = {"everything": 1.0, "half": 0.5, "a tenth": 0.1, "2 %": 0.02}
"""How much of an index with rules somebody may read, by the number of rules."""
_K = 10
_WARM_UP = 5
_THREADS = 8


def build(folder: Path, source: GeneratedSource) -> dict[str, float]:
    """Builds the index, or updates it; figures a passage of all but the embedder and the generating of texts."""
    definition = load_definition(folder)
    embedder = HashedEmbedding()
    stage.cut = source.cut
    started, began = time.process_time(), time.perf_counter()
    report = builder.build(definition, load_settings(definition.settings), embedder, source=source)
    seconds = time.process_time() - started - embedder.text_seconds - source.seconds
    files = [file for file in definition.store_path.rglob("*") if file.is_file()]
    by_part: dict[str, float] = {}
    for file in files:
        part = [*file.relative_to(definition.store_path).parts]
        name = part[2] if part[0] == "generations" and len(part) > 2 else part[0]
        by_part[f"disk_kb {name}"] = by_part.get(f"disk_kb {name}", 0) + file.stat().st_size / 1000 / report.passages
    return {
        "passages": report.passages,
        "embedded": report.embedded,
        "ms_each": 1000 * seconds / report.passages,
        "wall_s": time.perf_counter() - began,
        "disk_kb": sum(file.stat().st_size for file in files) / 1000 / report.passages,
        "memory_mb": _memory(),
        **{name: size for name, size in by_part.items() if size > 0.01},
    }


def ask(folder: Path, source: GeneratedSource, rounds: int) -> dict[str, float]:
    """Opens the index and asks it: for everybody, for readers of a part, and in eight threads at once."""
    embedder = HashedEmbedding()
    before = _memory()
    started, began = time.process_time(), time.perf_counter()
    opened = open_index(folder, embedder=embedder, cross_encoder="none", gate_threshold=-1.0)
    found = {
        "open_ms": 1000 * (time.process_time() - started),
        "open_wall_ms": 1000 * (time.perf_counter() - began),
        "open_memory_mb": _memory() - before,
    }
    opened.reader.load()
    found["load_ms"] = 1000 * (time.process_time() - started)
    found["load_wall_ms"] = 1000 * (time.perf_counter() - began)
    step = max(1, source.documents // (rounds + _WARM_UP))
    questions = [source.question(number * step) for number in range(rounds + _WARM_UP)]
    for share in ("everything", *(SHARES if source.rules > 1 else ())):
        found |= _answers(opened, share, _reader(source, share), questions)
    found |= _threads(opened, _reader(source, "everything"), questions)
    found["memory_mb"] = _memory()
    return found | _recall(opened, source, embedder, questions)  # last: brute force holds all vectors


def _reader(source: GeneratedSource, share: str) -> Principal | None:
    roles = max(1, round(source.rules * SHARES[share]))
    return Principal("reader", roles=tuple(f"r{role}" for role in range(roles))) if source.rules else None


def _answers(opened: OpenIndex, share: str, reader: Principal | None, questions: list[str]) -> dict[str, float]:
    engine = opened.as_query_engine(reader, llm=None)
    times, grounded = [], 0
    for question in questions:
        started = time.process_time()
        response = engine.query(question)
        times.append(1000 * (time.process_time() - started))
        grounded += response.answer.status == "grounded"  # pyright: ignore[reportAttributeAccessIssue]
    times = times[_WARM_UP:]
    return {
        f"answer_ms {share}": p50(times),
        f"answer_p95_ms {share}": p95(times),
        f"answered {share}": grounded / len(questions),
    }


def _recall(
    opened: OpenIndex, source: GeneratedSource, embedder: BaseEmbedding, questions: list[str]
) -> dict[str, float]:
    """Of the ten passages nearest by brute force, how many the dense search finds, by what may be read."""
    found: dict[str, float] = {}
    with opened.reader.snapshot() as view:
        keys, rules, vectors = _everything(view)
        queries = np.array([embedder.get_query_embedding(question) for question in questions], dtype=np.float32)
        for share in SHARES if source.rules > 1 else ("everything",):
            allowed = view.readable(_reader(source, share))
            readable = np.isin(rules, sorted(allowed))
            right = 0
            for query in queries:
                cosines = np.where(readable, vectors @ query, -2.0)
                least = np.partition(cosines, -_K)[-_K] - 1e-6  # what is equally near is as right
                near = set(keys[cosines >= least].tolist())
                right += sum(key in near for key, _ in view.search_meaning(query.tolist(), _K, allowed))
            found[f"recall@{_K} {share}"] = right / _K / len(queries)
    return found


def _everything(view: View) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids, rules and vectors of all passages."""
    rows = view._connection.execute(
        "SELECT passage_id, rule_id, vector FROM passages JOIN documents USING (doc) JOIN vectors.vectors USING "
        "(vector_id) WHERE live = 1"
    )
    keys, rules, parts = [], [], []
    while batch := rows.fetchmany(10_000):
        keys += [row[0] for row in batch]
        rules += [row[1] for row in batch]
        parts.append(stack([row[2] for row in batch]))
    return np.array(keys), np.array(rules), np.concatenate(parts)


def _threads(opened: OpenIndex, reader: Principal | None, questions: list[str]) -> dict[str, float]:
    """Questions a second with one thread and with eight over one index, and what they hold in the end."""
    engine = opened.as_query_engine(reader, llm=None)
    found: dict[str, float] = {}
    alone: list[str] = []
    for threads in (1, _THREADS):
        before, files = _memory(), _files()
        began = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            answers = [str(response) for response in pool.map(engine.query, questions * 2)]
        found[f"questions_a_second {threads} threads"] = len(answers) / (time.perf_counter() - began)
        found[f"memory_growth_mb {threads} threads"] = _memory() - before
        found[f"more_files {threads} threads"] = _files() - files
        alone = alone or answers
        found[f"same_answers {threads} threads"] = float(answers == alone)
    return found


def _memory() -> float:
    """The most that this process has held so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _files() -> int:
    """Open file handles of this process."""
    return len(os.listdir("/proc/self/fd"))


STEPS: dict[str, Callable[[Path, GeneratedSource, int], dict[str, float]]] = {
    "build": lambda folder, source, _: build(folder, source),
    "update": lambda folder, source, _: build(folder, source),
    "ask": ask,
}


def define(folder: Path, rules: int) -> None:
    """Makes the folder of an index that has no files of its own."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    access = "rules" if rules else "open"
    (folder / "index.toml").write_text(
        f'[index]\nname = "large"\ndescription = "Generated."\naccess = "{access}"\n', encoding="utf-8"
    )


def large(folder: Path, passages: int, rules: int, rounds: int) -> dict[str, dict[str, float]]:
    """Each of `STEPS` in a process of its own, so that each has its own memory."""
    define(folder, rules)
    found = {}
    for step in STEPS:
        arguments = [str(folder), str(max(1, passages // SECTIONS)), str(rules), str(rounds)]
        done = subprocess.run(
            [sys.executable, "-m", "evals.benchmarks.large", "--step", step, *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        found[step] = json.loads(done.stdout.splitlines()[-1])
        print(step, json.dumps({name: round(value, 4) for name, value in found[step].items()}), flush=True)
    return found


def main() -> None:
    if sys.argv[1:2] == ["--step"]:
        step, folder, documents, rules, rounds = sys.argv[2:]
        source = GeneratedSource(int(documents), int(rules))
        print(json.dumps(STEPS[step](Path(folder), source, int(rounds))))
        return
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.large", description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=0, help="access rules; 0: everybody reads everything")
    parser.add_argument("--rounds", type=int, default=40, help="questions asked for each reader")
    parser.add_argument("--keep", type=Path, help="a JSON file to which the figures are added, a line each run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        found = large(Path(name) / "index", given.passages, given.rules, given.rounds)
    if given.keep:
        with given.keep.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"rules": given.rules, **found}) + "\n")


if __name__ == "__main__":
    main()
