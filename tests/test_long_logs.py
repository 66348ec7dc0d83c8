"""A long log among the documents: nobody pays for it who asks about something else."""

import time
from pathlib import Path
from typing import Any

import pytest

from rag_app.opened import OpenIndex
from tests.index.workbench import Workbench
from tests.office import build_tiny, open_tiny

QUESTIONS = ("How many days of holiday does everybody get a year?", "Up to how much are hotels refunded a night?")


def with_log(folder: Path, lines: int) -> OpenIndex:
    """A small index that holds a log of so many lines, about the words of the questions too."""
    bench = Workbench(folder)
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.", title="Leave")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 140 euros a night.", title="Travel")
    said = ("job {} done in 5 days of the year", "hotel {} refunded 90 euros a night", "holiday of everybody{} begins")
    text = [f"2024-05-01 12:{n // 60 % 60:02}:{n % 60:02} INFO {said[n % 3].format(n)}" for n in range(lines)]
    bench.write("server.log.txt", "\n".join(text))
    build_tiny(folder)
    return open_tiny(folder, gate_threshold=-1.0, decline_threshold=0.0)


def asked(index: OpenIndex) -> tuple[float, int]:
    """Seconds of processor time that the questions take, and the longest answer in characters."""
    engine: Any = index.as_query_engine(llm=None)
    engine.query(QUESTIONS[0])
    begun = time.process_time()
    answers = [engine.query(question).answer for question in QUESTIONS for _ in range(2)]
    spent = time.process_time() - begun
    for answer in answers:
        assert answer.quotes, "nothing was answered"
        for quote in answer.quotes:
            assert quote.document_id == "server.log" or "." in quote.text
            assert quote.text.count("\n") == 0, "several lines of the log in one quote"
    return spent, max(sum(len(quote.text) for quote in answer.quotes) for answer in answers)


def check(folder: Path, lines: int) -> None:
    few, many = with_log(folder / "few", lines), with_log(folder / "many", 4 * lines)
    for _ in range(3):
        (small, short), (large, long) = asked(few), asked(many)
        print(f"{lines} lines {small:.3f} s, {4 * lines} lines {large:.3f} s; characters quoted {short}, {long}")
        assert max(short, long) < 2000
        if large < 6 * small + 0.1:
            return
    raise AssertionError("four times the log makes unrelated questions take far more than four times as long")


def test_a_log_among_the_documents(tmp_path: Path) -> None:
    """Four times as long a log makes questions about other things take at most about four times as long, and is not
    quoted whole."""
    check(tmp_path, 125)


@pytest.mark.long
def test_two_thousand_lines_among_the_documents(tmp_path: Path) -> None:
    """The same with 500 and 2,000 lines."""
    check(tmp_path, 500)
