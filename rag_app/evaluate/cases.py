"""Questions with what a right answer must and must not contain."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_app.errors import DefinitionError

CATEGORIES = (
    "factual", "trap", "permission", "unanswerable", "multi_hop", "version", "conflict", "multi_part",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One question of a suite."""

    id: str
    question: str
    category: str = "factual"
    as_name: str | None = None
    """Who asks: a name in principals.json."""
    expected_documents: tuple[str, ...] = ()
    """Documents that must be cited; none: the question must be refused."""
    facts: tuple[tuple[re.Pattern[str], ...], ...] = ()
    """Facts that must stand in the quotes; each as alternative patterns."""
    wrong_facts: tuple[re.Pattern[str], ...] = ()
    also_right: tuple[str, ...] = ()
    """Documents that may be cited besides."""
    parts: int = 1
    difficulty: str = ""
    domain: str = ""
    ground_truth: str = ""
    source: str = ""
    note: str = ""
    split: str = ""
    """"dev" or "test"; tuning looks at dev alone."""

    @property
    def answerable(self) -> bool:
        """Whether an answer is expected, rather than a refusal."""
        return bool(self.expected_documents)


def load_cases(path: Path) -> list[Case]:
    """The cases of a questions.jsonl.

    Raises:
        DefinitionError: a line is not JSON, lacks a field or has one that is wrong; the message names the line.
    """
    cases = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            cases.append(_case(json.loads(line)))
        except (ValueError, KeyError, TypeError, re.error) as error:
            raise DefinitionError(f"{path}, line {number}: {error}", path=str(path), line=number) from error
    return cases


def _case(fields: Mapping[str, Any]) -> Case:
    def pattern(text: str) -> re.Pattern[str]:
        return re.compile(text, re.IGNORECASE)

    category = fields.get("category", "factual")
    if category not in CATEGORIES:
        raise ValueError(f"category {category!r} is none of {', '.join(CATEGORIES)}")
    return Case(
        id=fields["id"],
        question=fields["question"],
        category=category,
        as_name=fields.get("as"),
        expected_documents=tuple(fields.get("expected_documents", ())),
        facts=tuple(tuple(pattern(p) for p in fact) for fact in fields.get("facts", ())),
        wrong_facts=tuple(pattern(p) for p in fields.get("wrong_facts", ())),
        also_right=tuple(fields.get("also_right", ())),
        parts=fields.get("parts", 1),
        difficulty=fields.get("difficulty", ""),
        domain=fields.get("domain", ""),
        ground_truth=fields.get("ground_truth", ""),
        source=fields.get("source", ""),
        note=fields.get("note", ""),
        split=fields.get("split", ""),
    )
