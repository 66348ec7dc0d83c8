"""What the commands share: the application, the options that say who asks, the progress bar."""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag_app.errors import UsageError
from rag_app.principal import Principal
from rag_app.show.lines import printable, printable_json

if TYPE_CHECKING:
    from rag_app.answer import Answer
    from rag_app.opened import OpenIndex

LOG_EVERY = 15.0
"""Seconds between two lines of progress in a log."""

ANSWERED, TROUBLE, WRONG_USAGE, NOT_ENOUGH_EVIDENCE = 0, 1, 2, 3

app = typer.Typer(
    help="Answers questions about documents in their own sentences, or says that they hold no answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _day(written: str) -> date:
    """A day written as YYYY-MM-DD. Raises typer.BadParameter where it is written in another way."""
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise typer.BadParameter(f"Write the day as YYYY-MM-DD, such as 2025-03-01, not {written!r}.") from error


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
AsOf = Annotated[
    date | None, typer.Option(parser=_day, metavar="YYYY-MM-DD", help="Ask the documents in force on that day.")
]
Region = Annotated[str | None, typer.Option(help="Region to search for: a code such as nz, or the path of a profile.")]
Llm = Annotated[
    str | None,
    typer.Option(
        help="Language model that chooses the statements, such as bedrock:NAME; 'none' for none. Without this option, "
        "index.toml decides."
    ),
]


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
            f"before the change. To update it, run: rag-app build {shlex.quote(str(folder))}"
        )
    return index


def model_option(llm: str | None) -> dict[str, Any]:
    """The keyword for an engine; nothing where the option was left out, so that index.toml decides."""
    return {} if llm is None else {"llm": llm}


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
def progress_bar(
    seconds: float = LOG_EVERY, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int, int, str], None]]:
    """How far a long command is, on standard error: a bar on a terminal, a line every `seconds` in a log.

    Nothing of a question or a document that it names reaches the terminal as markup or as a control sequence.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import MofNCompleteColumn, Progress

    console = Console(stderr=True)
    if console.is_terminal:
        with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=console, transient=True) as bar:
            task = bar.add_task("reading", total=None)
            yield lambda done, total, what: bar.update(
                task, completed=done, total=total or None, description=escape(printable(what))
            )
        return
    last = clock()

    def log(done: int, total: int, what: str) -> None:
        nonlocal last
        if total and clock() - last >= seconds:
            last = clock()
            tell(f"{done} of {total} ({done / total:.0%}) {what}".rstrip())

    yield log


def say(text: object) -> None:
    """Prints a result on standard output. Questions and documents in it cannot steer the terminal."""
    print(printable(str(text)))


def say_json(content: Mapping[str, Any] | Sequence[Any]) -> None:
    """The same as JSON."""
    print(printable_json(json.dumps(content, indent=2, ensure_ascii=False)))


def from_here(files: Mapping[str, str]) -> dict[str, str]:
    """Files as they are named from the working directory; those outside of it by their full paths."""
    here = Path.cwd()
    paths = {document_id: Path(os.path.abspath(file)) for document_id, file in files.items()}
    return {
        document_id: str(path.relative_to(here) if path.is_relative_to(here) else path)
        for document_id, path in paths.items()
    }


def tell_more(answer: "Answer") -> None:
    """What an answer's text leaves out: why it is a refusal, and every fallback taken."""
    from rag_app.show.reasons import reason_in_words

    if because := reason_in_words(answer):
        tell(because)
    for warning in answer.trace.warnings:
        if warning not in answer.trace.corrected:  # the text says how words were spelled
            tell(f"note: {warning}")


def tell(message: str) -> None:
    """Prints a message about the command itself on standard error."""
    if sys.stderr is not None:  # closed by the parent process; print would take standard output instead
        print(f"rag-app: {printable(message)}", file=sys.stderr)
