"""rag-app chat"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_app.cli.common import (
    As,
    AsOf,
    Department,
    Folder,
    Llm,
    Region,
    Role,
    User,
    app,
    asker,
    model_option,
    opened,
    tell,
    tell_more,
)  # fmt: skip

if TYPE_CHECKING:
    from rag_app.engine import EngineMaker

_HELP = "Ask, and go on asking. /sources shows the last sources, /reset forgets the conversation, /quit ends it."
_PROMPT = "> "


@app.command()
def chat(
    folder: Folder,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    llm: Llm = None,
    as_of: AsOf = None,
    web: Annotated[
        bool, typer.Option("--web", help="Search the web where the folder has nothing near a turn.")
    ] = False,
    region: Region = None,
) -> None:
    """Ask one question after the other; a follow-up is completed from the questions before it.

    It reads standard input, so a file of questions, one a line, can be piped in.
    """
    from rag_app.errors import ModelError, SearchError, StoreError, UsageError
    from rag_app.show.render import sources_as_text

    if region is not None and not web:
        raise UsageError("--region is for a search of the web: give --web too.")
    searched: EngineMaker | None = None
    if web:
        from rag_app.web.web_engine import WebSearch

        searched = WebSearch(region=region or "")
    principal = asker(Path(folder), user, role, department, as_name)
    index = opened(Path(folder))
    engine = index.as_chat_engine(principal, web=searched, **model_option(llm))
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        tell(_HELP)
    while (line := _next_line(is_terminal)) is not None:
        turn = line.strip()
        if not turn:
            continue
        if turn in ("/quit", "quit", "exit"):
            break
        if turn == "/reset":
            engine.reset()
            tell("The conversation is forgotten.")
        elif turn == "/sources":
            print(sources_as_text(engine.last_quotes) or "Nothing was quoted last.", flush=True)
        elif turn.startswith("/"):
            tell(f"There is no command {turn.split()[0]}. {_HELP}")
        else:
            try:
                response = engine.stream_chat(turn, as_of=as_of)
                for piece in response.response_gen:
                    print(piece, end="", flush=True)
            except (UsageError, ModelError, StoreError, SearchError) as error:
                tell(str(error))  # the conversation goes on
                continue
            print("\n", flush=True)
            tell_more(response.answer)


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
