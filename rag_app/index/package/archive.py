"""The archive of an index: a zip of a few named files, checked to the last byte before anything in it is used."""

import hashlib
import json
import shutil
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from rag_app.errors import RagAppError, StoreError
from rag_app.index.store import FIRST_ID
from rag_app.show.lines import counted

CATALOG, VECTORS = "catalog.sqlite", "vectors.sqlite"
DEFINING = ("index.toml", "principals.json", "questions.jsonl", "urls.txt")
_MANIFEST = "package.json"
_FORMAT = 1
MAX_BYTES = 50_000_000_000
"""Of an unpacked index."""
_MAX_TEXT = 100_000_000
"""Of each file in it that is no database."""
_MAX_RATIO = 100
"""How many times smaller than its content a file may be packed: texts and vectors come nowhere near."""
_SMALL = 10_000_000
_OLD = 60
"""Seconds."""
LONGEST_NAME = 100


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
            f"{self.name}: {counted(self.documents, 'document')}, {counted(self.passages, 'passage')}, revision "
            f"{self.revision}, "
            f"content {self.content_sha256[:16]}{questions}."
        )


def is_name(name: object) -> bool:
    """Whether an archive may call its index so: one line that is no path."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and name == name.strip()
        and not name.startswith(".")
        and not set(name) & set('/\\:*?"<>|')
    )


def files_of(folder: Path) -> dict[str, tuple[str, int]]:
    """SHA-256 and size of every file in a folder."""
    return {file.name: (_sha256(file), file.stat().st_size) for file in sorted(folder.iterdir())}


def content_sha256(files: Mapping[str, tuple[str, int]]) -> str:
    return hashlib.sha256(json.dumps(sorted((name, sha) for name, (sha, _) in files.items())).encode()).hexdigest()


def write_archive(package: Package, folder: Path, archive: Path) -> None:
    """Packs the files of a folder. Raises OSError."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(_MANIFEST, json.dumps({"format": _FORMAT, **asdict(package)}, ensure_ascii=False, indent=1))
        for name in package.files:
            out.write(folder / name, name)


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A place beside an archive that goes with the block; what exports that were killed left there goes first."""
    for left in folder.glob(".export-*"):
        with suppress(OSError, Timeout):
            if time.time() - left.stat().st_mtime > _OLD:  # a new one may not be locked yet
                with FileLock(left / "lock", timeout=0):
                    shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".export-") as place, FileLock(Path(place) / "lock"):
        yield Path(place)


@contextmanager
def reading(archive: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, open. Raises StoreError where it cannot be unpacked."""
    try:
        with zipfile.ZipFile(archive) as source:
            yield source
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, RuntimeError, zlib.error) as error:
        if isinstance(error, RagAppError):
            raise
        raise refused(archive, f"it cannot be unpacked ({error})") from error


def read_package(archive: Path, source: zipfile.ZipFile) -> Package:
    """What is in the archive, having seen that nothing else is, and nothing of an absurd size. Raises StoreError."""
    sizes = _sizes(archive, source)
    try:
        facts = json.loads(source.read(_MANIFEST))
        version = facts.pop("format")
        files = {str(name): (str(sha), int(size)) for name, (sha, size) in facts.pop("files").items()}
        pages = tuple((str(key), str(title), str(place)) for key, title, place in facts.pop("pages"))
        package = Package(**facts, files=files, pages=pages)
        ok = type(package.generation) is int and 0 < package.generation < FIRST_ID // 4
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise refused(archive, f"its {_MANIFEST} cannot be read ({error})") from error
    if version != _FORMAT:
        raise refused(archive, f"it is of format {version!r}, and this version reads {_FORMAT}")
    if not ok or not is_name(package.name):
        raise refused(archive, f"its name or generation is not valid ({package.name!r})")
    if {**sizes, _MANIFEST: 0} != {_MANIFEST: 0} | {name: size for name, (_, size) in files.items()}:
        raise refused(archive, "its files are not those that it lists")
    if package.content_sha256 != content_sha256(files):
        raise refused(archive, "its content hash is wrong")
    return package


def _sizes(archive: Path, source: zipfile.ZipFile) -> dict[str, int]:
    """Sizes of the files in an archive that holds nothing but files of an index."""
    entries = source.infolist()
    known = {_MANIFEST, CATALOG, VECTORS, *DEFINING}
    for entry in entries:
        if entry.filename not in known:
            raise refused(archive, f"{entry.filename!r} is no file of an index")
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise refused(archive, f"{entry.filename!r} is a link or a device")
        if entry.file_size > _SMALL and entry.file_size > _MAX_RATIO * max(1, entry.compress_size):
            raise refused(archive, f"{entry.filename!r} would swell to {entry.file_size:,} bytes")
        if entry.file_size > _MAX_TEXT and entry.filename not in (CATALOG, VECTORS):
            raise refused(archive, f"{entry.filename!r} has {entry.file_size:,} bytes")
    sizes = {entry.filename: entry.file_size for entry in entries}
    if len(sizes) != len(entries):
        raise refused(archive, "a file stands in it twice")
    if sum(sizes.values()) > MAX_BYTES:
        raise refused(archive, f"it would unpack to {sum(sizes.values()):,} bytes")
    if not {_MANIFEST, CATALOG, VECTORS, "index.toml"} <= set(sizes):
        raise refused(archive, "a file is missing in it")
    return sizes


def extract(archive: Path, source: zipfile.ZipFile, package: Package, name: str, target: Path) -> None:
    """Unpacks one file into a new one. Raises StoreError where it is not what the package says, and OSError."""
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
        raise refused(archive, f"{name} is damaged or was changed")


def refused(archive: Path, why: str) -> StoreError:
    return StoreError(
        f"{archive} was not installed: {why}. Get it again from the person who exported it.", path=str(archive)
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
