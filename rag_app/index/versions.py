"""Which documents are in force on a day, as far as the asker may know of them. Values in, values out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rag_app.text.words import content_stems


@dataclass(frozen=True, slots=True)
class Dated:
    """A document with what it says about time."""

    doc: int
    """Its row in the catalog."""
    document_id: str
    title: str
    effective_date: str | None
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Superseded:
    """A document that another one replaced, and the one that stands for it now."""

    title: str
    successor_id: str
    successor_title: str


@dataclass(frozen=True, slots=True)
class NotInForce:
    """What is not in force, by rows of the catalog."""

    later: frozenset[int] = frozenset()
    """Documents of a later date than the day asked about."""
    superseded: Mapping[int, Superseded] | None = None

    def left_out(self, question: str) -> frozenset[int]:
        """Rows to be left out of a search: of a later date, or superseded and not asked for by name."""
        superseded = self.superseded or {}
        return self.later.union(doc for doc, old in superseded.items() if not _names(question, old))


def find_superseded(documents: Iterable[Dated]) -> dict[int, Superseded]:
    """Documents that others among `documents` replace, each with the one at the end of its chain.

    Where documents replace each other in a circle, or one replaces itself, that says nothing, and all stay in force.
    Of several successors the one of the latest date counts.
    """
    by_id = {document.document_id: document for document in documents}
    successors: dict[str, set[str]] = {key: set() for key in by_id}
    for new in by_id.values():
        for old in new.supersedes:
            if old in by_id and old != new.document_id:
                successors[old].add(new.document_id)
    circular = _circular(successors)
    ends: dict[str, str] = {}
    for key in by_id:
        chain = [key]
        while chain[-1] not in ends:
            after = [new for new in successors[chain[-1]] if not circular.issuperset((chain[-1], new))]
            if not after:
                break
            chain.append(max(after, key=lambda new: (by_id[new].effective_date or "", new)))
        ends |= dict.fromkeys(chain, ends.get(chain[-1], chain[-1]))
    return {
        by_id[old].doc: Superseded(by_id[old].title, last, by_id[last].title)
        for old, last in ends.items()
        if old != last
    }


def _circular(successors: Mapping[str, set[str]]) -> set[str]:
    """What is left when documents without a successor, and those without a predecessor, go until none does."""
    ahead = {key: set(after) for key, after in successors.items()}
    behind: dict[str, set[str]] = {key: set() for key in ahead}
    for old, after in ahead.items():
        for new in after:
            behind[new].add(old)
    ends = [key for key in ahead if not ahead[key] or not behind[key]]
    left = set(ahead)
    while ends:
        key = ends.pop()
        if key not in left:
            continue
        left.remove(key)
        for neighbours, back in ((ahead, behind), (behind, ahead)):
            for other in neighbours[key]:
                back[other].discard(key)
                if not back[other]:
                    ends.append(other)
    return left


def _names(question: str, old: Superseded) -> bool:
    """Whether a question names a superseded document by what tells its title from its successor's.

    A number of it, a year say, is enough; words must all be there.
    """
    own = set(content_stems(old.title)) - set(content_stems(old.successor_title))
    numbers = {stem for stem in own if any(char.isdigit() for char in stem)}
    asked = set(content_stems(question))
    return not numbers.isdisjoint(asked) if numbers else bool(own) and own <= asked
