"""Drafts with no language model: chooses statements per part of the question, or declines."""

import re

from rag_app.answer import Trace
from rag_app.parts import Part
from rag_app.synthesize.answer_kind import Kind, holds, kinds_asked
from rag_app.synthesize.draft import Draft, DraftPart
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.signs import Candidate, candidates

ENOUGH = 15.5
"""Log odds from which the best statement of a part is taken to answer it."""
NEAR = 1.5
"""How far behind the best a statement of the same document may be, to be shown too."""
TIED = 0.3
"""How far behind the best a statement of another document may be, to be shown too."""

_POINTS_BACK = re.compile(
    r"\W*(?:it|its|they|their|them|this|these|those|that|he|she|his|her|such|later|otherwise)\b", re.I
)


def draft_extractive(parts: tuple[Part, ...], ledger: Ledger, max_quotes: int, trace: Trace) -> Draft:
    """The statements that answer each part, or a decline where the evidence for every part is weak.

    A part is answered where its best statement's signs add up to `ENOUGH`. With it come statements of the same
    document that are nearly as good, those of another document only where they tie; then the neighbours that a
    statement needs: the sentence it points back to, and the one after it where that holds the kind of answer asked
    for and it does not.
    """
    drafted = []
    for number, part in enumerate(parts):
        ranked = candidates(number, part, ledger)
        best = ranked[0].score if ranked else float("-inf")
        trace.numbers[f"decline.score.{number + 1}"] = round(best, 4)
        chosen = _chosen(ranked, max_quotes) if best >= ENOUGH else []
        drafted.append(DraftPart(part.text, tuple(dict.fromkeys(_with_neighbours(chosen, part)))))
    trace.numbers["decline.threshold"] = ENOUGH
    if not any(part.labels for part in drafted):
        return Draft(tuple(drafted), declined="extractive_declined")
    return Draft(tuple(drafted))


def _chosen(ranked: list[Candidate], max_quotes: int) -> list[Candidate]:
    best = ranked[0]
    return [
        candidate
        for candidate in ranked
        if candidate.score
        >= best.score - (NEAR if candidate.evidence.document_id == best.evidence.document_id else TIED)
    ][:max_quotes]


def _with_neighbours(chosen: list[Candidate], part: Part) -> list[str]:
    labels = []
    kinds = kinds_asked(part.text)
    for place, candidate in enumerate(chosen):
        statements, index = candidate.evidence.statements, candidate.index
        if index and statements[index].kind == "sentence" and _POINTS_BACK.match(statements[index].text):
            labels.append(statements[index - 1].label)
        labels.append(statements[index].label)
        lacking: list[Kind] = [kind for kind in kinds if not holds(kind, statements[index].text)]
        if place == 0 and lacking and index + 1 < len(statements):
            after = statements[index + 1]
            if after.kind == "sentence" and any(holds(kind, after.text) for kind in lacking):
                labels.append(after.label)
    return labels
