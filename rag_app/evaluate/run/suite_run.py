"""Runs a suite: asks its questions, keeps each row as it comes, goes on where an earlier run stopped, and freezes.

The same command continues what was interrupted. It never asks the failures alone again, because whoever asks only
these until they pass measures patience: that takes `retry_errors`, and the report names these rows.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from dataclasses import replace as replaced
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from filelock import FileLock, Timeout

from rag_app.errors import DefinitionError, EvaluationInterrupted, UsageError
from rag_app.evaluate.cases.overlap import refuse_overlap, shown_to_models
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import Selection, Suite, load_suite, slug
from rag_app.evaluate.measures.retrieval import check_installed
from rag_app.evaluate.run import provenance
from rag_app.evaluate.run.asking import Asker, ModelFor, principals_of
from rag_app.evaluate.run.cost import PRICES, load_prices
from rag_app.evaluate.run.frozen import freeze, place_for, write_reports
from rag_app.evaluate.run.results import ROWS, Result, keys_of, load_result, write_rows
from rag_app.evaluate.run.row import Row
from rag_app.index.build.source import Progress
from rag_app.llm.recording import RecordingLLM
from rag_app.llm.trouble import model_name
from rag_app.models import load_llm
from rag_app.opened import OpenIndex

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Mode = Literal["live", "record", "replay"]
NO_MODEL = "none"


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """How a suite is run."""

    llm: "LLM | str" = NO_MODEL
    """Chooses the statements: a short name, or any LlamaIndex LLM; "none": none does."""
    mode: Mode = "live"
    """"record" keeps a model's replies beside the suite, "replay" takes them from there and asks no model."""
    runs: int = 1
    """How often each question is asked: a model's answers are draws from a band."""
    selection: Selection = field(default_factory=Selection)
    as_of: date | None = None
    """The day whose documents in force are asked; None: today."""
    name: str = ""
    """Of the result; left out, that of suite, split and model."""
    out: Path = Path("evals/results")
    retry_errors: bool = False
    """Ask again what ended in an error; these rows are marked."""
    concurrency: int = 4
    """Questions that wait for a model at the same time."""
    prices: Path = PRICES
    """What models cost; see the file."""
    command: str = ""
    """For the record: how this was started."""

    @property
    def llm_name(self) -> str:
        return self.llm if isinstance(self.llm, str) else model_name(self.llm)


def evaluate(
    suite: Suite | str | Path,
    index: OpenIndex,
    options: EvalOptions = EvalOptions(),
    *,
    models: ModelFor | None = None,
    progress: Progress | None = None,
) -> Result:
    """Asks the questions of a suite of an index, and freezes the result in a folder of its own.

    Args:
        models: instead of the model of `options`, one for each case and run.
        progress: told rows done, rows in all, and the question just answered.

    Raises:
        DefinitionError: an example or a prompt gives a question away to the model.
        EvaluationInterrupted: by Ctrl-C; the rows are kept, and the same call goes on.
        SetupError: nothing can be asked before somebody puts it right; the rows until then are kept.
        UsageError: the options contradict each other.
    """
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    _check(options)
    check_installed()
    if models or _asks(options):
        refuse_overlap(suite.cases, *shown_to_models(index.reader.definition.path, index.settings))
    with index.reader.snapshot() as view:
        cases = with_sources(options.selection.of(suite), view.documents(frozenset(view.rules())))
    as_of = options.as_of or date.today()
    asker = Asker(index, principals_of(suite, index), models or models_of(suite, options), as_of)
    config = describe_run(suite, index, options, as_of)
    name = options.name or "-".join(
        part
        for part in (suite.name, options.selection.split or "", slug(options.llm_name) if _asks(options) else "")
        if part
    )
    folder, rows = place_for(options.out, slug(name), config, cases, retry_errors=options.retry_errors)
    with _alone_in(folder):
        done = {row.key for row in rows}
        again = {row.key for row in rows if row.outcome == "error"} if options.retry_errors else set()
        todo = [key for key in keys_of((case.id for case in cases), options.runs) if key not in done - again]
        write_rows(folder / ROWS, [row for row in rows if row.key not in again])
        threads = options.concurrency if _asks(options) and options.mode != "replay" else 1
        try:
            _ask(asker, cases, todo, again, folder / ROWS, threads, progress or (lambda *_: None))
        except EvaluationInterrupted:
            write_reports(load_result(folder))
            raise
        return freeze(folder, cases, index)


def _ask(
    asker: Asker,
    cases: Sequence[Case],
    todo: Sequence[tuple[str, int]],
    again: set[tuple[str, int]],
    file: Path,
    threads: int,
    progress: Progress,
) -> None:
    """Asks, and appends each row as it comes: in order with one thread, else in the order of the answers."""
    by_id = {case.id: case for case in cases}

    def ask(key: tuple[str, int]) -> Row:
        return replaced(asker.ask(by_id[key[0]], key[1]), retried=key in again)

    progress(0, len(todo), "")
    kept = 0
    with file.open("a", encoding="utf-8", newline="\n") as rows:
        try:
            for row in map(ask, todo) if threads == 1 else _at_once(ask, todo, threads):
                rows.write(row.as_json() + "\n")
                rows.flush()
                kept += 1
                progress(kept, len(todo), row.question)
        except KeyboardInterrupt:
            raise EvaluationInterrupted(
                f"Interrupted: {len(todo) - kept} answers are missing, the others are kept in {file.parent}. The same "
                "command goes on from there.",
                folder=str(file.parent),
                missing=len(todo) - kept,
            ) from None


def _at_once(ask: Callable[[tuple[str, int]], Row], todo: Sequence[tuple[str, int]], threads: int) -> Iterator[Row]:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="rag_app evaluation")
    try:
        for future in as_completed([pool.submit(ask, key) for key in todo]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)  # what is being asked is waited for, and asked anew next time


def models_of(suite: Suite, options: EvalOptions) -> ModelFor:
    """The model of the options, alone or behind a recording of each run.

    Raises:
        DefinitionError: no model has that name; or there is no recording to replay.
        ModelUnavailable: its extra, its region or its address is missing.
    """
    if not _asks(options):
        return lambda case, run: None
    inner = None
    if options.mode != "replay":
        inner = load_llm(options.llm) if isinstance(options.llm, str) else options.llm
        if options.mode == "live":
            return lambda case, run: inner
    recorded = []
    for run in range(1, options.runs + 1):
        file = suite.recording(options.llm_name, run)
        if options.mode == "replay" and not file.is_file():
            raise DefinitionError(f"There is no recording {file}: make one with --mode record.", path=str(file))
        recorded.append(RecordingLLM(inner, path=file, mode=options.mode))
    return lambda case, run: recorded[run - 1]


def describe_run(suite: Suite, index: OpenIndex, options: EvalOptions, as_of: date) -> dict[str, Any]:
    """Everything that the figures rest on, as plain data."""
    price = load_prices(options.prices).get(options.llm_name)
    return {
        "suite": {"name": suite.name, "sha256": suite.fingerprint, "questions": len(suite.cases)},
        "selection": asdict(options.selection) | {"only": list(options.selection.only)},
        "index": provenance.describe_index(index),
        "settings": index.settings.model_dump(mode="json") | {"without": sorted(index.settings.without)},
        "llm": options.llm_name,
        "mode": options.mode,
        "runs": options.runs,
        "as_of": as_of.isoformat(),
        "prompts": provenance.describe_prompts() if _asks(options) else {},
        "price": None if price is None else asdict(price),
        "code": provenance.describe_code(),
        "packages": provenance.describe_packages(),
        "machine": {"processors": os.cpu_count()},
        "command": options.command,
        "started": date.today().isoformat(),
    }


def _asks(options: EvalOptions) -> bool:
    return options.llm != NO_MODEL


def _check(options: EvalOptions) -> None:
    if options.runs < 1 or options.concurrency < 1:
        raise UsageError("Each question is asked at least once, by at least one at a time.")
    if not _asks(options) and options.mode != "live":
        raise UsageError(f"There is nothing to {options.mode} without a language model: name one, or leave the mode.")


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Raises UsageError where another process writes to the same result."""
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"Another evaluation writes to {folder}: wait for it, or give this one a --name.") from None
    try:
        yield
    finally:
        lock.release()
        (folder / ".lock").unlink(missing_ok=True)
