"""What a check of a question file found: findings by severity, and the figures behind the balance."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rag_app.evaluate.measures.statistics import Rate
from rag_app.show.lines import counted

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person should look at: an error makes figures false, a warning may."""

    severity: Severity
    line: int
    """In the file, from 1; 0 for the file as a whole."""
    case_id: str
    """"" for the file as a whole, and for a line that is not a valid case."""
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}" + (f", {self.case_id}" if self.case_id else "") if self.line else "the file"
        return f"{self.severity}: {place}: {self.message}"


@dataclass(frozen=True, slots=True)
class QuestionsReport:
    """All findings about one file of questions."""

    path: str
    findings: tuple[Finding, ...]
    questions: int
    documents: int
    groups: int
    """Groups of documents that questions tie together; no split parts one."""
    categories: Mapping[str, Mapping[str, int]]
    """Number of questions by category and split ("-" for none)."""
    difficulties: Mapping[str, int]
    other_words: Rate
    """Answerable questions of which less than half of the content words stand in the statements that answer them,
    titles and headings included."""

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return all(finding.severity != "error" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        facts = asdict(self)
        facts["findings"] = [{"file": self.path, **asdict(finding)} for finding in self.findings]
        return {**facts, "ok": self.ok}

    def __str__(self) -> str:
        counts = Counter(finding.severity for finding in self.findings)
        splits = sorted({split for by_split in self.categories.values() for split in by_split})
        lines = [
            f"{self.path}: {counted(self.questions, 'question')}, {counted(self.documents, 'document')} in "
            f"{counted(self.groups, 'group')}; errors: {counts['error']}, warnings: {counts['warning']}.",
            *map(str, self.findings),
        ]
        if not self.questions:
            return "\n".join(lines)
        lines.append("  ".join(("category".ljust(14), *(split.rjust(5) for split in splits))))
        for category, by_split in self.categories.items():
            lines.append("  ".join((category.ljust(14), *(str(by_split.get(split, 0)).rjust(5) for split in splits))))
        by_difficulty = ", ".join(f"{count} {name or 'not said'}" for name, count in self.difficulties.items())
        lines.append(f"Difficulty: {by_difficulty}.")
        lines.append(f"Asked in other words than the statements that answer them: {self.other_words}.")
        return "\n".join(lines)
