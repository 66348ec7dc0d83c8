"""Floors under the figures: what must hold, each with its reason; and which questions changed where one breaks."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import DefinitionError
from rag_app.evaluate.run.results import Result


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
            if any(type(limit) not in (int, float) or not math.isfinite(limit) for limit in limits):
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


def _list(what: str, ids: Sequence[str], texts: Mapping[str, str]) -> str:
    return f"{what}: {'none' if not ids else ''}" + "".join(f"\n  {case_id}: {texts[case_id]}" for case_id in ids)
