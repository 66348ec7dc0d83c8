"""Documents that were read and wait for their turn, on disk: so that a build holds few texts at once."""

import pickle
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from rag_app.document import Document
from rag_app.index.sqlite import mapped_os_errors
from rag_app.principal import AccessRule


@dataclass(frozen=True, slots=True)
class ToStage:
    """A document to be cut, embedded and stored: what a plan compares. Its text waits in the spool."""

    place: int
    """In the spool."""
    characters: int
    """Of its text."""
    states_access: bool
    """Whether it says itself who may read it."""
    unread_access: tuple[str, ...]
    """Names of fields that seem to say it in a way that is not read."""
    rule: AccessRule
    document_id: str
    path: str
    sha256: str
    body_sha: str
    title: str
    version: str | None
    effective_date: str | None
    supersedes: tuple[str, ...]


class Spool:
    """A file without a name in a folder: it is gone with the process, whatever ends that."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError where nothing can be written in `folder`."""
        self._folder = folder
        with mapped_os_errors(folder):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `__exit__`
        self._end = 0

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # on a full disk: what was not written is not needed any more
            self._file.close()

    def put(self, document: Document, rule: AccessRule) -> ToStage:
        """Keeps a document until `get` asks for it. Raises StoreError where the disk is full."""
        waiting = ToStage(
            place=self._end,
            characters=len(document.text),
            states_access=document.access is not None,
            unread_access=document.unread_access,
            rule=rule,
            document_id=document.document_id,
            path=document.path,
            sha256=document.sha256,
            body_sha=document.body_sha,
            title=document.title,
            version=document.version,
            effective_date=document.effective_date.isoformat() if document.effective_date else None,
            supersedes=document.supersedes,
        )
        with mapped_os_errors(self._folder):
            self._file.seek(self._end)
            pickle.dump(document, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._end = self._file.tell()
        return waiting

    def get(self, waiting: ToStage) -> Document:
        """The document itself."""
        with mapped_os_errors(self._folder):
            self._file.seek(waiting.place)
            document: Document = pickle.load(self._file)
        return document
