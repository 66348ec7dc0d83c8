"""What the commands share: the application, the options that say who asks, the progress bar."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rag_app.errors import UsageError
from rag_app.principal import Principal

if TYPE_CHECKING:
    from rag_app.opened import OpenIndex

ANSWERED, TROUBLE, WRONG_USAGE, NOT_ENOUGH_EVIDENCE = 0, 1, 2, 3

app = typer.Typer(
    help="Answers from a folder of documents in the documents' own sentences, or says that they do not say.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Folder = Annotated[Path, typer.Argument(help="Folder of an index (with index.toml), or any folder of documents.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Force = Annotated[bool, typer.Option(help="Go on although most documents would disappear.")]
User = Annotated[str | None, typer.Option(help="Who asks: a user id.")]
Role = Annotated[list[str] | None, typer.Option(help="A role of the asker; may be repeated.")]
Department = Annotated[list[str] | None, typer.Option(help="A department of the asker; may be repeated.")]
Suite = Annotated[Path, typer.Argument(help="A questions.jsonl, or the folder that holds one.")]
Mode = Annotated[
    Literal["live", "record", "replay"],
    typer.Option(help="Whether a model's replies are kept beside the suite, or taken from there."),
]
As = Annotated[str | None, typer.Option("--as", help="Who asks: a name from the index's principals.json.")]


def opened(folder: Path) -> "OpenIndex":
    """The index of a folder, built first where it was not, with a note where its documents changed since."""
    from rag_app.errors import IndexMissing
    from rag_app.opened import open_index

    try:
        index = open_index(folder)
    except IndexMissing:
        from rag_app.building import build_index

        tell(f"{folder} has no built index yet: building it first ...")
        with progress_bar() as progress:
            report = build_index(folder, progress=progress)
        index = open_index(folder)
        # With access rules it is nobody's business how many documents there are and what they are called.
        tell(str(report) if index.reader.definition.access == "open" else "Built.")
        return index
    from rag_app.building import changed_documents

    if changed := changed_documents(folder):
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        tell(
            f"note: documents changed since the index was built ({', '.join(changed[:3])}{more}); this answer is from "
            f"before. To update it, run: rag-app build {shlex.quote(str(folder))}"
        )
    return index


def asker(
    folder: Path, user: str | None, roles: list[str] | None, departments: list[str] | None, as_name: str | None
) -> Principal | None:
    """Who asks, as the options say. Raises UsageError where they contradict each other or an answer needs them."""
    from rag_app.index.definition import load_definition, load_principals

    definition = load_definition(folder)
    if as_name is not None:
        if user or roles or departments:
            raise UsageError("Say who asks either with --as or with --user, --role and --department, not with both.")
        principals = load_principals(definition.path)
        if as_name not in principals:
            raise UsageError(f"principals.json knows no {as_name!r}; it has: {', '.join(sorted(principals))}.")
        return principals[as_name]
    if user is not None:
        return Principal(user, tuple(roles or ()), tuple(departments or ()))
    if roles or departments:
        raise UsageError("A role or department needs a --user too.")
    if definition.access == "rules":
        raise UsageError(
            f"The index {definition.name} has access rules: say who asks with --user ID, --role and --department, or "
            "with --as NAME."
        )
    return None


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on standard error; a terminal sees it move, a log file sees nothing of it."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total or None, description=what)


def tell(message: str) -> None:
    if sys.stderr is not None:  # closed by whoever started this; print would take standard output instead
        print(f"rag-app: {message}", file=sys.stderr)
