"""Two results side by side: the same questions in pairs, and whether the difference is more than chance.

A question that ended in an error says nothing about the answer, so it is left out of both sides; the verdict says how
many were. Tests and intervals are over groups of documents; see `measures.statistics`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag_app.errors import UsageError
from rag_app.evaluate.measures.figures import MEASURES, PUBLISHED, STRICT, Measure, by_question
from rag_app.evaluate.measures.retrieval import documents_by_question, rankings_of
from rag_app.evaluate.measures.statistics import Difference, distinguishable, paired_difference
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
_MANY_LEFT_OUT = 0.2
"""Share of questions left out from which on the verdict warns: what fails or is not reached is seldom a fair sample."""


@dataclass(frozen=True, slots=True)
class Flips:
    """Questions that one of two results has right by one rule, and the other not. Of several runs, most decide."""

    rule: str
    won: tuple[str, ...]
    """B alone has them right."""
    lost: tuple[str, ...]
    """A alone has them right."""
    p: float
    """Two-sided, of the signs over groups of documents; McNemar's exact test where each group changed by as much."""
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
    """Ids of cases in pairs of which one result lacks a run, or failed in it; the others stand for it."""
    failed_a: tuple[str, ...]
    """Ids of cases that A has no row of but errors; in no figure of either."""
    failed_b: tuple[str, ...]
    differences: tuple[Difference, ...]
    strict: Flips
    published: Flips
    changed: tuple[str, ...]
    """What differs between how the two were made: settings, code, models."""
    questions: Mapping[str, str]
    """The text of every question that flipped."""

    @property
    def sentence(self) -> str:
        """Whether the change is distinguishable from noise, by the strict rule, and what it does not rest on."""
        failed, missing = {*self.failed_a, *self.failed_b}, len(self.only_a) + len(self.only_b)
        asked = len(self.paired) + len(failed) + missing
        said = self.strict.sentence
        if failed:
            said += (
                f" Left out of both: {len(failed)} of {asked} questions, which ended in an error "
                f"({len(self.failed_a)} in A, {len(self.failed_b)} in B)."
            )
        if missing:
            said += (
                f" Left out, since the other has no row of them: {missing} of {asked} questions "
                f"({len(self.only_a)} of A, {len(self.only_b)} of B)."
            )
        if len(failed) + missing > _MANY_LEFT_OUT * asked:
            said += " That is many: ask again with --retry-errors before relying on this."
        return said

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**asdict(self), "sentence": self.sentence}

    def __str__(self) -> str:
        lines = [f"A: {self.a}", f"B: {self.b}", f"{len(self.paired)} questions in pairs.", ""]
        lines += _aligned(
            [("measure", "A", "B", "B - A", "interval (95 %)", "questions"), *map(_cells, self.differences)]
        )
        for flips in (self.strict, self.published):
            lines += ["", f"{flips.rule}: won {len(flips.won)}, lost {len(flips.lost)}, p = {flips.p:.3f}"]
            lines += [f"  + {case_id}: {self.questions[case_id]}" for case_id in flips.won]
            lines += [f"  - {case_id}: {self.questions[case_id]}" for case_id in flips.lost]
        for name, ids in (("A", self.only_a), ("B", self.only_b)):
            if ids:
                lines += ["", f"Only in {name}, and in no figure: {', '.join(ids)}"]
        for name, ids in (("A", self.failed_a), ("B", self.failed_b)):
            if ids:
                lines += ["", f"Ended in an error in {name}, and in no figure: {', '.join(ids)}"]
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


def _cells(of: Difference) -> tuple[str, ...]:
    interval = f"{of.interval.low:+.3f} to {of.interval.high:+.3f}{' *' if of.is_clear else ''}"
    return of.measure, f"{of.a:.3f}", f"{of.b:.3f}", f"{of.difference:+.3f}", interval, str(of.questions)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The rows as lines, every column as wide as its longest cell; the first and the interval begin at the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pads = (str.ljust, str.rjust, str.rjust, str.rjust, str.ljust, str.rjust)
    return ["  ".join(pad(cell, width) for pad, cell, width in zip(pads, row, widths, strict=True)) for row in rows]


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
    answered = [[row for row in result.rows if not row.failed] for result in (a, b)]
    asked = [dict.fromkeys(row.case_id for row in result.rows) for result in (a, b)]
    whole = [{row.case_id for row in rows} for rows in answered]
    both = [case_id for case_id in asked[0] if case_id in asked[1]]
    if not both:
        raise UsageError(f"{a.name} and {b.name} have no question in common.")
    paired = tuple(case_id for case_id in both if case_id in whole[0] and case_id in whole[1])
    by_rule = [flips(rule, answered[0], answered[1], paired, a.groups) for rule in (STRICT, PUBLISHED)]
    texts = {row.case_id: row.question for row in a.rows}
    lacking = {case_id for result in (a, b) for case_id, _ in (*result.missing, *(row.key for row in result.failed))}
    return Comparison(
        a=a.name,
        b=b.name,
        paired=paired,
        only_a=tuple(case_id for case_id in asked[0] if case_id not in asked[1]),
        only_b=tuple(case_id for case_id in asked[1] if case_id not in asked[0]),
        fewer_runs=tuple(case_id for case_id in paired if case_id in lacking),
        failed_a=tuple(case_id for case_id in both if case_id not in whole[0]),
        failed_b=tuple(case_id for case_id in both if case_id not in whole[1]),
        differences=tuple(differences(a, b, paired)),
        strict=by_rule[0],
        published=by_rule[1],
        changed=tuple(_changed(a.config, b.config)),
        questions={case_id: texts[case_id] for flip in by_rule for case_id in (*flip.won, *flip.lost)},
    )


def differences(a: Result, b: Result, paired: Sequence[str]) -> list[Difference]:
    """Every measure that applies in both; the runs of a question are averaged first, those that failed left out."""
    answered = [[row for row in result.rows if not row.failed] for result in (a, b)]
    measures = [measure for measure in MEASURES if measure.name != "Errors"]
    measures += [Measure(name, "", of) for name, of in _AMOUNTS.items()]
    values = {measure.name: tuple(_shares(rows, measure) for rows in answered) for measure in measures}
    retrieved = [_retrieval(result) for result in (a, b)]
    values |= {name: (retrieved[0][name], retrieved[1][name]) for name in _RETRIEVAL}
    found = []
    for name, (before, after) in values.items():
        ids = [case_id for case_id in paired if case_id in before and case_id in after]
        one, other = [before[case_id] for case_id in ids], [after[case_id] for case_id in ids]
        if any(one) or any(other):
            found.append(paired_difference(one, other, [a.groups[case_id] for case_id in ids], measure=name))
    return found


def _shares(rows: Sequence[Row], measure: Measure) -> dict[str, float]:
    return {case_id: value / size for case_id, (value, size) in by_question(rows, measure).items()}


def flips(rule: Measure, a: Sequence[Row], b: Sequence[Row], paired: Sequence[str], groups: Mapping[str, str]) -> Flips:
    """Which questions changed sides by one rule, over rows that did not fail."""
    before, after = _shares(a, rule), _shares(b, rule)
    won = tuple(case_id for case_id in paired if before[case_id] <= 0.5 < after[case_id])
    lost = tuple(case_id for case_id in paired if after[case_id] <= 0.5 < before[case_id])
    if not paired:
        return Flips(rule.name, (), (), 1.0, "Cannot be compared: no question was answered in both.")
    shares = [[side[case_id] for case_id in paired] for side in (before, after)]
    found = paired_difference(shares[0], shares[1], [groups[case_id] for case_id in paired])
    return Flips(rule.name, won, lost, found.p, distinguishable(len(lost), len(won), found))


def _retrieval(result: Result) -> dict[str, dict[str, float]]:
    expected = {case_id: case["expected_documents"] for case_id, case in result.cases.items()}
    rankings = {case_id: ranking[:RANKED] for case_id, ranking in rankings_of(result.rows).items()}
    return documents_by_question(expected, rankings, _RETRIEVAL)


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
