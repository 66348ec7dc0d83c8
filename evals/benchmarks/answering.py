"""How long an answer takes without a language model, and what of that is ours rather than the models'.

The index holds vectors of hashed words, so that ten thousand passages cost seconds instead of an hour. Size decides
what searching, reading and choosing cost, not where the vectors came from; and the models still work in earnest: each
question goes through the real embedder as well, and the windows through the real cross-encoder. Ours is everything
else: the whole of `engine.query` without the time spent inside these two.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core.base.embeddings.base import BaseEmbedding

from evals.benchmarks.corpus import SECTIONS, Corpus, write_corpus
from evals.benchmarks.parts import ForgettingEmbedding, HashedEmbedding, TimedCrossEncoder
from evals.benchmarks.result import Result, p50, p95
from rag_app.building import build_index
from rag_app.llm.onnx import CrossEncoder
from rag_app.models import load_cross_encoder
from rag_app.opened import OpenIndex, open_index
from rag_app.principal import Principal
from rag_app.respond.response import GroundedResponse

RULES = 28
_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class BenchIndex:
    """A large index under `RULES` access rules, with its questions."""

    corpus: Corpus
    passages: int
    texts: int
    """That were embedded: each passage once."""
    overhead_s: float
    """Of the build: all processor time but that within the embedder."""


class _TimedIndex(OpenIndex):
    """An open index whose cross-encoder is the one given."""

    def __init__(self, opened: OpenIndex, embedder: BaseEmbedding, cross_encoder: CrossEncoder | None) -> None:
        super().__init__(opened.reader, opened.settings, embedder)
        self._cross_encoder = cross_encoder

    @property
    def cross_encoder(self) -> CrossEncoder | None:
        return self._cross_encoder


class _Way:
    """One way of asking: for whom, with a cross-encoder or without; and how long each answer took, in ms."""

    def __init__(self, index: BenchIndex, roles: range, cross_encoder: CrossEncoder | None = None) -> None:
        self._embedder = HashedEmbedding(cost_of=ForgettingEmbedding())
        self._cross_encoder = TimedCrossEncoder(cross_encoder) if cross_encoder else None
        opened = open_index(index.corpus.folder, gate_threshold=-1.0)
        self._opened = _TimedIndex(opened, self._embedder, self._cross_encoder)
        self._engine = self._opened.as_query_engine(_principal(roles), llm=None)
        self.total: list[float] = []
        self.models: list[float] = []
        self.answered = 0

    @property
    def ours(self) -> list[float]:
        """All but the models."""
        return [whole - inside for whole, inside in zip(self.total, self.models, strict=True)]

    @property
    def pairs(self) -> float:
        """Read by the cross-encoder, per question."""
        return self._cross_encoder.pairs / (_WARM_UP + len(self.total)) if self._cross_encoder else 0.0

    def ask(self, question: str, *, counts: bool) -> None:
        before = self._in_models()
        started = time.perf_counter()
        response = self._engine.query(question)
        took = time.perf_counter() - started
        if counts:
            self.total.append(1000 * took)
            self.models.append(1000 * (self._in_models() - before))
            self.answered += isinstance(response, GroundedResponse) and response.answer.status == "grounded"

    def close(self) -> None:
        self._opened.reader.close()

    def _in_models(self) -> float:
        return self._embedder.seconds + (self._cross_encoder.seconds if self._cross_encoder else 0.0)


def build_bench_index(folder: Path, passages: int, questions: int) -> BenchIndex:
    """Writes and builds the corpus."""
    corpus = write_corpus(folder, passages // SECTIONS, questions=questions, rules=RULES)
    embedder = HashedEmbedding()
    started = time.process_time()
    report = build_index(corpus.folder, embedder=embedder)
    overhead = time.process_time() - started - embedder.text_seconds
    return BenchIndex(corpus, report.passages, report.embedded, overhead)


def answering(index: BenchIndex, rounds: int) -> list[Result]:
    """Offline answers with and without the cross-encoder, and our own share under different readers.

    Every question is asked in each way before the next one, so that all ways see the same machine.
    """
    readers = {"everything": range(RULES), "2 %": range(1), "half": range(RULES // 2), "7/8": range(RULES * 7 // 8)}
    ways = {share: _Way(index, roles) for share, roles in readers.items()}
    _ask(ways, index.corpus.questions[: _WARM_UP + rounds])
    everything = ways["everything"]
    alike = {"without": _Way(index, range(RULES)), "with": _Way(index, range(RULES), load_cross_encoder())}
    _ask(alike, index.corpus.questions[: _WARM_UP + max(1, rounds // 2)])
    reranked = alike["with"]
    results = [
        _answer("answer without cross-encoder", everything, "the question's embedding", 60),
        _answer("answer with cross-encoder", reranked, "its forward passes", 800, most=1.1),
        _ours("our own part, everything readable", everything, 8, p50(everything.models), "the question's embedding"),
        _ours("our own part, with cross-encoder", reranked, None, p50(alike["without"].ours), "the same without it"),
    ]
    for share in ("2 %", "half", "7/8"):
        results.append(
            _ours(f"our own part, {share} readable", ways[share], 30, p50(everything.ours), "everything readable")
        )
    for way in (*ways.values(), *alike.values()):
        way.close()
    return results


def opening(index: BenchIndex) -> list[Result]:
    """Opening an index, and making an engine for one more reader."""
    embedder = HashedEmbedding()
    opened, made, asked = [], [], []
    for number in range(5):
        started = time.perf_counter()
        reader = open_index(index.corpus.folder, embedder=embedder, cross_encoder="none", gate_threshold=-1.0)
        opened.append(1000 * (time.perf_counter() - started))
        engine = reader.as_query_engine(_principal(range(RULES)))
        engine.query(index.corpus.questions[0])
        started = time.perf_counter()
        engine.query(index.corpus.questions[number + 1])
        asked.append(1000 * (time.perf_counter() - started))
        for role in range(10):
            started = time.perf_counter()
            reader.as_query_engine(_principal([role]))
            made.append(1000 * (time.perf_counter() - started))
        reader.reader.close()
    return [
        Result("opening an index", p50(opened), "ms", p50(asked), "an answer without models"),
        Result(
            "an engine for another reader",
            p50(made),
            "ms",
            p50(asked),
            "an answer without models",
            goal="1 ms",
            reached=p50(made) <= 1,
        ),
    ]


def _principal(roles: range | list[int]) -> Principal:
    return Principal("reader", roles=tuple(f"r{role}" for role in roles))


def _ask(ways: Mapping[str, _Way], questions: Sequence[str]) -> None:
    for number, question in enumerate(questions):
        for way in ways.values():
            way.ask(question, counts=number >= _WARM_UP)


def _answer(name: str, times: _Way, against: str, goal_ms: float, most: float | None = None) -> Result:
    worst, models = p95(times.total), p50(times.models)
    ratio = p50(times.total) / models
    return Result(
        name,
        p50(times.total),
        "ms",
        models,
        against,
        goal=f"p95 {goal_ms:.0f} ms" + (f", {most} x" if most else ""),
        reached=worst <= goal_ms and (most is None or ratio <= most),
        details={
            "p95": worst,
            "answered": times.answered / len(times.total),
            **({"pairs": times.pairs} if times.pairs else {}),
        },
    )


def _ours(name: str, times: _Way, goal_ms: float | None, against: float, compared_with: str) -> Result:
    return Result(
        name,
        p50(times.ours),
        "ms",
        against,
        compared_with,
        goal=f"{goal_ms:.0f} ms" if goal_ms else "",
        reached=p50(times.ours) <= goal_ms if goal_ms else None,
        details={"p95": p95(times.ours)},
    )
