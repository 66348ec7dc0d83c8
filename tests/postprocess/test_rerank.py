"""Reading question and passage together."""

import asyncio
import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from llama_index.core.schema import ImageNode, NodeWithScore, QueryBundle, TextNode

from rag_app import CrossEncoderRerank, Question
from rag_app.errors import ModelError, ModelUnavailable
from rag_app.llm.onnx import OnnxCrossEncoder
from rag_app.models import MissingCrossEncoder
from rag_app.testing import passage
from rag_app.text.nodes import WINDOWS


class Reader:
    """A cross-encoder that scores as a function says, and remembers what it read."""

    name = "reader"

    def __init__(self, score: Callable[[str, str], float]) -> None:
        self._score = score
        self.read: list[tuple[str, str]] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += [(query, text) for text in texts]
        return [self._score(query, text) for text in texts]

    def fingerprint(self) -> str:
        return self.name


def likes(word: str) -> Reader:
    return Reader(lambda query, text: 5.0 if word in text else -5.0)


def papers(count: int = 6) -> list[NodeWithScore]:
    """Passages of a third-party retriever in an order, the last of which names the wanted thing."""
    texts = [f"Paper number {number} is about trains and hotels." for number in range(count - 1)]
    nodes = [passage(text, document_id=str(n), score=1 - n / 10) for n, text in enumerate(texts)]
    return [*nodes, passage("The wanted thing costs 5 euros.", document_id="wanted", score=0.1)]


def ids(nodes: list[NodeWithScore]) -> list[str]:
    return [node.node.metadata["document_id"] for node in nodes]


def test_both_orders_are_fused() -> None:
    """Where scores may mean anything, what the cross-encoder likes rises and what came first counts: by rank."""
    found = CrossEncoderRerank(likes("wanted")).postprocess_nodes(papers(), Question("What does the thing cost?"))
    came, read = ["0", "1", "2", "3", "4", "wanted"], ["wanted", "0", "1", "2", "3", "4"]
    fused = {name: 1 / (61 + came.index(name)) + 1 / (61 + read.index(name)) for name in came}
    assert ids(found) == sorted(came, key=lambda name: -fused[name]) == ["0", "1", "wanted", "2", "3", "4"]
    alone = CrossEncoderRerank(Reader(lambda query, text: 0.0)).postprocess_nodes(papers(), Question("What?"))
    assert ids(alone) == ids(papers())


def scored(document_id: str, score: float, text: str) -> NodeWithScore:
    return passage(text, document_id=document_id, score=score, cosine=score)


def test_own_scores_are_added() -> None:
    """Passages that carry their cosine are ordered by score plus a hundredth of the best logit."""
    near = [scored("far", 0.70, "Paper about trains."), scored("near", 0.64, "The wanted thing costs 5 euros.")]
    found = CrossEncoderRerank(likes("wanted")).postprocess_nodes(near, Question("What does the thing cost?"))
    assert ids(found) == ["near", "far"]  # 0.64 + 0.05 against 0.70 - 0.05
    apart = [scored("far", 0.80, "Paper about trains."), scored("near", 0.64, "The wanted thing costs 5 euros.")]
    found = CrossEncoderRerank(likes("wanted")).postprocess_nodes(apart, Question("What does the thing cost?"))
    assert ids(found) == ["far", "near"]


SCENE = "I am off on Monday. What does the thing cost?"


def test_what_is_asked_is_read_without_the_scene_too() -> None:
    """Of a question behind a scene the best windows are read again with the question alone, and the higher logit
    counts; all in all no more windows are read than of any question."""
    alone = "What does the thing cost?"
    reader = Reader(lambda query, text: -9.0 if "wanted" not in text else 5.0 if query == alone else -8.0)
    found = CrossEncoderRerank(reader, windows=8).postprocess_nodes(papers(), Question(SCENE))
    logits = {node.node.metadata["document_id"]: node.node.metadata[WINDOWS] for node in found}
    assert [logit for *_, logit in logits["wanted"]] == [5.0]
    assert {query for query, _ in reader.read} == {SCENE, alone}
    assert len(reader.read) <= 8


@pytest.mark.parametrize("question", ["What does the thing cost?", "The thing is new. And now?"])
def test_a_question_without_a_scene_is_read_once(question: str) -> None:
    """One sentence, or a question that means nothing without what stands before it, is read as it was asked."""
    reader = likes("wanted")
    CrossEncoderRerank(reader).postprocess_nodes(papers(), Question(question))
    assert {query for query, _ in reader.read} == {question}


def test_another_passage_of_the_same_document_counts() -> None:
    """Of two equal passages the one whose document has another good passage goes first."""
    nodes = [
        scored("one", 0.70, "Paper about trains."),
        scored("two", 0.70, "Paper about hotels."),
        scored("two", 0.69, "Another paper about hotels."),
        *(scored(str(n), 0.40, f"Paper number {n}.") for n in range(8)),
    ]
    found = CrossEncoderRerank(Reader(lambda query, text: 0.0)).postprocess_nodes(nodes, Question("What?"))
    assert ids(found)[0] == "two"


def test_keep() -> None:
    """The best `keep` stay, the rest is recorded as dropped."""
    question = Question("What does the thing cost?")
    found = CrossEncoderRerank(likes("wanted"), top_n=3).postprocess_nodes(papers(), question)
    assert ids(found) == ["0", "1", "wanted"]
    assert sorted(drop.document_id or "" for drop in question.trace.dropped) == ["2", "3", "4"]
    assert {drop.stage for drop in question.trace.dropped} == {"rerank"}


def test_every_logit_is_left_for_the_draft() -> None:
    """Each window's first and last statement, part and logit stay on the node, hidden from prompts."""
    node = passage("The wanted thing costs 5 euros in the shop. It is sold on Mondays only.", title="Prices")
    (found,) = CrossEncoderRerank(likes("wanted")).postprocess_nodes([node], Question("What does the thing cost?"))
    windows = found.node.metadata[WINDOWS]
    assert {(first, part) for first, _, part, _ in windows} == {(0, 0), (1, 0)}
    assert {first: logit for first, _, _, logit in windows}[0] == 5.0
    assert WINDOWS in found.node.excluded_llm_metadata_keys
    assert WINDOWS in found.node.excluded_embed_metadata_keys


def test_the_budget_is_kept_and_shared_by_the_parts() -> None:
    """Not more windows are read than allowed, and each part of a question has its share, in its own words."""
    reader = likes("wanted")
    question = Question("How long is parental leave, and what does a hotel room in Porto cost?")
    CrossEncoderRerank(reader, windows=6).postprocess_nodes(papers(12), question)
    assert [query for query, _ in reader.read] == [part.query for part in question.parts for _ in range(3)]


@pytest.mark.parametrize("broken", [None, MissingCrossEncoder(ModelUnavailable("The model x is not installed."))])
def test_without_a_cross_encoder(broken: Any) -> None:
    """With no cross-encoder the order stays, the result is cut to `keep`, and the trace says so; only one that should
    have been there is missed."""
    question = Question("What does the thing cost?")
    found = CrossEncoderRerank(broken, top_n=3).postprocess_nodes(papers(), question)
    assert ids(found) == ["0", "1", "2"]
    assert len(question.trace.dropped) == 3
    (warning,) = question.trace.warnings
    assert "keep the retriever's order" in warning
    assert broken is None or "The model x is not installed." in warning
    assert question.trace.degraded == (broken is not None)
    assert [node.node.metadata.get(WINDOWS) for node in found] == [None] * 3


def test_a_model_that_fails_is_an_error() -> None:
    """A forward pass that fails is trouble, not a fallback."""

    def fail(query: str, text: str) -> float:
        raise ModelError("The forward pass failed.")

    with pytest.raises(ModelError, match="forward pass"):
        CrossEncoderRerank(Reader(fail)).postprocess_nodes(papers(), Question("What?"))


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_no_number_is_no_score(odd: float) -> None:
    """A window that gets no finite number is passed over with a warning, and nothing comes first because of it."""
    reader = Reader(lambda query, text: odd if "number 3" in text else 5.0 if "wanted" in text else -5.0)
    question = Question("What does the thing cost?")
    found = CrossEncoderRerank(reader).postprocess_nodes(papers(), question)
    assert ids(found)[:3] == ["0", "1", "wanted"]
    assert ids(found).index("3") > ids(found).index("2")
    assert "no score for a window" in question.trace.warnings[0]


def test_in_a_third_party_engine() -> None:
    """A plain QueryBundle, a query_str or no question; nodes without offsets, cosine, score or text: all pass."""
    nodes = [
        NodeWithScore(node=TextNode(text="Trains run daily."), score=None),
        NodeWithScore(node=TextNode(text=""), score=math.nan),
        NodeWithScore(node=ImageNode(text="", image_path="x.png"), score=0.3),
        NodeWithScore(
            node=TextNode(text="The wanted thing.", metadata={"title": None, "section_path": "abc"}), score=0.1
        ),
    ]
    rerank = CrossEncoderRerank(likes("wanted"))
    for found in (
        rerank.postprocess_nodes(nodes, QueryBundle("What?")),
        rerank.postprocess_nodes(nodes, query_str="What?"),
        asyncio.run(rerank.apostprocess_nodes(nodes, QueryBundle("What?"))),
    ):
        assert len(found) == 4
        assert {node.text for node in found[:2]} == {"Trains run daily.", "The wanted thing."}
    assert rerank.postprocess_nodes(nodes) == nodes
    assert rerank.postprocess_nodes([], QueryBundle("What?")) == []


def test_the_real_one_pickles() -> None:
    """The postprocessor with the installed cross-encoder can be sent to another process and reads there."""
    rerank = pickle.loads(pickle.dumps(CrossEncoderRerank(OnnxCrossEncoder(), top_n=2)))
    found = rerank.postprocess_nodes(papers(3), QueryBundle("What does the wanted thing cost?"))
    assert set(ids(found)) == {"0", "wanted"}
