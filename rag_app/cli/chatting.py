"""rag-app chat"""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_app.cli.common import (
    As,
    Department,
    Folder,
    Role,
    User,
    app,
    asker,
    opened,
    tell,
)  # fmt: skip

if TYPE_CHECKING:
    from rag_app.engine import EngineMaker

_HELP = "Ask, and go on asking. /reset forgets the conversation, /sources shows the last sources, Ctrl-D ends it."
_PROMPT = "> "


@app.command()
def chat(
    folder: Folder,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Annotated[
        str | None,
        typer.Option(help="Language model that chooses the statements and completes follow-ups; 'none' for none."),
    ] = None,
    as_of: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Ask the documents in force on that day.")
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="Search the web where the folder has nothing near a turn.")
    ] = False,
    region: Annotated[
        str | None, typer.Option(help="Region whose pages are searched for: a code such as nz, or a profile's path.")
    ] = None,
) -> None:
    """Ask one question after the other; a follow-up is completed from the questions before it. Reads standard input, so
    that a file of questions, one a line, can be piped in."""
    from rag_app.engine import FromSettings
    from rag_app.errors import ModelError, SearchError, StoreError, UsageError
    from rag_app.show.render import sources_as_text

    if region is not None and not web:
        raise UsageError("--region is for a search of the web: give --web too.")
    searched: EngineMaker | None = None
    if web:
        from rag_app.web.web_engine import WebSearch

        searched = WebSearch(region=region or "")
    day = as_of.date() if as_of else None
    principal = asker(Path(folder), user, role, department, as_name)
    index = opened(Path(folder))
    engine = index.as_chat_engine(principal, llm=FromSettings.LLM if llm is None else llm, web=searched)
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        tell(_HELP)
    while (line := _next_line(is_terminal)) is not None:
        turn = line.strip()
        if not turn:
            continue
        if turn == "/reset":
            engine.reset()
            tell("The conversation is forgotten.")
        elif turn == "/sources":
            print(sources_as_text(engine.last_quotes) or "Nothing was quoted last.")
        elif turn.startswith("/"):
            tell(f"There is no command {turn.split()[0]}. {_HELP}")
        else:
            try:
                response = engine.stream_chat(turn, as_of=day)
                for piece in response.response_gen:
                    print(piece, end="", flush=True)
            except (UsageError, ModelError, StoreError, SearchError) as error:
                tell(str(error))  # the conversation goes on
                continue
            print("\n", flush=True)
            for warning in response.answer.trace.warnings:
                tell(f"note: {warning}")


def _next_line(is_terminal: bool) -> str | None:
    """The next line; None at the end of the input. In a terminal, one may edit it."""
    try:
        if is_terminal:
            import readline  # noqa: F401 - gives input() its editing and its history

            return input(_PROMPT)
        return sys.stdin.readline() or None
    except (EOFError, KeyboardInterrupt):
        print()
        return None
