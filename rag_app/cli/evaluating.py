"""rag-app eval: what a figure about this system rests on."""

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from rag_app.cli.common import ANSWERED, TROUBLE, app, opened, progress_bar, tell

SuiteArgument = Annotated[Path, typer.Argument(help="A questions.jsonl, or the folder that holds one.")]
IndexOption = Annotated[
    Path | None, typer.Option("--index", help="Folder of the index that is asked; left out, that of the suite.")
]
Split = Annotated[Literal["dev", "test"] | None, typer.Option(help="Only the questions of this split.")]
Only = Annotated[list[str] | None, typer.Option(help="Only this category or question id; may be repeated.")]
Sample = Annotated[int | None, typer.Option(min=1, help="Only so many of the questions, drawn at random.")]
Seed = Annotated[int, typer.Option(help="Of the draw.")]
AsOf = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Ask the documents in force on that day; else today's.")
]


@app.command("eval")
def evaluate_suite(
    suite: SuiteArgument,
    index: IndexOption = None,
    llm: Annotated[str, typer.Option(help="Language model that chooses the statements; 'none' for none.")] = "none",
    runs: Annotated[int, typer.Option(min=1, help="How often each question is asked.")] = 1,
    mode: Annotated[
        Literal["live", "record", "replay"],
        typer.Option(help="Whether a model's replies are kept beside the suite, or taken from there."),
    ] = "live",
    split: Split = None,
    only: Only = None,
    sample: Sample = None,
    seed: Seed = 0,
    as_of: AsOf = None,
    name: Annotated[str, typer.Option(help="Of the result; left out, that of suite, split and model.")] = "",
    out: Annotated[Path, typer.Option(help="Folder that holds the results.")] = Path("evals/results"),
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what ended in an error; the report names these.")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Questions that wait for a model at the same time.")] = 4,
    prices: Annotated[Path, typer.Option(help="What models cost.")] = Path("evals/prices.toml"),
) -> None:
    """Ask the questions of a suite and freeze the result: JSON, Markdown and one HTML page. Ctrl-C loses nothing."""
    from rag_app.evaluate.report import details, notes
    from rag_app.evaluate.run import EvalOptions, evaluate
    from rag_app.evaluate.suite import Selection, load_suite

    questions = load_suite(suite)
    options = EvalOptions(
        llm=llm,
        mode=mode,
        runs=runs,
        selection=Selection(split, tuple(only or ()), sample, seed),
        as_of=as_of.date() if as_of else None,
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
    print(figures_as_text(result.summary["overall"]))
    for line in (*notes(result), *details(result)):
        print(line)
    tell(f"kept in {result.folder}: results.json, rows.jsonl, report.md, report.html")
    raise typer.Exit(TROUBLE if result.failed else ANSWERED)


def figures_as_text(overall: dict[str, dict[str, float]]) -> str:
    """A table of figures with their intervals, for a terminal."""
    return "\n".join(
        f"{name:<18}{100 * of['value']:6.1f} %   ({100 * of['low']:.1f} to {100 * of['high']:.1f})"
        for name, of in overall.items()
    )
