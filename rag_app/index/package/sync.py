"""A replica that follows an index elsewhere: the newest archive of it comes into force beside the state that answers.

Nobody who asks is held up: the new state is made as a generation of its own and put in force in one step, as a rebuild
is. A synchronisation that fails or is killed leaves the earlier state answering. See docs/guide/scale.md.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import StoreError, UsageError
from rag_app.index.build.document_source import Progress
from rag_app.index.build.write import bring_into_force
from rag_app.index.catalog import Catalog
from rag_app.index.definition import load_definition
from rag_app.index.lock import writing
from rag_app.index.package.archive import DEFINING, Package
from rag_app.index.package.download import Fetched, download
from rag_app.index.package.transfer import UNPACKED, export_index, install_index, unpacked
from rag_app.index.paths import given_path
from rag_app.index.search.dense import remove_unused
from rag_app.index.search.vectors import VectorStore
from rag_app.index.sqlite import mapped_os_errors
from rag_app.index.store import FIRST_ID, Store, write_file
from rag_app.llm.fingerprint import same_embedder
from rag_app.settings import load_settings

_MARK = "SYNCED"
"""In a replica's store: where its state came from."""
_SCRATCH = ".sync-"


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a synchronisation did."""

    changed: bool
    """False: the replica was up to date already."""
    package: Package | None
    """What came into force, or was there already; None where the server said that nothing is newer."""

    def __str__(self) -> str:
        if not self.changed:
            return "Up to date: nothing was changed."
        return f"In force now: {self.package}"


def sync_index(source: str | Path, folder: str | Path, *, progress: Progress | None = None) -> SyncReport:
    """Brings the replica at `folder` to the state of `source`, while it goes on answering; installs it the first time.

    Args:
        source: an archive that `rag-app export` wrote, the folder of a built index (on a shared disk, say), or the
            http or https URL of an archive. A server is asked for it only if it changed (ETag, Last-Modified).
        folder: a new folder, or one that `sync_index` or `install_index` filled.

    Raises:
        UsageError: `folder` holds documents of its own, or another index than `source`.
        StoreError, StoreLocked: the archive cannot be fetched or is not valid, or somebody else writes to the replica.
    """
    folder = given_path(folder, "The folder")
    store = Store(folder.resolve() / ".store", load_settings().chroma_url)
    if store.current() is None:
        with _archive(source, {}, None) as fetched:
            assert fetched is not None, "nothing is known of it yet"
            package = install_index(fetched.archive, folder, progress=progress)
            with writing(store.path):
                _set_mark(store, package, fetched)
        return SyncReport(True, package)
    _refuse_origin(folder)
    with writing(store.path), ExitStack() as stack:
        remove_unused(store)
        stack.callback(remove_unused, store)  # the replaced state, or a new one whose installation failed
        for left in (*store.path.glob(f"{_SCRATCH}*"), *store.path.glob(f"{UNPACKED}*")):  # of one that was killed
            shutil.rmtree(left, ignore_errors=True)
        known = _mark(store)
        with _archive(source, known, store.path) as fetched:
            if fetched is None:
                return SyncReport(False, None)
            with unpacked(fetched.archive, store.path) as (package, content):
                changed = package.content_sha256 != known.get("content_sha256")
                if changed:
                    _replace(folder, store, package, content, progress)
            _set_mark(store, package, fetched)
    return SyncReport(changed, package)


def _replace(folder: Path, store: Store, package: Package, content: Path, progress: Progress | None) -> None:
    """Puts an unpacked and verified archive in force as a new generation."""
    theirs = Store(content / ".store").generation(package.generation)
    before = store.opened(folder)
    with Catalog(before.catalog, writable=False) as old, Catalog(theirs.catalog, writable=False) as new:
        is_now, manifest = old.read_manifest(), new.read_manifest()
        for what in ("name", "access"):
            if is_now[what] != manifest[what]:
                raise UsageError(
                    f"The index in {folder} has the {what} {is_now[what]!r} and the archive's {manifest[what]!r}: "
                    "install it into a new folder.",
                    path=str(folder),
                )
        if not same_embedder(is_now["fingerprint"], manifest["fingerprint"]):
            raise UsageError(
                f"The archive was built with another embedder than the index in {folder}, and those who have that open "
                "would go on asking with theirs: install it into a new folder.",
                path=str(folder),
            )
        generation = store.new_generation()
        with VectorStore(store.vectors, is_now["fingerprint"]) as vectors:
            kept = old.vector_ids()
            first = {**manifest, "fingerprint": is_now["fingerprint"], "revision": str(package.revision - 1)}
            Catalog.create(generation.catalog, generation.number * FIRST_ID, first)
            with Catalog(generation.catalog) as catalog:
                catalog.adopt(new, vectors.take(content / ".store" / "vectors.sqlite", new.vector_ids()))
                bring_into_force(set(), catalog, generation, vectors, {}, progress)
                _define(content, folder)
                store.switch(generation)
                vectors.prune(kept | catalog.vector_ids())


def _define(content: Path, folder: Path) -> None:
    """What defines the index, and who people are, as in the archive; each file in one step."""
    with mapped_os_errors(folder):
        for name in DEFINING:
            if (content / name).is_file():
                shutil.copyfile(content / name, folder / f".{name}.new")
                os.replace(folder / f".{name}.new", folder / name)
            else:
                (folder / name).unlink(missing_ok=True)


@contextmanager
def _archive(source: str | Path, known: Mapping[str, str], place: Path | None) -> Iterator[Fetched | None]:
    """The archive to take over; None where a server says that it has not changed. What is made for it lies below
    `place`, or where temporary files do, and goes with the block."""
    with tempfile.TemporaryDirectory(dir=place, prefix=_SCRATCH) as name:
        target = Path(name) / "archive"
        try:
            if isinstance(source, str) and source.startswith(("http://", "https://")):
                yield download(source, target, known)
                return
            path = given_path(source, "The source")
            if path.is_dir():
                export_index(path, target)
                path = target
            elif not path.is_file():
                raise UsageError(
                    f"There is no {path}: give an archive, its URL, or the folder of a built index.", path=str(path)
                )
            yield Fetched(path, {})
        except StoreError as error:
            if error.details.get("path") != str(target):
                raise
            raise StoreError(str(error).replace(str(target), str(source)), source=str(source)) from error


def _refuse_origin(folder: Path) -> None:
    """Raises UsageError where a folder has documents: it is built from these, and follows nothing."""
    documents = load_definition(folder).documents_folder
    if documents is not None and documents.is_dir() and any(documents.iterdir()):
        raise UsageError(
            f"{folder} has documents of its own, from which it is built: choose a new folder for the replica.",
            path=str(folder),
        )


def _mark(store: Store) -> dict[str, str]:
    with suppress(OSError, ValueError):
        found = json.loads((store.path / _MARK).read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return {str(key): str(value) for key, value in found.items()}
    return {}


def _set_mark(store: Store, package: Package, fetched: Fetched) -> None:
    with mapped_os_errors(store.path):
        write_file(store.path / _MARK, json.dumps({"content_sha256": package.content_sha256, **fetched.validators}))
