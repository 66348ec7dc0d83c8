"""The worked examples that a draft prompt shows: those whose question is like the one that is asked.

Examples below the similarity floor are not shown: one about something else teaches nothing and costs tokens. Their text
is data between <examples> and </examples>, like that of documents; their labels begin with E, so that none can be taken
for a statement of the ledger.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from threading import Lock

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from rag_app.question import Question
from rag_app.synthesize.examples import Example
from rag_app.synthesize.showing import estimate_tokens, show_line

_OPENING = (
    "Examples of right choices, from other documents. They show how to choose, and hold nothing that may be chosen:\n"
    "a label that begins with E is never part of a reply.\n"
)


class NearExamples:
    """Chooses examples for a question, by meaning. Thread-safe; the examples are embedded when first needed."""

    def __init__(
        self, examples: Sequence[Example], embedder: BaseEmbedding, *, floor: float, most: int, tokens: int
    ) -> None:
        """`floor` is the least cosine (-1 to 1) to the question; `tokens` the room for all that are shown."""
        self._examples = tuple(examples)
        self._embedder = embedder
        self._floor, self._most, self._tokens = floor, most, tokens
        self._embedding = Lock()

    def show(self, question: Question) -> str:
        """The block for the prompt, the nearest example first; "" where none is near enough.

        The trace has how many were shown and the cosine of the best.
        """
        trace = question.trace
        asked = question.vectors(self._embedder)[-1]
        with trace.timed("examples"), self._embedding:
            vector = _unit(asked)
            cosines = (self._vectors @ vector).tolist() if self._examples else []
        ranked = sorted(range(len(cosines)), key=lambda i: (-cosines[i], i))
        room, blocks = self._tokens, list[str]()
        for i in ranked[: self._most]:
            block = _block(len(blocks) + 1, self._examples[i])
            if cosines[i] < self._floor or (room := room - estimate_tokens(block)) < 0:
                break
            blocks.append(block)
        trace.numbers["examples.shown"] = len(blocks)
        if cosines:
            trace.numbers["examples.best_cosine"] = round(cosines[ranked[0]], 6)
        joined = "\n\n".join(blocks)
        return f"{_OPENING}<examples>\n{joined}\n</examples>\n\n" if blocks else ""

    @cached_property
    def _vectors(self) -> np.ndarray:
        """One row an example: its question, embedded as questions are."""
        return np.stack([_unit(self._embedder.get_query_embedding(example.question)) for example in self._examples])


def _unit(vector: Sequence[float]) -> np.ndarray:
    array = np.asarray(vector, dtype=np.float64)
    return array / (np.linalg.norm(array) or 1.0)


def _block(number: int, example: Example) -> str:
    labels = [f"E{number}.{place}" for place in range(1, len(example.statements) + 1)]
    reply = {"parts": [{"part": 1, "labels": [labels[right - 1] for right in example.right]}]}
    lines = [f"{label} {show_line(text)}" for label, text in zip(labels, example.statements, strict=True)]
    return "\n".join([f"Part 1: {show_line(example.question)}", *lines, f"Right reply: {json.dumps(reply)}"])
