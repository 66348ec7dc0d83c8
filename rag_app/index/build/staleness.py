"""Whether documents changed since an index was built, checked without building anything."""

import os
from contextlib import suppress
from pathlib import Path

from rag_app.errors import ReadError
from rag_app.index.build.document_source import DocumentSource
from rag_app.index.catalog import Catalog
from rag_app.index.definition import IndexDefinition
from rag_app.index.search.search_index import mapped_index_errors
from rag_app.index.store import Store
from rag_app.read.documents import read_file
from rag_app.read.files import SIDE_FILE_SUFFIX, list_files


def changed_documents(definition: IndexDefinition, *, source: DocumentSource | None = None) -> list[str]:
    """Paths of documents that changed since the index was built; see `rag_app.building.changed_documents`."""
    if definition.access != "open":
        return []
    store = Store(definition.store_path)
    generation = store.opened(definition.path)
    with Catalog(generation.catalog, writable=False) as catalog:
        known = {document.path: document.sha256 for document in catalog.stored()}
    changed_there = source.changed(known) if source else []
    folder = definition.documents_folder
    if folder is None or not folder.is_dir():
        return changed_there
    known = {path: sha256 for path, sha256 in known.items() if not path.startswith("https://")}
    built = _written(generation.tantivy)
    gone = dict(known)
    changed = []
    for file, obstacle in list_files(folder):
        place = file.relative_to(folder).as_posix()
        gone.pop(place, None)
        if obstacle is None and _touched(file) >= built and _is_news(file, folder, known.get(place), known):
            changed.append(place)
    return sorted([*changed, *gone, *changed_there])


def _written(folder: Path) -> int:
    """When an index was last written, in nanoseconds. Unlike databases, it is not touched by who reads it."""
    written = [0]
    with mapped_index_errors(folder), os.scandir(folder) as files:
        for file in files:
            with suppress(FileNotFoundError):  # another process may merge segments at the moment
                written.append(file.stat().st_mtime_ns)
    return max(written)


def _touched(file: Path) -> int:
    """When the file or its side file was last written, renamed or put in place, in nanoseconds; 0 where unknown."""
    times = [0]
    for each in (file, file.with_name(file.name + SIDE_FILE_SUFFIX)):
        try:
            status = each.stat()
        except OSError:
            continue
        times += [status.st_mtime_ns, status.st_ctime_ns]
    return max(times)


def _is_news(file: Path, folder: Path, before: str | None, known: dict[str, str]) -> bool:
    try:
        now = read_file(file, folder).sha256
    except ReadError:
        return before is not None
    return now != before and (before is not None or now not in known.values())
