"""Similarities of passages that no index holds: embedded when they are asked for, one text at a time, and not too many.

One text per forward pass, as everywhere: a quantised embedder gives a text another vector when others share its batch.
"""

import math
from collections import Counter
from collections.abc import Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import NodeWithScore

from rag_app.answer import Drop, Trace
from rag_app.question import Question
from rag_app.text.nodes import COSINE, hide
from rag_app.text.words import content_stems
from rag_app.web.result_pages import WebPassage

_OF_A_PAGE = 6
"""Passages of one page that are embedded at most: a long page must not crowd out the others."""


def measured(
    passages: Sequence[WebPassage], question: Question, words: str, embedder: BaseEmbedding, most: int
) -> list[NodeWithScore]:
    """The passages nearest to a question, best first, with the numbers that later stages read.

    Args:
        words: what was searched; together with the question it says which passages are worth embedding.
        most: passages that are embedded; half of them come back.
    """
    trace = question.trace
    chosen = _worth_embedding(passages, f"{question.query_str} {words}", most)
    _drop([p for p in passages if id(p) not in {id(c) for c in chosen}], "shares fewer words with what is asked", trace)
    vectors = [_unit(vector) for vector in question.vectors(embedder)]
    with trace.timed("embed pages", model=embedder.model_name, texts=len(chosen)):
        scored = []
        for place, passage in enumerate(chosen):
            vector = _unit(embedder.get_text_embedding(passage.text))
            cosines = [_dot(vector, query) for query in vectors]
            hide(passage.node, COSINE, cosines[-1])
            scored.append((-max(cosines), place, passage))
        scored.sort(key=lambda entry: entry[:2])
        best = scored[: max(1, most // 2)]
    _drop([passage for _, _, passage in scored[len(best) :]], "others are nearer to the question", trace)
    return [NodeWithScore(node=passage.node, score=-score) for score, _, passage in best]


def _worth_embedding(passages: Sequence[WebPassage], asked: str, most: int) -> list[WebPassage]:
    """Those that hold most of the words asked for, rare ones weighing more, at most `_OF_A_PAGE` of a page."""
    terms = set(content_stems(asked))
    held = [terms.intersection(content_stems(passage.text)) for passage in passages]
    frequency = Counter(stem for stems in held for stem in stems)
    rarity = {stem: math.log(1 + len(passages) / count) for stem, count in frequency.items()}
    ranked = sorted(range(len(passages)), key=lambda n: (-sum(rarity[stem] for stem in held[n]), n))
    taken: Counter[str] = Counter()
    chosen = []
    for n in ranked:
        page = passages[n].node.metadata["document_id"]
        if taken[page] < _OF_A_PAGE and len(chosen) < most:
            taken[page] += 1
            chosen.append(n)
    return [passages[n] for n in sorted(chosen)]


def _drop(passages: Sequence[WebPassage], reason: str, trace: Trace) -> None:
    for passage in passages:
        facts = passage.node.metadata
        trace.dropped.append(Drop("web", reason, facts["document_id"], facts["start"], facts["end"]))


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [number / length for number in vector] if length else list(vector)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
