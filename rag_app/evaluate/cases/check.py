"""Proves a file of questions against the documents: every fact, every permission, every "it is not there"."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.findings import Finding, QuestionsReport
from rag_app.evaluate.cases.groups import document_groups
from rag_app.evaluate.cases.library import Library, read_library
from rag_app.evaluate.cases.overlap import overlaps, shown_to_models
from rag_app.evaluate.cases.proofs import Proofs, answering_lines
from rag_app.evaluate.cases.schema import Case, parse_cases, with_sources
from rag_app.evaluate.measures.statistics import Rate
from rag_app.index.definition import load_definition, load_principals
from rag_app.principal import Principal
from rag_app.prompts import Prompt
from rag_app.settings import load_settings
from rag_app.synthesize.examples import Example
from rag_app.text.words import content_stems

ALIKE = 0.8
"""Share of content words in common (Jaccard, 1901) from which two questions are nearly the same one."""
_LEAST_FOR_BALANCE = 4


def check_questions(path: str | Path, index: str | Path | None = None) -> QuestionsReport:
    """Checks a questions.jsonl, or the one in a folder, against the documents that the index there is made of.

    The documents are read as they lie there; the index need not be built, unless its documents are web pages.

    Args:
        index: the folder of the index, where it is not the one that the file lies in.

    Raises:
        DefinitionError: there is no such file, no such index, or its worked examples are wrong.
        IndexMissing: its documents are web pages, and it is not built.
    """
    file = Path(path).expanduser()
    file = file / "questions.jsonl" if file.is_dir() else file
    cases, wrong = parse_cases(file)
    definition = load_definition(index or file.parent)
    library = read_library(definition)
    cases = with_sources(cases, library.documents.values())
    principals = _principals(file.parent, definition.path, cases)
    proofs = Proofs(library, principals, {case.id: case for case in cases})
    shown = shown_to_models(definition.path, load_settings(definition.settings))
    groups = document_groups(cases, library.supersedes())
    findings = [
        *(Finding("error", error.details["line"], "", str(error).partition(": ")[2]) for error in wrong),
        *(finding for case in cases for finding in proofs.of(case)),
        *_given_away(cases, shown),
        *_same(cases),
        *_no_prose(cases),
        *_splits(cases, groups),
    ]
    by_category: dict[str, Counter[str]] = {}
    for case in cases:
        by_category.setdefault(case.category, Counter())[case.split or "-"] += 1
    return QuestionsReport(
        path=str(file),
        findings=tuple(sorted(findings, key=lambda finding: (finding.line, finding.severity, finding.message))),
        questions=len(cases),
        documents=len(library.documents),
        groups=len(set(groups.values())),
        categories={category: dict(by_split) for category, by_split in by_category.items()},
        difficulties=dict(Counter(case.difficulty for case in cases)),
        other_words=_other_words(cases, library),
    )


def _principals(beside: Path, index: Path, cases: Sequence[Case]) -> Mapping[str, Principal]:
    folder = beside if (beside / "principals.json").is_file() else index
    if not any(case.as_name for case in cases) and not (folder / "principals.json").is_file():
        return {}
    return load_principals(folder)


def _given_away(cases: Sequence[Case], shown: tuple[Sequence[Example], Sequence[Prompt]]) -> Iterator[Finding]:
    """Questions that a model is shown the answer to: figures that rest on them measure the leak."""
    lines = {case.id: case.line for case in cases}
    for found in overlaps(cases, *shown):
        message = f"is given away to the model: {found.where} {found.reason}"
        yield Finding("error", lines[found.case_id], found.case_id, message)


def _same(cases: Sequence[Case]) -> Iterator[Finding]:
    """Two questions with one id, or that are the same but for a few words."""
    first: dict[str, Case] = {}
    for case in cases:
        if (other := first.setdefault(case.id, case)) is not case:
            yield Finding("error", case.line, case.id, f"line {other.line} has the same id")
    stems = [set(content_stems(case.question)) for case in cases]
    for (case, here), (other, there) in combinations(zip(cases, stems, strict=True), 2):
        both = here | there
        if not both or len(here & there) < ALIKE * len(both) or case.id in (other.pair, other.id):
            continue
        if case.pair == other.id:
            continue
        same = case.question.casefold() == other.question.casefold() and case.as_name == other.as_name
        words = "asks the same as" if same else "asks nearly the same as"
        yield Finding("error" if same else "warning", other.line, other.id, f"{words} {case.id} (line {case.line})")


def _no_prose(cases: Sequence[Case]) -> Iterator[Finding]:
    """Cases without a right answer in prose: one warning for the file, since mostly all or none have it."""
    if lacking := [case.id for case in cases if not case.ground_truth]:
        which = ", ".join(lacking[:3]) + (", ..." if len(lacking) > 3 else "")
        message = f"{len(lacking)} of {len(cases)} questions have no ground_truth for people to read: {which}"
        yield Finding("warning", 0, "", message)


def _splits(cases: Sequence[Case], groups: Mapping[str, str]) -> Iterator[Finding]:
    """Cases without a split beside cases with one, groups in two splits, categories that one split has too few of."""
    if not any(case.split for case in cases):
        if cases:
            yield Finding("warning", 0, "", "no question has a split, so nothing may be tuned on them")
        return
    sides: dict[str, dict[str, list[Case]]] = {}
    cases = [case for case in cases if case.split != "stress"]  # never fitted to, so it may ask about anything
    for case in cases:
        if not case.split:
            yield Finding("error", case.line, case.id, "has no split, though others have one")
            continue
        sides.setdefault(groups[case.id], {}).setdefault(case.split, []).append(case)
    for group, of_group in sides.items():
        if len(of_group) > 1:
            fewest = min(of_group.values(), key=len)
            about = sorted({name for side in of_group.values() for case in side for name in case.expected_documents})
            yield Finding(
                "error",
                fewest[0].line,
                fewest[0].id,
                f"documents that belong together ({', '.join(about[:4]) or group}) are asked about in both splits: "
                + ", ".join(case.id for case in fewest[:6]),
            )
    if len({case.split for case in cases if case.split}) == 1:
        return
    for category, count in Counter(case.category for case in cases).items():
        tests = sum(case.category == category and case.split == "test" for case in cases)
        if count >= _LEAST_FOR_BALANCE and not 0.25 <= tests / count <= 0.75:
            yield Finding("warning", 0, "", f"of the {count} {category} questions {tests} are in the test split")


def _other_words(cases: Sequence[Case], library: Library) -> Rate:
    """How many questions are asked in other words than those of the statements that hold their facts."""
    other = asked = 0
    for case in cases:
        try:
            lines = answering_lines(case, library)
        except DefinitionError:  # a pattern that does not end; its case has a finding that says so
            continue
        words = set(content_stems(case.question))
        if lines and words:
            held = {stem for line in lines for stem in content_stems(line.context)}
            asked += 1
            other += len(words & held) < len(words) / 2
    return Rate(other, asked)


__all__ = ["Finding", "QuestionsReport", "check_questions"]
