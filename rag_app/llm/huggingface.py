"""Any sentence-transformers model, by folder or by name on the hub. Needs the extra `huggingface`."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import sentence_transformers  # pyright: ignore[reportMissingImports]
import torch  # pyright: ignore[reportMissingImports]
from huggingface_hub import model_info
from llama_index.embeddings.huggingface import HuggingFaceEmbedding  # pyright: ignore[reportMissingImports]

from rag_app.errors import ModelError, ModelUnavailable
from rag_app.llm.fingerprint import PROBE

SECONDS_TO_REACH_THE_HUB = 10

Model = TypeVar("Model")


def load_embedding(name: str) -> HuggingFaceEmbedding:
    """The embedder in a folder, in the download cache or on the hub, in this order.

    One text per forward pass, as in `rag_app.llm.onnx`: padding to a longer neighbour moves the last digits of a
    vector.

    Raises:
        ModelUnavailable: there is none, or it cannot be downloaded.
    """
    return _load(name, lambda **options: HuggingFaceEmbedding(model_name=name, embed_batch_size=1, **options))


class HuggingFaceCrossEncoder:
    """A sentence-transformers cross-encoder as a `rag_app.llm.onnx.CrossEncoder`. Threads take turns."""

    def __init__(self, name: str) -> None:
        """Loads it. Raises ModelUnavailable where it cannot, or where the model does not score pairs."""
        self._place = name
        self.name = Path(name).name
        self._model = _load(name, lambda **options: sentence_transformers.CrossEncoder(name, **options))
        self._lock = Lock()
        # sentence-transformers gives any other model a new head of random weights, with no more than a log line.
        kinds = getattr(self._model.config, "architectures", None) or ()
        if not any(kind.endswith(("ForSequenceClassification", "ForCausalLM")) for kind in kinds):
            raise ModelUnavailable(
                f"The model {self.name} is no cross-encoder (it is a {', '.join(kinds) or 'model of unknown kind'}): "
                "name one that scores pairs of texts.",
                model=name,
            )
        if self._model.num_labels != 1:
            raise ModelUnavailable(
                f"The model {self.name} gives {self._model.num_labels} numbers per pair: name a cross-encoder that "
                "gives one.",
                model=name,
            )

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raw logits, one per text, in the order of `texts`; one pair per forward pass. Raises ModelError."""
        try:
            with self._lock:
                return [self._score(query, text) for text in texts]
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(f"The model {self.name} failed on a pair: {error}", model=self.name) from error

    def _score(self, query: str, text: str) -> float:
        logits = self._model.predict(
            [(query, text)], batch_size=1, show_progress_bar=False, activation_fn=torch.nn.Identity()
        )
        return float(logits[0])

    def fingerprint(self) -> str:
        """Name, and the score of a fixed pair to two digits."""
        probe = f"{self.score(PROBE, [PROBE])[0]:.2f}"
        return f"HuggingFaceCrossEncoder|{self.name}|{hashlib.sha256(probe.encode()).hexdigest()[:16]}"

    def __reduce__(self) -> tuple[Any, ...]:
        return HuggingFaceCrossEncoder, (self._place,)


def _load(name: str, load: Callable[..., Model]) -> Model:
    try:
        if Path(name).is_dir():
            return load(local_files_only=True)
        try:
            return load(local_files_only=True)
        except OSError:  # not in the download cache
            # Without a network the loaders themselves would retry for most of a minute before they say so.
            model_info(name, timeout=SECONDS_TO_REACH_THE_HUB)
            return load(local_files_only=False)
    except Exception as error:  # the loaders raise nearly anything, from OSError to KeyError
        reason = str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__
        if Path(name).is_dir():
            message = f"The folder {name} holds no model that can be loaded ({reason}): name one saved by its library."
        else:
            message = (
                f"The model {name} is neither a folder, nor downloaded, nor can it be downloaded now ({reason}): "
                "connect to the network once, or name a folder."
            )
        raise ModelUnavailable(message, model=name) from error
