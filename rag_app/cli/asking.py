"""rag-app ask"""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from rag_app.answer import Answer


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
    as_json: Json = False,
    explain: Annotated[bool, typer.Option(help="Also show what each stage kept and dropped.")] = False,
) -> None:
    """Ask a question. An index that was not built yet is built first."""
    if not question.strip():
        raise UsageError("The question is empty: ask something.")
    principal = asker(folder, user, role, department, as_name)
    chosen = {} if llm is None else {"llm": llm}
    engine = opened(folder).as_query_engine(principal=principal, **chosen)  # pyright: ignore
    answer = engine.query(question, as_of=as_of.date() if as_of else None).answer
    for warning in answer.trace.warnings:
        tell(f"note: {warning}")
    if as_json:
        print(json.dumps(answer.as_dict(), indent=2, ensure_ascii=False))
    else:
        from rag_app.render import as_text, explained

        print(as_text(answer, _files(folder, answer)))
        if explain:
            print("\n" + explained(answer))
    raise typer.Exit(NOT_ENOUGH_EVIDENCE if answer.status == "insufficient_evidence" else ANSWERED)


def _files(folder: Path, answer: "Answer") -> dict[str, str]:
    """Where the cited documents can be opened from here, by their ids."""
    from rag_app.index.definition import load_definition

    documents = load_definition(folder).documents_folder
    found = {quote.document_id: documents / quote.path for quote in answer.quotes if documents and quote.path}
    return {document_id: os.path.relpath(file) for document_id, file in found.items() if os.path.isfile(file)}
