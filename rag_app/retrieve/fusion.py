"""Fusing what the dense and the sparse index find."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def convex_fusion(cosines: Mapping[Key, float], words: Mapping[Key, float], weight_words: float) -> dict[Key, float]:
    """A convex combination of both indexes: cosine + weight * (BM25 score / best BM25 score).

    Scores rather than ranks, because how much better the first is than the second matters: where a question shares few
    words with its answer, the sparse index has little to say, and ranks would give it as much weight as the other.
    Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 2023. The weight is that of
    the best hit by words, in units of cosine.

    Args:
        cosines: similarity of meaning of every candidate of both indexes, -1 to 1.
        words: BM25 scores above 0 of those that the sparse index found.

    Returns:
        The score of every candidate.
    """
    best = max(words.values(), default=0.0) or 1.0
    return {key: cosine + weight_words * words.get(key, 0.0) / best for key, cosine in cosines.items()}


def scores_of_ranking(ranking: Sequence[Key], cosines: Mapping[Key, float]) -> dict[Key, float]:
    """Scores that may be shown: of each candidate the highest cosine from its rank down.

    BM25 rests on statistics of the whole index, and so on documents that the asker may not read. Only the
    ranking is shown: these scores fall with the rank and are made of nothing else and of cosines.

    Args:
        ranking: candidates, best first.
        cosines: similarity of meaning of every candidate, -1 to 1.
    """
    highest, scores = -1.0, dict[Key, float]()
    for key in reversed(ranking):
        scores[key] = highest = max(highest, cosines[key])
    return scores
