"""The gate: all passages, or none."""

import asyncio
import logging
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.callbacks import CallbackManager
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag_app import ConfidenceGate, GroundedResponse, Question, ValidatingSynthesizer
from rag_app.testing import passage
from rag_app.text.nodes import NAMED, OTHER_WORDS, hide
from tests.office import stock_index


def test_one_near_passage_opens_it() -> None:
    """Where the best cosine reaches the threshold all passages go through, the far ones too."""
    nodes = [passage("a", cosine=0.2), passage("b", cosine=0.6)]
    question = Question("q")
    assert ConfidenceGate(threshold=0.6).postprocess_nodes(nodes, question) == nodes
    assert question.refusal is None
    assert question.trace.numbers == {"gate.best_cosine": 0.6, "gate.threshold": 0.6}


def test_a_named_passage_opens_it() -> None:
    """A passage that holds a rare name of the question opens the gate, whatever the cosines; one that only another
    phrasing found does not."""
    nodes = [passage("a", cosine=0.2), passage("b", cosine=0.3)]
    hide(nodes[1].node, NAMED, ["Hennfield"])
    assert ConfidenceGate(threshold=0.6).postprocess_nodes(nodes, Question("q")) == nodes
    hide(nodes[1].node, OTHER_WORDS, True)
    assert ConfidenceGate(threshold=0.6).postprocess_nodes(nodes, Question("q")) == []


def test_below_it_nothing_passes_and_the_reason_stays() -> None:
    """Under the threshold no passage passes; each is recorded, and the question carries the reason."""
    question = Question("q")
    nodes = [passage("a", document_id="a", cosine=0.2), passage("b", document_id="b", cosine=0.59)]
    assert ConfidenceGate(threshold=0.6).postprocess_nodes(nodes, question) == []
    assert question.refusal == "below_confidence"
    assert [(drop.stage, drop.document_id) for drop in question.trace.dropped] == [
        ("confidence gate", "a"), ("confidence gate", "b"),
    ]  # fmt: skip


@pytest.mark.parametrize("score", [0.0, 99.0, None, math.nan])
def test_scores_move_it_neither_way(score: float | None) -> None:
    """Only the cosine counts, whatever score an earlier stage gave."""
    gate = ConfidenceGate(threshold=0.5)
    assert len(gate.postprocess_nodes([passage("a", cosine=0.6, score=score)], Question("q"))) == 1
    assert gate.postprocess_nodes([passage("a", cosine=0.4, score=score)], Question("q")) == []


@pytest.mark.parametrize("odd", [None, math.nan, "high", "0.9", [0.9], math.inf])
def test_without_a_cosine_there_is_no_gate(odd: Any) -> None:
    """Where no passage carries its cosine as a number, all pass, with a warning."""
    question = Question("q")
    nodes = [NodeWithScore(node=TextNode(text="a", metadata={"cosine": odd} if odd is not None else {}), score=0.9)]
    assert ConfidenceGate(threshold=0.5).postprocess_nodes(nodes, question) == nodes
    assert "gate was skipped" in question.trace.warnings[0]


def test_a_skipped_gate_says_so_wherever_it_stands(caplog: pytest.LogCaptureFixture) -> None:
    """Behind a third-party retriever, in an engine that is not ours, log and answer say that the gate did not judge."""
    index = stock_index([TextNode(text="A lost badge costs 15 euros.", metadata={"document_id": "a"})])
    engine = RetrieverQueryEngine(
        retriever=index.as_retriever(),
        response_synthesizer=ValidatingSynthesizer(may_cite=lambda node: True),
        node_postprocessors=[ConfidenceGate(threshold=0.5)],
        callback_manager=CallbackManager([]),
    )
    with caplog.at_level(logging.WARNING, logger="rag_app"):
        response = engine.query("What does a lost badge cost?")
    assert isinstance(response, GroundedResponse)
    assert any("gate was skipped" in warning for warning in response.answer.trace.warnings)
    assert any("gate was skipped" in record.message for record in caplog.records)


def test_one_odd_number_does_not_hide_the_others() -> None:
    """A passage without a usable cosine neither opens the gate nor closes it."""
    odd = passage("a", cosine=math.nan)
    assert ConfidenceGate(threshold=0.5).postprocess_nodes([odd, passage("b", cosine=0.4)], Question("q")) == []
    assert len(ConfidenceGate(threshold=0.5).postprocess_nodes([odd, passage("b", cosine=0.6)], Question("q"))) == 2


def test_in_a_third_party_engine() -> None:
    """With a plain QueryBundle, or no question, it decides the same; behind a stock retriever it lets pass."""
    gate = ConfidenceGate(threshold=0.5)
    assert gate.postprocess_nodes([passage("a", cosine=0.4)], QueryBundle("q")) == []
    assert gate.postprocess_nodes([passage("a", cosine=0.4)]) == []
    assert gate.postprocess_nodes([], QueryBundle("q")) == []
    assert asyncio.run(gate.apostprocess_nodes([passage("a", cosine=0.4)], query_str="q")) == []
    index = stock_index([TextNode(text="lunch at noon"), TextNode(text="dinner at six")])
    found = index.as_retriever().retrieve("when is lunch")
    assert gate.postprocess_nodes(found, QueryBundle("when is lunch")) == found


cosines = st.lists(st.floats(-1, 1), min_size=1, max_size=6)


@given(cosines, st.floats(-1, 1))
def test_all_or_none(values: list[float], threshold: float) -> None:
    """It is open exactly where the best cosine reaches the threshold."""
    nodes = [passage("a", document_id=str(number), cosine=cosine) for number, cosine in enumerate(values)]
    passed = ConfidenceGate(threshold=threshold).postprocess_nodes(nodes, Question("q"))
    assert passed == (nodes if max(values) >= threshold else [])
