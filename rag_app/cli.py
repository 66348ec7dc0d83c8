"""The command line. Exit codes: 0 answered or done, 3 not enough evidence, 1 trouble, 2 wrong usage."""

import io
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_app.errors import RagAppError, UsageError
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
As = Annotated[str | None, typer.Option("--as", help="Who asks: a name from the index's principals.json.")]


@app.command()
def build(
    folder: Folder,
    rebuild: Annotated[bool, typer.Option(help="Make everything anew beside the old index, then switch.")] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build an index, or bring an existing one up to date."""
    _build(folder, rebuild, force, as_json)


@app.command()
def update(folder: Folder, force: Force = False, as_json: Json = False) -> None:
    """Bring an existing index up to date: only what was added, changed, moved or removed."""
    from rag_app.index.definition import load_definition
    from rag_app.index.store import Store

    definition = load_definition(folder)
    Store(definition.store_path).opened(definition.path)  # an update needs something to update
    _build(folder, False, force, as_json)


@app.command("rebuild")
def rebuild_index(folder: Folder, force: Force = False, as_json: Json = False) -> None:
    """Make everything anew beside the existing index, which answers until the new one is complete."""
    _build(folder, True, force, as_json)


def _build(folder: Path, rebuild: bool, force: bool, as_json: bool) -> None:
    from rag_app.index.build import build_index

    with _progress() as progress:
        report = build_index(folder, rebuild=rebuild, force=force, progress=progress)
    print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if as_json else report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


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
    principal = _principal(folder, user, role, department, as_name)
    chosen = {} if llm is None else {"llm": llm}
    engine = _opened(folder).as_query_engine(principal=principal, **chosen)  # pyright: ignore
    answer = engine.query(question, as_of=as_of.date() if as_of else None).answer
    for warning in answer.trace.warnings:
        _tell(f"note: {warning}")
    if as_json:
        print(json.dumps(answer.as_dict(), indent=2, ensure_ascii=False))
    else:
        print(answer)
        if explain:
            from rag_app.render import explained

            print("\n" + explained(answer))
    raise typer.Exit(NOT_ENOUGH_EVIDENCE if answer.status == "insufficient_evidence" else ANSWERED)


@app.command()
def check(folder: Folder, as_json: Json = False) -> None:
    """Compare the catalog of a built index with both of its legs."""
    from rag_app.index.build import check_index

    report = check_index(folder)
    print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if as_json else report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


@app.command("export")
def export_package(folder: Folder, archive: Annotated[Path, typer.Argument(help="File to write.")]) -> None:
    """Write a built index into one file, to be installed elsewhere."""
    from rag_app.index.package import export_index

    print(export_index(folder, archive))


@app.command("install")
def install_package(
    archive: Annotated[Path, typer.Argument(help="File that `rag-app export` wrote.")],
    folder: Annotated[Path, typer.Argument(help="New folder for the index.")],
) -> None:
    """Install an exported index into a new folder, ready to be asked."""
    from rag_app.index.package import install_index

    with _progress() as progress:
        print(install_index(archive, folder, progress=progress))


@app.command("list")
def list_documents(
    folder: Folder,
    user: User = None,
    role: Role = None,
    department: Department = None,
    as_name: As = None,
    as_json: Json = False,
) -> None:
    """List the documents that the asker may read."""
    from dataclasses import asdict

    from rag_app.opened import open_index

    principal = _principal(folder, user, role, department, as_name)
    documents = open_index(folder).documents(principal)
    if as_json:
        print(json.dumps([asdict(document) for document in documents], indent=2, ensure_ascii=False))
    else:
        for document in documents:
            print(f"{document.document_id}\t{document.title}")


def _opened(folder: Path) -> "OpenIndex":
    """The index of a folder, built first where it was not, with a note where its documents changed since."""
    from rag_app.errors import IndexMissing
    from rag_app.opened import open_index

    try:
        index = open_index(folder)
    except IndexMissing:
        from rag_app.index.build import build_index

        _tell(f"{folder} has no built index yet: building it first ...")
        with _progress() as progress:
            report = build_index(folder, progress=progress)
        _tell(str(report))
        return open_index(folder)
    from rag_app.index.staleness import changed_documents

    if changed := changed_documents(folder):
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        _tell(
            f"note: documents changed since the index was built ({', '.join(changed[:3])}{more}); this answer is from "
            f"before. To update it, run: rag-app build {shlex.quote(str(folder))}"
        )
    return index


def _principal(
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
        try:
            return Principal(user, tuple(roles or ()), tuple(departments or ()))
        except ValueError as error:
            raise UsageError(str(error)) from error
    if roles or departments:
        raise UsageError("A role or department needs a --user too.")
    if definition.access == "rules":
        raise UsageError(
            f"The index {definition.name} has access rules: say who asks with --user ID, --role and --department, or "
            "with --as NAME."
        )
    return None


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on standard error; a terminal sees it move, a log file sees nothing of it."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total or None, description=what)


def main() -> None:
    """The entry point of `rag-app`: errors that a person can act on are one sentence, without a traceback."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a character shows another in its place
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except UsageError as error:
        _stop(error, WRONG_USAGE)
    except RagAppError as error:
        _stop(error, TROUBLE)


def _stop(error: RagAppError, code: int) -> None:
    _tell(str(error))
    sys.exit(code)


def _tell(message: str) -> None:
    print(f"rag-app: {message}", file=sys.stderr)
