"""rag-app questions check"""

import json
from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import ANSWERED, TROUBLE, Json, app

questions = typer.Typer(help="Work on files of questions.", no_args_is_help=True)
app.add_typer(questions, name="questions")


@questions.command("check")
def check_file(
    path: Annotated[Path, typer.Argument(help="A questions.jsonl, or the folder that holds one.")],
    index: Annotated[
        Path | None, typer.Option(help="Folder of the index that is asked, where the file does not lie in it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove every fact, permission and "it is not there" of a question file against the documents."""
    from rag_app.evaluate.check import check_questions

    report = check_questions(path, index)
    print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if as_json else report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)
