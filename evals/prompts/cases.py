"""Reads the cases, and puts a question with its evidence as a model sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from rag_app.answer import Trace
from rag_app.llm.recording import RecordingLLM
from rag_app.prompts import load_prompt
from rag_app.question import Question
from rag_app.synthesize.draft import Draft
from rag_app.synthesize.evidence import Ledger, build_ledger
from rag_app.synthesize.turn import FlowOptions, Request, Turn
from rag_app.testing import passage

BODIES = Path(__file__).parent / "bodies"
SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class PromptCase:
    """A question with the right choice for each of its parts."""

    id: str
    kind: str
    question: str
    ledger: Ledger
    needed: tuple[frozenset[str], ...]
    """For each part, the labels without which it is not answered; none where nothing answers it."""
    also: frozenset[str]
    """Labels that may be chosen beside them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model chose for a case, against what is right."""

    case: PromptCase
    missing: frozenset[str]
    beside: frozenset[str]
    """Labels that have no place in the answer."""

    @property
    def is_right(self) -> bool:
        return not self.missing and not self.beside


def load_cases(folder: Path = BODIES) -> list[PromptCase]:
    """All cases, in the order of their files.

    Raises:
        ValueError: words that stand in no statement or in several, or choices for more or fewer parts than there are.
    """
    return [case for file in sorted(folder.glob("*.yaml")) for case in _cases_of(file)]


def _cases_of(file: Path) -> Iterator[PromptCase]:
    body = yaml.safe_load(file.read_text(encoding="utf-8"))
    nodes = [
        passage(
            one["text"],
            document_id=one.get("id") or f"{one['title']} {number}",
            title=one["title"],
            section=tuple(one.get("section", ())),
            **{key: one[key] for key in ("effective_date", "supersedes") if key in one},
        )
        for number, one in enumerate(body["passages"], start=1)
    ]
    ledger = build_ledger(nodes, lambda _: True, Trace())
    for case in body["cases"]:
        needed = tuple(frozenset(_label(ledger, words, case["id"]) for words in part) for part in case["needed"])
        if len(needed) != len(Question(case["question"]).parts):
            raise ValueError(f"{case['id']}: the question has {len(Question(case['question']).parts)} parts.")
        also = frozenset(_label(ledger, words, case["id"]) for words in case.get("also", ()))
        yield PromptCase(case["id"], case["kind"], case["question"], ledger, needed, also)


def _label(ledger: Ledger, words: str, case: str) -> str:
    found = [
        statement.label
        for evidence in ledger.evidence
        for statement in evidence.statements
        if words in " ".join(statement.text.split())
    ]
    if len(found) != 1:
        raise ValueError(f"{case}: {words!r} stands in {len(found)} statements.")
    return found[0]


def choose(llm: RecordingLLM, case: PromptCase) -> Draft:
    """What a model chooses with the prompt "draft", asked once more where its reply cannot be read."""
    prompts = {name: load_prompt(name) for name in ("draft", "repair")}
    options = FlowOptions(prompts, max_calls=3, prompt_tokens=3500, reply_tokens=512)
    flow = Turn(Question(case.question), case.ledger, options).choose("draft", searches="0")
    request: Request = next(flow)
    while True:
        try:
            request = flow.send(llm.reply(request, SECONDS))  # pyright: ignore[reportArgumentType]
        except StopIteration as finished:
            return finished.value.draft


def judge(case: PromptCase, draft: Draft) -> Verdict:
    """Compares a choice with the right one, part by part; a label that does not exist is beside the point."""
    missing: set[str] = set()
    chosen: set[str] = set()
    for needed, part in zip(case.needed, draft.parts, strict=True):
        missing |= needed.difference(part.labels)
        chosen.update(part.labels)
    return Verdict(case, frozenset(missing), frozenset(chosen.difference(*case.needed, case.also)))


def by_kind(verdicts: Sequence[Verdict]) -> dict[str, tuple[int, int]]:
    """For each kind of case, how many are right and how many there are."""
    kinds = sorted({verdict.case.kind for verdict in verdicts})
    counted = {kind: [verdict.is_right for verdict in verdicts if verdict.case.kind == kind] for kind in kinds}
    return {kind: (sum(right), len(right)) for kind, right in counted.items()}
