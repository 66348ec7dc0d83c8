"""Questions by what they are about: those of one group stand or fall together, so no split may part them."""

from collections.abc import Iterable, Mapping

from rag_app.evaluate.cases.schema import Case


def document_groups(cases: Iterable[Case], supersedes: Mapping[str, Iterable[str]] | None = None) -> dict[str, str]:
    """The group of each case, by its id: a name that the cases of one group share.

    Cases are of one group where they are about the same document, or about documents that a chain of cases or of
    versions connects. A case is about the documents that it expects, or about its `source` where it expects none (the
    document of a near miss, or the one that the asker may not read); about neither, it is a group of its own.

    Args:
        supersedes: the ids of earlier versions, by document.
    """
    above: dict[str, str] = {}

    def root(name: str) -> str:
        above.setdefault(name, name)
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    def join(names: Iterable[str]) -> None:
        first, *others = sorted(names)
        for other in others:
            low, high = sorted((root(first), root(other)))
            above[high] = low

    cases = list(cases)
    for document, earlier in (supersedes or {}).items():
        join({document, *earlier})
    for case in cases:
        join(_about(case))
    return {case.id: root(min(_about(case))) for case in cases}


def _about(case: Case) -> set[str]:
    return set(case.expected_documents) or {case.source or f"(case {case.id})"}
