"""What identifies an embedder: its name, its files and how it embeds one fixed sentence.

Two embedders of the same dimension are otherwise easily mistaken for each other, and an index searched with the wrong
one answers nonsense. Names alone do not tell (a folder can be refilled), hashes alone neither (pooling, prefix and
runtime matter), so a fingerprint holds both and a few numbers of a probe.
"""

import hashlib
import math
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from rag_app.errors import ModelError, RagAppError

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

PROBE = "Before the store closes on Friday, 14 people may return what they bought, unless it was opened."
PROBE_NUMBERS = 32
STEPS_PER_UNIT = 16
TOLERANCE = 0.25
"""Root mean square difference of probe numbers, which are about 1 in size; a cosine of 0.97. Processors round int8 and
float arithmetic differently (cosine above 0.99); another model, pooling or prefix is far outside."""


def embedder_fingerprint(embedder: "BaseEmbedding") -> str:
    """Identifies any LlamaIndex embedder: class | model name | dimension | hash of its facts | probe numbers in hex.

    Its facts are what `embedder.fingerprint_facts()` returns, where it has that: texts on which its vectors depend,
    such as hashes of files. Equal on equal machines; compare two with `same_embedder`, which allows for rounding.

    Raises:
        ModelError: the embedder fails, or returns vectors that are empty, not finite or of different dimensions.
    """
    name = PurePath(embedder.model_name).name  # not the folder above it: an index may be opened on another machine
    try:
        as_text = embedder.get_text_embedding(PROBE)
        as_query = embedder.get_query_embedding(PROBE)
    except RagAppError:
        raise
    except Exception as error:  # any embedder's own
        raise ModelError(f"The embedder {name} could not embed a sentence: {error}", model=name) from error
    if not as_text or len(as_text) != len(as_query):
        raise ModelError(
            f"The embedder {name} returns vectors of {len(as_text)} and {len(as_query)} numbers.", model=name
        )
    probe = _digits(as_text, name) + _digits(as_query, name)
    facts: tuple[str, ...] = getattr(embedder, "fingerprint_facts", tuple)()
    digest = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16] if facts else "-"
    return "|".join((embedder.class_name(), name.replace("|", "/"), str(len(as_text)), digest, probe.hex()))


def dimension_of(fingerprint: str) -> int:
    """Numbers in a vector of the embedder; 0 where the text is no fingerprint."""
    facts = fingerprint.split("|")
    is_one = len(facts) == 5 and re.fullmatch("[0-9]{1,6}", facts[2]) and same_embedder(fingerprint, fingerprint)
    return int(facts[2]) if is_one else 0


def same_embedder(one: str, other: str) -> bool:
    """Whether two fingerprints are of the same embedder, on whatever machines they were taken."""
    (*facts, probe), (*other_facts, other_probe) = one.split("|"), other.split("|")
    if facts != other_facts or len(probe) != len(other_probe):
        return False
    try:
        numbers, other_numbers = bytes.fromhex(probe), bytes.fromhex(other_probe)
    except ValueError:
        return False
    half = len(numbers) // 2  # text and query apart, so that a changed query prefix is not averaged away
    return all(
        _distance(numbers[part], other_numbers[part]) <= TOLERANCE for part in (slice(0, half), slice(half, None))
    )


def _digits(vector: Sequence[float], name: str) -> bytes:
    """Evenly spaced numbers of a vector, scaled to about 1 whatever its length and dimension; one byte each."""
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise ModelError(f"The embedder {name} returns numbers that are not finite.", model=name)
    count = min(PROBE_NUMBERS, len(vector))
    scale = STEPS_PER_UNIT * math.sqrt(len(vector)) / (length or 1.0)
    picked = (vector[index * len(vector) // count] * scale for index in range(count))
    return bytes(min(255, max(0, round(number) + 128)) for number in picked)


def _distance(one: bytes, other: bytes) -> float:
    if not one:
        return 0.0
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / len(one)) / STEPS_PER_UNIT
