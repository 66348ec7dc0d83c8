"""Samples that look like the whole."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app.errors import UsageError
from rag_app.evaluate.cases.sampling import stratified_sample
from rag_app.evaluate.cases.schema import Case, load_cases

CASES = load_cases(Path(__file__).parents[3] / "indexes" / "saggarline" / "questions.jsonl")


@given(st.integers(1, 70), st.integers(0, 50))
def test_every_stratum_has_its_share(size: int, seed: int) -> None:
    """A sample has its size, keeps the order, repeats by seed, and each difficulty has its share within one."""
    sample = stratified_sample(CASES, size, seed)
    assert len(sample) == min(size, len(CASES))
    assert sample == [case for case in CASES if case in sample]
    assert sample == stratified_sample(CASES, size, seed)
    for key, whole in Counter((case.difficulty, case.answerable) for case in CASES).items():
        share = whole * len(sample) / len(CASES)
        assert abs(sum((case.difficulty, case.answerable) == key for case in sample) - share) < 1


def test_it_is_never_the_first_ones() -> None:
    """Other seeds draw other questions, and every question has its chance."""
    samples = [stratified_sample(CASES, 12, seed) for seed in range(60)]
    assert all(sample != CASES[:12] for sample in samples)
    assert {case.id for sample in samples for case in sample} == {case.id for case in CASES}


def test_domains_take_turns() -> None:
    """Within a stratum no domain comes twice before each has come once."""
    cases = [Case(f"{domain}-{number}", "?", domain=domain) for domain in "abc" for number in range(9)]
    for seed in range(10):
        assert {case.domain for case in stratified_sample(cases, 3, seed)} == {"a", "b", "c"}


def test_all_or_nothing() -> None:
    """No size, or one that is too large, is everything; a size under 1 is refused."""
    assert stratified_sample(CASES, None, 1) == CASES
    assert stratified_sample([], 3, 1) == []
    with pytest.raises(UsageError, match="at least one"):
        stratified_sample(CASES, 0, 1)
