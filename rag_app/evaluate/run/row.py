"""A row: what became of one question in one run, with everything that a report or a comparison reads."""

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any, Literal

from rag_app.evaluate.measures.scoring import Score

_PLACES = ("retrieved", "kept")

Outcome = Literal["answered", "refused", "ungrounded", "error"]


@dataclass(frozen=True, slots=True)
class Place:
    """A passage by its place in a document, in code points."""

    document_id: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """What tells it apart from other passages."""
        return f"{self.document_id}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """One statement that was shown."""

    document_id: str
    title: str
    start: int
    end: int
    text: str
    """As the rules of scoring see it: lead-ins in front, white space collapsed."""
    part: int
    """Index of the part of the question that it answers."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question, asked once. JSON and back is lossless."""

    case_id: str
    category: str
    split: str
    question: str
    as_name: str | None
    """Who asked: a name in principals.json; None in an open index."""
    run: int
    """From 1."""
    outcome: Outcome
    error: str | None = None
    """`TypeName: sentence` where the outcome is an error, which is never a refusal; else None."""
    reason: str | None = None
    """Why it was refused; else None."""
    score: Score | None = None
    """None for an error: it is worth nothing, and it is no refusal either."""
    quotes: tuple[QuotedRow, ...] = ()
    retrieved: tuple[Place, ...] = ()
    """Passages as the retriever ranked them, best first; of a frozen result the first ones, see `results.RANKED`."""
    kept: tuple[Place, ...] = ()
    """Passages that reached the evidence, best first."""
    numbers: dict[str, float] = field(default_factory=dict)
    """What the decisions rested on: gate.best_cosine, decline.probability.1, ..."""
    warnings: tuple[str, ...] = ()
    degraded: bool = False
    """Whether a model or an index that belongs to the path was missing."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    milliseconds: dict[str, float] = field(default_factory=dict)
    """Time per stage; "total" is the whole question."""
    right_retrieved: bool | None = None
    """Whether every expected document is among the retrieved; None where no answer is expected, or after an error."""
    evidence_delivered: bool | None = None
    """Whether every fact stands in the statements that reached the evidence; None as above."""
    forbidden: tuple[str, ...] = ()
    """Documents that the asker may not read, in the answer or anywhere in its trace: none, ever."""
    retried: bool = False
    """Whether this replaces an error of the same question; a report that counts such rows says so."""

    @property
    def key(self) -> tuple[str, int]:
        """What tells rows of a result apart: the case and the run."""
        return self.case_id, self.run

    @property
    def failed(self) -> bool:
        """Whether it ended in an error, and says nothing about the answer."""
        return self.outcome == "error"

    @property
    def strict(self) -> bool:
        """Right by the strict rule; an error is not."""
        return self.score is not None and self.score.strict

    @property
    def published(self) -> bool:
        """Right by the published rule; an error is not."""
        return self.score is not None and self.score.published

    def as_retried(self) -> "Row":
        """The same, marked as asked again after an error."""
        return replace(self, retried=True)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; places are lists, because there are many."""
        places = {name: [astuple(place) for place in getattr(self, name)] for name in _PLACES}
        return {**asdict(replace(self, retrieved=(), kept=())), **places}

    def as_json(self) -> str:
        """One line."""
        return json.dumps(self.as_dict(), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "Row":
        """The row that `as_dict` wrote. Raises TypeError or KeyError where the fields are another's."""
        values = dict(fields)
        if (score := values["score"]) is not None:
            values["score"] = Score(**{**score, "labels": tuple(score.get("labels", ()))})
        values["quotes"] = tuple(QuotedRow(**quote) for quote in values["quotes"])
        for name in _PLACES:
            values[name] = tuple(Place(*place) for place in values[name])
        for name in ("warnings", "forbidden"):
            values[name] = tuple(values[name])
        return cls(**values)
