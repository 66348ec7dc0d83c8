"""rag-app demo: a question to the small handbook that comes with the installation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_app.cli.common import ANSWERED, NOT_ENOUGH_EVIDENCE, app, progress_bar, tell, tell_more

if TYPE_CHECKING:
    from rag_app.opened import OpenIndex

HANDBOOK = Path(__file__).parents[1] / "demo"
"""A folder without index.toml, so that its store lies in the user's cache folder and never in the installation."""


@app.command()
def demo(
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")] = (
        "How many days of leave do I get?"
    ),
) -> None:
    """Ask the small made-up handbook that comes with the installation; its index is built on first use."""
    from rag_app.show.render import as_text

    index = _handbook()
    answer = index.as_query_engine().query(question).answer
    print(as_text(answer, index.files(answer)), flush=True)
    tell_more(answer)
    tell(f'the handbook is the folder {HANDBOOK}. To ask a folder of your own: rag-app ask path/to/folder "..."')
    raise typer.Exit(NOT_ENOUGH_EVIDENCE if answer.status == "insufficient_evidence" else ANSWERED)


def _handbook() -> "OpenIndex":
    """The handbook's index, built where it is not there yet, and again where another version of rag_app built it."""
    from rag_app.building import build_index, changed_documents
    from rag_app.errors import IndexMismatch, IndexMissing
    from rag_app.opened import open_index

    try:
        index = open_index(HANDBOOK, llm="none")
        _ = index.embedder  # raises where the index was built with another
        if not changed_documents(HANDBOOK):
            return index
        rebuild = False
    except IndexMissing:
        rebuild = False
    except IndexMismatch:
        rebuild = True
    tell("building the index of the handbook first ...")
    with progress_bar() as progress:
        build_index(HANDBOOK, rebuild=rebuild, progress=progress)
    return open_index(HANDBOOK, llm="none")
