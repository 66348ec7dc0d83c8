"""Two results side by side: the same questions in pairs, and whether the difference is more than chance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag_app.errors import UsageError
from rag_app.evaluate.measures.figures import MEASURES, PUBLISHED, STRICT, Measure, by_question
from rag_app.evaluate.measures.retrieval import documents_by_question
from rag_app.evaluate.measures.statistics import LEVEL, Interval, distinguishable, mcnemar, paired_difference, sign_flip
from rag_app.evaluate.report.templates import template
from rag_app.evaluate.run.results import RANKED, Result
from rag_app.evaluate.run.row import Row

_RETRIEVAL = ("R@3", "RR")
_AMOUNTS: Mapping[str, Callable[[Row], float | None]] = {
    "quotes outside a question": lambda row: float(row.score.quotes_outside) if row.score else None,
    "model calls a question": lambda row: float(row.model_calls),
    "output tokens a question": lambda row: float(row.output_tokens),
    "milliseconds a question": lambda row: row.milliseconds.get("total"),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more B has of a measure than A, over the questions to which it applies in both."""

    measure: str
    a: float
    b: float
    difference: float
    interval: Interval
    p: float
    """That chance alone gave the differences their signs; see `sign_flip`."""
    questions: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0, and chance is no likely reason: an interval of few is too narrow."""
        return 0 not in self.interval and self.p < 1 - LEVEL


@dataclass(frozen=True, slots=True)
class Flips:
    """Questions that one of two results has right by one rule, and the other not. Of several runs, most decide."""

    rule: str
    won: tuple[str, ...]
    """B alone has them right."""
    lost: tuple[str, ...]
    """A alone has them right."""
    p: float
    """McNemar's exact test, two-sided."""
    sentence: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A."""

    a: str
    b: str
    paired: tuple[str, ...]
    only_a: tuple[str, ...]
    """Ids of cases that B has no row of; in no figure."""
    only_b: tuple[str, ...]
    fewer_runs: tuple[str, ...]
    """Ids of cases in pairs of which one result lacks a run; the others stand for it."""
    differences: tuple[Difference, ...]
    strict: Flips
    published: Flips
    changed: tuple[str, ...]
    """What differs between how the two were made: settings, code, models."""
    questions: Mapping[str, str]
    """The text of every question that flipped."""

    @property
    def sentence(self) -> str:
        """Whether the change is distinguishable from noise, by the strict rule."""
        return self.strict.sentence

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "sentence": self.sentence}

    def __str__(self) -> str:
        lines = [f"A: {self.a}", f"B: {self.b}", f"{len(self.paired)} questions in pairs.", ""]
        lines.append(f"{'measure':<28}{'A':>9}{'B':>9}{'B - A':>9}   interval (95 %)")
        for of in self.differences:
            interval = f"{of.interval.low:+.3f} to {of.interval.high:+.3f}{' *' if of.is_clear else ''}"
            lines.append(f"{of.measure:<28}{of.a:>9.3f}{of.b:>9.3f}{of.difference:>+9.3f}   {interval}")
        for flips in (self.strict, self.published):
            lines += ["", f"{flips.rule}: won {len(flips.won)}, lost {len(flips.lost)}, McNemar p = {flips.p:.3f}"]
            lines += [f"  + {case_id}: {self.questions[case_id]}" for case_id in flips.won]
            lines += [f"  - {case_id}: {self.questions[case_id]}" for case_id in flips.lost]
        for name, ids in (("A", self.only_a), ("B", self.only_b)):
            if ids:
                lines += ["", f"Only in {name}, and in no figure: {', '.join(ids)}"]
        if self.fewer_runs:
            lines += ["", f"Compared by fewer runs than were to be made: {', '.join(self.fewer_runs)}"]
        if self.changed:
            lines += ["", f"Made differently: {'; '.join(self.changed)}"]
        return "\n".join([*lines, "", self.sentence])

    def as_html(self, *, whole: bool = True) -> str:
        """A page that needs nothing else, or the part of it for a notebook."""
        return template("comparison.html").render(title=f"{self.b} against {self.a}", comparison=self, whole=whole)

    def _repr_html_(self) -> str:
        return self.as_html(whole=False)


def compare(a: Result, b: Result, *, any_suite: bool = False) -> Comparison:
    """Compares two results question by question.

    Raises:
        UsageError: they are of different suites, and `any_suite` does not allow that; or they share no question.
    """
    suites = [result.config["suite"] for result in (a, b)]
    if suites[0]["sha256"] != suites[1]["sha256"] and not any_suite:
        raise UsageError(
            f"{a.name} and {b.name} are results of different question files ({suites[0]['name']}, "
            f"{suites[1]['name']}): only the same questions can be compared. --any-suite pairs them by id all the same."
        )
    ids = [tuple(dict.fromkeys(row.case_id for row in result.rows)) for result in (a, b)]
    paired = tuple(case_id for case_id in ids[0] if case_id in set(ids[1]))
    if not paired:
        raise UsageError(f"{a.name} and {b.name} have no question in common.")
    flips = [_flips(rule, a.rows, b.rows, paired) for rule in (STRICT, PUBLISHED)]
    texts = {row.case_id: row.question for row in a.rows}
    lacking = {case_id for result in (a, b) for case_id, _ in result.missing}
    return Comparison(
        a=a.name,
        b=b.name,
        paired=paired,
        only_a=tuple(case_id for case_id in ids[0] if case_id not in set(paired)),
        only_b=tuple(case_id for case_id in ids[1] if case_id not in set(paired)),
        fewer_runs=tuple(case_id for case_id in paired if case_id in lacking),
        differences=tuple(differences(a, b, paired)),
        strict=flips[0],
        published=flips[1],
        changed=tuple(_changed(a.config, b.config)),
        questions={case_id: texts[case_id] for flip in flips for case_id in (*flip.won, *flip.lost)},
    )


def differences(a: Result, b: Result, paired: Sequence[str]) -> list[Difference]:
    """Every measure that applies in both; the runs of a question are averaged first."""
    readers = {measure.name: measure.of for measure in MEASURES} | dict(_AMOUNTS)
    values = {name: (by_question(a.rows, of), by_question(b.rows, of)) for name, of in readers.items()}
    retrieved = [_retrieval(result) for result in (a, b)]
    values |= {name: (retrieved[0][name], retrieved[1][name]) for name in _RETRIEVAL}
    found = []
    for name, (before, after) in values.items():
        ids = [case_id for case_id in paired if case_id in before and case_id in after]
        if ids:
            one, other = [before[case_id] for case_id in ids], [after[case_id] for case_id in ids]
            difference, interval = paired_difference(one, other)
            if any(one) or any(other):
                mean = [sum(side) / len(ids) for side in (one, other)]
                found.append(Difference(name, mean[0], mean[1], difference, interval, sign_flip(one, other), len(ids)))
    return found


def _flips(rule: Measure, a: Sequence[Row], b: Sequence[Row], paired: Sequence[str]) -> Flips:
    before, after = by_question(a, rule.of), by_question(b, rule.of)
    won = tuple(case_id for case_id in paired if before[case_id] <= 0.5 < after[case_id])
    lost = tuple(case_id for case_id in paired if after[case_id] <= 0.5 < before[case_id])
    shares = [before[case_id] for case_id in paired], [after[case_id] for case_id in paired]
    _, interval = paired_difference(*shares)
    sentence = distinguishable(len(lost), len(won), len(paired), interval)
    return Flips(rule.name, won, lost, mcnemar(len(lost), len(won)), sentence)


def _retrieval(result: Result) -> dict[str, dict[str, float]]:
    expected = {case_id: case["expected_documents"] for case_id, case in result.cases.items()}
    rankings = {row.case_id: row.retrieved[:RANKED] for row in reversed(result.rows)}
    asked = {case_id: ids for case_id, ids in expected.items() if case_id in rankings}
    return documents_by_question(asked, rankings, _RETRIEVAL)


def _changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """What differs between two configurations, flat; packages and machines too, since they explain times."""
    one, other = _flat(a), _flat(b)
    silent = ("command", "started", "code.dirty", "code.commit")
    return [
        f"{key} {one.get(key)} → {other.get(key)}"
        for key in dict.fromkeys((*one, *other))
        if one.get(key) != other.get(key) and key not in silent
    ]


def _flat(config: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{key}.")
        else:
            text = str(value)
            found[f"{before}{key}"] = text if len(text) <= 40 else f"{text[:12]}…"
    return found
