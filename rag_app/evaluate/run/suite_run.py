"""Runs a suite: asks its questions through the real engine, and freezes rows, figures and reports."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.cases.groups import document_groups
from rag_app.evaluate.cases.overlap import refuse_overlap, shown_to_models
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import Selection, Suite, load_suite, slug
from rag_app.evaluate.measures.retrieval import check_installed, measures, passage_texts, rankings_of, relevant_passages
from rag_app.evaluate.run import provenance
from rag_app.evaluate.run.asking import Asker, ModelFor, principals_of
from rag_app.evaluate.run.cost import PRICES, load_prices
from rag_app.evaluate.run.machine import Job, carry_out
from rag_app.evaluate.run.results import RANKED, Result, load_result
from rag_app.evaluate.run.row import Place, Row
from rag_app.evaluate.run.run_folder import RESULTS, ROWS, write_json, write_rows, write_text
from rag_app.index.build.document_source import Progress
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
        progress: receives rows done, rows in all, and the question just answered.

    Raises:
        DefinitionError: an example or a prompt gives a question away to the model.
        EvaluationInterrupted: by Ctrl-C; the rows are kept, and the same call resumes.
        SetupError: nothing can be asked before somebody puts it right; the rows until then are kept.
        UsageError: the options contradict each other.
    """
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    _check(options)
    check_installed()
    if models or _asks(options):
        refuse_overlap(suite.cases, *shown_to_models(index.reader.definition.path, index.settings))
    with index.reader.snapshot() as view:
        documents = view.documents(frozenset(view.rules()))
    cases = with_sources(options.selection.of(suite), documents)
    groups = document_groups(cases, {one.document_id: one.supersedes for one in documents})
    as_of = options.as_of or date.today()
    asker = Asker(index, principals_of(suite, index), models or models_of(suite, options), as_of)
    parts = (suite.name, options.selection.split or "", slug(options.llm_name) if _asks(options) else "")
    by_id = {case.id: case for case in cases}
    job = Job(
        out=options.out,
        name=slug(options.name or "-".join(filter(None, parts))),
        config=describe_run(suite, index, options, as_of),
        cases={case.id: describe_case(case, groups[case.id]) for case in cases},
        ask=lambda key: asker.ask(by_id[key[0]], key[1]),
        made=Row.from_dict,
        finish=lambda folder, rows: _freeze(folder, rows, cases, index),
    )
    threads = options.concurrency if _asks(options) and options.mode != "replay" else 1
    return carry_out(job, threads=threads, retry_errors=options.retry_errors, progress=progress)


def describe_case(case: Case, group: str = "") -> dict[str, Any]:
    """What a right answer must hold, as plain data for a report."""
    return {
        "category": case.category,
        "split": case.split,
        "group": group,
        "answerable": case.answerable,
        "expected_documents": list(case.expected_documents),
        "also_right": list(case.also_right),
        "facts": [[pattern.pattern for pattern in fact] for fact in case.facts],
        "wrong_facts": [pattern.pattern for pattern in case.wrong_facts],
        "ground_truth": case.ground_truth,
        "note": case.note,
    }


def _freeze(folder: Path, rows: Sequence[Row], cases: Sequence[Case], index: OpenIndex) -> Result:
    """Writes what belongs to a result: rows in order, figures, reports; of an unfinished one only the reports."""
    rough = load_result(folder)
    measured, passages = rough.measured, rough.passages
    if not measured:
        relevant = relevant_passages(cases, index)
        found = measures(cases, rankings_of(rows), relevant, groups=rough.groups)
        levels = {"documents": found.documents, "passages": found.passages}
        measured = {
            "retrieval": {
                level: {name: asdict(of) for name, of in by_name.items()} for level, by_name in levels.items()
            },
            "relevant": {case_id: [place.name for place in places] for case_id, places in relevant.items()},
        }
        passages = _passages(rows, relevant, index)
    short = tuple(replace(row, retrieved=row.retrieved[:RANKED]) for row in rows)
    result = Result(folder, rough.config, rough.cases, short, measured, passages)
    _write_reports(result)
    if not result.missing:
        content = {
            "config": result.config,
            "summary": result.summary,
            "measured": measured,
            "cases": result.cases,
            "passages": passages,
        }
        write_json(folder / RESULTS, content)
        write_rows(folder / ROWS, short)  # after what was measured on longer rankings than these keep
    return result


def _passages(
    rows: Sequence[Row], relevant: Mapping[str, Sequence[Place]], index: OpenIndex
) -> dict[str, dict[str, str]]:
    """The text of what a report shows of rows that are not right: their evidence, and what would have been right."""
    wrong = [row for row in rows if not row.strict]
    return passage_texts((place for row in wrong for place in (*row.kept, *relevant.get(row.case_id, ()))), index)


def _write_reports(result: Result) -> None:
    from rag_app.evaluate.report.result_page import as_html, as_markdown

    write_text(result.folder / "report.md", as_markdown(result))
    write_text(result.folder / "report.html", as_html(result))


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
