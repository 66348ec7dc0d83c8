"""Floors: what must hold, and which questions changed where one breaks."""

from pathlib import Path

import pytest

from evals.floors import breaches, load_floors, load_known_wrong, values_of
from rag_app.errors import DefinitionError
from tests.evaluate.papers import error_row, result, row

TEXT = """
["suite, offline"]
Strict = { at_least = 0.6, why = "What was reached." }
Errors = { at_most = 0, why = "Nothing can fail." }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "floors.toml"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_a_floor_that_holds_says_nothing(file: Path) -> None:
    """With every figure within its limit nothing is said."""
    assert breaches(result(row("a"), row("b")), "suite, offline", load_floors(file), []) == []


def test_a_broken_floor_names_the_questions(file: Path) -> None:
    """A figure under its floor names itself, its reason, what became wrong and what became right since."""
    now = result(row("a", strict=False), error_row("b"), row("c"))
    found = "\n".join(breaches(now, "suite, offline", load_floors(file), ["a", "c"]))
    assert "Strict is 0.3333, under its floor of 0.6. What was reached." in found
    assert "Errors is 0.3333, over its limit of 0. Nothing can fail." in found
    assert "Newly wrong by the strict rule: \n  b: What is b?" in found
    assert "Newly right: \n  c: What is c?" in found
    assert "What is a?" not in found


def test_what_has_no_floor_or_no_value_is_no_pass(file: Path) -> None:
    """A suite without a floor is an error, and a floor under a figure that is not there is broken."""
    floors = load_floors(file)
    with pytest.raises(DefinitionError, match="No floor"):
        breaches(result(row("a")), "other", floors, [])
    assert "has no value" in breaches(result(ids=["a"]), "suite, offline", floors, [])[0]


def test_figures_under_which_a_floor_can_be() -> None:
    """Overall measures, abstention and retrieval have names for floors."""
    found = values_of(result(row("a")))
    assert {"Published", "Strict", "QuotesOutside", "AbstentionPrecision", "AbstentionRecall", "Coverage"} <= set(found)


@pytest.mark.parametrize(
    "line",
    [
        "Strict = { at_least = 0.6 }",
        'Strict = { at_least = 0.6, why = " " }',
        'Strict = { why = "x" }',
        'Strict = { at_least = 0.6, at_most = 1, why = "x" }',
        'Strict = { at_lest = 0.6, why = "x" }',
        "Strict = [",
        "Strict = 3",
        'Strict = { at_least = nan, why = "x" }',
        'Strict = { at_least = "high", why = "x" }',
    ],
)
def test_a_floor_needs_a_limit_and_a_reason(tmp_path: Path, line: str) -> None:
    """A floor without a limit or a reason is refused, naming the file."""
    file = tmp_path / "floors.toml"
    file.write_text(f'["suite, offline"]\n{line}\n', encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"floors\.toml"):
        load_floors(file)


def test_nothing_is_known_without_a_file(tmp_path: Path) -> None:
    """No list of known wrong questions is an empty one."""
    assert load_known_wrong(tmp_path / "none.json") == {}


def test_files_that_are_something_else_are_named(tmp_path: Path) -> None:
    """A floors file without tables and a spoiled list of known faults are refused, naming the file."""
    file = tmp_path / "floors.toml"
    file.write_text("harbour = 3", encoding="utf-8")
    with pytest.raises(DefinitionError, match="not a table of measures"):
        load_floors(file)
    file.write_text("{", encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"floors\.toml cannot be read"):
        load_known_wrong(file)
