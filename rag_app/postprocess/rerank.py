"""Reads question and passage together, window by window, and puts the better passages first.

A cross-encoder judges a short window of statements better than a whole passage, and its judgement then belongs to a
statement. It is the most expensive stage, so it reads only what may answer.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.instrumentation.events.rerank import ReRankEndEvent, ReRankStartEvent
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index_instrumentation import get_dispatcher

from rag_app.errors import ModelUnavailable
from rag_app.llm.onnx import CrossEncoder
from rag_app.models import load_cross_encoder
from rag_app.question import Part, Question, question_of
from rag_app.question_parts import asking_sentences
from rag_app.spelling import fold
from rag_app.text.dependent import points_back
from rag_app.text.nodes import (
    COSINE,
    UNREAD_LOGIT,
    WINDOWS,
    drop_of,
    hide,
    node_start,
    node_statements,
    node_text,
    slice_of,
)
from rag_app.text.words import content_stems, count_words

_dispatcher = get_dispatcher(__name__)
_RRF_K = 60
WEIGHT_LOGIT = 0.01
"""In units of cosine. Beside it a logit of -11 (nothing) and one of 9 (an answer) are 0.2 apart."""
WEIGHT_AGREEMENT = 0.2
"""What the best other passage of the same document counts: a document that is about the question has several."""
AGAIN = 5
"""One in so many windows, the best, is read once more with the sentences that ask alone: sentences that set the scene
("I am off on Monday.") draw the logits of right answers down."""
_CLEAR = 4
"""Words of a question that may be understood without what stands before it."""
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


class CrossEncoderRerank(BaseNodePostprocessor):
    """Orders passages by the best window of statements in them, fused with the order they came in; keeps `top_n`.

    Both scores are added, because over windows a cross-encoder finds answers that retrieval ranks low, while retrieval
    knows the document that a window does not name; and the best other passage of the same document adds a little.
    Behind a third-party retriever, whose scores may mean anything, both orders are fused by reciprocal rank. Each logit
    is left in the node's hidden metadata, where the extractive drafter finds it. With no cross-encoder the order stays,
    the result is cut to `top_n`, and the trace says so.

    Args:
        model: the short name of a cross-encoder (see `rag_app.models`), something with `score(query, texts)` that gives
            one logit a text, or None for no cross-encoder.
        top_n: how many passages are kept at most.
        windows: how many windows are read at most per question; several parts of a question share them.

    Raises:
        DefinitionError: no cross-encoder has that name.
        ModelUnavailable: its files or its extra are missing.
    """

    cross_encoder: Any
    """Something with `score(query, texts) -> logits`, or None."""
    top_n: int = 8
    windows: int = 32

    def __init__(
        self, model: "CrossEncoder | str | None" = "minilm-l12", *, top_n: int = 8, windows: int = 32, **fields: Any
    ) -> None:
        cross_encoder = load_cross_encoder(model) if isinstance(model, str) else model
        super().__init__(cross_encoder=cross_encoder, top_n=top_n, windows=windows, **fields)  # pyright: ignore[reportCallIssue]

    @classmethod
    def class_name(cls) -> str:
        return "CrossEncoderRerank"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return nodes
        question = question_of(query_bundle)
        name = "none" if self.cross_encoder is None else str(getattr(self.cross_encoder, "name", "unknown"))
        _dispatcher.event(ReRankStartEvent(query=query_bundle, nodes=nodes, top_n=self.top_n, model_name=name))
        asked: dict[str, Any] = {
            EventPayload.NODES: nodes,
            EventPayload.MODEL_NAME: name,
            EventPayload.QUERY_STR: question.query_str,
            EventPayload.TOP_K: self.top_n,
        }
        with self.callback_manager.event(CBEventType.RERANKING, payload=asked) as event:
            kept = self._kept(nodes, query_bundle, question, name)
            event.on_end(payload={EventPayload.NODES: kept})
        _dispatcher.event(ReRankEndEvent(nodes=kept))
        return kept

    def _kept(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None, question: Question, name: str
    ) -> list[NodeWithScore]:
        trace = question.trace
        with trace.timed("rerank", model=name, top_n=self.top_n):
            order = list(range(len(nodes)))
            if query_bundle is None or self.cross_encoder is None:
                trace.warn("No cross-encoder: passages keep the retriever's order.")
            else:
                try:
                    order = self._reranked(nodes, question)
                except ModelUnavailable as error:
                    trace.warn(f"Passages keep the retriever's order: {error}", degrades=True)
        for number in order[self.top_n :]:
            trace.dropped.append(drop_of(nodes[number], "rerank", f"not among the best {self.top_n}"))
        return [nodes[number] for number in order[: self.top_n]]

    def _reranked(self, nodes: list[NodeWithScore], question: Question) -> list[int]:
        parts = question.parts
        windows = windows_of(nodes)
        best = [-math.inf] * len(nodes)
        read: list[list[tuple[int, int, int, float]]] = [[] for _ in nodes]
        for number, part in enumerate(parts):
            asking = _asked_alone(part)
            budget = self.windows // (len(parts) * len(part.readings))
            again = budget // AGAIN if asking else 0
            chosen = preselect(part.query, nodes, windows, max(1, budget - again))
            texts = [fold(windows[i].text) for i in chosen]
            by_reading = [self.cross_encoder.score(reading, texts) for reading in part.readings]
            logits = [sum(logits) / len(logits) for logits in zip(*by_reading, strict=True)]
            if again:
                logits = self._or_alone(asking, texts, logits, again)
            for i, logit in zip(chosen, logits, strict=True):
                if not math.isfinite(logit):
                    question.trace.warn(
                        "The cross-encoder gave no score for a window; it was passed over.", degrades=True
                    )
                    continue
                window = windows[i]
                best[window.node] = max(best[window.node], logit)
                read[window.node].append((window.first, window.last, number, logit))
        for node, scores in zip(nodes, read, strict=True):
            hide(node.node, WINDOWS, scores)
        own = all(node.score is not None and COSINE in node.node.metadata for node in nodes)
        worth = _by_score(nodes, best) if own else _by_rank(best)
        return sorted(range(len(nodes)), key=lambda n: (-worth[n], n))

    def _or_alone(self, asking: str, texts: Sequence[str], logits: Sequence[float], again: int) -> list[float]:
        """The logits, where the question without its scene gives one of the best windows a higher one, that."""
        best = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[:again]
        alone = dict(zip(best, self.cross_encoder.score(asking, [texts[i] for i in best]), strict=True))
        return [max(logit, alone.get(i, logit)) for i, logit in enumerate(logits)]


def _asked_alone(part: Part) -> str:
    """What a part asks without the sentences before it, where there are such and it is understood without them."""
    asking = asking_sentences(part.query)
    is_clear = asking != part.query and not part.is_follow_up and count_words(asking) >= _CLEAR
    return fold(asking) if is_clear else ""


def _by_score(nodes: Sequence[NodeWithScore], logits: Sequence[float]) -> list[float]:
    worth = [
        (node.score or 0.0) + WEIGHT_LOGIT * max(logit, UNREAD_LOGIT) for node, logit in zip(nodes, logits, strict=True)
    ]
    of_document: dict[str, list[float]] = defaultdict(list)
    for node, value in zip(nodes, worth, strict=True):
        of_document[node.node.metadata.get("document_id", "")].append(value)
    alone = sorted(worth)[len(worth) // 10]
    for values in of_document.values():
        values.append(alone)
        values.sort(reverse=True)
    fused = []
    for node, value in zip(nodes, worth, strict=True):
        best, second = of_document[node.node.metadata.get("document_id", "")][:2]
        fused.append(value + WEIGHT_AGREEMENT * (second if value == best else best))
    return fused


def _by_rank(logits: Sequence[float]) -> list[float]:
    fused = [0.0] * len(logits)
    for rank, n in enumerate(sorted(range(len(logits)), key=lambda n: (-logits[n], n)), start=1):
        fused[n] = 1 / (_RRF_K + n + 1) + 1 / (_RRF_K + rank)
    return fused
