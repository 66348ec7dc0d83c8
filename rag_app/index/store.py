"""The built state on disk: generations side by side, and the file that names the one in use.

    .store/
      CURRENT                     the number of the generation that answers
      INSTALLING                  there while an archive is installed, or where that was stopped
      lock, writer.json           who writes at the moment
      SYNCED                      of a replica: where its state came from
      vectors.sqlite              embeddings by text, shared by all generations
      pages.sqlite                web pages as they were fetched
      generations/<n>/            catalog.sqlite, chroma/, tantivy/

A generation is replaced as a whole by replacing CURRENT, which the file system does in one step.
"""

import errno
import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import IndexMissing, StoreError
from rag_app.index.lock import remove_if_unused
from rag_app.index.sqlite import TOO_MANY_FILES, mapped_os_errors, read_regular

CATALOG, CHROMA, TANTIVY = "catalog.sqlite", "chroma", "tantivy"
FIRST_ID = 2**32
"""Passage ids of generation n begin at n times this, so that no id ever means two passages."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete set of catalog, dense and sparse index."""

    number: int
    path: Path
    chroma_url: str = ""
    """Server that has the dense index; "" where it lies in files below `path`."""
    collection: str = "passages"
    """Its name in Chroma."""

    @property
    def catalog(self) -> Path:
        return self.path / CATALOG

    @property
    def chroma(self) -> Path:
        return self.path / CHROMA

    @property
    def tantivy(self) -> Path:
        return self.path / TANTIVY

    @property
    def in_use(self) -> Path:
        """A file that readers lock, so that nobody removes what they read."""
        return self.path / "in-use"


@dataclass(frozen=True, slots=True)
class Store:
    """The folder that holds everything built for one index."""

    path: Path
    chroma_url: str = ""
    """Server that has the dense indexes; "" where they lie in files below `path`."""

    @property
    def vectors(self) -> Path:
        return self.path / "vectors.sqlite"

    @property
    def pages(self) -> Path:
        return self.path / "pages.sqlite"

    @property
    def unfinished(self) -> Path:
        """Stands there while an index from elsewhere is not complete."""
        return self.path / "INSTALLING"

    def is_unfinished(self) -> bool:
        """Whether an installation was stopped, or is under way."""
        return self.current() is None and self.unfinished.exists()

    def create(self) -> None:
        """Makes the folder; it keeps itself out of git."""
        with mapped_os_errors(self.path):
            (self.path / "generations").mkdir(parents=True, exist_ok=True)
            ignore = self.path / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")

    def current(self) -> Generation | None:
        """The generation that answers; None before the first build has finished."""
        named = self._named()
        while named is not None:
            valid = named.isdecimal() and len(named) <= 18
            if valid and (generation := self.generation(int(named))).path.is_dir():
                return generation
            before, named = named, self._named()
            if named == before:  # else it was replaced, and the one before removed, in between
                raise StoreError(f"{self.path / 'CURRENT'} is damaged: rebuild the index.", path=str(self.path))
        return None

    def _named(self) -> str | None:
        """What CURRENT says."""
        file = self.path / "CURRENT"
        try:
            return read_regular(file).decode("ascii", "replace").strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            remedy = TOO_MANY_FILES if error.errno in (errno.EMFILE, errno.ENFILE) else "rebuild the index"
            raise StoreError(f"{file} cannot be read ({error.strerror}): {remedy}.", path=str(self.path)) from error

    def opened(self, index_path: Path) -> Generation:
        """The generation that answers.

        Raises:
            IndexMissing: nothing was built yet.
            StoreError: it is named but not there.
        """
        generation = self.current()
        if self.is_unfinished():
            raise StoreError(
                f"The installation of {index_path} has not finished: if it was stopped, run `rag-app install` again.",
                path=str(index_path),
            )
        if generation is None:
            raise IndexMissing(
                f"There is no built index for {index_path}: run `rag-app build {index_path}`.", path=str(index_path)
            )
        if not generation.catalog.is_file() and self.current() == generation:
            raise StoreError(
                f"The index in {self.path} has lost its catalog: run `rag-app build --rebuild {index_path}`.",
                path=str(self.path),
            )
        return generation

    def generation(self, number: int) -> Generation:
        path = self.path / "generations" / str(number)
        return Generation(
            number, path, self.chroma_url, f"{self.collection_prefix}{number}" if self.chroma_url else "passages"
        )

    def numbers(self) -> list[int]:
        """The generations on disk, in use or not."""
        folder = self.path / "generations"
        return sorted(int(p.name) for p in folder.iterdir() if p.name.isdecimal()) if folder.is_dir() else []

    def new_generation(self) -> Generation:
        """An empty folder for a generation whose number was never in use."""
        generation = self.make(max([*self.numbers(), self._last_number()]) + 1)
        with mapped_os_errors(self.path):
            write_file(self.path / "LAST", f"{generation.number}\n")
        return generation

    def make(self, number: int) -> Generation:
        """An empty folder for a generation."""
        generation = self.generation(number)
        with mapped_os_errors(self.path):
            generation.path.mkdir(parents=True)
            generation.in_use.touch()
        return generation

    def switch(self, generation: Generation) -> None:
        """Makes a complete generation the one that answers, in one step."""
        with mapped_os_errors(self.path):
            write_file(self.path / "CURRENT", f"{generation.number}\n")

    def remove_damaged_current(self) -> None:
        """For a rebuild: a CURRENT that names nothing stands in its way."""
        file = self.path / "CURRENT"
        try:
            self.current()
        except StoreError:
            with mapped_os_errors(self.path):
                shutil.rmtree(file) if file.is_dir() else file.unlink()

    def remove_vectors(self) -> None:
        """Removes all vectors: a rebuild does so with those that it cannot read."""
        with mapped_os_errors(self.path):
            for end in ("", "-wal", "-shm"):
                self.vectors.with_name(self.vectors.name + end).unlink(missing_ok=True)

    def remove_unused(self) -> None:
        """Removes every generation but the one in force and those that somebody still reads."""
        current = self.current()
        for number in self.numbers():
            if current is None or number != current.number:
                generation = self.generation(number)
                remove_if_unused(generation.path, generation.in_use)

    @property
    def collection_prefix(self) -> str:
        """What the collections of this store begin with on a server that several stores share."""
        return f"rag_app-{hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:16]}-"

    def _last_number(self) -> int:
        try:
            return int(read_regular(self.path / "LAST").decode("ascii"))
        except (OSError, ValueError):
            current = self.current()
            return current.number if current else 0


def write_file(file: Path, text: str) -> None:
    """Writes a small file so that, whatever happens, either the old or the new content is there."""
    temporary = file.with_name(file.name + ".new")
    with temporary.open("w", encoding="ascii") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
