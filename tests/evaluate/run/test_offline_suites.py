"""The suites of the project with the real models: a sample of one in every run of the tests; in the long ones all of
them in full, against the floors of evals/floors.toml.

In full, each suite is asked in pieces, so that workers share it; whichever piece ends last judges all of them. A broken
floor names the questions that changed.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from evals.floors import load_floors, load_known_wrong
from evals.in_full import FLOORS, INDEXES, KNOWN_WRONG, REPLAYED, SUITES, ask, index_of, judge, paths_of, result_of
from evals.near_misses.__main__ import ROOT as PROJECT
from evals.near_misses.__main__ import ask_pairs
from rag_app import OpenIndex, build_index, open_index
from rag_app.evaluate.cases.sampling import stratified_sample
from rag_app.evaluate.cases.suite import Suite, load_suite
from rag_app.evaluate.run.row import Row
from rag_app.evaluate.run.run_folder import read_lines, write_rows

PIECES = {"fellwire": 6, "harbour": 2, "fellwire-stress": 4, "harbour-stress": 2}
SAMPLED, SAMPLE, SEED = "harbour", 16, 7
"""The smaller suite, and how many of its questions are asked."""
NEWLY_WRONG = 2
"""Questions of the sample that may be wrong though they are known to be right: processors round otherwise."""
FEWEST_PAIRS = 30
"""Pairs of near misses about each suite, at least."""
REFUSED_NEIGHBOURS = 0.2
"""Share of the pairs in which what does stand in the documents may be refused."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this session have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "suites"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def opened(shared: Path) -> Callable[[str], tuple[Suite, OpenIndex]]:
    """Opens a suite and its index, which the first worker that wants it builds: a store that lies beside the documents
    may have been calibrated by somebody."""
    known: dict[str, tuple[Suite, OpenIndex]] = {}

    def of(name: str) -> tuple[Suite, OpenIndex]:
        if name not in known:
            index = index_of(name)
            folder = shared / index
            with FileLock(shared / f"{index}.lock"):
                if not (shared / f"{index}.built").exists():
                    source = INDEXES[index]
                    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".store"), dirs_exist_ok=True)
                    build_index(folder)
                    (shared / f"{index}.built").touch()
            known[name] = load_suite(folder if name == index else SUITES[name]), open_index(folder)
        return known[name]

    return of


def test_a_sample_of_questions(opened: Callable[[str], tuple[Suite, OpenIndex]]) -> None:
    """Of a fixed sample nearly every question that is known to be right is, with no model and in replay; nothing leaks,
    and with no model nothing fails or is missing."""
    suite, index = opened(SAMPLED)
    known = load_known_wrong(KNOWN_WRONG)
    asked = ask(index, suite, stratified_sample(suite.cases, SAMPLE, SEED))
    for path in paths_of(SAMPLED):
        assert len(asked[path]) == SAMPLE
        wrong = [row for row in asked[path] if not row.strict and row.case_id not in known[f"{SAMPLED}, {path}"]]
        assert len(wrong) <= NEWLY_WRONG, [f"{path}, {row.case_id}: {row.question} {row.error or ''}" for row in wrong]
        assert not [row for row in asked[path] if row.forbidden]
    assert not [row for row in asked["offline"] if row.degraded or row.failed]


@pytest.mark.long
@pytest.mark.parametrize(("name", "piece"), [(name, piece) for name, count in PIECES.items() for piece in range(count)])
def test_floors(name: str, piece: int, shared: Path, opened: Callable[[str], tuple[Suite, OpenIndex]]) -> None:
    """Every floor of a suite holds, when all its questions are asked."""
    suite, index = opened(name)
    for path, rows in ask(index, suite, suite.cases[piece :: PIECES[name]]).items():
        write_rows(shared / f"{name}-{path}-{piece}.jsonl", rows)
    with FileLock(shared / f"{name}.lock"):
        (shared / f"{name}-{piece}.asked").touch()
        if len(list(shared.glob(f"{name}-*.asked"))) < PIECES[name]:
            return
    results = []
    for path in paths_of(name):
        files = [shared / f"{name}-{path}-{number}.jsonl" for number in range(PIECES[name])]
        rows = [row for file in files for row in read_lines(file, Row.from_dict, "row")]
        assert len(rows) == len(suite.cases)
        results.append(result_of(suite, path, rows))
    found = judge(results)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("name", list(INDEXES))
def test_no_neighbour_is_shown(name: str, opened: Callable[[str], tuple[Suite, OpenIndex]]) -> None:
    """Asked for a thing that is not in the documents, no question is answered with its neighbour; asked for the
    neighbour itself, nearly every one is answered."""
    folder = INDEXES[name].relative_to(PROJECT).as_posix()
    found = list(ask_pairs(folder, opened(name)[1]))
    assert len(found) >= FEWEST_PAIRS
    assert [one.absent for one in found if one.is_neighbour_shown] == []
    refused = [one.asked for one in found if not one.is_answered]
    assert len(refused) <= REFUSED_NEIGHBOURS * len(found), refused


def test_each_path_has_floors() -> None:
    """Every way in which a suite is asked has floors under both rules and limits of errors and leaks."""
    floors = load_floors(FLOORS)
    for name in SUITES:
        for path in paths_of(name):
            measures = {floor.measure for floor in floors if floor.suite == f"{name}, {path}"}
            assert {"Published", "Strict", "Errors", "Forbidden"} <= measures


@pytest.mark.parametrize("name", REPLAYED)
def test_a_recording_holds_no_document(name: str) -> None:
    """A recording is of the scripted model, says so in every line, and holds labels only: no words of a document."""
    for line in (SUITES[name] / "recordings" / "scripted-1.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        assert entry["model"] == "scripted"
        assert set(json.loads(entry["reply"]["text"])) == {"parts"}
