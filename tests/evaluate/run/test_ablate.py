"""What each component contributes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_app import OpenIndex
from rag_app.errors import UsageError
from rag_app.evaluate.cases.suite import Selection, Suite
from rag_app.evaluate.measures.statistics import Difference, Interval
from rag_app.evaluate.run.ablate import Contribution, ablate
from rag_app.evaluate.run.remembering import RememberingIndex
from rag_app.settings import Component
from tests.evaluate.papers import chooser, write_office, write_suite


@pytest.fixture(scope="module")
def office_suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, OpenIndex]:
    return write_office(tmp_path_factory.mktemp("suite") / "office")


def test_what_helps_and_what_does_nothing(office_suite: tuple[Suite, OpenIndex]) -> None:
    """A component whose absence changes no answer contributes nothing; one that decides the answers changes them."""
    suite, index = office_suite
    closed = OpenIndex(index.reader, index.settings.model_copy(update={"gate_threshold": 0.99}), index.embedder)
    found = ablate([(suite, closed)], models=lambda case, run: chooser())
    by_name = {one.component: one for one in found.contributions}
    assert list(by_name) == list(Component)
    nothing = "contributes nothing to answers here, all are the same without it"
    assert by_name[Component.CROSS_ENCODER].verdict == nothing
    gate = by_name[Component.CONFIDENCE_GATE]
    assert "canteen" in gate.changed
    strict = next(gain for gain in gate.gains if gain.measure == "Strict")
    assert strict.difference == found.whole[suite.name]["Strict"] - strict.a
    assert "confidence gate: " in str(found)


def test_without_a_model_its_parts_are_not_in_the_path(office_suite: tuple[Suite, OpenIndex]) -> None:
    """Pointers and coverage are reported as not in the path where no language model chooses, and cost no question."""
    told: list[tuple[int, int, str]] = []
    chosen = Selection(only=("canteen",))
    found = ablate([office_suite], selection=chosen, progress=lambda *seen: told.append(seen))
    outside = [one.component for one in found.contributions if not one.in_path]
    assert outside == [Component.POINTERS, Component.COVERAGE]
    assert all(one.verdict.startswith("not in this path") for one in found.contributions if not one.in_path)
    assert told[-1][:2] == (7, 7)


def test_suites_are_told_apart(office_suite: tuple[Suite, OpenIndex], tmp_path: Path) -> None:
    """Several suites are reported one after the other, as text and as data."""
    suite, index = office_suite
    other = write_suite(tmp_path)
    (tmp_path / "principals.json").write_text((suite.folder / "principals.json").read_text("utf-8"), "utf-8")
    found = ablate(
        [(suite, index), (other, index)], components=[Component.SPARSE_INDEX], selection=Selection(only=("canteen",))
    )
    assert [one.suite for one in found.contributions] == [suite.name, other.name]
    assert json.loads(json.dumps(found.as_dict()))["contributions"][0]["component"] == "sparse index"
    assert other.name in str(found)
    with pytest.raises(UsageError, match="one name"):
        ablate([(suite, index), (suite, index)], components=[Component.SPARSE_INDEX])


class Counting:
    """A cross-encoder that counts what it reads."""

    name = "counting"

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        return [float(len(text)) for text in texts]

    def fingerprint(self) -> str:
        return self.name


def test_models_read_each_text_once(tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variants of an index share what its models said: the same answers, and no pair is read twice."""
    counting = Counting()
    monkeypatch.setattr(OpenIndex, "cross_encoder", property(lambda _: counting))
    question = "What does a hotel room in Bergen cost?"
    plain = tiny_office.as_query_engine().query(question).answer
    read = len(counting.read)
    remembering = RememberingIndex(tiny_office)
    first = remembering.as_query_engine().query(question).answer
    assert len(counting.read) == 2 * read
    second = remembering.without(Component.CONFIDENCE_GATE).as_query_engine().query(question).answer
    assert len(counting.read) == 2 * read
    assert plain.quotes == first.quotes == second.quotes
    assert first.trace.numbers == plain.trace.numbers
    assert remembering.gate_threshold == tiny_office.gate_threshold


def test_a_verdict_says_what_is_clear() -> None:
    """A component helps or harms where the strict rule's difference is clear; other clear measures are named."""
    clear, unclear = Interval(0.1, 0.3), Interval(-0.1, 0.3)

    def verdict(strict: Interval, recall: Interval, *changed: str, better: float = 0.2) -> str:
        gains = (
            Difference(0.5, 0.5 + better, better, strict, 0.01, 9, 9, "Strict"),
            Difference(0.5, 0.7, 0.2, recall, 0.01, 9, 9, "R@3"),
        )
        return Contribution(Component.SPARSE_INDEX, "suite", gains, changed).verdict

    assert verdict(clear, unclear, "a") == "helps"
    assert verdict(Interval(-0.3, -0.1), unclear, "a", better=-0.2) == "HARMS"
    assert verdict(unclear, clear, "a") == "not distinguishable from nothing; it clearly moves R@3"
    assert verdict(unclear, clear).startswith("contributes nothing to answers here")
