"""The one machine that carries out runs of every kind: it asks, keeps each row as it comes, resumes, and freezes.

The same call continues what was interrupted. It never asks the failures alone again, because asking only these until
they pass measures patience: that takes `retry_errors`, and the rows are marked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from rag_app.errors import EvaluationInterrupted
from rag_app.evaluate.run.run_folder import (
    ROWS,
    UNFINISHED,
    Key,
    R,
    alone_in,
    keys_of,
    place_for,
    write_rows,
)
from rag_app.index.build.document_source import Progress

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Job(Generic[R, ResultT]):
    """What a run asks, and what is made of the rows."""

    out: Path
    name: str
    config: Mapping[str, Any]
    """Everything that the figures rest on, as plain data; `runs` says how often each case is asked."""
    cases: Mapping[str, Mapping[str, Any]]
    """By id, what a report says of each case, as plain data."""
    ask: Callable[[Key], R]
    """Whatever fails becomes a row that says so; what it raises stops the run, which keeps its rows."""
    made: Callable[[Any], R]
    """Makes a row of what `as_json` wrote."""
    finish: Callable[[Path, Sequence[R]], ResultT]
    """Writes results and reports beside the rows; called also when the run is interrupted, with fewer rows."""


def carry_out(
    job: Job[R, ResultT], *, threads: int = 1, retry_errors: bool = False, progress: Progress | None = None
) -> ResultT:
    """Asks what is missing, and freezes the result in a folder of its own.

    Args:
        threads: questions asked at the same time.
        progress: receives rows done, rows in all, and the question just answered.

    Raises:
        EvaluationInterrupted: by Ctrl-C; the rows are kept, and the same call resumes.
        UsageError: another process writes to the same result, or there is no error to ask again.
    """
    folder, rows = place_for(job.out, job.name, job.config, job.cases, job.made, retry_errors=retry_errors)
    with alone_in(folder):
        again = {row.key for row in rows if row.failed} if retry_errors else set[Key]()
        found = {row.key: row for row in rows if row.key not in again}
        keys = keys_of(job.cases, job.config["runs"])
        todo = [key for key in keys if key not in found]
        write_rows(folder / ROWS, list(found.values()))

        def ask(key: Key) -> R:
            row = job.ask(key)
            return row.as_retried() if key in again else row  # pyright: ignore[reportReturnType]

        try:
            for row in _kept(ask, todo, folder / ROWS, threads, progress or (lambda *_: None)):
                found[row.key] = row
        except KeyboardInterrupt:
            job.finish(folder, [found[key] for key in keys if key in found])
            missing = len(keys) - len(found)
            raise EvaluationInterrupted(
                f"Interrupted: {missing} answers are missing, the others are kept in {folder}. The same command "
                "resumes from there.",
                folder=str(folder),
                missing=missing,
            ) from None
        result = job.finish(folder, [found[key] for key in keys])
        (folder / UNFINISHED).unlink()
        return result


def _kept(ask: Callable[[Key], R], todo: Sequence[Key], file: Path, threads: int, progress: Progress) -> Iterator[R]:
    """Rows, each appended to the file as it comes: in order with one thread, else in the order of the answers."""
    progress(0, len(todo), "")
    with file.open("a", encoding="utf-8", newline="\n") as lines:
        for done, row in enumerate(map(ask, todo) if threads == 1 else _at_once(ask, todo, threads), start=1):
            lines.write(row.as_json() + "\n")
            lines.flush()
            yield row
            progress(done, len(todo), row.question)


def _at_once(ask: Callable[[Key], R], todo: Sequence[Key], threads: int) -> Iterator[R]:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="rag_app evaluation")
    try:
        for future in as_completed([pool.submit(ask, key) for key in todo]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)  # what is being asked is waited for, and asked again next time
