"""A file of proposed changes to questions, for people to go through: nothing changes before somebody accepts it.

JSON lines: the first says which questions file it is about; each of the others is one proposal. To accept one, set its
`accept` to true. `apply_proposal` writes the accepted changes into a new file.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rag_app.errors import DefinitionError, UsageError

Kind = Literal["known", "deprecated", "contradicted"]
_CHANGEABLE = ("note", "ground_truth", "question", "split")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change to one question."""

    case_id: str
    kind: Kind
    reason: str
    change: Mapping[str, str]
    """Fields of the question and what they should say; what a note should say besides."""
    accept: bool | None = None
    """None until somebody has looked at it."""


def write_proposal(file: Path, questions: Path, models: Mapping[str, str], proposals: Sequence[Proposal]) -> None:
    """Writes a proposal about a questions file. Raises UsageError where `file` exists: somebody may have edited it."""
    if file.exists():
        raise UsageError(f"{file} exists, perhaps with decisions in it: apply it, delete it, or name another file.")
    head = {"questions": questions.name, "sha256": _digest(questions), **models}
    lines = [json.dumps(line, ensure_ascii=False) for line in (head, *map(asdict, proposals))]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def apply_proposal(file: Path, questions: Path, out: Path) -> int:
    """Writes the questions with the accepted changes into a new file; gives back how many there were.

    Lines without an accepted change stay as they are, byte for byte.

    Raises:
        DefinitionError: the proposal cannot be read, or the questions have changed since it was written.
        UsageError: `out` exists.
    """
    if out.exists():
        raise UsageError(f"{out} exists: name a new file, and compare the two before you replace the old one.")
    accepted = [one for one in _read(file, questions) if one.accept is True]
    changes: dict[str, list[Mapping[str, str]]] = {}
    for one in accepted:
        changes.setdefault(one.case_id, []).append(one.change)
    lines = []
    for line in questions.read_text("utf-8-sig").removesuffix("\n").split("\n"):
        fields = json.loads(line) if line.strip() else {}
        of_case = changes.pop(fields.get("id", ""), None)
        lines.append(json.dumps(_changed(fields, of_case), ensure_ascii=False) if of_case else line)
    if changes:
        raise DefinitionError(f"{file} proposes a change to {next(iter(changes))!r}, which {questions} does not have.")
    out.write_text("\n".join(lines) + "\n", "utf-8")
    return len(accepted)


def _changed(fields: dict[str, Any], changes: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    notes = [fields.get("note", ""), *(change["note"] for change in changes if "note" in change)]
    for change in changes:
        fields = {**fields, **change}
    return {**fields, "note": "; ".join(dict.fromkeys(filter(None, notes)))}


def _read(file: Path, questions: Path) -> list[Proposal]:
    try:
        head, *lines = [json.loads(line) for line in file.read_text("utf-8-sig").split("\n") if line.strip()]
        found = [_proposal(line) for line in lines]
        digest = head["sha256"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DefinitionError(f"{file} is not a valid proposal: {error}.", path=str(file)) from error
    if digest != _digest(questions):
        raise DefinitionError(
            f"{questions} has changed since {file} was written, or is another file: review it again.", path=str(file)
        )
    return found


def _proposal(fields: Any) -> Proposal:
    proposal = Proposal(**fields)
    if unknown := sorted(set(proposal.change) - set(_CHANGEABLE)):
        raise ValueError(f"a proposal may change {', '.join(_CHANGEABLE)}, not {unknown[0]}")
    if proposal.accept not in (True, False, None):
        raise ValueError(f"accept must be true, false or null, not {proposal.accept!r}")
    return proposal


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
