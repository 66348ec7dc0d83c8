"""Questions with what a right answer must and must not contain: the one schema of all question files.

One JSON object a line. The grounded suites say which documents and which facts a right answer shows; documentation
suites say `domain`, `difficulty`, `ground_truth` (prose) and `source` (the document it comes from). Both load alike: a
case of the second kind is one for which an answer is expected, and `with_sources` finds the document that it must cite.
"""

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from rag_app.errors import DefinitionError
from rag_app.evaluate.cases.pattern import Pattern, PatternError, compile_pattern

CATEGORIES = (
    "factual", "trap", "permission", "unanswerable", "multi_hop", "version", "conflict", "multi_part",
)  # fmt: skip
SPLITS = ("", "dev", "test", "stress")

Patterns = tuple[Pattern, ...]
"""Alternatives; see `scoring.shown_text` for the text in which they are searched."""
StatementLabel = Literal["needed", "right", "contradicting"]


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement of a document, and what it is to the answer; one without a label is superfluous."""

    document_id: str
    text: str
    """As it stands in the document, without its lead-ins; see `scoring.plain`."""
    label: StatementLabel
    """needed: it holds a fact that is asked for; right: it belongs to the answer (a condition, the same fact in other
    words); contradicting: it says otherwise, such as an earlier version or the lookalike of a trap."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question of a suite."""

    id: str
    question: str
    category: str = "factual"
    as_name: str | None = None
    """Who asks: a name in principals.json. `as` in the file."""
    expected_documents: tuple[str, ...] = ()
    """Ids of documents that must all be cited."""
    facts: tuple[Patterns, ...] = ()
    """Facts that must stand in the quotes; each as alternative patterns, of which one must match one statement."""
    wrong_facts: Patterns = ()
    """What must not stand in the quotes: the figures of lookalikes."""
    also_right: tuple[str, ...] = ()
    """Documents that may be cited besides."""
    statements: tuple[LabelledStatement, ...] = ()
    """Labels of single statements; empty where nobody labelled any."""
    absent: tuple[Patterns, ...] = ()
    """Where no answer is expected, what would be one: terms that nowhere stand together, in one statement with its
    title, headings and lead-ins, in all that the asker may read."""
    pair: str = ""
    """Of a permission case: the id of the one that asks the same for somebody with other rights."""
    parts: int = 1
    """How many things are asked."""
    difficulty: str = ""
    """In the suite's own words, such as easy, medium or hard; "" where nobody said."""
    domain: str = ""
    """Department or subject, in the suite's own words."""
    ground_truth: str = ""
    """The right answer in prose, for people."""
    source: str = ""
    """Where it comes from: id, path, title or address of a document."""
    note: str = ""
    drafted_by: str = ""
    """The language model that drafted the case; "" where a person wrote it, or has reviewed it."""
    split: str = ""
    """"dev", "test" or "stress"; tuning looks at dev alone, and nothing is ever fitted to stress, which asks in ways
    that few people do. "" where a suite has no splits."""
    answerable_field: bool | None = None
    """`answerable` in the file; None where it does not say."""
    line: int = 0
    """In its file, from 1; 0 where it comes from none."""

    @property
    def answerable(self) -> bool:
        """Whether an answer is expected, rather than a refusal.

        What the file says; else an answer is expected unless the category says otherwise: unanswerable, or a
        permission case that names no document to cite, which is the one whose asker may not read it.
        """
        if self.answerable_field is not None:
            return self.answerable_field
        denied = self.category == "permission" and not self.expected_documents
        return self.category != "unanswerable" and not denied


class Named(Protocol):
    """What a source is compared with; documents of a folder and of an index both are."""

    @property
    def document_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def source(self) -> str: ...


def load_cases(path: Path) -> list[Case]:
    """The cases of a questions.jsonl.

    Raises:
        DefinitionError: the file cannot be read, or a line is not JSON, lacks a field or has one that is wrong or
            unknown; the message names the line.
    """
    cases, wrong = parse_cases(path)
    if wrong:
        raise wrong[0]
    return cases


def parse_cases(path: Path) -> tuple[list[Case], list[DefinitionError]]:
    """The cases of a file, and an error for every line that is not a valid one.

    Raises:
        DefinitionError: the file cannot be read.
    """
    if not path.is_file():
        raise DefinitionError(
            f"There is no file {path}: give a questions.jsonl, or the folder that holds one.", path=str(path)
        )
    try:
        lines = path.read_text("utf-8-sig").split("\n")  # JSON may hold line ends of other kinds
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path} cannot be read: {error}.", path=str(path)) from error
    cases, wrong = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            cases.append(_case(json.loads(line), number))
        except json.JSONDecodeError as error:
            why = f"it is not JSON ({error.msg} at character {error.pos + 1})"
            wrong.append(DefinitionError(f"{path}, line {number}: {why}", path=str(path), line=number))
        except (ValueError, TypeError, RecursionError) as error:
            wrong.append(DefinitionError(f"{path}, line {number}: {error}", path=str(path), line=number))
    return cases, wrong


def with_sources(cases: Iterable[Case], documents: Iterable[Named]) -> list[Case]:
    """The cases, where an answer is expected and no document named with the one that their `source` names.

    A source names a document by id, path, title or address, if exactly one has it.
    """
    named: dict[str, set[str]] = {}
    for document in documents:
        for name in {document.document_id, document.path, document.title, document.source}:
            named.setdefault(name.casefold(), set()).add(document.document_id)
    found = []
    for case in cases:
        ids = named.get(case.source.strip().casefold(), set())
        if case.answerable and not case.expected_documents and len(ids) == 1:
            case = replace(case, expected_documents=tuple(ids))
        found.append(case)
    return found


def _case(fields: Any, line: int) -> Case:
    if not isinstance(fields, dict):
        raise ValueError("a case is a JSON object, {...}")
    for key in fields:
        if key not in _READ:
            close = difflib.get_close_matches(key, _READ, n=1)
            raise ValueError(f"unknown field {key!r}" + (f": did you mean {close[0]!r}?" if close else ""))
    values: dict[str, Any] = {}
    for key, value in fields.items():
        name, read = _READ[key]
        try:
            values[name] = read(value)
        except (ValueError, TypeError, PatternError) as error:
            raise ValueError(f"field {key!r} {error}") from error
    for key in ("id", "question"):
        if not values.get(key, "").strip():
            raise ValueError(f"field {key!r} is missing or empty")
    return Case(**values, line=line)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {value!r}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"holds half a character (a lone surrogate): {value!a}")
    return value


def _id(value: Any) -> str:
    """A number serves too: documentation suites count their questions."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _name(value: Any) -> str | None:
    return None if value is None else _text(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"must be a list of texts, not {value!r}")
    for one in value:
        if not isinstance(one, str):
            raise ValueError(f"must be a list of texts, and {one!r} in it is not a text")
    return tuple(map(_text, value))


def _patterns(value: Any) -> Patterns:
    return tuple(map(compile_pattern, _texts(value)))


def _statements(value: Any) -> tuple[LabelledStatement, ...]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError("must be a list of objects with document, text and label")
    found = []
    for one in value:
        if set(one) != {"document", "text", "label"} or one["label"] not in get_args(StatementLabel):
            labels = ", ".join(get_args(StatementLabel))
            raise ValueError(f"needs document, text and label (one of {labels}) in each statement, not {one!r}")
        found.append(LabelledStatement(_text(one["document"]), _text(one["text"]), one["label"]))
    return tuple(found)


def _groups(value: Any) -> tuple[Patterns, ...]:
    if not isinstance(value, list) or not all(isinstance(group, list) and group for group in value):
        raise ValueError("must be a list of lists of patterns")
    return tuple(map(_patterns, value))


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"must be a number from 1, not {value!r}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {value!r}")
    return value


def _one_of(known: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in known:
            raise ValueError(f"must be one of {', '.join(filter(None, known))}, not {value!r}")
        return value

    return read


_READ: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "id": ("id", _id),
    "question": ("question", _text),
    "category": ("category", _one_of(CATEGORIES)),
    "as": ("as_name", _name),
    "expected_documents": ("expected_documents", _texts),
    "facts": ("facts", _groups),
    "wrong_facts": ("wrong_facts", _patterns),
    "also_right": ("also_right", _texts),
    "statements": ("statements", _statements),
    "absent": ("absent", _groups),
    "pair": ("pair", _text),
    "parts": ("parts", _count),
    "difficulty": ("difficulty", _text),
    "domain": ("domain", _text),
    "ground_truth": ("ground_truth", _text),
    "source": ("source", _text),
    "note": ("note", _text),
    "drafted_by": ("drafted_by", _text),
    "split": ("split", _one_of(SPLITS)),
    "answerable": ("answerable_field", _flag),
}
"""Every field of a file: its name in `Case`, and how it is read."""
