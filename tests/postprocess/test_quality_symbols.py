"""What a question asks about by a name that is written rather than spoken."""

import pytest

from rag_app.postprocess.quality import asked_symbols, names_symbol


@pytest.mark.parametrize(
    ("question", "symbols"),
    [
        ("How fast does Schedule.ramp go up?", {("schedule", "ramp")}),
        ("What does hold_for_cone wait for, and readAll?", {("hold_for_cone",), ("readall",)}),
        ("Is F-15 worse than E0308?", {("f-15",), ("e0308",)}),
        ("Why did start() fail with --force?", {("start",), ("force",)}),
        ("What is `step`?", {("step",)}),
        ("Where is std::fs::read?", {("std", "fs", "read")}),
        ("Which Python, e.g. 3.10, does version 4.2 need in the U.S.?", set()),
        ("How many days of well-earned leave do I get?", set()),
    ],
)
def test_asked_symbols(question: str, symbols: set[tuple[str, ...]]) -> None:
    """Identifiers, dotted names, calls, options and codes are symbols; words, numbers and abbreviations are not."""
    assert set(asked_symbols(question)) == symbols


def test_a_symbol_is_named_by_whole_parts() -> None:
    """A dotted name may stand in heading and signature apart; a longer name is another one."""
    symbols = asked_symbols("What does Schedule.ramp do?")
    assert names_symbol(symbols, "Schedule > ramp(to, *, rate)")
    assert not names_symbol(symbols, "Schedule > ramp_down(to)")
    assert not names_symbol(symbols, "ramp(to)")
    assert not names_symbol((), "anything")
