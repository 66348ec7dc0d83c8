"""Names that documents call outdated."""

from pathlib import Path

import pytest

from rag_app.document import Document
from rag_app.evaluate.cases.deprecated import OldName, old_names, used_in
from rag_app.read.documents import read_folder

INDEXES = Path(__file__).parents[3] / "indexes"


def names_in(text: str) -> set[str]:
    document = Document("d", "D", text, "d.md", "d.md", "", "markdown")
    return {name.name for name in old_names([document])}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`read_all()` is deprecated: use `read()`.", {"read_all"}),
        ("In 3.0, `Parser(strict=True)` was removed; choose `Parser.check`.", {"Parser"}),
        (
            "## Deprecated\n\n| Name | Use |\n| --- | --- |\n| `a_b(x)` | `c_d(x)` |\n| `Box(old=)` | `new=` |",
            {"a_b", "old"},
        ),
        ("- Removed: `a_b`, `c_d`.\n- New: `e_f`.", {"a_b", "c_d"}),
        ("- Deprecated: `a_b`, use `c_d`.", {"a_b"}),
        ("`read()` reads. Nothing about it is deprecated. The extra is removed.", set()),
        ("## Functions\n\n- `read()` reads\n- `write()` writes", set()),
    ],
)
def test_what_is_outdated(text: str, names: set[str]) -> None:
    """Sentences, tables under a heading and changelog lines name the old name, never what to use instead."""
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("question", "used"),
    [
        ("What does read_all return?", True),
        ("What does `Reader.read_all` return?", True),
        ("Which value has the step method?", True),
        ("What does step() do?", True),
        ("What is the next step?", False),
        ("Since when is read_all deprecated?", False),
        ("What does read_all_lines return?", False),
    ],
)
def test_questions_that_use_one(question: str, used: bool) -> None:
    """A name in code, with underscores or beside its kind is used; a plain word is not, nor one called outdated."""
    names = [OldName("read_all", ("read_all",), "d", ""), OldName("Schedule.step", ("schedule", "step"), "d", "")]
    assert bool(used_in(question, names)) == used


def test_the_shipped_documentation() -> None:
    """Every outdated name of the imaginary library is found, nothing else, and ordinary papers have none."""
    site, papers = (
        [one for one in read_folder(INDEXES / name, known={}) if isinstance(one, Document)]
        for name in ("saggarline/site", "fellwire/documents")
    )
    found = {name.name for name in old_names(site)}
    listed = "hold_for_cone Schedule.total balance_zones Probe.adjust Journal.shrink Kiln.fan Kiln.connect Runner.stop"
    assert {*listed.split(), "alarm_email", "backoff", "temp_unit", "Schedule.step"} <= found
    assert not found & {"bent", "Schedule.ramp", "Kiln.open", "Journal.compact", "wind_down", "Runner", "Webhook"}
    assert old_names(papers) == []
