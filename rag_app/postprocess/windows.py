"""Which windows of statements a cross-encoder reads: it is the most expensive stage, so it reads only what may answer.

A cross-encoder judges a short window better than a whole passage, and its judgement then belongs to a statement.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.schema import NodeWithScore

from rag_app.text.dependent import points_back
from rag_app.text.nodes import COSINE, node_start, node_statements, node_text, slice_of
from rag_app.text.words import content_stems, count_words

WEIGHT_PASSAGE = 0.6
WEIGHT_WORDS = 0.2
"""Of the passage's score and of the words that the window shares with the question. Chosen on four corpora for how
often the answer is among the windows that are read; vectors of single statements kept it no more often."""
_SHORT = 6
"""A statement of fewer words is read together with the one after it."""


@dataclass(frozen=True, slots=True)
class Window:
    """One to three whole statements of one passage, with what is needed to understand them."""

    node: int
    """Index of the passage."""
    first: int
    last: int
    """Indexes of the first and last statement, both inclusive."""
    text: str


def windows_of(nodes: Sequence[NodeWithScore]) -> list[Window]:
    """Every statement of every passage as a window, never cut.

    Lead-in lines stand in front; title and nearest heading behind, since in front they would outweigh a short sentence.
    """
    windows = []
    for number, found in enumerate(nodes):
        node = found.node
        base, text = node_start(node), node_text(node)
        facts = node.metadata
        section = facts.get("section_path")
        nearest = section[-1:] if isinstance(section, (list, tuple)) else ()
        place = ": ".join(dict.fromkeys(str(name) for name in (facts.get("title"), *nearest) if name))
        behind = f" ({place})" if place else ""
        statements = node_statements(node)
        for first, statement in enumerate(statements):
            last = first
            end = statement.end
            while (
                last + 1 < len(statements)
                and last - first < 2
                and count_words(text[statement.start - base : end - base]) < _SHORT
            ):
                last += 1
                end = statements[last].end
            lead = " ".join(slice_of(node, span) or "" for span in statement.lead_in)
            body = text[statement.start - base : end - base]
            if first and points_back(body):
                before = statements[first - 1]
                body = f"{text[before.start - base : before.end - base]} {body}"
            windows.append(Window(number, first, last, " ".join(f"{lead} {body}{behind}".split())))
    return windows


def preselect(query: str, nodes: Sequence[NodeWithScore], windows: Sequence[Window], budget: int) -> list[int]:
    """Indexes of the at most `budget` windows that are most worth reading for a part of a question, in order.

    Worth is what the passage scored, and the share of the part's content words that the window holds, each word
    weighing by its rarity among these windows. Behind a third-party retriever, whose scores may mean anything, the
    passage's rank stands in.
    """
    asked = set(content_stems(query))
    held = [asked.intersection(content_stems(window.text)) for window in windows]
    frequency = Counter(stem for stems in held for stem in stems)
    rarity = {stem: math.log(1 + len(windows) / count) for stem, count in frequency.items()}
    total = sum(rarity.values()) or 1.0
    worth = [
        _nearness(nodes[window.node], window) + WEIGHT_WORDS * sum(rarity[stem] for stem in stems) / total
        for window, stems in zip(windows, held, strict=True)
    ]
    return sorted(sorted(range(len(windows)), key=lambda i: (-worth[i], i))[:budget])


def _nearness(found: NodeWithScore, window: Window) -> float:
    if COSINE not in found.node.metadata or found.score is None or math.isnan(found.score):
        return WEIGHT_PASSAGE / (1 + window.node / 4)
    return WEIGHT_PASSAGE * found.score
