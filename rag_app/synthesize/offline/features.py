"""Features that speak for a statement as the answer to a part of the question, and their sum.

Each is blind where another sees: the cross-encoder's logit (reads both together, over a window), the cosine of the
statement's passage, the question's words that it holds, and whether it holds the kind of thing that is asked for (a
number, a date, a person). Their weights are those of a conditional logit model (McFadden, 1974: one of the statements
of a question is the answer); `docs/design/signs.md` has the fit and what each feature adds.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rag_app.question import Part
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger
from rag_app.synthesize.offline.answer_kind import holds, kinds_asked
from rag_app.text.words import content_stems


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for one statement; None where nobody measured it."""

    logit: float | None
    """Of the cross-encoder's best window that begins with it or holds it."""
    passage: float | None
    """Cosine of its passage to the whole question. Not the retrieval score: that rests on word statistics, which are
    shared with documents that the asker may not read, and probabilities are shown."""
    words: float
    """Share of the part's content words that it holds with its headings, weighed by rarity in the ledger; 0 to 1."""
    kind: float
    """Share of the kinds of answer asked for that it holds; 0.5 where the part asks for none in particular."""
    row: bool
    """Whether it is a table row: models trained on prose underrate these."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement of the ledger that may answer, with its signs."""

    evidence: Evidence
    index: int
    """Which statement of the evidence."""
    signs: Signs
    score: float
    """The weighted sum of its signs, in log odds against the other statements."""

    @property
    def statement(self) -> EvidenceStatement:
        return self.evidence.statements[self.index]


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the signs, in units of log odds; and what stands for a sign that nobody measured."""

    logit: float
    passage: float
    words: float
    kind: float
    row: float
    lead: float
    """Of being ahead of all other passages, in `standing` alone."""
    slope: float
    middle: float
    """See `rag_app.index.calibration.Decline`: what holds where nothing was calibrated."""

    def sum(self, signs: Signs) -> float:
        """The score of a statement: what speaks for it, in log odds."""
        return (
            self.logit * (UNREAD_LOGIT if signs.logit is None else signs.logit)
            + self.passage * (USUAL_COSINE if signs.passage is None else signs.passage)
            + self.words * signs.words
            + self.kind * signs.kind
            + self.row * signs.row
        )


UNREAD_LOGIT = -10.0
"""A window that the cross-encoder did not read was thought not worth it."""
USUAL_COSINE = 0.65
MAX_LEAD = 6.0
"""Log odds ahead of all other passages beyond which nothing more is learned."""
WITH_CROSS_ENCODER = Weights(logit=0.42, passage=23.0, words=4.0, kind=2.1, row=0.5, lead=0.8, slope=0.2, middle=21.8)
WITHOUT = Weights(logit=0.0, passage=30.0, words=6.0, kind=2.1, row=0.5, lead=0.6, slope=0.2, middle=27.0)


def weights_for(ledger: Ledger) -> Weights:
    """Those for evidence that a cross-encoder has read, or the others."""
    return WITH_CROSS_ENCODER if any(evidence.windows for evidence in ledger.evidence) else WITHOUT


def candidates(number: int, part: Part, ledger: Ledger) -> list[Candidate]:
    """Every statement of the ledger as a candidate for part `number` of the question, best first."""
    weights = weights_for(ledger)
    share = _WordShare(part, ledger)
    kinds = kinds_asked(part.text)
    found = []
    for evidence in ledger.evidence:
        logits = _logits(evidence, number)
        for index, statement in enumerate(evidence.statements):
            signs = Signs(
                logit=logits.get(index),
                passage=evidence.cosine,
                words=share(evidence, index),
                kind=sum(holds(kind, statement.text) for kind in kinds) / len(kinds) if kinds else 0.5,
                row=statement.kind == "table_row",
            )
            found.append(Candidate(evidence, index, signs, weights.sum(signs)))
    return sorted(found, key=lambda c: (-c.score, c.evidence.number, c.index))


def standing(ranked: Sequence[Candidate], ledger: Ledger) -> float:
    """What speaks for answering with the best of a part's candidates: its score, and how far that is ahead of the best
    one in another passage. Of a question that nothing answers, several passages speak alike. `ranked` is not empty."""
    best = ranked[0]
    rival = next((other.score for other in ranked if other.evidence is not best.evidence), -math.inf)
    return best.score + weights_for(ledger).lead * min(best.score - rival, MAX_LEAD)


def _logits(evidence: Evidence, number: int) -> dict[int, float]:
    """Logits by the statement that a window begins with; the others of a window have it where they have none."""
    logits: dict[int, float] = {}
    for first, last, part, logit in evidence.windows:
        if part == number:
            logits[first] = logit
            for other in range(first + 1, last + 1):
                logits.setdefault(other, logit)
    return logits


class _WordShare:
    """The share of a part's content words that a statement holds, in its headings, lead-ins or text."""

    def __init__(self, part: Part, ledger: Ledger) -> None:
        self._asked = set(content_stems(part.readings[-1]))

        @cache  # titles, headings and lead-ins stand before many statements
        def held(line: str) -> set[str]:
            return self._asked.intersection(content_stems(line))

        self._held = {
            (evidence.number, index): set[str]().union(*map(held, _in_context(evidence, statement)))
            for evidence in ledger.evidence
            for index, statement in enumerate(evidence.statements)
        }
        frequency = Counter(stem for stems in self._held.values() for stem in stems)
        self._rarity = {stem: math.log(1 + len(self._held) / frequency.get(stem, 1)) for stem in self._asked}
        self._all = sum(self._rarity.values()) or 1.0

    def __call__(self, evidence: Evidence, index: int) -> float:
        return sum(self._rarity[stem] for stem in self._held[evidence.number, index]) / self._all


def _in_context(evidence: Evidence, statement: EvidenceStatement) -> tuple[str, ...]:
    return (evidence.title, *evidence.section, *(line.text for line in statement.lead_in), statement.text)
