"""rag-app urls check, accept, coverage: the list of web pages of an index."""

from pathlib import Path
from typing import Annotated

import typer

from rag_app.cli.common import ANSWERED, TROUBLE, Folder, Json, app, progress_bar, say, say_json

urls = typer.Typer(help="Check the list of web pages that an index is made of.", no_args_is_help=True)
app.add_typer(urls, name="urls")


@urls.command("check")
def check_list(
    path: Annotated[Path, typer.Argument(help="Folder of an index with a list of pages, or such a list.")],
    fix: Annotated[
        bool, typer.Option(help="Turn the lines of pages that are truly gone into comments, with date and reason.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fetch every page of a list and print a verdict on each line. Exit code 1 if a line has no usable page."""
    from rag_app.pages.fetching import fetch
    from rag_app.pages.url_check import check_urls
    from rag_app.settings import load_settings

    with progress_bar() as progress:
        report = check_urls(path, fetch.real_web(load_settings(_settings(path))), fix=fix, progress=progress)
    say_json(report.as_dict()) if as_json else say(report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


@urls.command()
def accept(
    folder: Folder,
    pages: Annotated[list[str] | None, typer.Argument(metavar="URL...", help="Pages of the list.")] = None,
    host: Annotated[str, typer.Option(help="Accept every new version of this host that was kept aside.")] = "",
) -> None:
    """Accept new versions of pages that were doubted and kept aside; the next build indexes them."""
    from rag_app.pages.updates import accept_pages

    for url in accept_pages(folder, pages or [], host=host):
        say(f"accepted  {url}")
    say("Now run rag-app build to answer from them.")


@urls.command()
def coverage(
    folder: Folder,
    site: Annotated[
        list[str] | None, typer.Option(help="What all URLs of the site begin with; may be repeated.")
    ] = None,
    contents: Annotated[str, typer.Option(help="A page that links to all pages, for a site without a sitemap.")] = "",
    kind: Annotated[
        str | None, typer.Option(help="library, framework or platform: how many pages there should be.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare a list with the pages that its sites have, section by section, and name pages that became no document."""
    from rag_app.pages.coverage import measure_coverage
    from rag_app.pages.fetching import fetch
    from rag_app.settings import load_settings

    web = fetch.real_web(load_settings(_settings(folder)))
    report = measure_coverage(folder, web, sites=site or (), contents=contents, kind=kind)
    say_json(report.as_dict()) if as_json else say(report)
    raise typer.Exit(ANSWERED if report.ok else TROUBLE)


def _settings(path: Path) -> "dict[str, object]":
    """What index.toml sets; nothing for a mere list."""
    from rag_app.index.definition import load_definition

    is_list = path.is_file() and path.name != "index.toml"
    return {} if is_list else dict(load_definition(path).settings)
