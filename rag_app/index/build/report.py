"""What a build did, and what a check found, for people and programs."""

from dataclasses import asdict, dataclass, field
from typing import Any

from rag_app.index.build.document_source import Drift
from rag_app.read.documents import Problem
from rag_app.show.html.style import facts_table
from rag_app.show.lines import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did. Documents are counted once each, against the state before."""

    documents: int
    """In the index now."""
    passages: int
    """In the index now."""
    added: int = 0
    """Documents that were not in the index before."""
    changed: int = 0
    """Other text, title, version or date, or cut in another way."""
    removed: int = 0
    """Documents that were in the index and are not any more."""
    moved: int = 0
    """Same content in another place."""
    access_changed: int = 0
    """Same content for other readers."""
    unchanged: int = 0
    """Documents that are as they were."""
    repaired: int = 0
    """Entries that dense or sparse index lacked or had too many, after a build that was stopped."""
    embedded: int = 0
    """Texts that went through the embedder; others were embedded before."""
    problems: tuple[Problem, ...] = ()
    """By path: files that did not become documents, duplicates ("duplicate") and what nobody may read ("nobody")."""
    notes: tuple[str, ...] = ()
    """What else matters to those who ask, each a sentence: what of a file was not read, or a calibration that ended."""
    revision: int = 0
    """Of the index; each build that changes something adds 1."""
    store: str = ""
    """Where the built state lies."""
    seconds: float = 0.0
    """Time that the build took."""
    rebuilt: bool = False
    """Whether everything was made again."""

    @property
    def ok(self) -> bool:
        """Whether every file is in the index; a duplicate's content is, and so is what nobody may read."""
        return all(problem.code in ("duplicate", "nobody") for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "ok": self.ok}

    def _repr_html_(self) -> str:
        facts = {problem.path: problem.reason for problem in self.problems}
        return facts_table("Build report", str(self).partition("\n")[0], {**facts, "Store": self.store})

    def __str__(self) -> str:
        parts = [
            f"{count} {what}"
            for what, count in (
                ("added", self.added),
                ("changed", self.changed),
                ("removed", self.removed),
                ("moved", self.moved),
                ("with other readers", self.access_changed),
            )
            if count
        ]
        size = f"{counted(self.documents, 'document')}, revision {self.revision}"
        if not parts and self.rebuilt:
            lines = [
                f"Rebuilt in {self.seconds:.1f} s, nothing else changed: {size}, {counted(self.passages, 'passage')}."
            ]
        elif not parts:
            lines = [f"Nothing changed: {size}."]
        else:
            lines = [
                f"Built in {self.seconds:.1f} s: {', '.join(parts)}; {size}, {counted(self.passages, 'passage')}, "
                f"{counted(self.embedded, 'text')} embedded."
            ]
        if self.repaired:
            lines.append(f"Repaired {counted(self.repaired, 'entry', 'entries')} left by a build that was stopped.")
        if self.problems:
            lines.append(f"{counted(len(self.problems), 'problem')}:")
            lines.extend(f"  {problem.path}: {problem.reason}" for problem in self.problems)
        lines.extend(self.notes)
        lines.append(f"Store: {self.store}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """How dense and sparse index compared with the catalog, and what was put right."""

    documents: int
    passages: int
    missing: dict[str, int] = field(default_factory=dict)
    """By index (dense, sparse): passages that it lacked; they were added."""
    orphans: dict[str, int] = field(default_factory=dict)
    """By index (dense, sparse): entries without a passage; they were removed."""
    revision: int = 0
    store: str = ""
    drift: tuple[Drift, ...] = ()
    """Listed web pages that are known to be otherwise on the web than in the index; nobody was asked again."""

    @property
    def ok(self) -> bool:
        """Whether nothing had to be repaired."""
        return not any((*self.missing.values(), *self.orphans.values()))

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def __str__(self) -> str:
        size = f"{counted(self.documents, 'document')}, {counted(self.passages, 'passage')}, revision {self.revision}"
        pages = "".join(f"\n  {page}" for page in self.drift)
        if pages:
            pages = f"\nThese pages are not as on the web, as far as it was asked:{pages}"
        if self.ok:
            return f"Catalog, dense and sparse index agree: {size}.{pages}"
        found = [f"the {name} index lacked {counted(n, 'passage')}" for name, n in self.missing.items() if n]
        found += [f"the {name} index had {counted(n, 'orphan')}" for name, n in self.orphans.items() if n]
        return f"Repaired: {'; '.join(found)}. Now they agree: {size}.{pages}"
