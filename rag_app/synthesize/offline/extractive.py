"""Drafts with no language model: chooses statements per part of the question, or declines."""

from collections.abc import Iterator

from rag_app.answer import Drop, Trace
from rag_app.index.calibration import Decline
from rag_app.question import Part
from rag_app.synthesize.draft import Draft, DraftPart
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.offline.answer_kind import QUANTITIES, Kind, holds, kinds_asked
from rag_app.synthesize.offline.decline import ENOUGH, Declining
from rag_app.synthesize.offline.features import (
    WITH_CROSS_ENCODER,
    Candidate,
    Weights,
    candidates,
    standing,
    weights_for,
)
from rag_app.text.dependent import points_back

_BY_DEFAULT = Declining()

NEAR = 4.0
"""How far behind the best a statement of the same document may be, to be shown too."""
TIED = 2.0
"""How far behind the best a statement of another document may be, to be shown too."""

AGAIN = 3.0
"""How far behind a statement may be, to stand in for one that answers an earlier part too, or lacks the quantity."""


def draft_extractive(
    parts: tuple[Part, ...], ledger: Ledger, max_quotes: int, trace: Trace, declining: Declining = _BY_DEFAULT
) -> Draft:
    """The statements that answer each part, or a decline where the evidence for every part is weak.

    A part is answered where its best statement is likely enough to be right, by `declining`. With it come statements
    of the same document that are nearly as good, those of another document only where they tie; then what these need:
    the sentence each points back to, and where the best lacks the quantity asked for, the best of its passage that
    holds it.
    """
    rule = declining.rule(default_decline(weights_for(ledger)), trace)
    drafted = []
    taken: set[str] = set()
    for number, part in enumerate(parts, start=1):
        ranked = candidates(number - 1, part, ledger)
        probability = rule.probability(standing(ranked, ledger)) if ranked else 0.0
        if ranked:
            trace.numbers[f"decline.score.{number}"] = round(standing(ranked, ledger), 6)
        ranked = _fresh_first(ranked, taken)
        trace.numbers[f"decline.probability.{number}"] = round(probability, 6)
        labels: list[str] = []
        if ranked and probability >= rule.threshold:
            labels = _in_reading_order(_with_neighbours(_chosen(ranked, max_quotes), ranked, part)[:max_quotes])
            if _lacks_quantity(part, labels, ledger):
                reason = "a quantity is asked for, and what was chosen holds none"
                trace.dropped.extend(_drops(labels, ledger, reason))
                labels = []
        taken.update(labels)
        drafted.append(DraftPart(part.text, tuple(labels)))
    if not any(part.labels for part in drafted):
        return Draft(tuple(drafted), declined="extractive_declined")
    return Draft(tuple(drafted))


def default_decline(weights: Weights) -> Decline:
    """When drafts chosen by these weights are declined where nothing was calibrated."""
    return Decline(weights.slope, weights.middle, ENOUGH, weights is WITH_CROSS_ENCODER)


def _fresh_first(ranked: list[Candidate], taken: set[str]) -> list[Candidate]:
    """Without what an earlier part was answered with, where something else is not far behind: a second part that
    points back to the first ("and who approves it?") is nearest to the first one's answer."""
    fresh = [candidate for candidate in ranked if candidate.statement.label not in taken]
    return fresh if fresh and fresh[0].score >= ranked[0].score - AGAIN else ranked


def _chosen(ranked: list[Candidate], max_quotes: int) -> list[Candidate]:
    best = ranked[0]
    return [
        candidate
        for candidate in ranked
        if candidate.score
        >= best.score - (NEAR if candidate.evidence.document_id == best.evidence.document_id else TIED)
    ][:max_quotes]


def _with_neighbours(chosen: list[Candidate], ranked: list[Candidate], part: Part) -> list[str]:
    """Labels of what was chosen, with the sentence that each points back to, and, where the best one holds no quantity
    that is asked for, with the best statement of its passage that does."""
    labels = []
    for candidate in chosen + _with_quantity(chosen[0], ranked, part):
        statements, index = candidate.evidence.statements, candidate.index
        here = statements[index]
        if index and here.kind == "sentence" and points_back(here.text):
            labels.append(statements[index - 1].label)
        labels.append(here.label)
    return list(dict.fromkeys(labels))


def _with_quantity(best: Candidate, ranked: list[Candidate], part: Part) -> list[Candidate]:
    lacking: list[Kind] = [kind for kind in _quantities_asked(part) if not holds(kind, best.statement.text)]
    for other in ranked:
        if other.score < best.score - AGAIN:
            break
        if other.evidence is best.evidence and any(holds(kind, other.statement.text) for kind in lacking):
            return [other]
    return []


def _in_reading_order(labels: list[str]) -> list[str]:
    """Passages in the order of their best statement, the statements of each as they stand in the document."""
    places = {label: tuple(map(int, label.split("."))) for label in labels}
    ranks: dict[int, int] = {}
    for passage, _ in places.values():
        ranks.setdefault(passage, len(ranks))
    return sorted(labels, key=lambda label: (ranks[places[label][0]], places[label][1]))


def _lacks_quantity(part: Part, labels: list[str], ledger: Ledger) -> bool:
    """Whether a part asks for a quantity and none of what was chosen holds one: near, and yet no answer."""
    kinds = _quantities_asked(part)
    shown = [found[1] for label in labels if (found := ledger.find(label))]
    texts = [" ".join((*(line.text for line in statement.lead_in), statement.text)) for statement in shown]
    return bool(kinds) and not any(holds(kind, text) for kind in kinds for text in texts)


def _drops(labels: list[str], ledger: Ledger, reason: str) -> Iterator[Drop]:
    for label in labels:
        if found := ledger.find(label):
            yield Drop("draft", reason, found[0].document_id, found[1].start, found[1].end)


def _quantities_asked(part: Part) -> list[Kind]:
    return [kind for kind in kinds_asked(part.text) if kind in QUANTITIES]
