"""Same input, same answer."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from rag_app import Answer, OpenIndex, open_index

QUESTIONS = [
    "How many days of paid holiday does an employee get?",
    "How long is parental leave, and who approves it?",
    "What does a hotel room in Bergen cost?",
    "Who won the football world cup in 1954?",
    "How many days of sick pay do trainees get?",
]


def told(answer: Answer) -> str:
    """An answer as JSON, without milliseconds."""
    plain: dict[str, Any] = answer.as_dict()
    plain["trace"]["milliseconds"] = sorted(plain["trace"]["milliseconds"])
    return json.dumps(plain, ensure_ascii=False)


@pytest.mark.parametrize("question", QUESTIONS)
def test_runs_engines_and_ways_agree(office: OpenIndex, question: str) -> None:
    """Asked twice, by another engine, by an index opened again, or asynchronously: the same bytes."""
    engine = office.as_query_engine()
    again = open_index(office.reader.definition.path).as_query_engine()
    answers = [
        engine.query(question),
        engine.query(question),
        office.as_query_engine().query(question),
        again.query(question),
        asyncio.run(engine.aquery(question)),
    ]
    assert len({told(response.answer) for response in answers}) == 1


def test_company_changes_nothing(office: OpenIndex) -> None:
    """A question has the same answer whatever was asked before it."""
    engine = office.as_query_engine()
    alone = [told(engine.query(question).answer) for question in QUESTIONS]
    assert [told(engine.query(question).answer) for question in reversed(QUESTIONS)] == alone[::-1]


def test_other_processes_agree(office: OpenIndex) -> None:
    """Another process, with another hash seed, gives the same bytes."""
    path = str(office.reader.definition.path)
    code = (
        "import sys, json\nfrom rag_app import open_index\nfrom tests.test_determinism import told, QUESTIONS\n"
        "engine = open_index(sys.argv[1]).as_query_engine()\n"
        "print(json.dumps([told(engine.query(q).answer) for q in QUESTIONS[:3]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120, env={"PYTHONHASHSEED": "7"}
    )
    assert done.returncode == 0, done.stderr
    engine = office.as_query_engine()
    assert json.loads(done.stdout) == [told(engine.query(question).answer) for question in QUESTIONS[:3]]
