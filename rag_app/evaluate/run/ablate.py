"""What each component contributes: the same questions with it switched off, in pairs with those of the whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from rag_app.errors import UsageError
from rag_app.evaluate.cases.groups import document_groups
from rag_app.evaluate.cases.schema import Case, with_sources
from rag_app.evaluate.cases.suite import Selection, Suite
from rag_app.evaluate.compare import Difference, differences
from rag_app.evaluate.measures.retrieval import check_installed
from rag_app.evaluate.run.asking import Asker, ModelFor, principals_of
from rag_app.evaluate.run.remembering import RememberingIndex
from rag_app.evaluate.run.results import Result
from rag_app.evaluate.run.row import Row
from rag_app.evaluate.run.suite_run import describe_case
from rag_app.index.build.document_source import Progress
from rag_app.opened import OpenIndex
from rag_app.settings import Component

MEASURES = ("Published", "Strict", "EvidenceDelivered", "R@3", "RR", "quotes outside a question")


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one component contributes to the answers to one suite."""

    component: Component
    suite: str
    gains: tuple[Difference, ...]
    """With it (B) against without it (A), for each of `MEASURES` that applies."""
    changed: tuple[str, ...]
    """Ids of questions that are answered otherwise without it."""
    in_path: bool = True
    """False where it has no place without a language model."""

    @property
    def verdict(self) -> str:
        """In words: by the strict rule, and which other measures it clearly moves."""
        if not self.in_path:
            return "not in this path: no language model"
        clear = {gain.measure: gain.difference for gain in self.gains if gain.is_clear}
        strict = clear.pop("Strict", 0.0)
        besides = f"; it clearly moves {', '.join(clear)}" if clear else ""
        if not self.changed:
            return f"contributes nothing to answers here, all are the same without it{besides}"
        if not strict:
            return f"not distinguishable from nothing{besides}"
        return f"{'helps' if strict > 0 else 'HARMS'}{besides}"


@dataclass(frozen=True, slots=True)
class Ablation:
    """Contributions, suite by suite."""

    contributions: tuple[Contribution, ...]
    whole: Mapping[str, Mapping[str, float]]
    """Of each suite, both rules with nothing switched off."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "whole": self.whole,
            "contributions": [{**asdict(one), "verdict": one.verdict} for one in self.contributions],
        }

    def __str__(self) -> str:
        lines = []
        for suite, shares in self.whole.items():
            lines.append(f"{suite}: {', '.join(f'{name} {100 * share:.1f} %' for name, share in shares.items())}")
            for one in self.contributions:
                if one.suite == suite:
                    lines += _lines(one)
            lines.append("")
        return "\n".join(lines).rstrip()


def ablate(
    suites: Sequence[tuple[Suite, OpenIndex]],
    *,
    selection: Selection | None = None,
    models: ModelFor | None = None,
    components: Sequence[Component] = tuple(Component),
    as_of: date | None = None,
    progress: Progress = lambda *_: None,
) -> Ablation:
    """Switches off each component in turn.

    Args:
        models: the language model for each case; None: none chooses, and what needs one is not in the path.

    Raises:
        UsageError: no question is left to ask, or two suites have one name.
    """
    if len({suite.name for suite, _ in suites}) < len(suites):
        raise UsageError(
            "Two suites have one name, that of their folder, and their figures could not be distinguished."
        )
    check_installed()
    used = [one for one in components if models or not one.needs_model]
    day = as_of or date.today()
    trials = [_Trial(suite, index, selection or Selection(), models or _no_model, day) for suite, index in suites]
    total = sum(len(trial.cases) for trial in trials) * (1 + len(used))
    contributions, whole = [], {}
    done = 0

    def tick(what: str) -> None:
        nonlocal done
        done += 1
        progress(done, total, what)

    for trial in trials:
        complete = trial.ask(tick)
        whole[trial.suite.name] = {
            "Published": sum(row.published for row in complete.rows) / len(complete.rows),
            "Strict": sum(row.strict for row in complete.rows) / len(complete.rows),
        }
        for component in components:
            if component in used:
                without = trial.ask(tick, component)
                contributions.append(_contribution(component, trial.suite.name, complete, without))
            else:
                contributions.append(Contribution(component, trial.suite.name, (), (), in_path=False))
    return Ablation(tuple(contributions), whole)


class _Trial:
    """The questions of one suite, to be asked again and again."""

    def __init__(self, suite: Suite, index: OpenIndex, selection: Selection, models: ModelFor, as_of: date) -> None:
        self.suite = suite
        with index.reader.snapshot() as view:
            documents = view.documents(frozenset(view.rules()))
        self.cases = with_sources(selection.of(suite), documents)
        self._supersedes = {one.document_id: one.supersedes for one in documents}
        self._index = RememberingIndex(index)
        self._principals = principals_of(suite, index)
        self._models = models
        self._as_of = as_of

    def ask(self, tick: Callable[[str], None], *off: Component) -> Result:
        asker = Asker(self._index.without(*off), self._principals, self._models, self._as_of)
        rows = []
        for case in self.cases:
            rows.append(asker.ask(case, 1))
            tick(f"{self.suite.name} without {', '.join(off)}" if off else self.suite.name)
        groups = document_groups(self.cases, self._supersedes)
        described = {case.id: describe_case(case, groups[case.id]) for case in self.cases}
        return Result(Path(self.suite.name), {"runs": 1}, described, tuple(rows), {}, {})


def _no_model(case: Case, run: int) -> None:
    return None


def _contribution(component: Component, suite: str, whole: Result, without: Result) -> Contribution:
    ids = [row.case_id for row in whole.rows]
    gains = {gain.measure: gain for gain in differences(without, whole, ids)}
    changed = [one.case_id for one, other in zip(whole.rows, without.rows, strict=True) if _shown(one) != _shown(other)]
    return Contribution(component, suite, tuple(gains[name] for name in MEASURES if name in gains), tuple(changed))


def _shown(row: Row) -> tuple[object, ...]:
    return row.outcome, row.quotes


def _lines(one: Contribution) -> list[str]:
    lines = [f"  {one.component}: {one.verdict}"]
    if one.changed:
        lines[0] += f" ({len(one.changed)} answers change)"
    for gain in one.gains:
        star = " *" if gain.is_clear else ""
        if gain.difference or gain.is_clear:
            lines.append(
                f"      {gain.measure:<28}{gain.difference:>+7.3f}   "
                f"{gain.interval.low:+.3f} to {gain.interval.high:+.3f}{star}"
            )
    return lines
