"""The recordings of evals/search, asked offline through the real client: nothing may have moved since their day."""

import re
from collections import Counter
from pathlib import Path

import pytest

from evals.search_bench.judging import Outcome, summary
from evals.search_bench.search_case import CATEGORIES, SearchCase, load_search_cases
from evals.search_bench.search_recording import load_recording, recording_path
from evals.search_bench.search_run import Replayed, replay

FOLDER = Path(__file__).parents[3] / "evals" / "search"
REGIONS = ("ge", "nz")
CASES = [case for region in REGIONS for case in load_search_cases(FOLDER, region)]
WIRE = {"query", "answer", "images", "results", "response_time", "request_id"}
WIRE_RESULT = {"url", "title", "content", "score", "raw_content", "published_date"}

_seen: dict[str, Replayed] = {}


def replayed(case: SearchCase) -> Replayed:
    if case.id not in _seen:
        _seen[case.id] = replay(case, FOLDER)
    return _seen[case.id]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_nothing_moved(case: SearchCase) -> None:
    """A case asked of its recording ends as on the day it was frozen, and as the case expects."""
    found = replayed(case)
    problems = [*(f"moved: {line}" for line in found.moved), *found.outcome.failures]
    assert not problems, "\n".join([f"{case.id}:", *problems, "look at it, then: python -m evals.search_bench record"])


@pytest.mark.parametrize("region", REGIONS)
def test_figures(region: str) -> None:
    """For each region: nothing suspect, no anchor dropped, nothing legitimate refused, no false alarm, no namesake."""
    outcomes: list[Outcome] = [replayed(case).outcome for case in CASES if case.region == region]
    figures = summary(outcomes)
    wrong = ("failed", "errors", "suspect", "anchor dropped", "rejected", "false weak", "namesakes")
    assert {name: figures[name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert figures["cases"] >= 20
    assert figures["region share"] > 0.8


def test_cases_are_many_and_of_all_kinds() -> None:
    """At least 40 cases, of every kind, several of each that is easy to get wrong, in both regions."""
    kinds = Counter(case.category for case in CASES)
    assert len(CASES) >= 40
    assert set(kinds) == set(CATEGORIES)
    assert min(kinds["collision"], kinds["common_word"]) >= 10
    for region in REGIONS:
        assert {case.category for case in CASES if case.region == region} == set(CATEGORIES)


def test_recordings_are_marked_and_in_the_documented_format() -> None:
    """Each constructed recording says so, holds the documented fields alone, and belongs to a case."""
    for region in REGIONS:
        files = {file.stem for file in (FOLDER / region / "recordings").glob("*.json")}
        assert files == {case.id for case in CASES if case.region == region}
    for case in CASES:
        recording = load_recording(recording_path(FOLDER, case.region, case.id))
        assert recording.case == case.id
        assert recording.origin == "constructed"
        assert "Constructed by hand" in recording.note
        for search in recording.searches:
            assert set(search.reply) == WIRE
            assert all(set(result) <= WIRE_RESULT for result in search.reply["results"])


def test_recordings_show_what_goes_wrong_on_the_web() -> None:
    """Among them are empty and wrong-country sets, duplicates, other scripts, HTML, missing and very long pages."""
    searches = [
        search.reply["results"]
        for case in CASES
        for search in load_recording(recording_path(FOLDER, case.region, case.id)).searches
    ]
    results = [result for found in searches for result in found]
    texts = [result["raw_content"] or "" for result in results]
    assert any(not found for found in searches)
    assert any(len({result["title"] for result in found}) < len(found) for found in searches)
    assert any(re.search(r"<script|<table", text) for text in texts)
    assert any(len(text) > 200_000 for text in texts)
    assert any(result["raw_content"] is None for result in results)
    assert all(any(re.search(script, text) for text in texts) for script in ("[ა-ჰ]", "[а-я]", "[ぁ-ん]"))


def test_models_that_err_are_recorded_too() -> None:
    """Some recordings hold a gate's model that dropped the region or a name, refused a bare name, or wrote no JSON."""
    said = {
        case.id: recording.classifier
        for case in CASES
        if (recording := load_recording(recording_path(FOLDER, case.region, case.id))).classifier is not None
    }
    assert len(said) >= 15
    assert sum("New Zealand" not in reply and '"allowed": true' in reply for reply in said.values()) >= 5
    assert sum('"allowed": false' in reply for reply in said.values()) >= 4
    assert any("{" not in reply for reply in said.values())
