"""When a difference is called one."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from rag_app.evaluate.uplift.uplift_row import ArmRow, UpliftRow
from rag_app.evaluate.uplift.uplift_verdict import FEWEST, compare_arms, in_words

Mark = float | None


def rows(pairs: Sequence[tuple[Mark, Mark]], refused: bool = False) -> list[UpliftRow]:
    return [
        UpliftRow(
            f"q-{number}", "?", "!", "", "", "factual", True,
            {"a": ArmRow("answered", score=a), "b": ArmRow("refused" if refused else "answered", score=b)},
        )
        for number, (a, b) in enumerate(pairs)
    ]  # fmt: skip


def verdict(pairs: Sequence[tuple[Mark, Mark]]) -> str:
    return compare_arms(rows(pairs), "a", "b").verdict


def test_verdicts() -> None:
    """A clear gain helped, a clear loss harmed, ties and noise made no difference."""
    assert verdict([(2, 9)] * 20 + [(9, 9)] * 10) == "helped"
    assert verdict([(9, 2)] * 20 + [(9, 9)] * 10) == "harmed"
    assert verdict([(5, 5)] * 30) == "made no measurable difference"
    assert verdict([(2, 9), (9, 2)] * 15) == "made no measurable difference"


def test_a_few_lucky_questions_are_no_effect() -> None:
    """Four questions won among forty ties lie within chance, although a bootstrap interval alone excludes 0."""
    found = compare_arms(rows([(0, 10)] * 4 + [(8, 8)] * 36), "a", "b")
    assert found.score is not None
    assert found.score.interval.low > 0
    assert found.verdict == "made no measurable difference"
    assert verdict([(0, 10)] * 7 + [(8, 8)] * 33) == "helped"


def test_too_little_is_not_told() -> None:
    """Few questions, or many without a mark, give no verdict; what is missing is missing from both arms and counted."""
    assert verdict([(0, 10)] * (FEWEST - 1)) == "cannot be told"
    found = compare_arms(rows([(0, 10)] * 20 + [(None, 10)] * 6), "a", "b")
    assert (found.verdict, found.missing, found.pairs) == ("cannot be told", 6, 20)
    found = compare_arms(rows([(0, 10)] * 20 + [(10, None)] * 4), "a", "b")
    assert found.verdict == "helped"
    assert found.score is not None
    assert (found.score.a, found.score.b, len(found.won)) == (0, 10, 20)
    assert "4 of 24 questions have no mark in one of the two" in in_words(found, ("the model alone", "the index"))
    assert compare_arms([], "a", "b").verdict == "cannot be told"


def test_words() -> None:
    """The sentence has what changed, the interval, what it rests on, and how the questions were won and lost."""
    found = compare_arms(rows([(9, 2)] * 20 + [(9, 9)] * 10, refused=True), "a", "b")
    said = in_words(found, ("the model alone", "the index"))
    assert said.startswith(
        "The index harmed the model alone: the mean mark went from 9.0 to 4.3 of 10 (-4.7, 95% interval"
    )
    assert said.endswith("questions won: 0, lost: 20 (0 are wrong, 20 are abstained from).")


@pytest.mark.parametrize("questions", [20, 40])
def test_chance_is_seldom_taken_for_an_effect(questions: int) -> None:
    """Of 200 comparisons of an arm with another draw of itself, no more than one in twenty is called better."""
    drawing = random.Random(questions)

    def mark() -> float:
        return drawing.choice([0, 0, 0.5, 1, 2, 2, 2, 7, 9, 10])

    found = Counter(verdict([(mark(), mark()) for _ in range(questions)]) for _ in range(200))
    assert found["helped"] <= 10
    assert found["harmed"] <= 10


def test_one_document_is_one_piece_of_evidence() -> None:
    """Twenty questions about one document that all gain are no gain of the index."""
    pairs: Sequence[tuple[Mark, Mark]] = [(0, 10)] * 20 + [(8, 8)] * 10
    groups = {f"q-{number}": "one" if number < 20 else str(number) for number in range(30)}
    assert compare_arms(rows(pairs), "a", "b").verdict == "helped"
    assert compare_arms(rows(pairs), "a", "b", groups=groups).verdict == "made no measurable difference"
