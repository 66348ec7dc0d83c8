"""Embedders and a cross-encoder that are timed, remembered or quick, to tell models from what stands around them."""

import hashlib
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from rag_app.llm.onnx import QUERY_PREFIX, CrossEncoder, OnnxEmbedding
from rag_app.text.words import content_stems

_NUMBERS = 384
_COMMON = 1.1
"""Length of what all texts share, beside 1 for their words: cosines then lie where those of the real embedder do."""


class HashedEmbedding(BaseEmbedding):
    """Random projections of hashed words as unit vectors of 384 numbers; a text costs microseconds.

    It stands in for the real embedder where only the size of an index matters. A question can cost what it costs the
    real one: `cost_of` embeds each question too, is timed, and its vector is thrown away.
    """

    model_name: str = "hashed words"
    _cost_of: BaseEmbedding | None = PrivateAttr(default=None)
    _seconds: float = PrivateAttr(default=0.0)
    _text_seconds: float = PrivateAttr(default=0.0)

    def __init__(self, cost_of: BaseEmbedding | None = None) -> None:
        super().__init__()
        self._cost_of = cost_of

    @classmethod
    def class_name(cls) -> str:
        return "HashedEmbedding"

    @property
    def seconds(self) -> float:
        """Spent on questions so far, this class's own vectors included."""
        return self._seconds

    @property
    def text_seconds(self) -> float:
        """Of processor time, spent on texts so far."""
        return self._text_seconds

    def _get_text_embedding(self, text: str) -> list[float]:
        started = time.process_time()
        vector = self._vector(text)
        self._text_seconds += time.process_time() - started
        return vector

    def _vector(self, text: str) -> list[float]:
        vector = _COMMON * _direction("")
        words = np.sum([_direction(stem) for stem in content_stems(text)] or [np.zeros(_NUMBERS)], axis=0)
        vector = vector + words / (float(np.linalg.norm(words)) or 1.0)
        return (vector / np.linalg.norm(vector)).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        started = time.perf_counter()
        if self._cost_of is not None:
            self._cost_of.get_query_embedding(query)
        vector = self._vector(query)
        self._seconds += time.perf_counter() - started
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class ForgettingEmbedding(OnnxEmbedding):
    """The default embedder, which embeds a question each time: where several ways are asked the same, each pays."""

    @classmethod
    def class_name(cls) -> str:
        return "ForgettingEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(QUERY_PREFIX + query)


class RememberingEmbedding(BaseEmbedding):
    """Another embedder, whose texts are kept and whose time is counted."""

    _of: BaseEmbedding = PrivateAttr()
    _texts: list[str] = PrivateAttr(default_factory=list)
    _seconds: float = PrivateAttr(default=0.0)

    def __init__(self, of: BaseEmbedding) -> None:
        super().__init__(model_name=of.model_name, embed_batch_size=of.embed_batch_size)
        self._of = of

    @classmethod
    def class_name(cls) -> str:
        return "RememberingEmbedding"

    @property
    def texts(self) -> list[str]:
        """What was embedded, in order."""
        return self._texts

    @property
    def seconds(self) -> float:
        """Of processor time, spent within the embedder it stands for."""
        return self._seconds

    def _get_text_embedding(self, text: str) -> list[float]:
        started = time.process_time()
        vector = self._of._get_text_embedding(text)
        self._seconds += time.process_time() - started
        self._texts.append(text)
        return vector

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        started = time.process_time()
        vectors = self._of._get_text_embeddings(texts)
        self._seconds += time.process_time() - started
        self._texts += texts
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._of._get_query_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class TimedCrossEncoder:
    """Another cross-encoder, whose time is counted."""

    def __init__(self, of: CrossEncoder) -> None:
        self._of = of
        self.name = of.name
        self.seconds = 0.0
        self.pairs = 0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        started = time.perf_counter()
        scores = self._of.score(query, texts)
        self.seconds += time.perf_counter() - started
        self.pairs += len(texts)
        return scores

    def fingerprint(self) -> str:
        return self._of.fingerprint()


@lru_cache(maxsize=100_000)
def _direction(word: str) -> "np.ndarray[Any, Any]":
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    direction = np.random.default_rng(seed).standard_normal(_NUMBERS)
    return direction / np.linalg.norm(direction)
