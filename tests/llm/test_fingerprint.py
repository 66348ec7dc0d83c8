"""What identifies an embedder."""

import math

import numpy as np
import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.embeddings import MockEmbedding

from rag_app.errors import ModelError, ModelUnavailable
from rag_app.llm.fingerprint import PROBE, embedder_fingerprint, same_embedder
from rag_app.llm.onnx import OnnxEmbedding


class FixedEmbedding(BaseEmbedding):
    """Returns one vector for any text and another for any question."""

    text: list[float]
    query: list[float]
    model_name: str = "fixed"

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.text

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.query

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.query


def direction(seed: int, dimension: int = 384) -> np.ndarray:
    vector = np.random.default_rng(seed).normal(size=dimension)
    return vector / np.linalg.norm(vector)


def fixed(text: np.ndarray, query: np.ndarray | None = None, **fields: str) -> str:
    query = text if query is None else query
    return embedder_fingerprint(FixedEmbedding(text=text.tolist(), query=query.tolist(), **fields))  # type: ignore[arg-type]


def test_equal_embedders_have_equal_fingerprints() -> None:
    """Two embedders of one kind have one fingerprint, by method and by function alike."""
    one = OnnxEmbedding().fingerprint()
    assert one == embedder_fingerprint(OnnxEmbedding(threads=1))
    assert same_embedder(one, one)


def test_another_embedder_of_the_same_dimension_is_told_apart() -> None:
    """Embedders of one dimension but another class, name or direction are not the same."""
    ours = OnnxEmbedding().fingerprint()
    theirs = embedder_fingerprint(MockEmbedding(embed_dim=384))
    assert not same_embedder(ours, theirs)
    assert not same_embedder(fixed(direction(1)), fixed(direction(2)))
    assert not same_embedder(fixed(direction(1)), fixed(direction(1), model_name="other"))
    assert not same_embedder(fixed(direction(1, 384)), fixed(direction(1, 256)))


def test_other_files_or_prefix_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another hash of a file, or another prefix before questions, makes another embedder."""
    one = OnnxEmbedding().fingerprint()
    monkeypatch.setattr("rag_app.llm.onnx.QUERY_PREFIX", "")
    other = OnnxEmbedding().fingerprint()
    assert not same_embedder(one, other)
    forged = "|".join([*one.split("|")[:-1], other.split("|")[-1]])
    assert not same_embedder(one, forged), "the probe alone shows a changed prefix"


@pytest.mark.parametrize("seed", range(20))
def test_rounding_between_machines_is_allowed_for(seed: int) -> None:
    """Vectors as far apart as processors round them (cosine .994) are one embedder's; at .9 they are two."""
    vector, noise = direction(seed), direction(seed + 100)
    noise -= (noise @ vector) * vector
    noise /= np.linalg.norm(noise)

    def turned(cosine: float) -> np.ndarray:
        return cosine * vector + math.sqrt(1 - cosine**2) * noise

    assert same_embedder(fixed(vector), fixed(turned(0.994)))
    assert not same_embedder(fixed(vector), fixed(turned(0.9)))
    assert not same_embedder(fixed(vector), fixed(vector, turned(0.9))), "a change of questions alone counts"


def test_length_does_not_matter_small_dimensions_do_fine() -> None:
    """Scale is not part of the identity, and few dimensions or a zero vector are no trouble."""
    assert fixed(direction(1)) == fixed(direction(1) * 40)
    assert same_embedder(fixed(direction(1, 3)), fixed(direction(1, 3)))
    assert fixed(np.zeros(4)) == fixed(np.zeros(4))


def test_folder_is_not_part_of_the_identity() -> None:
    """A model loaded from a folder keeps its identity when the folder is moved, not when it is renamed."""
    here, there = (fixed(direction(1), model_name=f"{folder}/tiny") for folder in ("/somewhere", "/elsewhere"))
    assert here == there
    assert here != fixed(direction(1), model_name="/somewhere/large")


@pytest.mark.parametrize(
    ("text", "query"), [([math.nan, 1.0], [1.0, 1.0]), ([1.0], [1.0, 2.0]), ([], []), ([math.inf], [1.0])]
)
def test_broken_vectors_are_an_error(text: list[float], query: list[float]) -> None:
    """An embedder whose vectors are empty, uneven or not finite has no fingerprint."""
    with pytest.raises(ModelError, match="The embedder fixed returns"):
        embedder_fingerprint(FixedEmbedding(text=text, query=query))


def test_errors_of_an_embedder_are_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third-party exception becomes a ModelError with its reason; our own passes as it is."""

    def fail(error: Exception) -> None:
        def raising(self: object, text: str) -> list[float]:
            assert text == PROBE
            raise error

        monkeypatch.setattr(FixedEmbedding, "_get_text_embedding", raising)

    fail(KeyError("no quota"))
    with pytest.raises(ModelError, match="no quota"):
        fixed(direction(1))
    fail(ModelUnavailable("not here"))
    with pytest.raises(ModelUnavailable, match="not here"):
        fixed(direction(1))
