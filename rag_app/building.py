"""Building an index: the files of its folder, and the web pages that it lists."""

from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING

from rag_app.errors import UsageError
from rag_app.index.build import builder, staleness
from rag_app.index.build.document_source import Progress
from rag_app.index.build.report import BuildReport, CheckReport
from rag_app.index.definition import IndexDefinition, load_definition
from rag_app.models import check_embedder, load_embedder
from rag_app.pages.fetching import fetch
from rag_app.pages.fetching.fetch import Web
from rag_app.pages.page_source import PageSource
from rag_app.read.spread import Spread, here
from rag_app.settings import Settings, load_settings

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

__all__ = ["BuildReport", "CheckReport", "build_index", "changed_documents", "check_index"]


def build_index(
    path: str | Path,
    *,
    rebuild: bool = False,
    progress: Progress | None = None,
    force: bool = False,
    embedder: "BaseEmbedding | None" = None,
    settings: Settings | None = None,
    web: Web | None = None,
    spread: Spread = here,
) -> BuildReport:
    """Builds the index of a folder, or brings an existing one up to date.

    Args:
        path: a folder with index.toml, or any folder of documents.
        rebuild: make everything again beside the old index, then switch.
        progress: called with (done, total, what); a total of 0 means that nobody knows yet.
        force: go on although most documents would disappear.
        embedder: instead of the one that the settings name.
        settings: instead of environment, index.toml and defaults.
        web: how the web is reached, instead of as usual.
        spread: where files are read and cut, and texts embedded: `rag_app.index.build.ray_spread.RaySpread()`, say.

    Raises:
        UsageError: path, embedder or settings are not valid.
        DefinitionError: no such folder, or index.toml or a setting is wrong.
        IndexMismatch: the index was built with another embedder or format; a rebuild is needed.
        BuildError: the embedder failed, nothing is there to index, or most documents would disappear.
        StoreError, StoreLocked: the store cannot be written, or somebody else writes to it.
    """
    check_embedder(embedder)
    if not isinstance(settings, (Settings, NoneType)):
        raise UsageError(f"settings must be Settings, not {settings!r}.")
    definition = load_definition(path)
    settings = settings or load_settings(definition.settings)
    return builder.build(
        definition,
        settings,
        embedder or load_embedder(settings.embedding),
        source=_pages(definition, web or fetch.real_web(settings)),
        rebuild=rebuild,
        force=force,
        progress=progress,
        spread=spread,
    )


def check_index(path: str | Path) -> CheckReport:
    """Compares the catalog of a built index with itself and with its dense and sparse index, and repairs these.

    Raises:
        IndexMissing: nothing was built there.
        StoreError, StoreLocked: the store is damaged beyond repair, or somebody else writes to it.
    """
    definition = load_definition(path)
    return builder.check(definition, source=_pages(definition))


def changed_documents(path: str | Path) -> list[str]:
    """Paths of documents that are new, changed or gone since the index at `path` was built, in order.

    Of web pages, those whose text was fetched since; no page is asked for.

    Only files that were touched since then are read, and compared by their hash; so a file that could not become a
    document then is no news now, and one that was changed while the build ran may be missed. Says nothing (an empty
    list) of an index with access rules, whose documents are not everybody's business, nor of one whose documents
    folder is not there.

    Raises:
        DefinitionError, IndexMissing, StoreError: as `open_index`.
    """
    definition = load_definition(path)
    return staleness.changed_documents(definition, source=_pages(definition))


def _pages(definition: IndexDefinition, web: Web | None = None) -> PageSource | None:
    """The web pages that an index lists; None where it lists none."""
    return None if definition.urls is None else PageSource(definition.urls, definition.store_path, web)
