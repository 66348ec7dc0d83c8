"""What a build asks of a source of further documents, besides the files of the index's folder: a list of pages, say."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from rag_app.document import Document
from rag_app.index.records import StoredDocument
from rag_app.read.documents import Problem, Unchanged

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what is being done); a total of 0 means that nobody knows yet."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A document that is not at its source as it is in the index."""

    url: str
    kind: str
    """changed, new, unlisted, or a code of the source's trouble."""
    since: str
    """ISO day on which this was found out; "" where nobody noted it."""
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}{f' since {self.since}' if self.since else ''}  {self.url}"


class DocumentSource(Protocol):
    """Documents that are fetched first and read from what was kept of them."""

    @property
    def trouble(self) -> Collection[str]:
        """Codes of problems that say nothing about what the author wants: the earlier version stays."""
        ...

    def fetch(self, progress: Progress | None) -> None:
        """Fetches what there is and keeps it; called before anything is locked. The store's folder is there."""
        ...

    def read(self, known: Mapping[tuple[str, str], str]) -> Iterator[Document | Problem | Unchanged]:
        """Every document, from what was kept alone; one whose path and SHA-256 are in `known` is not parsed again."""
        ...

    def remove_unlisted(self) -> None:
        """Called when the build is done: what is not listed any more need not be kept."""
        ...

    def changed(self, known: Mapping[str, str]) -> list[str]:
        """Paths of documents fetched since with another SHA-256 than the `known` one, by path; fetches nothing."""
        ...

    def drift(self, documents: list[StoredDocument]) -> list[Drift]:
        """Where the index differs from what was found out about the source; fetches nothing."""
        ...
