"""How much of a build is the embedder's own work."""

import time
from collections.abc import Callable
from pathlib import Path

from llama_index.core.base.embeddings.base import BaseEmbedding

from evals.benchmarks.answering import BenchIndex
from evals.benchmarks.corpus import write_corpus
from evals.benchmarks.parts import RememberingEmbedding
from evals.benchmarks.result import Result
from rag_app.building import build_index
from rag_app.models import load_embedder


def indexing_speed(
    folder: Path, documents: int, large: BenchIndex, make_embedder: Callable[[], BaseEmbedding] = load_embedder
) -> list[Result]:
    """`build_index` with an embedder against its bare forward passes over the same texts, in one call.

    Times are of the processor, over all threads. The corpus is built in several pieces with the bare passes between
    them, so that a machine that slows down or speeds up meanwhile weighs on both alike. For the large index, which
    would take too long, the bare passes are reckoned from their time per text here, and what it took besides was
    measured when it was built.
    """
    bare_embedder = make_embedder()
    bare_embedder.get_text_embedding("The model loads at the first text.")
    built = bare = within = again = 0.0
    texts = 0
    pieces = 3
    for piece in range(pieces):
        corpus = write_corpus(folder / str(piece), max(1, documents // pieces), questions=0, seed=piece)
        embedder = RememberingEmbedding(make_embedder())
        embedder.get_text_embedding("Its own handshake with the model.")
        before, known = embedder.seconds, len(embedder.texts)
        started = time.process_time()
        build_index(corpus.folder, embedder=embedder)
        built += time.process_time() - started
        within += embedder.seconds - before
        embedded = embedder.texts[known:]
        texts += len(embedded)
        started = time.process_time()
        bare_embedder._get_text_embeddings(embedded)
        bare += time.process_time() - started
        started = time.process_time()
        build_index(corpus.folder, embedder=embedder)
        again += time.process_time() - started
    bare_large = large.texts * bare / texts
    built_large = bare_large + large.overhead_s
    return [
        Result(
            "indexing: bare forward passes, as a share of a build",
            bare,
            "s",
            built,
            "build_index",
            goal="0.90 of bare speed",
            reached=bare / built >= 0.9,
            details={"texts": texts, "in the embedder within the build": within / built},
        ),
        Result(
            f"the same at {large.passages:,} passages, reckoned",
            bare_large,
            "s",
            built_large,
            "build_index",
            goal="0.90 of bare speed",
            reached=bare_large / built_large >= 0.9,
            details={"texts": large.texts, "all but the embedder": large.overhead_s},
        ),
        Result(
            "update of an unchanged index",
            again,
            "s",
            built,
            "build_index",
            goal="0.01 of a full build",
            reached=again / built <= 0.01,
        ),
    ]
