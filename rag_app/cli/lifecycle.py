"""rag-app build, update, rebuild, check, warm-up, list, export, install, sync: the life of an index."""

from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import (
    ANSWERED,
    TROUBLE,
    As,
    Department,
    Folder,
    Force,
    Json,
    Role,
    User,
    app,
    asker,
    opened,
    progress_bar,
    say,
    say_json,
    tell,
)  # fmt: skip
from rag_app.read.kinds import KINDS

_BUILD_HELP = (
    "Build an index, or bring an existing one up to date.\n\nThese kinds of file are read: "
    + "; ".join(f"{kind.name} ({' '.join(kind.suffixes)})" for kind in KINDS)
    + "."
)


@app.command(help=_BUILD_HELP)
def build(
    folder: Folder,
    rebuild: Annotated[bool, typer.Option(help="Build everything again beside the old index, then switch.")] = False,
    force: Force = False,
    as_json: Json = False,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Read and embed over a Ray cluster; 'local' begins one here.")
    ] = None,
) -> None:
    """Build an index, or bring an existing one up to date."""
    _build(folder, rebuild, force, as_json, ray)


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
    """Make everything again beside the existing index, which answers until the new one is complete."""
    _build(folder, True, force, as_json)


def _build(folder: Path, rebuild: bool, force: bool, as_json: bool, ray: str | None = None) -> None:
    from rag_app.building import build_index
    from rag_app.read.spread import here

    spread = here
    if ray is not None:
        from rag_app.index.build.ray_spread import RaySpread

        spread = RaySpread(ray)
    with progress_bar() as progress:
        report = build_index(folder, rebuild=rebuild, force=force, progress=progress, spread=spread)
    say_json(report.as_dict()) if as_json else say(report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


@app.command()
def check(folder: Folder, as_json: Json = False) -> None:
    """Compare the catalog of a built index with its dense and sparse index."""
    from rag_app.building import check_index

    report = check_index(folder)
    say_json(report.as_dict()) if as_json else say(report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


@app.command("warm-up")
def warm_up(folder: Folder, as_json: Json = False) -> None:
    """Load index and models once, so that later commands find their files in the machine's memory."""
    seconds = opened(folder).warm_up()
    lines = [f"{name}: {1000 * taken:.0f} ms" for name, taken in seconds.items()]
    say_json({"seconds": seconds}) if as_json else say("\n".join(lines))


@app.command("export")
def export_package(folder: Folder, archive: Annotated[Path, typer.Argument(help="File to write.")]) -> None:
    """Write a built index into one file, to be installed elsewhere."""
    from rag_app.index.package.transfer import export_index

    say(f"Wrote {archive}: {export_index(folder, archive)}")


@app.command("install")
def install_package(
    archive: Annotated[Path, typer.Argument(help="File that `rag-app export` wrote.")],
    folder: Annotated[Path, typer.Argument(help="New folder for the index.")],
) -> None:
    """Install an exported index into a new folder, ready to be asked."""
    from rag_app.index.package.transfer import install_index

    with progress_bar() as progress:
        say(f"Installed in {folder}: {install_index(archive, folder, progress=progress)}")


@app.command("sync")
def sync_replica(
    source: Annotated[str, typer.Argument(help="Archive, its http(s) URL, or the folder of a built index.")],
    folder: Annotated[Path, typer.Argument(help="Folder of the replica; made the first time.")],
) -> None:
    """Bring a replica to the state of the index that it follows, while it goes on answering."""
    from rag_app.index.package.sync import sync_index

    with progress_bar() as progress:
        say(sync_index(source, folder, progress=progress))


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

    principal = asker(folder, user, role, department, as_name)
    documents = open_index(folder).documents(principal)
    if as_json:
        say_json([asdict(document) for document in documents])
    else:
        for document in documents:
            say(f"{document.document_id}\t{document.title}")
        if not documents:
            tell("there is no document here that the asker may read.")
