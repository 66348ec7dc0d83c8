"""Uplift: does an index make a model's answers better, does it harm them, or can no difference be measured?"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_app.errors import DefinitionError, UsageError
from rag_app.evaluate.cases.groups import document_groups
from rag_app.evaluate.cases.overlap import SHOWN, refuse_overlap, shown_to_models
from rag_app.evaluate.cases.sampling import stratified_sample
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import Suite, slug
from rag_app.evaluate.measures.retrieval import passage_texts, relevant_passages
from rag_app.evaluate.run.asking import principals_of
from rag_app.evaluate.run.cost import PRICES, load_prices
from rag_app.evaluate.run.machine import Job, carry_out
from rag_app.evaluate.run.provenance import describe_code, describe_index, describe_packages
from rag_app.evaluate.uplift.arms import ARMS, Arms, enhancements, indexes_of
from rag_app.evaluate.uplift.judge import judge_answers
from rag_app.evaluate.uplift.uplift_models import Mode, check_judge, model_of, name_of
from rag_app.evaluate.uplift.uplift_report import UpliftResult, write_uplift
from rag_app.evaluate.uplift.uplift_row import UpliftRow
from rag_app.index.build.document_source import Progress
from rag_app.opened import OpenIndex
from rag_app.prompts import load_prompt

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


@dataclass(frozen=True, slots=True)
class UpliftOptions:
    """How an uplift evaluation is made."""

    llm: "LLM | str"
    """The model that answers in every arm."""
    judge: "LLM | str"
    """The model that marks; another one, unless `same_judge`."""
    same_judge: bool = False
    """Whether the answering model may mark its own answers, and favour them."""
    sample: int | None = None
    """So many of the questions; None: all."""
    seed: int = 0
    """Of the sample, of the order in which the judge sees answers, and of the intervals."""
    mode: Mode = "live"
    """Whether replies are kept beside the suite, or taken from there."""
    answer_tokens: int = 300
    """Longest answer of every arm."""
    name: str = ""
    """Of the result; left out, that of index, model and suite."""
    out: Path = Path("evals/results/uplift")
    concurrency: int = 4
    """Questions asked at the same time."""
    prices: Path = PRICES
    """What models cost; see the file."""
    retry_errors: bool = False
    """Ask again what ended in an error; these rows are marked."""


def measure_uplift(
    suite: Suite, index: OpenIndex, options: UpliftOptions, *, progress: Progress | None = None
) -> UpliftResult:
    """Asks a sample of a suite in every arm, has the answers marked, and writes the result into a folder of its own.

    A run that was stopped resumes when it is started again with the same options. What failed stays so, and what has no
    mark stays without, unless `retry_errors` asks again.

    Raises:
        DefinitionError: an example or a prompt gives a question away, or a question has no reference.
        EvaluationInterrupted: by Ctrl-C; the rows are kept, and the same call resumes.
        SetupError: nothing can be asked before somebody puts it right; the rows until then are kept.
        UsageError: the options contradict each other.
    """
    check_judge(options.llm, options.judge, options.same_judge)
    cases = stratified_sample(suite.cases, options.sample, options.seed)
    _check(suite, cases, index)
    llm, judge = (model_of(suite, model, options.mode) for model in (options.llm, options.judge))
    variants = indexes_of(index)
    definition, settings = index.reader.definition, index.settings
    arms = Arms(
        llm,
        f"{definition.name}. {definition.description}".strip(". ") + ".",
        variants,
        principals_of(suite, index, cases),
        options.answer_tokens,
        settings.model_seconds,
    )
    with index.reader.snapshot() as view:
        documents = view.documents(frozenset(view.rules()))
    asked = with_sources(cases, documents)
    groups = document_groups(asked, {one.document_id: one.supersedes for one in documents})
    relevant = relevant_passages(asked, index)
    texts = passage_texts((place for places in relevant.values() for place in places), index)
    right = {key: [{"name": one.name, **texts[one.name]} for one in places] for key, places in relevant.items()}
    by_id = {case.id: case for case in asked}
    job = Job(
        out=options.out,
        name=slug(options.name or "-".join((definition.name, suite.name, name_of(options.llm)))),
        config=_describe(suite, index, options, enhancements(variants["enhanced"])),
        cases={case.id: {"group": groups[case.id], "right": right[case.id]} for case in asked},
        ask=lambda key: _ask(arms, judge, by_id[key[0]], options.seed, settings.model_seconds),
        made=UpliftRow.from_dict,
        finish=write_uplift,
    )
    return carry_out(job, threads=options.concurrency, retry_errors=options.retry_errors, progress=progress)


def _ask(arms: Arms, judge: "LLM", case: Case, seed: int, seconds: float) -> UpliftRow:
    answers = {arm: arms.answer(arm, case) for arm in ARMS}
    texts = {arm: row.text for arm, row in answers.items() if row.outcome != "error"}
    found = judge_answers(judge, case, texts, seed=seed, seconds=seconds)
    return UpliftRow(
        case_id=case.id,
        question=case.question,
        ground_truth=case.ground_truth,
        domain=case.domain,
        difficulty=case.difficulty,
        category=case.category,
        answerable=case.answerable,
        arms={arm: replace(row, score=found.scores.get(arm)) for arm, row in answers.items()},
        letters=dict(found.letters),
        judge_reply=found.reply,
        judge_error=found.error,
        judge_input_tokens=found.input_tokens,
        judge_output_tokens=found.output_tokens,
        judge_tokens_estimated=found.tokens_estimated,
    )


def _check(suite: Suite, cases: Sequence[Case], index: OpenIndex) -> None:
    without = [case.id for case in cases if case.answerable and not case.ground_truth.strip()]
    if without:
        raise DefinitionError(
            f"{suite.path}: {without[0]} has no ground_truth, so no judge can mark its answers; write it, or leave the "
            "question out.",
            without=without,
        )
    if not cases:
        raise UsageError(f"{suite.path} holds no question.")
    refuse_overlap(suite.cases, *shown_to_models(index.reader.definition.path, index.settings))


def _describe(suite: Suite, index: OpenIndex, options: UpliftOptions, enhanced: Mapping[str, str]) -> dict[str, Any]:
    """What a result depends on; a run resumes only where it is the same."""
    prices = load_prices(options.prices)
    price, judge_price = (prices.get(name_of(model)) for model in (options.llm, options.judge))
    return {
        "suite": {"name": suite.name, "sha256": suite.fingerprint},
        "index": describe_index(index),
        "enhancements": dict(enhanced),
        "llm": name_of(options.llm),
        "judge": name_of(options.judge),
        "answer_tokens": options.answer_tokens,
        "sample": options.sample,
        "seed": options.seed,
        "runs": 1,
        "prompts": {name: load_prompt(name).fingerprint for name in SHOWN},
        "price": None if price is None else asdict(price),
        "judge_price": None if judge_price is None else asdict(judge_price),
        "code": describe_code(),
        "packages": describe_packages(),
        "started": date.today().isoformat(),
    }
