"""What was fitted for the path without a language model, read from `fitted.toml`, which says to what."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_app.synthesize.offline.features import Features

FILE = Path(__file__).with_name("fitted.toml")
UNREAD_LOGIT = -11.0
"""A window that the cross-encoder did not read was thought not worth it: the lowest that there is."""
USUAL_COSINE = 0.65
"""Stands for a cosine that nobody measured."""
FEW_PASSAGES = 30
"""Nothing was fitted to smaller folders: fewer readable passages count as so many."""
MANY_PASSAGES = 200
"""From so many readable passages on, or where nobody counted them, one more changes nothing."""
MAX_LEAD = 6.0
"""Log odds ahead of all other passages beyond which nothing more is learned."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one way of drafting: with a cross-encoder, or without."""

    reads_pairs: bool
    ranking: Mapping[str, float]
    """By feature, in log odds against the other statements."""
    answering: Mapping[str, float]
    """By feature of the best statement, in log odds that what is shown is right; "constant" stands alone."""
    threshold: float
    """Probability from which an answer is shown where nothing was calibrated."""
    coded: float
    """Added to those log odds for the table row of a code that the question names: small models know no codes."""
    near: float
    """How far behind the best a statement of the same document may be, to be shown too."""
    tied: float
    """How far behind the best a statement of another document may be, to be shown too."""

    def rank(self, features: "Features") -> float:
        """The score by which a statement is ranked."""
        return sum(weight * getattr(features, name) for name, weight in self.ranking.items())

    def answer(self, features: Mapping[str, float]) -> float:
        """Log odds that what would be shown is right."""
        return sum(weight * features.get(name, 1.0) for name, weight in self.answering.items())


@cache
def fitted_weights(*, reads_pairs: bool) -> Weights:
    """The weights for evidence that a cross-encoder has read, or for the other."""
    table = tomllib.loads(FILE.read_text("utf-8"))["with_cross_encoder" if reads_pairs else "without_cross_encoder"]
    return Weights(
        reads_pairs,
        dict(table["ranking"]),
        dict(table["answering"]),
        float(table["threshold"]),
        float(table["coded"]),
        float(table["near"]),
        float(table["tied"]),
    )
