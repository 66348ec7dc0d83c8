"""Models from a short name: the one door through which index definitions, settings and people choose them.

A name is one of the lists below (`bge-small`), or a prefix of theirs and something after it (`hf:some/model`). Models
are loaded when first asked for and shared by the whole process. Light to import: what a model needs comes with it.
"""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rag_app.errors import DefinitionError, ModelUnavailable, UsageError
from rag_app.llm.fingerprint import embedder_fingerprint, same_embedder

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import LLM

    from rag_app.llm.onnx import CrossEncoder

__all__ = [
    "CROSS_ENCODERS",
    "EMBEDDERS",
    "LLMS",
    "Choice",
    "MissingCrossEncoder",
    "check_embedder",
    "default_gate_threshold",
    "embedder_fingerprint",
    "load_cross_encoder",
    "load_embedder",
    "load_llm",
    "load_reranker",
    "same_embedder",
]

Model = TypeVar("Model", covariant=True)


@dataclass(frozen=True, slots=True)
class Choice(Generic[Model]):
    """One entry of a list of models."""

    sentence: str
    """What it is and what it needs."""
    load: Callable[[str], Model]
    """Makes it; receives what follows the prefix, or ""."""
    gate_threshold: float = -1.0
    """For an embedder: the cosine below which its best passage is about something else; -1 where nobody measured it."""


def load_embedder(name: str = "bge-small") -> "BaseEmbedding":
    """An embedder of `EMBEDDERS`. The model is shared; the object around it, with its callbacks, is the caller's own.

    Raises:
        DefinitionError: no such name.
        ModelUnavailable: its files, its extra or the network are missing.
    """
    return _load("embedder", EMBEDDERS, name).model_copy()


def check_embedder(embedder: object) -> None:
    """Raises UsageError where something is neither None nor a LlamaIndex embedder."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    if embedder is not None and not isinstance(embedder, BaseEmbedding):
        raise UsageError(f"embedder must be a LlamaIndex embedder, not {embedder!r}: a name goes to embedding=.")


def default_gate_threshold(name: str) -> float:
    """The confidence gate's cosine for an embedder where none is calibrated; -1 (always open) where none is known."""
    return _choose("embedder", EMBEDDERS, name)[0].gate_threshold


def load_cross_encoder(name: str = "minilm-l12") -> "CrossEncoder | None":
    """A cross-encoder of `CROSS_ENCODERS`; None for "none". Raises as `load_embedder` does."""
    return _load("cross-encoder", CROSS_ENCODERS, name)


def load_reranker(name: str) -> "CrossEncoder | None":
    """The cross-encoder of that name; of one that cannot be loaded, the trace of every answer says why."""
    try:
        return load_cross_encoder(name)
    except ModelUnavailable as error:
        return MissingCrossEncoder(error)


class MissingCrossEncoder:
    """Stands in for a cross-encoder that could not be loaded; says why when it is asked."""

    name = "missing"

    def __init__(self, error: ModelUnavailable) -> None:
        self._reason = str(error)

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelUnavailable(self._reason)

    def fingerprint(self) -> str:
        return self.name


def load_llm(name: str = "none") -> "LLM | None":
    """A language model of `LLMS`; None for "none": answers are then extractive. Nothing is asked of it yet.

    Its client is shared, as long as the environment that says how to reach it stays the same.

    Raises:
        DefinitionError: no such name.
        ModelUnavailable: its extra, its region or its address is missing.
    """
    choice, rest = _choose("language model", LLMS, name)
    llm = _shared(("language model", name, _reached_by()), lambda: choice.load(rest))
    return None if llm is None else llm.model_copy()


def warm_up(
    embedder: "BaseEmbedding", cross_encoder: "CrossEncoder | None", load_index: Callable[[], None]
) -> dict[str, float]:
    """Runs each model once, which loads it, and then `load_index`: seconds that each took, by name."""
    text = "What is this about?"
    runs: dict[str, Callable[[], object]] = {"embedder": lambda: embedder.get_query_embedding(text)}
    if cross_encoder is not None:
        runs["cross-encoder"] = lambda: cross_encoder.score(text, [text])
    runs["index"] = load_index
    seconds = {}
    for name, run in runs.items():
        began = time.perf_counter()
        run()
        seconds[name] = time.perf_counter() - began
    return seconds


_loaded: dict[tuple[str, str, str], Any] = {}
_loading = threading.Lock()


def _load(kind: str, choices: Mapping[str, Choice[Model]], name: str) -> Model:
    choice, rest = _choose(kind, choices, name)
    if rest:
        rest = _whole_path(rest)
    return _shared((kind, name.partition(":")[0], rest), lambda: choice.load(rest))


def _shared(key: tuple[str, str, str], load: Callable[[], Model]) -> Model:
    with _loading:
        if key not in _loaded:
            _loaded[key] = load()
        return _loaded[key]


def _reached_by() -> str:
    """A digest of the environment that says how language models are reached."""
    prefixes = ("AWS_", "OPENAI_", "RAG_APP_OPENAI_")
    found = sorted((name, value) for name, value in os.environ.items() if name.startswith(prefixes))
    return hashlib.sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()


def _choose(kind: str, choices: Mapping[str, Choice[Model]], name: str) -> tuple[Choice[Model], str]:
    prefix, colon, rest = name.partition(":")
    choice = choices.get(prefix + colon)
    if choice is None or bool(colon) != bool(rest.strip()):
        known = "; ".join(f"{known} ({choice.sentence})" for known, choice in choices.items())
        raise DefinitionError(f'There is no {kind} "{name}". Choose one of: {known}.', kind=kind, name=name)
    return choice, rest


def _whole_path(rest: str) -> str:
    """A folder's whole path, so that it is one model from wherever it is named; a name on a hub as it is."""
    path = Path(rest).expanduser()
    if path.is_dir():
        return str(path.resolve())
    if path.is_absolute() or rest.startswith("."):
        raise ModelUnavailable(f"There is no folder {path} to load a model from.", path=str(path))
    return rest


def _bge_small(_: str) -> "BaseEmbedding":
    from rag_app.llm.onnx import BGE_SMALL, OnnxEmbedding

    BGE_SMALL.locate()
    return OnnxEmbedding()


def _minilm_l12(_: str) -> "CrossEncoder":
    from rag_app.llm.onnx import MINILM_L12, OnnxCrossEncoder

    MINILM_L12.locate()
    return OnnxCrossEncoder()


def _huggingface(make: str) -> Callable[[str], Any]:
    def load(name: str) -> Any:
        try:
            from rag_app.llm import huggingface
        except ImportError as error:
            raise ModelUnavailable(
                f'The model {name} needs an extra that is not installed: run `pip install "rag_app[huggingface]"`.',
                model=name,
                reason=str(error),
            ) from error
        return getattr(huggingface, make)(name)

    return load


def _llm(extra: str, where: str, make: str) -> Callable[[str], "LLM"]:
    def load(name: str) -> "LLM":
        try:
            return getattr(import_module(where), make)(name)
        except ImportError as error:
            raise ModelUnavailable(
                f'The model {name} needs an extra that is not installed: run `pip install "rag_app[{extra}]"`.',
                model=name,
                reason=str(error),
            ) from error

    return load


_ANY_HF = "by name or folder; needs the extra huggingface"

EMBEDDERS: Mapping[str, "Choice[BaseEmbedding]"] = {
    "bge-small": Choice("bge-small-en-v1.5, English, 384 numbers; comes with the installation", _bge_small, 0.55),
    "hf:": Choice(f"any sentence-transformers model {_ANY_HF}", _huggingface("load_embedding")),
}
CROSS_ENCODERS: Mapping[str, "Choice[CrossEncoder | None]"] = {
    "minilm-l12": Choice("ms-marco-MiniLM-L-12-v2, English; comes with the installation", _minilm_l12),
    "none": Choice("no reranking", lambda _: None),
    "hf:": Choice(f"any sentence-transformers cross-encoder {_ANY_HF}", _huggingface("HuggingFaceCrossEncoder")),
}
LLMS: Mapping[str, "Choice[LLM | None]"] = {
    "none": Choice("answers are chosen without a language model", lambda _: None),
    "bedrock:": Choice(
        "a model or inference profile of Amazon Bedrock; needs the extra bedrock, a region and credentials",
        _llm("bedrock", "rag_app.llm.providers.converse", "load_converse"),
    ),
    "bedrock-invoke:": Choice(
        "the same through InvokeModel, deprecated by the makers of its client; needs the extra bedrock-invoke",
        _llm("bedrock-invoke", "rag_app.llm.providers.invoke", "load_invoke"),
    ),
    "openai-like:": Choice(
        "a model of any server that speaks OpenAI's chat completions, at RAG_APP_OPENAI_BASE_URL; needs the extra "
        "openai-like",
        _llm("openai-like", "rag_app.llm.providers.openai_like", "load_openai_like"),
    ),
}
