"""What an index knows of a question's words: in how many passages each stands that the asker may read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

MOST_COUNTED = 200
"""Passages that are counted per word at most; a word in more of them sets nothing apart."""


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """Readable passages by the stem of a question's content words. Nothing here rests on what may not be read."""

    counts: Mapping[str, int] = field(default_factory=dict)
    """By stem, up to `MOST_COUNTED`; empty behind a retriever that does not count."""
    passages: int = 0
    """Readable passages in all."""

    def rarity(self, stem: str) -> float:
        """From 0 (in every passage) to 1 (in none): the inverse document frequency, in shares of the highest."""
        if not self.passages:
            return 1.0
        return math.log((1 + self.passages) / (1 + self.counts.get(stem, 0))) / math.log(1 + self.passages)

    def is_unknown(self, stem: str) -> bool:
        """Whether no readable passage holds the word; False where nobody counted."""
        return self.counts.get(stem) == 0

    def is_rare(self, stem: str) -> bool:
        """Whether so few readable passages hold the word that it names something: 1 in 200, or two."""
        return 0 < self.counts.get(stem, 0) <= max(2, self.passages // 200)

    def is_common(self, stem: str) -> bool:
        """Whether so many readable passages hold the word that it tells none of them from the others: 1 in 20."""
        return self.counts.get(stem, 0) > max(5, self.passages // 20)
