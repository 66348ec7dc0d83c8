"""What is wrong with the questions themselves: known without documents, in outdated words, or with a wrong reference.

Everything found is a proposal for people to accept or not (`evaluate/cases/proposal.py`); no question is changed here.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from llama_index.core.schema import NodeWithScore

from rag_app.document import Document
from rag_app.errors import ModelError, RecordingMissing, UsageError
from rag_app.evaluate.cases.deprecated import OldName, old_names, used_in
from rag_app.evaluate.cases.proposal import Proposal
from rag_app.evaluate.cases.schema import Case
from rag_app.evaluate.uplift.arms import ALONE, Arms
from rag_app.evaluate.uplift.judge import judge_answers
from rag_app.evaluate.uplift.uplift_row import RIGHT
from rag_app.index.build.document_source import Progress
from rag_app.llm import ModelCall, call_llm
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.prompts import load_prompt
from rag_app.synthesize.showing import show_line
from rag_app.text.nodes import node_statements, slice_of

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

ReferenceVerdict = Literal["supported", "contradicted", "not_said"]
_VERDICTS: tuple[ReferenceVerdict, ...] = ("supported", "contradicted", "not_said")
_PASSAGES = 8
_REPLY_TOKENS = 100
_JSON = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class QuestionReview:
    """What was found about the questions of a suite."""

    questions: int
    proposals: tuple[Proposal, ...]
    known: tuple[str, ...]
    """Ids of questions that the bare model answers: they measure what it was trained on, not the index."""
    unmarked: tuple[str, ...]
    """Ids of questions for which it is not known whether the model knows them: an error, or no mark."""
    unchecked: tuple[str, ...]
    """Ids of questions whose reference could not be compared: an error, or a reply that cannot be read."""
    unsupported: tuple[str, ...]
    """Ids of questions whose reference the passages found for them neither say nor contradict."""

    def __str__(self) -> str:
        kinds = Counter(one.kind for one in self.proposals)
        lines = [
            f"{len(self.known)} of {self.questions} questions are answered without any document.",
            f"{kinds['deprecated']} use a name that the documents call outdated.",
            f"{kinds['contradicted']} have a reference that the documents contradict; "
            f"of {len(self.unsupported)} it was not found.",
        ]
        if self.unmarked or self.unchecked:
            lines.append(f"Not known: of {len(self.unmarked)} whether known, of {len(self.unchecked)} whether right.")
        return "\n".join(lines)


def review_questions(
    cases: Sequence[Case],
    index: OpenIndex,
    llm: "LLM",
    judge: "LLM",
    *,
    principal_of: Callable[[Case], Principal | None] = lambda _: None,
    seed: int = 0,
    tokens: int = 300,
    progress: Progress | None = None,
) -> QuestionReview:
    """Asks the bare model every answerable question, and compares names and references with the index's documents.

    Args:
        llm: the model whose knowledge is asked for.
        judge: marks its answers, and compares references with documents.
        principal_of: as whom a case is searched for.

    Raises:
        SetupError: a model cannot be asked before somebody puts it right.
        UsageError: no question has an answer.
    """
    answerable = [case for case in cases if case.answerable and case.ground_truth.strip()]
    if not answerable:
        raise UsageError("No question has a ground_truth: there is nothing to compare with.")
    definition, seconds = index.reader.definition, index.settings.model_seconds
    arms = Arms(llm, f"{definition.name}. {definition.description}", {}, {}, tokens, seconds)
    outdated = old_names(_documents(index))
    proposals, known, unmarked, unchecked, unsupported = list[Proposal](), *(list[str]() for _ in range(4))
    for number, case in enumerate(cases, start=1):
        if progress:
            progress(number, len(cases), case.question)
        proposals += _deprecated(case, outdated)
        if case not in answerable:
            continue
        row = arms.answer(ALONE, case)
        mark = None
        if row.outcome != "error":
            mark = judge_answers(judge, case, {ALONE: row.text}, seed=seed, seconds=seconds).scores[ALONE]
        if mark is None:
            unmarked.append(case.id)
        elif mark >= RIGHT:
            known.append(case.id)
            reason = f"the model answers it without documents (mark {mark:g} of 10): {show_line(row.text)}"
            proposals.append(Proposal(case.id, "known", reason, {"note": "known without documents"}))
        found = index.search(case.question, principal_of(case), _PASSAGES)
        verdict, statement = _compared(judge, case, list(_statements(found)), seconds)
        if verdict is None:
            unchecked.append(case.id)
        elif verdict == "not_said":
            unsupported.append(case.id)
        elif statement is not None:
            reason = f"{statement.document_id} says otherwise, under {statement.place}: {statement.text}"
            proposals.append(Proposal(case.id, "contradicted", reason, {"ground_truth": statement.text}))
    return QuestionReview(
        len(cases), tuple(proposals), tuple(known), tuple(unmarked), tuple(unchecked), tuple(unsupported)
    )


def parse_verdict(reply: str, statements: int) -> tuple[ReferenceVerdict, int | None] | None:
    """The verdict and the number (from 1) of the statement that contradicts; None where the reply says neither clearly.

    Read strictly: a contradiction counts only with the number of a statement that exists.
    """
    for found in reversed(_JSON.findall(reply)):
        try:
            said: Any = json.loads(found)
        except ValueError:
            continue
        verdict, number = said.get("verdict"), said.get("statement")
        if verdict not in _VERDICTS:
            return None
        if verdict != "contradicted":
            return verdict, None
        return (verdict, number) if type(number) is int and 1 <= number <= statements else None
    return None


def _compared(
    judge: "LLM", case: Case, statements: Sequence["_Said"], seconds: float
) -> tuple[ReferenceVerdict | None, "_Said | None"]:
    """What documents say of a reference, and the statement that says otherwise."""
    if not statements:
        return "not_said", None
    lines = "\n".join(f"{n}. {show_line(f'[{one.place}] {one.text}')}" for n, one in enumerate(statements, start=1))
    messages = load_prompt("ground_truth").messages(
        question=show_line(case.question), truth=show_line(case.ground_truth), evidence=lines
    )
    try:
        call = ModelCall(messages, max_tokens=_REPLY_TOKENS, purpose="ground_truth")
        reply = call_llm(judge, call, deadline=time.monotonic() + seconds)
    except (ModelError, RecordingMissing):
        return None, None
    said = parse_verdict(reply.text, len(statements))
    if said is None:
        return None, None
    return said[0], statements[said[1] - 1] if said[1] else None


def _deprecated(case: Case, outdated: Sequence[OldName]) -> Iterator[Proposal]:
    """A proposal for each outdated name; a question about versions may well ask about one."""
    for name in used_in(case.question, outdated) if case.category != "version" else ():
        reason = f"it uses {name.name}, of which {name.document_id} says: {name.statement}"
        yield Proposal(case.id, "deprecated", reason, {"note": f"uses the outdated name {name.name}"})


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement of a document, with the lines that it depends on."""

    document_id: str
    place: str
    text: str


def _statements(found: Sequence[NodeWithScore]) -> Iterator[_Said]:
    for one in found:
        facts = one.node.metadata
        for statement in node_statements(one.node):
            spans = (*statement.lead_in, statement.span)
            text = " ".join(filter(None, (slice_of(one.node, span) for span in spans)))
            place = facts.get("section") or facts.get("title") or ""
            yield _Said(str(facts.get("document_id")), str(place), " ".join(text.split()))


def _documents(index: OpenIndex) -> list[Document]:
    with index.reader.snapshot() as view:
        everybody = frozenset(view.rules())
        found = [view.document(info.document_id, everybody) for info in view.documents(everybody)]
    return [document for document in found if document is not None]
