"""Many questions to one engine."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from rag_app import BatchResult, OpenIndex
from rag_app.errors import ModelRejected, UsageError
from rag_app.testing import ScriptedLLM
from tests.synthesize.turns import said

QUESTIONS = [
    "How long does parental leave last?",
    "",
    "Where is toner kept?",
    "Who won the tennis match on Mars?",
    "What does a hotel in Porto cost?",
    "How long does parental leave last?",
]

pytestmark = pytest.mark.usefixtures("answers_always")


def plain(result: BatchResult) -> Any:
    if result.answer is None:
        return type(result.error)
    answer = result.answer.as_dict()
    del answer["trace"]["milliseconds"]
    return answer


def test_a_batch_answers_as_one_at_a_time(tiny_office: OpenIndex) -> None:
    """Results stand in the order of the questions and say what `query` says; a bad question is its own error and spoils
    nothing; sync and async alike."""
    engine = tiny_office.as_query_engine(llm=None)
    done: list[tuple[int, int]] = []
    results = engine.batch(QUESTIONS, concurrency=3, progress=lambda *counts: done.append(counts))
    assert [result.question for result in results] == QUESTIONS
    assert [plain(r) for r in results if r.question] == [
        plain(BatchResult(q, engine.query(q).answer)) for q in QUESTIONS if q
    ]
    assert isinstance(results[1].error, UsageError)
    assert done == sorted(done)
    assert done[-1] == (len(QUESTIONS), len(QUESTIONS))
    also = asyncio.run(engine.abatch(QUESTIONS, concurrency=2))
    assert [plain(result) for result in also] == [plain(result) for result in results]
    assert engine.batch([]) == []
    with pytest.raises(UsageError, match="concurrency"):
        engine.batch(QUESTIONS, concurrency=0)


def test_no_more_run_at_a_time_than_asked(tiny_office: OpenIndex) -> None:
    """`concurrency` bounds how many questions are with the model at once, and is made use of."""
    running, most, guard, both = 0, 0, threading.Lock(), threading.Barrier(2, timeout=30)

    def reply(_: Any) -> str:
        nonlocal running, most
        with guard:
            running += 1
            most = max(most, running)
        both.wait()  # ends only where two are here
        with guard:
            running -= 1
        return said(["1.1"])

    engine = tiny_office.as_query_engine(llm=ScriptedLLM(reply))
    results = engine.batch([f"How long does parental leave last in year {year}?" for year in range(6)], concurrency=2)
    assert all(result.answer and result.answer.quotes for result in results)
    assert most == 2


def test_a_batch_goes_on_where_it_was_stopped(tiny_office: OpenIndex, tmp_path: Path) -> None:
    """What the results file holds is not asked again, errors are; half a line of a killed run is left out, and results
    of other settings, models or documents do not count."""
    file = tmp_path / "results.jsonl"
    asked: list[str] = []

    def reply(messages: Any) -> str | Exception:
        asked.append(messages[-1][1])
        return ModelRejected("No access.") if "toner" in messages[-1][1] and len(asked) < 4 else said(["1.1"])

    questions = ["How long does parental leave last?", "Where is toner kept?", "What does a hotel in Porto cost?"]
    engine = tiny_office.as_query_engine(llm=ScriptedLLM(reply))
    first = engine.batch(questions, concurrency=1, results=file)
    assert [type(result.error) for result in first] == [type(None), ModelRejected, type(None)]
    file.write_bytes(file.read_bytes() + b'{"state": "half of a li')
    count = len(asked)
    second = engine.batch(questions, concurrency=1, results=file)
    assert [result.is_resumed for result in second] == [True, False, True]
    assert all(result.answer for result in second)
    assert len(asked) > count
    assert second[0].answer == first[0].answer
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 3
    other = tiny_office.as_query_engine(llm=None).batch(questions, results=file)
    assert not any(result.is_resumed for result in other)
    file.write_text("no results\n")
    with pytest.raises(UsageError, match="line 1"):
        engine.batch(questions, results=file)


def test_a_question_that_stands_there_twice_is_asked_once(tiny_office: OpenIndex, tmp_path: Path) -> None:
    """Its result stands at each place; what is no text is an error of its own each time."""
    llm = ScriptedLLM(lambda _: said(["1.1"]))
    file = tmp_path / "results.jsonl"
    questions: list[Any] = ["Where is toner kept?", None, "Where is toner kept?", [], "Where is toner kept?"]
    results = tiny_office.as_query_engine(llm=llm).batch(questions, concurrency=2, results=file)
    assert len(llm.calls) == 1
    assert [bool(result.answer) for result in results] == [True, False, True, False, True]
    assert len(file.read_text().splitlines()) == 1
    again = tiny_office.as_query_engine(llm=llm).batch(questions, results=file)
    assert [result.is_resumed for result in again] == [True, False, True, False, True]
    assert len(llm.calls) == 1


def test_a_single_text_is_no_batch(tiny_office: OpenIndex) -> None:
    """One question instead of a list of them is not asked letter by letter."""
    with pytest.raises(UsageError, match="into a list"):
        tiny_office.as_query_engine(llm=None).batch("How long is it?")


def test_a_file_that_cannot_be_written_is_said_before_anything_is_asked(tiny_office: OpenIndex, tmp_path: Path) -> None:
    """One sentence, sync and async; and what a caller's progress raises comes as it is, in both."""
    llm = ScriptedLLM(lambda _: said(["1.1"]))
    engine = tiny_office.as_query_engine(llm=llm)
    nowhere = tmp_path / "no" / "results.jsonl"
    with pytest.raises(UsageError, match="cannot be written"):
        engine.batch(QUESTIONS, results=nowhere)
    with pytest.raises(UsageError, match="cannot be written"):
        asyncio.run(engine.abatch(QUESTIONS, results=nowhere))
    assert llm.calls == []

    def stop(done: int, of: int) -> None:
        raise KeyError(done, of)

    with pytest.raises(KeyError):
        engine.batch(QUESTIONS, progress=stop)
    with pytest.raises(KeyError):
        asyncio.run(engine.abatch(QUESTIONS, progress=stop))
