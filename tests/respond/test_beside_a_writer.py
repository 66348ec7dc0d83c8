"""Whole questions, through the whole engine, while another process updates and rebuilds the index."""

import json
import multiprocessing
import os
import re
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_app.opened import OpenIndex, open_index
from rag_app.principal import Principal
from tests.index.crash import Asking, in_threads
from tests.index.workbench import Workbench

MANY = int(os.environ.get("RAG_APP_TEST_QUESTIONS", "1000"))
"""Questions of the long test; `RAG_APP_TEST_QUESTIONS=10000 pytest -m long` asks more."""
QUESTIONS = (
    "How many days of holiday does everybody get a year?",
    "Up to how many euros a night are hotels refunded?",
    "How many days of holiday does everybody get a year, and up to how many euros a night are hotels refunded?",
)
ANA = Principal("ana", roles=("staff",))
MARK = re.compile(r"gets (\d+)00 days|up to (\d+)01 euros")
"""The version that a sentence is of."""


def opened(folder: Path) -> OpenIndex:
    return open_index(folder, cross_encoder="none", gate_threshold=-1.0, decline_threshold=0.0)


def ask(folder: Path, threads: int, stop: Any, asked: Any, told: Any) -> None:
    """Asks in some threads; tells of each answer which question it is of, and which versions it shows."""
    index = opened(folder)

    def once(count: int, is_new: bool) -> tuple[int, frozenset[str], frozenset[str]]:
        question = count % len(QUESTIONS)
        if not is_new:
            return question, *answered(index, QUESTIONS[question])
        other = opened(folder)
        with closing(other.reader):
            return question, *answered(other, QUESTIONS[question])

    in_threads(threads, stop, asked, told, once)


def answered(index: OpenIndex, question: str) -> tuple[frozenset[str], frozenset[str]]:
    """The documents that are quoted, and the versions of which anything stands anywhere in the response."""
    response: Any = index.as_query_engine(ANA, llm=None).query(question)
    said = json.dumps(response.answer.as_dict()) + "".join(found.node.get_content() for found in response.source_nodes)
    quoted = frozenset(quote.document_id for quote in response.answer.quotes)
    return quoted, frozenset(one or other for one, other in MARK.findall(said))


def write_version(bench: Workbench, number: int) -> None:
    who: dict[str, Any] = {"access_scope": "role", "allowed_roles": "[staff]"}
    leave = f"# Leave\n\nEverybody gets {number}00 days of holiday a year."
    travel = f"# Travel\n\nHotels are refunded up to {number}01 euros a night."
    bench.write("leave.md", leave, title="Leave", **who)
    bench.write("travel.md", travel, title="Travel", **who)
    bench.build(rebuild=number % 4 == 3)


def beside_a_writer(bench: Workbench, processes: int, threads: int, questions: int) -> dict[str, int]:
    """Asks beside a writer; returns what went wrong, by kind, and how much was done."""
    bench.define("rules")
    bench.embedder = None  # the one that comes with the installation
    for number in range(12):
        bench.write(f"rule{number}.md", f"# Rule\n\nRule {number} is about topic {number * 31}.", access_scope="public")
    marks: list[tuple[float, str]] = []
    write_version(bench, 1)
    marks.append((time.time(), "1"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    asking = Asking(context, ask, bench.path, processes, threads)
    while asking.asked.value < questions:
        write_version(bench, len(marks) + 1)
        marks.append((time.time(), str(len(marks) + 1)))
    answers, troubles = asking.end()
    print("\n".join(troubles))
    counts = {"questions": len(answers), "versions": len(marks), "errors": len(troubles)}
    counts |= {"missing": 0, "mixed": 0, "stale": 0}
    wanted = ({"leave"}, {"travel"}, {"leave", "travel"})
    for begun, (question, quoted, seen) in answers:
        counts["missing"] += not wanted[question] <= quoted
        counts["mixed"] += len(seen) > 1
        in_force = max((int(mark) for since, mark in marks if since < begun), default=0)
        counts["stale"] += any(int(mark) < in_force for mark in seen)
    return counts


def check(counts: dict[str, int], questions: int) -> None:
    print(counts)
    assert counts["questions"] >= questions
    assert counts["versions"] > 4, "hardly anything was written"
    assert {kind: counts[kind] for kind in ("errors", "missing", "mixed", "stale")} == {
        "errors": 0,
        "missing": 0,
        "mixed": 0,
        "stale": 0,
    }


@pytest.mark.long
def test_many_questions_beside_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four processes of four threads ask while a fifth updates and rebuilds: no error, and each answer is of one whole
    state, the one in force when it was asked or a later one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    check(beside_a_writer(Workbench(tmp_path / "handbook"), 4, 4, MANY), MANY)
