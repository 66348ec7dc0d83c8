"""rag-app eval, compare, ablate: what a figure about this system rests on, and what changes it."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from rag_app.cli.common import (
    ANSWERED,
    TROUBLE,
    AsOf,
    Json,
    Mode,
    Suite,
    app,
    opened,
    progress_bar,
    say,
    say_json,
    tell,
)  # fmt: skip
from rag_app.errors import UsageError
from rag_app.show.lines import counted

IndexOption = Annotated[
    Path | None, typer.Option("--index", help="Folder of the index that is asked; left out, that of the suite.")
]
Split = Annotated[Literal["dev", "test", "stress"] | None, typer.Option(help="Ask only the questions of this split.")]
Only = Annotated[list[str] | None, typer.Option(help="Ask only this category or question id; may be repeated.")]
Sample = Annotated[int | None, typer.Option(min=1, help="Ask only so many questions, drawn at random.")]
Seed = Annotated[int, typer.Option(help="Seed of the random draw.")]


@app.command("eval")
def evaluate_suite(
    suite: Suite,
    index: IndexOption = None,
    llm: Annotated[str, typer.Option(help="Language model that chooses the statements; 'none' for none.")] = "none",
    runs: Annotated[
        int, typer.Option(min=1, help="How often each question is asked, to see how much answers vary.")
    ] = 1,
    mode: Mode = "live",
    split: Split = None,
    only: Only = None,
    sample: Sample = None,
    seed: Seed = 0,
    as_of: AsOf = None,
    name: Annotated[str, typer.Option(help="Name of the result; left out, it is made of suite, split and model.")] = "",
    out: Annotated[Path, typer.Option(help="Folder that holds the results.")] = Path("evals/results"),
    retry_errors: Annotated[
        bool,
        typer.Option(
            "--retry-errors", help="Ask only the questions again that ended in an error; the report names them."
        ),
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="How many questions are asked at the same time.")] = 4,
    prices: Annotated[
        Path, typer.Option(help="TOML file with the prices of models, to state what the run cost.")
    ] = Path("evals/prices.toml"),
) -> None:
    """Ask the questions of a suite and keep the result as JSON, Markdown and an HTML page. Ctrl-C loses nothing."""
    from rag_app.evaluate.cases.suite import Selection, load_suite
    from rag_app.evaluate.report.result_page import details, notes
    from rag_app.evaluate.run.suite_run import EvalOptions, evaluate

    questions = load_suite(suite)
    options = EvalOptions(
        llm=llm,
        mode=mode,
        runs=runs,
        selection=Selection(split, tuple(only or ()), sample, seed),
        as_of=as_of,
        name=name,
        out=out,
        retry_errors=retry_errors,
        concurrency=concurrency,
        prices=prices,
        command=shlex.join(["rag-app", *sys.argv[1:]]),
    )
    asked = opened(index or questions.folder)
    with progress_bar() as progress:
        result = evaluate(questions, asked, options, progress=progress)
    outcome, *more = details(result)
    for text in (*notes(result), outcome, figures_as_text(result.summary["overall"]), *more):
        say(text)
    tell(f"kept in {result.folder}: results.json, rows.jsonl, report.md, report.html")
    raise typer.Exit(TROUBLE if result.failed else ANSWERED)


@app.command("compare")
def compare_results(
    a: Annotated[Path, typer.Argument(help="Folder of a result.")],
    b: Annotated[Path, typer.Argument(help="Folder of another result of the same questions.")],
    any_suite: Annotated[
        bool, typer.Option("--any-suite", help="Pair by id, though the question files differ.")
    ] = False,
    as_json: Json = False,
    page: Annotated[
        Path | None, typer.Option("--html", help="Also write the comparison to this file, as a page of HTML.")
    ] = None,
) -> None:
    """Compare two results question by question, and say whether they differ by more than chance."""
    from rag_app.evaluate.compare import compare
    from rag_app.evaluate.run.results import load_result

    comparison = compare(load_result(a), load_result(b), any_suite=any_suite)
    if page:
        page.write_text(comparison.as_html(), encoding="utf-8")
    say_json(comparison.as_dict()) if as_json else say(comparison)


@app.command("ablate")
def ablate_suites(
    suites: Annotated[list[Path], typer.Argument(help="Suites; each a questions.jsonl, or a folder that holds one.")],
    indexes: Annotated[
        list[Path] | None, typer.Option("--index", help="Folder of the index of each suite; left out, the suite's own.")
    ] = None,
    llm: Annotated[str, typer.Option(help="Language model that chooses the statements; 'none' for none.")] = "none",
    component: Annotated[
        list[str] | None, typer.Option(help="Switch off only this component; may be repeated.")
    ] = None,
    split: Split = None,
    only: Only = None,
    sample: Sample = None,
    seed: Seed = 0,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Switch off each component in turn, and print what it contributes."""
    from rag_app.evaluate.cases.suite import Selection, load_suite
    from rag_app.evaluate.run.ablate import ablate
    from rag_app.models import load_llm
    from rag_app.settings import Component

    if indexes and len(indexes) != len(suites):
        raise UsageError(f"Name an index for each suite, not {len(indexes)} for {len(suites)}.")
    known = {one.value: one for one in Component}
    if unknown := [name for name in component or () if name not in known]:
        raise UsageError(f"There is no component {unknown[0]!r}; there are: {', '.join(known)}.")
    loaded = [load_suite(path) for path in suites]
    folders = indexes or [suite.folder for suite in loaded]
    model = load_llm(llm)
    with progress_bar() as progress:
        found = ablate(
            [(suite, opened(folder)) for suite, folder in zip(loaded, folders, strict=True)],
            selection=Selection(split, tuple(only or ()), sample, seed),
            models=None if model is None else lambda case, run: model,
            components=[known[name] for name in component or known],
            as_of=as_of,
            progress=progress,
        )
    say_json(found.as_dict()) if as_json else say(found)


def figures_as_text(overall: dict[str, dict[str, float]]) -> str:
    """A table of figures with their 95 % intervals and what they mean, for a terminal."""
    from rag_app.evaluate.measures.figures import MEASURES

    meaning = {measure.name: measure.sentence for measure in MEASURES}
    return "\n".join(
        f"{name:<18}{100 * of['value']:6.1f} %   ({100 * of['low']:.1f} to {100 * of['high']:.1f})   "
        f"{counted(int(of['questions']), 'question')}: {meaning[name]}"
        for name, of in overall.items()
    )
