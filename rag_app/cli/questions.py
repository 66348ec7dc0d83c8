"""rag-app questions check, draft, review, apply"""

from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import (
    ANSWERED,
    TROUBLE,
    As,
    Folder,
    Json,
    Mode,
    Suite,
    app,
    asker,
    opened,
    progress_bar,
    say,
    say_json,
    tell,
)
from rag_app.errors import UsageError

questions = typer.Typer(help="Work on files of questions.", no_args_is_help=True)
app.add_typer(questions, name="questions")


@questions.command("check")
def check_file(
    path: Suite,
    index: Annotated[
        Path | None, typer.Option(help="Folder of the index that is asked, where the file does not lie in it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every fact, permission and absence that a question file states against the documents."""
    from rag_app.evaluate.cases.check import check_questions

    report = check_questions(path, index)
    say_json(report.as_dict()) if as_json else say(report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


@questions.command("draft")
def draft_file(
    folder: Folder,
    llm: Annotated[str, typer.Option(help="Language model that drafts, such as bedrock:NAME.")],
    count: Annotated[int, typer.Option(min=1, help="How many questions.")] = 40,
    as_name: As = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write; left out, questions.drafted.jsonl beside the index.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the choice of statements.")] = 0,
) -> None:
    """Have a language model draft questions about an index, for a first calibration.

    The model is shown passages of the documents. Every question is marked with its name.
    """
    from rag_app.evaluate.cases.drafting import draft_questions
    from rag_app.models import load_llm

    index = opened(folder)
    who = asker(folder, None, None, None, as_name)
    if (model := load_llm(llm)) is None:
        raise UsageError("Questions are drafted by a language model: name one with --llm.")
    file = out or index.reader.definition.path / "questions.drafted.jsonl"
    if file.exists():
        raise UsageError(f"There is a {file}: name another file with --out, or move it away.")
    with progress_bar() as progress:
        drafted = draft_questions(
            index, model, model=llm, count=count, principal=who, as_name=as_name, seed=seed, progress=progress
        )
    drafted.write(file)
    say(f"{len(drafted.cases)} drafted questions in {file}; {drafted.skipped} left out, {drafted.failed} calls failed.")
    tell(f"read them, correct or remove what nobody would ask, then run: rag-app calibrate {folder} {file}")
    raise typer.Exit(ANSWERED)


@questions.command("review")
def review_file(
    suite: Suite,
    llm: Annotated[str, typer.Option(help="Language model that answers from its own knowledge, such as bedrock:NAME.")],
    judge: Annotated[str, typer.Option(help="Another language model, which marks and compares.")],
    index: Annotated[
        Path | None, typer.Option(help="Folder of the index that is compared with; left out, that of the suite.")
    ] = None,
    proposal: Annotated[
        Path | None, typer.Option(help="File to write; left out, questions.proposal.jsonl beside the questions.")
    ] = None,
    same_judge: Annotated[bool, typer.Option("--same-judge", help="Let the model mark its own answers.")] = False,
    mode: Mode = "live",
    sample: Annotated[
        int | None, typer.Option(min=1, help="Review only so many questions, of each kind in proportion.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Propose changes: questions known without documents, outdated names, references that documents contradict."""
    from rag_app.evaluate.cases.proposal import write_proposal
    from rag_app.evaluate.cases.review import review_questions
    from rag_app.evaluate.cases.sampling import stratified_sample
    from rag_app.evaluate.cases.suite import load_suite
    from rag_app.evaluate.run.asking import principals_of
    from rag_app.evaluate.uplift.uplift_models import check_judge, model_of

    file = load_suite(suite)
    check_judge(llm, judge, same_judge)
    out = proposal or file.path.with_name("questions.proposal.jsonl")
    asked = opened(index or file.folder)
    cases = stratified_sample(file.cases, sample, seed)
    principals = principals_of(file, asked, cases)
    with progress_bar() as progress:
        found = review_questions(
            cases,
            asked,
            model_of(file, llm, mode),
            model_of(file, judge, mode),
            principal_of=lambda case: principals.get(case.as_name or ""),
            seed=seed,
            progress=progress,
        )
    write_proposal(out, file.path, {"llm": llm, "judge": judge}, found.proposals)
    say(found)
    tell(
        f"{len(found.proposals)} proposals in {out}: set accept to true where you agree, then `rag-app questions apply`"
    )
    raise typer.Exit(TROUBLE if found.unmarked or found.unchecked else ANSWERED)


@questions.command("apply")
def apply_file(
    proposal: Annotated[Path, typer.Argument(help="File that `rag-app questions review` wrote.")],
    suite: Suite,
    out: Annotated[Path, typer.Option(help="New file to write.")],
) -> None:
    """Write the questions with the accepted proposals into a new file."""
    from rag_app.evaluate.cases.proposal import apply_proposal
    from rag_app.evaluate.cases.suite import load_suite

    count = apply_proposal(proposal, load_suite(suite).path, out)
    tell(f"{count} accepted changes in {out}")
