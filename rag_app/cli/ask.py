"""rag-app ask"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_app.cli.common import (
    ANSWERED,
    NOT_ENOUGH_EVIDENCE,
    As,
    AsOf,
    Department,
    Json,
    Llm,
    Region,
    Role,
    User,
    app,
    asker,
    from_here,
    model_option,
    opened,
    say_json,
    tell_more,
)  # fmt: skip
from rag_app.errors import UsageError

if TYPE_CHECKING:
    from rag_app.opened import OpenIndex


@app.command()
def ask(
    folder: Annotated[
        str,
        typer.Argument(help="Folder of an index, or of documents. With --web it may be left out.", show_default=False),
    ],
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotation marks.", show_default=False)
    ] = None,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Llm = None,
    as_of: AsOf = None,
    summarise: Annotated[
        bool, typer.Option("--summarise", help="Also have the language model summarise the quotes.")
    ] = False,
    web: Annotated[
        bool,
        typer.Option("--web", help="Search the web if the folder has nothing near the question, or alone."),
    ] = False,
    region: Region = None,
    as_json: Json = False,
    full: Annotated[
        bool, typer.Option("--full", help="With --json: also the passages around the quotes and the whole trace.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Also write the answer as a page of HTML, whose sources open at the place.")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Also show what each stage kept and dropped.")] = False,
) -> None:
    """Ask a question: rag-app ask FOLDER "...". The first question to a folder builds its index.

    With --web --region nz the web is searched where the folder has nothing near the question. Without a folder,
    rag-app ask --web --region nz "..." searches the web alone.
    """
    place, asked = (None, folder) if question is None and web else (folder, question)
    if asked is None:
        raise UsageError('Say what to ask and where: rag-app ask FOLDER "...", or rag-app ask --web --region nz "...".')
    if not asked.strip():
        raise UsageError("The question is empty: ask something.")
    if region is not None and not web:
        raise UsageError("--region is for a search of the web: give --web too.")
    if full and not as_json:
        raise UsageError("--full is for JSON: give --json too.")
    options: dict[str, Any] = {"summarise": summarise, **model_option(llm)}
    if web:
        from rag_app.web.web_engine import WebSearch

        options["web"] = WebSearch(region=region or "")
    index: OpenIndex | None = None
    if place is not None:
        options["principal"] = asker(Path(place), user, role, department, as_name)
        index = opened(Path(place))
        engine = index.as_query_engine(**options)
    elif user or role or department or as_name:
        raise UsageError("The web has no access rules: leave --user, --role, --department and --as out.")
    else:
        from rag_app.engine import build_query_engine

        engine = build_query_engine(**options)
    answer = engine.query(asked, as_of=as_of).answer
    files = from_here(index.files(answer)) if index else {}
    if html is not None:
        answer.save_html(html, files=files)
    if as_json:
        say_json(answer.as_dict(full=full))
    else:
        from rag_app.show.explain import explained
        from rag_app.show.render import as_text

        print(as_text(answer, files), flush=True)
        if explain:
            print("\n" + explained(answer), flush=True)
        tell_more(answer)
    raise typer.Exit(NOT_ENOUGH_EVIDENCE if answer.status == "insufficient_evidence" else ANSWERED)
