"""rag-app ask"""

import json
from datetime import datetime
from typing import Annotated

import typer

from rag_app.cli.common import (
    ANSWERED,
    NOT_ENOUGH_EVIDENCE,
    As,
    Department,
    Folder,
    Json,
    Role,
    User,
    app,
    asker,
    opened,
    tell,
)  # fmt: skip
from rag_app.errors import UsageError


@app.command()
def ask(
    folder: Folder,
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")],
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Annotated[
        str | None,
        typer.Option(help="Language model that chooses the statements, such as bedrock:NAME; 'none' for none."),
    ] = None,
    as_of: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Ask the documents in force on that day.")
    ] = None,
    summarise: Annotated[
        bool, typer.Option("--summarise", help="Also let the language model sum the quotes up, each sentence checked.")
    ] = False,
    as_json: Json = False,
    explain: Annotated[bool, typer.Option(help="Also show what each stage kept and dropped.")] = False,
) -> None:
    """Ask a question. An index that was not built yet is built first."""
    if not question.strip():
        raise UsageError("The question is empty: ask something.")
    principal = asker(folder, user, role, department, as_name)
    chosen = {} if llm is None else {"llm": llm}
    engine = opened(folder).as_query_engine(principal=principal, summarise=summarise, **chosen)  # pyright: ignore
    answer = engine.query(question, as_of=as_of.date() if as_of else None).answer
    for warning in answer.trace.warnings:
        tell(f"note: {warning}")
    if as_json:
        print(json.dumps(answer.as_dict(), indent=2, ensure_ascii=False))
    else:
        print(answer)
        if explain:
            from rag_app.render import explained

            print("\n" + explained(answer))
    raise typer.Exit(NOT_ENOUGH_EVIDENCE if answer.status == "insufficient_evidence" else ANSWERED)
