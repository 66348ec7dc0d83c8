"""Many questions to one engine: a few at the same time, in order, resumable; one that fails spoils nothing."""

import asyncio
import hashlib
import json
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_app.answer import Answer
from rag_app.errors import RagAppError, UsageError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Progress = Callable[[int, int], None]
"""Called with how many questions are done, and how many there are."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What came of one question of a batch: an answer, which may be a refusal, or an error."""

    question: str
    answer: Answer | None = None
    """None where there is an error."""
    error: RagAppError | None = None
    """What failed, of its own kind; None where there is an answer."""
    is_resumed: bool = False
    """Whether it was taken from the results file of an earlier run."""


class Batch:
    """The questions of one run, what came of them, and the file that keeps it.

    Args:
        questions: what is asked, in order.
        results: a file of JSON lines that answers are added to as they come; those that it holds from an earlier run
            are not asked again, as long as `state` is the same. Errors are asked again. None: nothing is kept.
        state: names everything that an answer depends on besides the question: documents, rights, settings, models.
        progress: see `Progress`; called from one thread at a time.

    Raises:
        UsageError: `questions` is a single text, or the results file cannot be read or written.
    """

    def __init__(
        self, questions: Iterable[str], *, results: str | Path | None, state: str, progress: Progress | None
    ) -> None:
        if isinstance(questions, str):
            raise UsageError("A batch takes several questions: put a single one into a list.")
        self.questions = list(questions)
        self._results: list[BatchResult | None] = [None] * len(self.questions)
        self._file = Path(results) if results is not None else None
        self._state = state
        self._progress = progress
        self._guard = threading.Lock()
        if self._file:
            _append(self._file, "")  # a file that cannot be written is no news for after the first answer
        kept = _read(self._file, state) if self._file else {}
        self._numbers: dict[str, list[int]] = {}
        for number, question in enumerate(self.questions):
            if not isinstance(question, str):
                continue
            self._numbers.setdefault(question, []).append(number)
            if (answer := kept.get(question)) is not None:
                self._results[number] = BatchResult(question, answer, is_resumed=True)
        self._done = sum(result is not None for result in self._results)
        if self._done:
            self._report()

    @property
    def open(self) -> list[int]:
        """Indexes of the questions that are still to be asked; of one that stands there more than once, the first."""
        return [
            number
            for number, result in enumerate(self._results)
            if result is None and self._equal_to(number)[0] == number
        ]

    @property
    def results(self) -> list[BatchResult]:
        """What came of each question, in order; after all were asked."""
        return [result for result in self._results if result is not None]

    def ask(self, number: int, ask: Callable[[str], Answer]) -> None:
        """Asks one question and keeps what comes."""
        question = self.questions[number]
        try:
            outcome = BatchResult(question, ask(question))
        except Exception as error:  # noqa: BLE001 - it is the result of this question
            outcome = BatchResult(question, error=_typed(error))
        self._keep(number, outcome)

    async def aask(self, number: int, ask: Callable[[str], Awaitable[Answer]]) -> None:
        """As `ask`, without holding up the event loop."""
        question = self.questions[number]
        try:
            outcome = BatchResult(question, await ask(question))
        except Exception as error:  # noqa: BLE001 - it is the result of this question
            outcome = BatchResult(question, error=_typed(error))
        await asyncio.to_thread(self._keep, number, outcome)

    def _keep(self, number: int, outcome: BatchResult) -> None:
        with self._guard:
            equal = self._equal_to(number)
            for one in equal:
                self._results[one] = outcome
            self._done += len(equal)
            if self._file and outcome.answer:
                _append(self._file, _line(self._state, outcome.question, outcome.answer))
            self._report()

    def _equal_to(self, number: int) -> list[int]:
        """Indexes of the questions that read as that one, itself among them."""
        question = self.questions[number]
        return self._numbers[question] if isinstance(question, str) else [number]

    def _report(self) -> None:
        if self._progress:
            self._progress(self._done, len(self.questions))


def run_batch(batch: Batch, ask: Callable[[str], Answer], concurrency: int) -> list[BatchResult]:
    """Asks what is open, `concurrency` questions at a time. Raises UsageError where that is under 1."""
    _check(concurrency)
    pool = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="rag_app-batch")
    try:
        for future in [pool.submit(batch.ask, number, ask) for number in batch.open]:
            future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)  # Ctrl-C: what is running ends, the rest is not begun
    return batch.results


async def arun_batch(batch: Batch, ask: Callable[[str], Awaitable[Answer]], concurrency: int) -> list[BatchResult]:
    """As `run_batch`, without holding up the event loop."""
    _check(concurrency)
    waiting = iter(batch.open)

    async def worker() -> None:
        for number in waiting:
            await batch.aask(number, ask)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(batch.open))):
                group.create_task(worker())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None  # the file, or what the caller's progress raises; questions raise nothing
    return batch.results


def state_of(parts: Sequence[object]) -> str:
    """A short name for everything in `parts`, equal where they are."""
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()[:16]


def _check(concurrency: int) -> None:
    if not isinstance(concurrency, int) or isinstance(concurrency, bool) or concurrency < 1:
        raise UsageError(f"concurrency is how many questions are asked at a time, at least 1, not {concurrency!r}.")


def _typed(error: Exception) -> RagAppError:
    if isinstance(error, RagAppError):
        return error
    ours = RagAppError(f"The question could not be answered ({type(error).__name__}: {error}).")
    ours.__cause__ = error
    return ours


@cache
def _answers() -> "TypeAdapter[Answer]":
    from pydantic import TypeAdapter

    return TypeAdapter(Answer)


def _read(file: Path, state: str) -> dict[str, Answer]:
    """The answers of an earlier run, by question; a last line that a killed run left half-written is left out."""
    if not file.exists():
        return {}
    try:
        lines = file.read_bytes().decode("ascii").split("\n")
    except (OSError, ValueError) as error:
        raise UsageError(f"The results file {file} cannot be read: {error}.", path=str(file)) from error
    if lines.pop():  # without its line break: a killed run left half a line
        os.truncate(file, sum(len(line.encode()) + 1 for line in lines))
    kept: dict[str, Answer] = {}
    other = 0
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            if row["state"] == state:
                kept[row["question"]] = _answers().validate_python(row["answer"])
            else:
                other += 1
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{file}, line {number}, is not a result of a batch: name another file.", path=str(file)
            ) from error
    if other:
        _log.warning(
            "%s: %d results are from another state of the index or other settings; their questions are asked again.",
            file,
            other,
        )
    return kept


def _line(state: str, question: str, answer: Answer) -> str:
    row: dict[str, Any] = {"state": state, "question": question, "answer": asdict(answer)}
    return json.dumps(row, ensure_ascii=True) + "\n"


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="ascii", newline="\n") as out:
            out.write(text)
    except OSError as error:
        raise UsageError(f"The results file {file} cannot be written: {error}.", path=str(file)) from error
