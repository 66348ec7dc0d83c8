"""Floors under the figures: what must hold, each with its reason; and which questions changed where one breaks."""

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import DefinitionError
from rag_app.evaluate.run.results import Result

MARGIN = 0.02
"""Between what is reached and its limit: a few questions, for processors that round otherwise."""
_HEADING = re.compile(r'\["(.+)"\]')
_LIMIT = re.compile(r'"?([^"\s]+)"? = \{')


@dataclass(frozen=True, slots=True)
class Floor:
    """A limit of one measure on one suite."""

    suite: str
    """Suite and path, such as `harbour, offline`."""
    measure: str
    """Its name in the summary; see `values_of`."""
    why: str
    at_least: float | None = None
    at_most: float | None = None
    reached: float | None = None
    """What was measured when the limit was set; None for a limit that holds whatever is measured."""

    def breach(self, value: float | None) -> str | None:
        """A sentence where `value` does not keep within it; None where it does."""
        if value is None:
            return f"{self.suite}: {self.measure} has no value. {self.why}"
        if self.at_least is not None and value < self.at_least:
            return f"{self.suite}: {self.measure} is {value:.4f}, under its floor of {self.at_least}. {self.why}"
        if self.at_most is not None and value > self.at_most:
            return f"{self.suite}: {self.measure} is {value:.4f}, over its limit of {self.at_most}. {self.why}"
        return None


def load_floors(file: Path) -> list[Floor]:
    """The floors of a TOML file: `["suite, path".Measure]` with at_least or at_most, and why.

    Raises:
        DefinitionError: the file is wrong; the message names the floor.
    """
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{file} cannot be read: {error}.", path=str(file)) from error
    floors = []
    for suite, measures in tables.items():
        if not isinstance(measures, dict):
            raise DefinitionError(f"In {file}, {suite} is not a table of measures.", path=str(file))
        for measure, fields in measures.items():
            try:
                floor = Floor(suite, measure, **fields)
            except TypeError as error:
                raise DefinitionError(f"In {file}, {suite}.{measure} is wrong: {error}.", path=str(file)) from error
            limits = [limit for limit in (floor.at_least, floor.at_most) if limit is not None]
            numbers = [*limits, 0 if floor.reached is None else floor.reached]
            if any(type(limit) not in (int, float) or not math.isfinite(limit) for limit in numbers):
                raise DefinitionError(f"In {file}, the limit of {suite}.{measure} is not a number.", path=str(file))
            if len(limits) != 1 or not str(floor.why).strip():
                raise DefinitionError(f"In {file}, {suite}.{measure} needs at_least or at_most, and why.")
            floors.append(floor)
    return floors


def breaches(result: Result, suite: str, floors: Sequence[Floor], known_wrong: Sequence[str]) -> list[str]:
    """A sentence for every floor of `suite` that does not hold, and which questions changed since it was set.

    Args:
        known_wrong: ids of the cases that were not strictly right then.

    Raises:
        DefinitionError: no floor is set for the suite, so that nothing would be checked.
    """
    its = [floor for floor in floors if floor.suite == suite]
    if not its:
        raise DefinitionError(f"No floor is set for {suite!r}.", suite=suite)
    values = values_of(result)
    found = [sentence for floor in its if (sentence := floor.breach(values.get(floor.measure)))]
    if found:
        wrong = {row.case_id for row in result.rows if not row.strict}
        texts = {row.case_id: row.question for row in result.rows}
        found.append(_list("Newly wrong by the strict rule", sorted(wrong - set(known_wrong)), texts))
        found.append(_list("Newly right", sorted(set(known_wrong) & texts.keys() - wrong), texts))
    return found


def refresh_floors(file: Path, results: Sequence[Result]) -> list[str]:
    """Sets each limit that says what was reached to what is reached now, less `MARGIN`; keeps reasons and comments.

    Each limit stands on a line of its own. Returns a sentence for every figure that moved by more than the margin.

    Raises:
        DefinitionError: the file is wrong, or a measure of it has no value.
    """
    floors = {(floor.suite, floor.measure): floor for floor in load_floors(file)}
    values = {result.name: values_of(result) for result in results}
    moved, lines, suite = list[str](), list[str](), ""
    for line in file.read_text("utf-8").splitlines():
        if heading := _HEADING.match(line):
            suite = heading[1]
        measure = _LIMIT.match(line)
        floor = floors.get((suite, measure[1])) if measure else None
        if floor is None or floor.reached is None or suite not in values:
            lines.append(line)
            continue
        value = values[suite].get(floor.measure)
        if value is None:
            raise DefinitionError(f"{suite}: {floor.measure} has no value, so no limit can be set.", suite=suite)
        if abs(value - floor.reached) > MARGIN:
            moved.append(f"{suite}: {floor.measure} was {floor.reached:.3f} and is {value:.3f}")
        if floor.at_least is not None:
            lines.append(_set(line, "at_least", math.floor(1000 * (value - MARGIN)) / 1000, value))
        else:
            lines.append(_set(line, "at_most", math.ceil(1000 * (value + MARGIN)) / 1000, value))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return moved


def values_of(result: Result) -> dict[str, float | None]:
    """Every figure that a floor can be under: overall measures, abstention, retrieval of documents."""
    summary = result.summary
    values: dict[str, float | None] = {name: of["value"] for name, of in summary["overall"].items()}
    if summary["abstention"]:
        names = {"precision": "AbstentionPrecision", "recall": "AbstentionRecall", "coverage": "Coverage"}
        values |= {name: summary["abstention"][key]["value"] for key, name in names.items()}
    documents = result.measured.get("retrieval", {}).get("documents", {})
    return values | {name: of["mean"] for name, of in documents.items()}


def load_known_wrong(file: Path) -> Mapping[str, list[str]]:
    """Ids of cases that are known not to be strictly right, by suite and path; none where there is no file.

    Raises:
        DefinitionError: the file is wrong.
    """
    try:
        return json.loads(file.read_text("utf-8")) if file.is_file() else {}
    except ValueError as error:
        raise DefinitionError(f"{file} cannot be read: {error}.", path=str(file)) from error


def _set(line: str, side: str, limit: float, reached: float) -> str:
    """The line of a floor with another limit, between 0 and 1, and what it was set by."""
    line = re.sub(rf"\b{side} = [-\d.]+", f"{side} = {min(1.0, max(0.0, limit)):.3f}", line)
    return re.sub(r"\breached = [-\d.]+", f"reached = {reached:.3f}", line)


def _list(what: str, ids: Sequence[str], texts: Mapping[str, str]) -> str:
    return f"{what}: {'none' if not ids else ''}" + "".join(f"\n  {case_id}: {texts[case_id]}" for case_id in ids)
