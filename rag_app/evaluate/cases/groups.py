"""Questions by what they are about: those of one group stand or fall together, so no split may part them."""

from collections.abc import Iterable, Mapping

from rag_app.evaluate.cases.schema import Case


def document_groups(cases: Iterable[Case], supersedes: Mapping[str, Iterable[str]] | None = None) -> dict[str, str]:
    """The group of each case, by its id: a name that the cases of one group share.

    A case is about the documents that it expects, or about its `source` where it expects none (the document of a near
    miss, or the one that the asker may not read); about neither, it is a group of its own.

    Args:
        supersedes: the ids of earlier versions, by document.
    """
    about = {case.id: case.expected_documents or ((case.source,) if case.source else ()) for case in cases}
    return groups_of_documents(about, supersedes)


def groups_of_documents(
    about: Mapping[str, Iterable[str]], supersedes: Mapping[str, Iterable[str]] | None = None
) -> dict[str, str]:
    """The group of each case, by its id, from the documents that each is about.

    Cases are of one group where they are about the same document, or about documents that a chain of cases or of
    versions connects.
    """
    above: dict[str, str] = {}

    def root(name: str) -> str:
        above.setdefault(name, name)
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    named = {case_id: set(documents) or {f"(case {case_id})"} for case_id, documents in about.items()}
    versions = [{document, *earlier} for document, earlier in (supersedes or {}).items()]
    for documents in (*versions, *named.values()):
        first, *others = sorted(documents)
        for other in others:
            low, high = sorted((root(first), root(other)))
            above[high] = low
    return {case_id: root(min(documents)) for case_id, documents in named.items()}
