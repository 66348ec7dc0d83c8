"""Recordings that were made blind: one person wrote message and expectation, another, who knew neither, the results.

Five faults that they showed were mended since, so they are blind no longer."""

from pathlib import Path

import pytest

from evals.search_bench.search_case import SearchCase, load_search_cases
from evals.search_bench.search_run import Replayed, replay

FOLDER = Path(__file__).parents[3] / "evals" / "search_blind"
CASES = [case for region in ("ge", "nz") for case in load_search_cases(FOLDER, region)]
NOT_AS_EXPECTED = {
    # what the search brought is no answer, and none is given, or with its doubt; docs/design/search-bench.md
    "nz-b-richmond-fire", "nz-b-pulse-bare", "ge-b-iberia-bare", "nz-b-entropy", "ge-b-georgia-governor",
}  # fmt: skip


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Replayed]:
    return {case.id: replay(case, FOLDER) for case in CASES}


def test_nothing_moved(outcomes: dict[str, Replayed]) -> None:
    """Every case ends as it did when the five faults had been mended."""
    assert {name: found.moved for name, found in outcomes.items() if found.moved} == {}


def test_what_ends_otherwise_than_expected(outcomes: dict[str, Replayed]) -> None:
    """Just the cases listed above do, and nothing is used in them that is said to be clean."""
    assert {name for name, found in outcomes.items() if found.outcome.failures} == NOT_AS_EXPECTED


def test_no_namesake_is_shown(outcomes: dict[str, Replayed]) -> None:
    """No result with a namesake's term in its title is used by a look-up that is said to be clean."""

    def is_wrong(case: SearchCase) -> bool:
        outcome = outcomes[case.id].outcome
        return outcome.verdict == "clean" and outcome.namesakes > 0

    assert [case.id for case in CASES if is_wrong(case)] == []
