"""Texts through the embedder, each at most once, kept as they come."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rag_app.errors import BuildError, RagAppError
from rag_app.index.search.search_index import unit_vectors
from rag_app.index.search.vectors import VectorStore
from rag_app.read.spread import Spread

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


def embed_texts(
    texts: Mapping[bytes, str],
    vectors: VectorStore,
    embedder: "BaseEmbedding",
    progress: Callable[[int, int], None],
    *,
    spread: Spread,
    earlier: int,
) -> int:
    """Embeds those of `texts` (by their key) that have no vector yet; returns how many went through the embedder.

    Vectors are stored batch by batch, so that a retry goes on where this stopped. Texts of a length stand together, so
    that an embedder which pads a batch to its longest text does so in vain as little as possible.

    Args:
        progress: called with (done, total) of these texts.
        spread: where batches are embedded.
        earlier: how many texts this build embedded before, for the message of an error.

    Raises:
        BuildError: the embedder failed, or returned something that is no vector.
    """
    known = vectors.known(texts)
    missing = sorted(((key, text) for key, text in texts.items() if key not in known), key=lambda pair: len(pair[1]))
    size = max(1, embedder.embed_batch_size)
    batches = [missing[begin : begin + size] for begin in range(0, len(missing), size)]
    embedded = spread(partial(_embed, embedder), ([text for _, text in batch] for batch in batches))
    done = 0
    for batch in batches:
        progress(len(known) + done, len(texts))
        try:
            found = next(embedded)
        except RagAppError:
            raise
        except Exception as error:  # any embedder's own
            raise BuildError(
                f"The embedder failed after {earlier + done} texts ({error}). The earlier state still answers; build "
                "again to go on from here.",
                embedded=earlier + done,
            ) from error
        dimension = vectors.dimension() or (len(found[0]) if found else 0)
        if len(found) != len(batch) or any(len(v) != dimension or not math.isfinite(sum(v)) for v in found):
            raise BuildError(
                f"The embedder returned something that is no vector of {dimension} numbers: check the model.",
                texts=[text for _, text in batch],
            )
        vectors.put([key for key, _ in batch], unit_vectors(np.asarray(found)))
        done += len(batch)
    if texts:
        progress(len(texts), len(texts))
    return done


def _embed(embedder: "BaseEmbedding", texts: Sequence[str]) -> list[list[float]]:
    return embedder.get_text_embedding_batch(list(texts))
