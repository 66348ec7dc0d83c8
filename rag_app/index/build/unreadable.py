"""Which documents keep their earlier version because their file, folder or page cannot be read at the moment."""

from collections.abc import Collection, Iterator

from rag_app.index.records import StoredDocument
from rag_app.read.documents import Problem

TROUBLE_READING = ("unreadable", "broken")
"""Problems that say nothing about what the author wants: an earlier version of such a file stays."""


def unreadable_now(
    problems: list[Problem], known: list[StoredDocument], source_trouble: Collection[str]
) -> dict[int, list[StoredDocument]]:
    """Known documents whose file or folder cannot be read at the moment, by the number of the problem. A page in
    trouble says nothing about those whose URLs begin like its own."""
    below: dict[str, list[StoredDocument]] = {}
    at: dict[str, list[StoredDocument]] = {}
    for document in known:
        at.setdefault(document.path, []).append(document)
        for folder in _folders(document.path):
            below.setdefault(folder, []).append(document)
    found: dict[int, list[StoredDocument]] = {}
    for number, problem in enumerate(problems):
        if problem.code not in TROUBLE_READING and problem.code not in source_trouble:
            continue
        if problem.path == ".":
            found[number] = known
            continue
        inside = below.get(problem.path, []) if problem.code in TROUBLE_READING else []
        found[number] = [*at.get(problem.path, []), *inside]
    return found


def _folders(path: str) -> Iterator[str]:
    """The folders that a path lies in, below the documents folder."""
    place = path.find("/")
    while place >= 0:
        yield path[:place]
        place = path.find("/", place + 1)
