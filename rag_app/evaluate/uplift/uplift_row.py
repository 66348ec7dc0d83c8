"""What became of one question in an uplift evaluation: each arm's answer with its sources, and the judge's marks."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

Outcome = Literal["answered", "refused", "error"]

DONT_KNOW = "I do not know."
"""How every arm says that it does not know: the bare model by itself, an index by refusing."""
RIGHT = 7.0
"""Mark from which an answer counts as right: below it a point that was asked about is missing or wrong."""
_DONT_KNOW = frozenset(("i do not know", "i don’t know", "i do not know the answer", "i don’t know the answer"))
Kind = Literal["right", "wrong", "abstained", "no mark", "error"]


@dataclass(frozen=True, slots=True)
class Source:
    """A statement that an arm's answer rests on."""

    document_id: str
    start: int
    end: int
    source: str
    """What a citation names: an address, a path."""
    text: str


@dataclass(frozen=True, slots=True)
class ArmRow:
    """One arm's answer to one question."""

    outcome: Outcome
    text: str = ""
    """What was judged; "" after an error."""
    score: float | None = None
    """0 to 10; None where the judge gave no mark, and after an error."""
    error: str | None = None
    """`TypeName: sentence` after an error; else None."""
    reason: str | None = None
    """Why the index refused; None where it did not, and for the bare model."""
    sources: tuple[Source, ...] = ()
    quotes_right: bool | None = None
    """Whether the quotes hold every fact, no wrong one, and come from right documents: no judge needed. None without
    an index, and where the question states no facts."""
    numbers: dict[str, float] = field(default_factory=dict)
    """The state of the gate and of what else was decided: gate.best_cosine, gate.threshold, ..."""
    warnings: tuple[str, ...] = ()
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    milliseconds: float = 0.0

    @property
    def kind(self) -> Kind:
        """What became of the question. Abstaining, erring and failing are different things. Where no answer is
        expected, abstaining is right."""
        if self.outcome == "error":
            return "error"
        if self.score is None:
            return "no mark"
        if self.score >= RIGHT:
            return "right"
        said = " ".join(self.text.casefold().replace("'", "’").split()).rstrip(".!")
        return "abstained" if self.outcome == "refused" or said in _DONT_KNOW else "wrong"


@dataclass(frozen=True, slots=True)
class UpliftRow:
    """One question with all arms. JSON and back is lossless."""

    case_id: str
    question: str
    ground_truth: str
    domain: str
    difficulty: str
    category: str
    answerable: bool
    arms: dict[str, ArmRow]
    letters: dict[str, str] = field(default_factory=dict)
    """Behind which letter the judge saw each arm."""
    judge_reply: str = ""
    judge_error: str | None = None
    judge_input_tokens: int = 0
    judge_output_tokens: int = 0
    judge_tokens_estimated: bool = False
    run: int = 1
    retried: bool = False
    """Whether this replaces an error of the same question."""

    @property
    def key(self) -> tuple[str, int]:
        """What tells rows of a result apart: the case and the run."""
        return self.case_id, self.run

    def as_retried(self) -> "UpliftRow":
        """The same, marked as asked again after an error."""
        return replace(self, retried=True)

    @property
    def failed(self) -> bool:
        """Whether an arm or the judge could not be asked."""
        return self.judge_error is not None or any(arm.outcome == "error" for arm in self.arms.values())

    def as_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "UpliftRow":
        """The row that `as_json` wrote. Raises TypeError or KeyError where the fields are another's."""
        arms = {name: _arm(arm) for name, arm in fields["arms"].items()}
        return cls(**{**fields, "arms": arms})


def _arm(fields: Mapping[str, Any]) -> ArmRow:
    sources = tuple(Source(**source) for source in fields["sources"])
    return ArmRow(**{**fields, "sources": sources, "warnings": tuple(fields["warnings"])})
