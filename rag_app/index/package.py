"""An index as one archive: exported while it is in use, checked to the last byte before it is installed.

The archive is a zip of a few named files: `package.json` (what is in it, with hashes), what defines the index, its
catalog and its vectors. The legs are not in it: they are made anew from these when it is installed, so that no file in
a format that programs load unchecked comes from a stranger. What was deleted from an index is not in it either.
"""

import hashlib
import json
import re
import shutil
import sqlite3
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_app.errors import RagAppError, StoreError, UsageError
from rag_app.index.catalog import Catalog
from rag_app.index.definition import IndexDefinition, load_definition
from rag_app.index.embed import Progress
from rag_app.index.reader import IndexReader
from rag_app.index.sqlite import mapped_sqlite_errors
from rag_app.index.store import FIRST_ID, Store, mapped_os_errors
from rag_app.index.vectors import VectorStore
from rag_app.index.write import open_legs
from rag_app.settings import load_settings

MAX_BYTES = 50_000_000_000
"""Of an unpacked index."""
_MAX_MANIFEST = 100_000_000
_MAX_RATIO = 100
"""How many times smaller than its content a file may be packed: texts and vectors come nowhere near."""
_SMALL = 10_000_000
_FORMAT = 1
_MANIFEST, _CATALOG, _VECTORS = "package.json", "catalog.sqlite", "vectors.sqlite"
_DEFINING = ("index.toml", "principals.json", "questions.jsonl", "urls.txt")
_NAME = re.compile(r"\w[\w .-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What an archive says of itself."""

    name: str
    description: str
    access: str
    embedder: str
    revision: int
    generation: int
    documents: int
    passages: int
    content_sha256: str
    """Of the names and hashes of all files: equal content, equal hash."""
    question_set: str | None
    """Id of its questions (the beginning of their hash); None without any."""
    pages: tuple[tuple[str, str, str], ...]
    """Every document: id, title and source."""
    files: Mapping[str, tuple[str, int]]
    """SHA-256 and size in bytes of every file."""

    def __str__(self) -> str:
        questions = f", question set {self.question_set}" if self.question_set else ""
        return (
            f"{self.name}: {self.documents} documents, {self.passages} passages, revision {self.revision}, "
            f"content {self.content_sha256[:16]}{questions}."
        )


def export_index(path: str | Path, archive: str | Path) -> Package:
    """Writes the built index at `path` into a new file; others may ask and update it meanwhile.

    Raises:
        IndexMissing: nothing was built there.
        UsageError: the file exists, or the index cannot be given away as it is.
        StoreError: the store cannot be read or the file not be written.
    """
    definition, archive = load_definition(path), Path(archive)
    if archive.exists():
        raise UsageError(f"{archive} exists: choose another name, or remove it.", path=str(archive))
    _check_definition(definition)
    with mapped_os_errors(archive.parent), tempfile.TemporaryDirectory(dir=archive.parent, prefix=".export-") as place:
        folder = Path(place)
        _write_definition(definition, folder)
        package = _copy_state(definition, folder)
        with zipfile.ZipFile(folder / "archive", "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr(_MANIFEST, json.dumps({"format": _FORMAT, **asdict(package)}, ensure_ascii=False, indent=1))
            for name in package.files:
                out.write(folder / name, name)
        (folder / "archive").rename(archive)
    return package


def install_index(archive: str | Path, folder: str | Path, *, progress: Progress | None = None) -> Package:
    """Installs an archive as a new index at `folder`. On any failure the folder is as it was.

    Raises:
        UsageError: the folder exists and is not empty, or there is no such file.
        StoreError: the archive is not what it says, or not what an index is made of.
    """
    archive, folder = Path(archive), Path(folder)
    if not archive.is_file():
        raise UsageError(f"There is no file {archive}: give an archive that `rag-app export` wrote.", path=str(archive))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is in use: choose a folder that is empty or not there yet.", path=str(folder))
    existed = folder.exists()
    with mapped_os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with _reading(archive) as source, mapped_os_errors(folder):
            package = _read_manifest(archive, source)
            store = Store(folder.resolve() / ".store", load_settings().chroma_url)
            store.create()
            generation = store.generation(package.generation)
            generation.path.mkdir()
            places = {_CATALOG: generation.catalog, _VECTORS: store.vectors}
            for name in package.files:
                _extract(archive, source, package, name, places.get(name, folder / name))
        _check_definition(load_definition(folder))
        _check_database(archive, generation.catalog, "catalog")
        _check_database(archive, store.vectors, "vectors")
        with Catalog(generation.catalog) as catalog:
            catalog.verify()
            live = catalog.passage_ids()
            with (
                VectorStore(store.vectors, catalog.manifest()["fingerprint"]) as vectors,
                open_legs(generation) as legs,
            ):
                for leg in legs:
                    leg.add_missing(live, catalog, vectors, progress)
        store.switch(generation)
        IndexReader.open(folder).close()
    except BaseException:
        shutil.rmtree(folder / ".store" if existed else folder, ignore_errors=True)
        for name in _DEFINING if existed else ():
            (folder / name).unlink(missing_ok=True)
        raise
    return package


def _write_definition(definition: IndexDefinition, folder: Path) -> None:
    for name in _DEFINING:
        if (definition.path / name).is_file() and not definition.plain:
            shutil.copyfile(definition.path / name, folder / name)
    if definition.plain:
        description = f"Documents of the folder {definition.name}."
        lines = (f"name = {json.dumps(definition.name)}", f"description = {json.dumps(description)}", 'access = "open"')
        (folder / "index.toml").write_text("\n".join(("[index]", *lines, "")), encoding="utf-8")


def _copy_state(definition: IndexDefinition, folder: Path) -> Package:
    """Copies catalog and vectors as they are at one moment, without what is not in use; returns what they hold."""
    reader = IndexReader(definition)
    try:
        with reader.snapshot() as view:
            view.copy_to(folder / _CATALOG, folder / _VECTORS)
            facts, pages = view.manifest, view.documents(frozenset(view.rules()))
            generation = reader.generation
    finally:
        reader.close()
    with Catalog(folder / _CATALOG) as catalog:
        catalog.discard_staged()
        in_use = catalog.vector_ids()
        passages = len(catalog.passage_ids())
        catalog.compact()
    with VectorStore(folder / _VECTORS, facts["fingerprint"]) as vectors:
        vectors.prune(in_use)
        vectors.compact()
    files = {file.name: (_sha256(file), file.stat().st_size) for file in sorted(folder.iterdir())}
    return Package(
        name=definition.name,
        description=definition.description,
        access=definition.access,
        embedder=facts["embedder"],
        revision=int(facts["revision"]),
        generation=generation,
        documents=len(pages),
        passages=passages,
        content_sha256=_content_sha256(files),
        question_set=files["questions.jsonl"][0][:16] if "questions.jsonl" in files else None,
        pages=tuple((page.document_id, page.title, page.source) for page in pages),
        files=files,
    )


@contextmanager
def _reading(archive: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(archive) as source:
            yield source
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, RuntimeError, zlib.error) as error:
        if isinstance(error, RagAppError):
            raise
        raise _refused(archive, f"it cannot be unpacked ({error})") from error


def _read_manifest(archive: Path, source: zipfile.ZipFile) -> Package:
    """What is in the archive, having seen that nothing else is, and nothing of an absurd size."""
    entries = source.infolist()
    known = {_MANIFEST, _CATALOG, _VECTORS, *_DEFINING}
    names = [entry.filename for entry in entries]
    for entry in entries:
        if entry.filename not in known:
            raise _refused(archive, f"{entry.filename!r} is no file of an index")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _refused(archive, f"{entry.filename!r} is a link or a device")
        if entry.file_size > _SMALL and entry.file_size > _MAX_RATIO * max(1, entry.compress_size):
            raise _refused(archive, f"{entry.filename!r} would swell to {entry.file_size:,} bytes")
    if len(set(names)) != len(names):
        raise _refused(archive, "a file stands in it twice")
    sizes = {entry.filename: entry.file_size for entry in entries}
    if sum(sizes.values()) > MAX_BYTES or sizes.get(_MANIFEST, 0) > _MAX_MANIFEST:
        raise _refused(archive, f"it would unpack to {sum(sizes.values()):,} bytes")
    if not {_MANIFEST, _CATALOG, _VECTORS, "index.toml"} <= set(names):
        raise _refused(archive, "a file is missing in it")
    try:
        facts = json.loads(source.read(_MANIFEST))
        version = facts.pop("format")
        files = {str(name): (str(sha), int(size)) for name, (sha, size) in facts.pop("files").items()}
        pages = tuple((str(key), str(title), str(place)) for key, title, place in facts.pop("pages"))
        package = Package(**facts, files=files, pages=pages)
        ok = isinstance(package.generation, int) and 0 < package.generation < FIRST_ID // 2
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise _refused(archive, f"its {_MANIFEST} cannot be read ({error})") from error
    if version != _FORMAT:
        raise _refused(archive, f"it is of format {version!r}, and this version reads {_FORMAT}")
    if not ok or not isinstance(package.name, str) or not _NAME.fullmatch(package.name):
        raise _refused(archive, f"its name or generation is none ({package.name!r})")
    if {**sizes, _MANIFEST: 0} != {_MANIFEST: 0} | {name: size for name, (_, size) in files.items()}:
        raise _refused(archive, "its files are not those that it lists")
    if package.content_sha256 != _content_sha256(files):
        raise _refused(archive, "its content hash is wrong")
    return package


def _extract(archive: Path, source: zipfile.ZipFile, package: Package, name: str, target: Path) -> None:
    wanted, size = package.files[name]
    digest, done = hashlib.sha256(), 0
    with source.open(name) as packed, target.open("xb") as out:
        while block := packed.read(1 << 20):
            done += len(block)
            if done > size:
                break
            digest.update(block)
            out.write(block)
    if done != size or digest.hexdigest() != wanted:
        raise _refused(archive, f"{name} is damaged or was changed")


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


def _check_database(archive: Path, file: Path, kind: str) -> None:
    """Refuses a database with any table, trigger or view that ours has not."""
    with tempfile.TemporaryDirectory() as place:
        ours = Path(place) / kind
        if kind == "catalog":
            Catalog.create(ours, 1, {})
        else:
            with VectorStore(ours, ""):
                pass
        wanted, found = _schema(ours), _schema(file)
    if wanted != found:
        raise _refused(archive, f"the {kind} in it has another layout than this version writes")


def _schema(file: Path) -> set[tuple[Any, ...]]:
    with mapped_sqlite_errors(file):
        connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))
        finally:
            connection.close()


def _content_sha256(files: Mapping[str, tuple[str, int]]) -> str:
    return hashlib.sha256(json.dumps(sorted((name, sha) for name, (sha, _) in files.items())).encode()).hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _refused(archive: Path, why: str) -> StoreError:
    return StoreError(f"{archive} was not installed: {why}. Get it anew from whoever exported it.", path=str(archive))
