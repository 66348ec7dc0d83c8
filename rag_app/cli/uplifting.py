"""rag-app uplift, uplift-table: whether an index makes a model's answers better"""

from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import ANSWERED, TROUBLE, Json, Mode, Suite, app, opened, progress_bar, say, say_json, tell


@app.command("uplift")
def uplift(
    suite: Suite,
    llm: Annotated[str, typer.Option(help="Language model that answers, such as bedrock:NAME.")],
    judge: Annotated[str, typer.Option(help="Another language model, which marks the answers.")],
    index: Annotated[
        Path | None, typer.Option(help="Folder of the index that is asked; left out, that of the suite.")
    ] = None,
    same_judge: Annotated[
        bool, typer.Option("--same-judge", help="Let the answering model mark its own answers.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Ask only so many questions, of each kind in proportion.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(help="Seed of the sample, of the order in which the judge sees answers, and of the intervals."),
    ] = 0,
    mode: Mode = "live",
    answer_tokens: Annotated[int, typer.Option(min=32, help="Longest answer of each arm, in tokens.")] = 300,
    name: Annotated[str, typer.Option(help="Name of the result; left out, it is made of index, suite and model.")] = "",
    out: Annotated[Path, typer.Option(help="Folder that holds the results.")] = Path("evals/results/uplift"),
    concurrency: Annotated[int, typer.Option(min=1, help="Questions asked at the same time.")] = 4,
    prices: Annotated[
        Path, typer.Option(help="TOML file with the prices of models, to state what the run cost.")
    ] = Path("evals/prices.toml"),
    retry_errors: Annotated[
        bool,
        typer.Option(
            "--retry-errors", help="Ask only the questions again that ended in an error; the report names them."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Ask a model alone, with an index, and with every enhancement; a judge marks blind. Ctrl-C loses nothing."""
    from rag_app.evaluate.cases.suite import load_suite
    from rag_app.evaluate.uplift.uplift_run import UpliftOptions, measure_uplift

    questions = load_suite(suite)
    options = UpliftOptions(
        llm=llm,
        judge=judge,
        same_judge=same_judge,
        sample=sample,
        seed=seed,
        mode=mode,
        answer_tokens=answer_tokens,
        name=name,
        out=out,
        concurrency=concurrency,
        prices=prices,
        retry_errors=retry_errors,
    )
    asked = opened(index or questions.folder)
    with progress_bar() as progress:
        result = measure_uplift(questions, asked, options, progress=progress)
    say_json(result.as_dict()) if as_json else say("\n".join(result.sentences))
    tell(f"kept in {result.folder}: results.json, rows.jsonl, report.md, report.html")
    raise typer.Exit(TROUBLE if any(row.failed for row in result.rows) else ANSWERED)


@app.command("uplift-table")
def table(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results of `rag-app uplift`.")],
    page: Annotated[Path | None, typer.Option("--html", help="Also write one page over all of them.")] = None,
) -> None:
    """Print one line for each result, as a Markdown table."""
    from rag_app.evaluate.uplift.uplift_report import as_html, load_uplift, over_all, uplift_table

    results = [load_uplift(folder) for folder in folders]
    if page:
        page.write_text(as_html(results), encoding="utf-8")
    say(f"{uplift_table(results)}\n\n{over_all(results)}")
