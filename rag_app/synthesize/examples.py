"""Worked examples for the draft prompt: questions with some statements, and which of these answer them.

One JSON object a line: `{"question": "...", "statements": ["...", "..."], "right": [2]}`. `right` counts from 1;
[] says that none of the statements answers the question, which is worth showing too. An example shows how to choose,
not what is true: write it about something else than the questions that judge the system (`evaluate/cases/overlap.py`).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_app.errors import DefinitionError

_MOST_STATEMENTS = 12


@dataclass(frozen=True, slots=True)
class Example:
    """A question and how to choose for it."""

    question: str
    statements: tuple[str, ...]
    right: tuple[int, ...]
    """Numbers of the statements that answer it, from 1; none where nothing does."""

    @property
    def answer(self) -> str:
        """The statements that answer it, on one line; "" where nothing does."""
        return " ".join(" ".join(self.statements[number - 1].split()) for number in self.right)


def load_examples(file: Path) -> tuple[Example, ...]:
    """The examples of a file, in its order.

    Raises:
        DefinitionError: the file cannot be read, or a line is wrong; the message names the line.
    """
    try:
        lines = file.read_text("utf-8-sig").split("\n")  # JSON may hold line ends of other kinds
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"The examples {file} cannot be read: {error}.", path=str(file)) from error
    examples = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            examples.append(_example(json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise DefinitionError(f"{file}, line {number}: {error}", path=str(file), line=number) from error
    return tuple(examples)


def _example(fields: Any) -> Example:
    if not isinstance(fields, dict) or set(fields) != {"question", "statements", "right"}:
        raise ValueError("an example is a JSON object with question, statements and right")
    question, statements, right = fields["question"], fields["statements"], fields["right"]
    if not isinstance(question, str) or not question.strip():
        raise ValueError("the question is empty")
    if not isinstance(statements, list) or not 1 <= len(statements) <= _MOST_STATEMENTS:
        raise ValueError(f"statements must be a list of 1 to {_MOST_STATEMENTS} texts")
    if not all(isinstance(text, str) and text.strip() for text in statements):
        raise ValueError("a statement is no text, or empty")
    known = range(1, len(statements) + 1)
    if not isinstance(right, list) or not all(type(number) is int and number in known for number in right):
        raise ValueError(f"right must be a list of numbers from 1 to {len(statements)}")
    return Example(question, tuple(statements), tuple(dict.fromkeys(right)))
