"""An index as one archive: exported while it is in use, and believed in nothing when it is installed.

The archive (see `archive.py`) holds what defines the index, its catalog and its vectors. Dense and sparse index are
not in it: they are made from these when it is installed, so that no file in a format that programs load unchecked comes
from somebody unknown. What was deleted from an index is not in it either.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_app.errors import DefinitionError, IndexMismatch, StoreError, UsageError
from rag_app.index.build.document_source import Progress
from rag_app.index.build.write import open_for_writing
from rag_app.index.catalog import Catalog
from rag_app.index.definition import IndexDefinition, load_definition, load_principals
from rag_app.index.package.archive import (
    CATALOG,
    DEFINING,
    LONGEST_NAME,
    VECTORS,
    Package,
    content_sha256,
    extract,
    files_of,
    is_name,
    read_package,
    reading,
    refused,
    scratch,
    write_archive,
)
from rag_app.index.package.new_store import new_store
from rag_app.index.package.verify import verify_catalog, verify_layout
from rag_app.index.paths import given_path
from rag_app.index.reader import IndexReader
from rag_app.index.search.vectors import VectorStore
from rag_app.index.sqlite import Damaged, mapped_os_errors
from rag_app.index.store import Generation, Store
from rag_app.settings import load_settings

UNPACKED = ".unpacked-"
"""How folders begin in which an archive is unpacked for a while."""


def export_index(path: str | Path, archive: str | Path) -> Package:
    """Writes the built index at `path` into a new file; others may ask and update it meanwhile.

    Raises:
        IndexMissing: nothing was built there.
        IndexMismatch: index.toml names another access than the index was built with.
        UsageError: the file exists, or the index cannot be given away as it is.
        StoreError: the store cannot be read or the file not be written.
    """
    definition, archive = load_definition(path), given_path(archive, "The archive")
    if archive.exists():
        raise UsageError(f"{archive} exists: choose another name, or remove it.", path=str(archive))
    if not archive.parent.is_dir():
        raise UsageError(f"There is no folder {archive.parent}: make it, or write elsewhere.", path=str(archive))
    _check_definition(definition)
    with mapped_os_errors(archive.parent), scratch(archive.parent) as place:
        content = place / "content"
        content.mkdir()
        _write_definition(definition, content)
        generation = _copy_state(definition, content)
        with Catalog(content / CATALOG, writable=False) as catalog:
            package = _describe(load_definition(content), catalog, generation, files_of(content))
        write_archive(package, content, place / "archive")
        (place / "archive").rename(archive)
    return package


def install_index(archive: str | Path, folder: str | Path, *, progress: Progress | None = None) -> Package:
    """Installs an archive as a new index at `folder`. On any failure the folder is as it was.

    Raises:
        UsageError: the folder exists and is not empty, or there is no such file.
        StoreError: the archive is not what it says, contradicts itself, or is not what an index is made of.
    """
    archive, folder = given_path(archive, "The archive"), given_path(folder, "The folder")
    if not archive.is_file():
        raise UsageError(f"There is no file {archive}: give an archive that `rag-app export` wrote.", path=str(archive))
    with new_store(folder, load_settings().chroma_url, DEFINING) as store, mapped_os_errors(folder):
        package, generation = _unpack(archive, folder, store)
        with Catalog(generation.catalog) as catalog:
            live = catalog.passage_ids()
            with (
                VectorStore(store.vectors, catalog.read_manifest()["fingerprint"]) as vectors,
                open_for_writing(generation) as indexes,
            ):
                for index in indexes:
                    index.add_missing(live, catalog, vectors, progress)
        store.switch(generation)
        IndexReader.open(folder).close()
    return package


@contextmanager
def unpacked(archive: Path, place: Path) -> Iterator[tuple[Package, Path]]:
    """What an archive says of itself, and a folder that holds its verified files, as an index without dense and sparse
    index; it lies below `place` and goes with the block. Raises StoreError and UsageError as `install_index`."""
    with mapped_os_errors(place), tempfile.TemporaryDirectory(dir=place, prefix=UNPACKED) as name:
        folder = Path(name)
        store = Store(folder / ".store")
        store.create()
        package, _ = _unpack(archive, folder, store)
        yield package, folder


def _unpack(archive: Path, folder: Path, store: Store) -> tuple[Package, Generation]:
    """Unpacks and verifies an archive into an empty folder and its store."""
    with reading(archive) as source:
        package = read_package(archive, source)
        generation = store.make(package.generation)
        places = {CATALOG: generation.catalog, VECTORS: store.vectors}
        for name in package.files:
            extract(archive, source, package, name, places.get(name, folder / name))
        _verify(archive, package, folder, store, generation)
    return package, generation


def _write_definition(definition: IndexDefinition, folder: Path) -> None:
    for name in DEFINING:
        if (definition.path / name).is_file() and not definition.plain:
            shutil.copyfile(definition.path / name, folder / name)
    if definition.plain:
        name = "".join(letter if is_name(f"a{letter}a") else "_" for letter in definition.name)[:LONGEST_NAME]
        name = name if is_name(name) else "documents"
        description = f"Documents of the folder {name}."
        lines = (f"name = {json.dumps(name)}", f"description = {json.dumps(description)}", 'access = "open"')
        (folder / "index.toml").write_text("\n".join(("[index]", *lines, "")), encoding="utf-8")


def _copy_state(definition: IndexDefinition, folder: Path) -> int:
    """Copies catalog and vectors as they are at one moment, without what is not in use; returns their generation."""
    reader = IndexReader(definition)
    try:
        reader.check_access()
        with reader.snapshot() as view:
            view.copy_to(folder / CATALOG, folder / VECTORS)
            fingerprint, generation = view.manifest["fingerprint"], reader.generation
    finally:
        reader.close()
    with Catalog(folder / CATALOG) as catalog:
        catalog.discard_staged()
        in_use = catalog.vector_ids()
        catalog.compact()
    with VectorStore(folder / VECTORS, fingerprint) as vectors:
        vectors.prune(in_use)
        vectors.compact()
    return generation


def _describe(
    definition: IndexDefinition, catalog: Catalog, generation: int, files: dict[str, tuple[str, int]]
) -> Package:
    """What the archive of an index says of itself."""
    manifest, documents = catalog.read_manifest(), catalog.stored()
    return Package(
        name=definition.name,
        description=definition.description,
        access=definition.access,
        embedder=manifest["embedder"],
        revision=int(manifest["revision"]),
        generation=generation,
        documents=len(documents),
        passages=len(catalog.passage_ids()),
        content_sha256=content_sha256(files),
        question_set=files["questions.jsonl"][0][:16] if "questions.jsonl" in files else None,
        pages=tuple((document.document_id, document.title, document.source) for document in documents),
        files=files,
    )


def _verify(archive: Path, package: Package, folder: Path, store: Store, generation: Generation) -> None:
    """Refuses an index that is not what the archive says, or contradicts itself."""
    try:
        definition = load_definition(folder)
        if (folder / "principals.json").exists():
            load_principals(folder)
    except DefinitionError as error:
        raise refused(archive, f"what defines it is wrong ({error})") from error
    _check_definition(definition)
    try:
        verify_layout(generation.catalog, store.vectors)
        verify_catalog(generation.catalog, store.vectors, package.generation, is_foreign=True)
        with Catalog(generation.catalog) as catalog:
            found = _describe(definition, catalog, package.generation, dict(package.files))
            access = catalog.read_manifest()["access"]
    except Damaged as error:
        raise refused(archive, f"it contradicts itself ({error})") from error
    except (StoreError, IndexMismatch) as error:
        raise refused(archive, f"it cannot be read ({error})") from error
    if access != definition.access:
        raise refused(archive, f"index.toml says access = {definition.access!r}, its catalog {access!r}")
    for name in Package.__slots__:
        if getattr(package, name) != getattr(found, name):
            raise refused(archive, f"package.json and the index differ in {name}")


def _check_definition(definition: IndexDefinition) -> None:
    """Refuses what an index from elsewhere must not say: to read files outside its folder, or to use a server."""
    root = definition.path.resolve()
    for place in (definition.documents_folder, definition.urls):
        if place is not None and not place.resolve().is_relative_to(root):
            raise UsageError(f"index.toml names {place}, outside its folder: move the documents into it.")
    if definition.settings.get("chroma_url"):
        raise UsageError(
            "index.toml names a Chroma server under [store]: take it out and set RAG_APP_CHROMA_URL instead."
        )
    if not definition.plain and not is_name(definition.name):
        raise UsageError(
            f"index.toml names the index {definition.name!r}: choose a name of at most {LONGEST_NAME} letters that is "
            "no path."
        )
