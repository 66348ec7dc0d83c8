"""Components that are switched off, to measure what each contributes."""

import pytest

from rag_app import OpenIndex
from rag_app.index.view import View
from rag_app.settings import Component, load_settings
from rag_app.testing import ScriptedLLM
from rag_app.text.nodes import COSINE

HOTEL = "What does a hotel room in Bergen cost a night?"
LEAVE = "How long is parental leave?"  # without a rare name, which would open the gate


def switched_off(index: OpenIndex, *off: Component, **settings: object) -> OpenIndex:
    knobs = index.settings.model_copy(update={"without": frozenset(off), **settings})
    return OpenIndex(index.reader, knobs, index.embedder)


@pytest.mark.parametrize("component", Component)
def test_an_answer_says_what_was_switched_off(tiny_office: OpenIndex, component: Component) -> None:
    """Whatever is switched off, the question is answered or refused, and the trace says so."""
    trace = switched_off(tiny_office, component).as_query_engine().query(HOTEL).answer.trace
    assert f"Switched off: {component}." in trace.warnings
    assert trace.retrieved


def test_the_trace_of_a_whole_engine_says_nothing(tiny_office: OpenIndex) -> None:
    """With nothing switched off no answer speaks of it."""
    warnings = tiny_office.as_query_engine().query(HOTEL).answer.trace.warnings
    assert not [warning for warning in warnings if warning.startswith("Switched off")]


@pytest.mark.parametrize(
    ("component", "untouched"), [(Component.SPARSE_INDEX, "search_words"), (Component.DENSE_INDEX, "search_meaning")]
)
def test_a_leg_that_is_off_is_not_asked(
    tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch, component: Component, untouched: str
) -> None:
    """An index that is switched off is not searched, and the other one finds the passage alone; its cosine is known."""

    def fail(*_: object) -> None:
        raise AssertionError(f"{untouched} was asked")

    monkeypatch.setattr(View, untouched, fail)
    found = switched_off(tiny_office, component).search("hotel room Bergen")
    assert found[0].node.metadata["document_id"] == "travel"
    assert found[0].node.metadata[COSINE] > 0


def test_the_gate_is_open(tiny_office: OpenIndex) -> None:
    """With the gate off nothing is refused for its cosine, and there is no number of the gate."""
    closed = tiny_office.settings.model_copy(update={"gate_threshold": 1.0})
    index = OpenIndex(tiny_office.reader, closed, tiny_office.embedder)
    assert index.as_query_engine().query(LEAVE).answer.reason == "below_confidence"
    answer = switched_off(index, Component.CONFIDENCE_GATE).as_query_engine().query(LEAVE).answer
    assert answer.reason != "below_confidence"
    assert "gate.threshold" not in answer.trace.numbers


def test_with_a_model_pointers_and_coverage_go(tiny_office: OpenIndex, answers_always: None) -> None:
    """With pointers off nothing is marked; with coverage off a part that is left open costs no second call."""
    two = "What does a hotel room in Bergen cost? And who approves parental leave?"
    one_part = '{"parts": [{"part": 1, "labels": ["1.1"]}, {"part": 2, "labels": []}]}'
    llm = ScriptedLLM(lambda _: one_part)
    trace = tiny_office.as_query_engine(llm=llm).query(two).answer.trace
    assert "calls.coverage" in trace.numbers
    assert "pointers.fetched" in trace.numbers
    off = switched_off(tiny_office, Component.COVERAGE, Component.POINTERS)
    trace = off.as_query_engine(llm=llm).query(two).answer.trace
    assert "calls.coverage" not in trace.numbers
    assert "pointers.fetched" not in trace.numbers


def test_the_environment_can_switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is typed: names are those of the components."""
    monkeypatch.setenv("RAG_APP_WITHOUT", '["sparse index"]')
    assert load_settings().without == {Component.SPARSE_INDEX}
