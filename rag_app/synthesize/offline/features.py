"""Features that speak for a statement as the answer to a part of the question, and their sum.

Each is blind where another sees: the cross-encoder's logit (reads both together, over a window), the cosine of the
statement's passage, the question's words that it holds, and whether it holds the kind of thing that is asked for (a
number, a date, a permission). One weighted sum ranks statements, another says how likely the best of them answers; both
are fitted (`fitted.toml`; `docs/design/offline-answers.md` has the fit and what each feature adds).
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from rag_app.index.calibration import Decline
from rag_app.question import Part, QuestionTerms
from rag_app.synthesize.evidence import Evidence, EvidenceStatement, Ledger
from rag_app.synthesize.offline.anchors import Place
from rag_app.synthesize.offline.answer_kind import holds, kinds_asked
from rag_app.text.dependent import points_back
from rag_app.text.language import is_common_word, language_of_question
from rag_app.text.nodes import UNREAD_LOGIT
from rag_app.text.words import content_stems

FILE = Path(__file__).with_name("fitted.toml")
USUAL_COSINE = 0.65
"""Stands for a cosine that nobody measured."""
FEW_PASSAGES = 30
"""Nothing was fitted to smaller folders: fewer readable passages count as so many."""
MANY_PASSAGES = 200
"""From so many readable passages on, or where nobody counted them, one more changes nothing."""
MAX_LEAD = 6.0
"""Log odds ahead of all other passages beyond which nothing more is learned."""


@dataclass(frozen=True, slots=True)
class Features:
    """What speaks for one statement."""

    logit: float
    """Of the cross-encoder's best window that begins with it or holds it; `UNREAD_LOGIT` where none was read."""
    passage: float
    """Cosine of its passage to the whole question. Not the retrieval score: that rests on word statistics, which are
    shared with documents that the asker may not read, and probabilities are shown."""
    words: float
    """Share of the part's content words that it holds with its headings, weighed by rarity in the ledger; 0 to 1."""
    kind: float
    """Share of the kinds of answer asked for that it holds; 0.5 where the part asks for none in particular."""
    row: float
    """1 for a table row: models trained on prose underrate these."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of one way of drafting: with a cross-encoder, or without."""

    reads_pairs: bool
    ranking: Mapping[str, float]
    """By feature, in log odds against the other statements."""
    answering: Mapping[str, float]
    """By feature of the best statement, in log odds that what is shown is right; "constant" stands alone."""
    threshold: float
    """Probability from which an answer is shown where nothing was calibrated."""
    coded: float
    """Added to those log odds for the table row of a code that the question names: small models know no codes."""
    follow_up: float
    """Added for a turn that is read behind earlier ones: models see less in a statement the more stands before what
    it answers."""
    near: float
    """How far behind the best a statement of the same document may be, to be shown too."""
    tied: float
    """How far behind the best a statement of another document may be, to be shown too."""

    def rank(self, features: Features) -> float:
        """The score by which a statement is ranked."""
        return sum(weight * getattr(features, name) for name, weight in self.ranking.items())

    def answer(self, features: Mapping[str, float]) -> float:
        """Log odds that what would be shown is right."""
        return sum(weight * features.get(name, 1.0) for name, weight in self.answering.items())

    @property
    def default_decline(self) -> Decline:
        """When drafts are declined where nothing was calibrated: their score is in log odds."""
        return Decline(1.0, 0.0, self.threshold, self.reads_pairs)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement of the ledger that may answer, with its features."""

    evidence: Evidence
    index: int
    """Which statement of the evidence."""
    features: Features
    score: float
    """The weighted sum of its features, in log odds against the other statements."""

    @property
    def statement(self) -> EvidenceStatement:
        return self.evidence.statements[self.index]

    @property
    def place(self) -> Place:
        """What is read of it, in ever wider circles."""
        headings = " \n".join((self.evidence.title, *self.evidence.section))
        return Place(
            " \n".join(said(self.evidence, self.index)),
            headings,
            f"{headings}\n{self.evidence.text}",
            self.evidence.effective_date or "",
        )


def weights_for(ledger: Ledger) -> Weights:
    """Those for evidence that a cross-encoder has read, or the others."""
    return fitted_weights(reads_pairs=any(evidence.windows for evidence in ledger.evidence))


@cache
def fitted_weights(*, reads_pairs: bool) -> Weights:
    """The weights for evidence that a cross-encoder has read, or for the other."""
    table = tomllib.loads(FILE.read_text("utf-8"))["with_cross_encoder" if reads_pairs else "without_cross_encoder"]
    return Weights(
        reads_pairs,
        dict(table["ranking"]),
        dict(table["answering"]),
        float(table["threshold"]),
        float(table["coded"]),
        float(table["follow_up"]),
        float(table["near"]),
        float(table["tied"]),
    )


def candidates(number: int, part: Part, ledger: Ledger) -> list[Candidate]:
    """Every statement of the ledger as a candidate for part `number` of the question, best first."""
    known = ledger.ranked.get((number, part))
    if known is None:
        known = ledger.ranked[number, part] = _ranked(number, part, ledger)
    return known


def _ranked(number: int, part: Part, ledger: Ledger) -> list[Candidate]:
    weights = weights_for(ledger)
    share = _WordShare(part, ledger)
    kinds = kinds_asked(part.text)
    found = []
    for evidence in ledger.evidence:
        logits = _logits(evidence, number)
        for index, statement in enumerate(evidence.statements):
            features = Features(
                logit=max(UNREAD_LOGIT, logits.get(index, UNREAD_LOGIT)),
                passage=USUAL_COSINE if evidence.cosine is None else evidence.cosine,
                words=share(evidence, index),
                kind=sum(holds(kind, statement.text) for kind in kinds) / len(kinds) if kinds else 0.5,
                row=float(statement.kind == "table_row"),
            )
            found.append(Candidate(evidence, index, features, weights.rank(features)))
    return sorted(found, key=lambda c: (-c.score, c.evidence.number, c.index))


def answer_features(ranked: Sequence[Candidate], part: Part, terms: QuestionTerms) -> dict[str, float]:
    """What says whether the best of a part's candidates answers it at all. `ranked` is not empty.

    Beside the best one's own logit and cosine: how far it is ahead of the best statement of another passage, since of a
    question that nothing answers several passages speak alike; the share of the question's content words, by rarity,
    that stand in no passage that may be read; and how many passages the best one was found among, since the nearest of
    many is near by chance (the logarithm of their number, held between `FEW_PASSAGES` and `MANY_PASSAGES`).
    """
    best = ranked[0]
    rival = next((other.score for other in ranked if other.evidence is not best.evidence), -math.inf)
    asked = (frozenset() if part.is_follow_up else asked_stems(part.text)) or asked_stems(part.query)
    rarity = {stem: terms.rarity(stem) for stem in asked}
    return {
        "logit": best.features.logit,
        "passage": best.features.passage,
        "lead": min(best.score - rival, MAX_LEAD),
        "unknown": sum(value for stem, value in rarity.items() if terms.is_unknown(stem)) / (sum(rarity.values()) or 1),
        "passages": math.log(1 + min(max(terms.passages or MANY_PASSAGES, FEW_PASSAGES), MANY_PASSAGES)),
    }


@lru_cache(maxsize=64)
def asked_stems(question: str) -> frozenset[str]:
    """The stems of a question's content words; of other languages than English, too, without words that every text
    holds."""
    language = language_of_question(question)
    if language in ("", "English"):
        return frozenset(content_stems(question))
    words = re.findall(r"\w+", question)
    return frozenset(content_stems(" ".join(word for word in words if not is_common_word(word.lower(), language))))


def said(evidence: Evidence, index: int) -> tuple[str, ...]:
    """A statement with what it cannot be understood without: its lead-ins and, where it points back, the sentence
    before it."""
    statement = evidence.statements[index]
    before = [evidence.statements[index - 1].text] if leans_back(evidence, index) else []
    return (*(line.text for line in statement.lead_in), *before, statement.text)


def leans_back(evidence: Evidence, index: int) -> bool:
    """Whether a statement is a sentence that points back to the one before it."""
    here = evidence.statements[index]
    return index > 0 and here.kind == "sentence" and points_back(here.text)


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
        self._asked = asked_stems(part.readings[-1])

        @cache  # titles, headings and lead-ins stand before many statements
        def held(line: str) -> frozenset[str]:
            return self._asked.intersection(content_stems(line))

        self._held = {
            (evidence.number, index): frozenset[str]().union(
                *map(held, (evidence.title, *evidence.section, *said(evidence, index)))
            )
            for evidence in ledger.evidence
            for index in range(len(evidence.statements))
        }
        frequency = Counter(stem for stems in self._held.values() for stem in stems)
        self._rarity = {stem: math.log(1 + len(self._held) / frequency.get(stem, 1)) for stem in self._asked}
        self._all = sum(self._rarity.values()) or 1.0

    def __call__(self, evidence: Evidence, index: int) -> float:
        return sum(self._rarity[stem] for stem in self._held[evidence.number, index]) / self._all
