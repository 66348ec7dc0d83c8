"""A text of any length and make is cut in time that grows with it, into statements of bounded length."""

import time
from typing import Literal

import pytest

from rag_app.text.footnotes import whole_statements
from rag_app.text.lengths import MAX_LETTERS

Markup = Literal["markdown", "plain"]

WORST = {
    "words": "word ",
    "sentences": "It is so. ",
    "initials": "A. ",
    "brackets": "(",
    "quotes": '"a ',
    "ticks": "`a ",
    "colons": "So:\n",
    "items": "- a\n",
    "stars": "* a*\n",
    "notes": "a.¹\n\n¹ b.\n\n",
    "aligned": "a   b\n",
    "pipes": "| a | b |\n",
    "tabs": "a\tb\n",
    "underlines": "a\n=\n",
    "headings": "1. A\n\n",
    "one word": "a",
    "letters": "(a) b\n\n",
    "bullets": "• a\n",
    "references": "[1] ",
    "records": "2024-05-01 12:00:03 INFO started\n",
}


def cut(text: str, markup: Markup) -> float:
    """Seconds of processor time that a text takes."""
    begun = time.process_time()
    for statement in whole_statements(text, markup):
        assert statement.end - statement.start <= MAX_LETTERS
    return time.process_time() - begun


def grows(unit: str, markup: Markup, letters: int) -> bool:
    """Whether four times the text takes much more than four times as long, three times running."""
    for _ in range(3):
        small = cut(unit * (letters // len(unit)), markup)
        large = cut(unit * (4 * letters // len(unit)), markup)
        if large < 9 * small + 0.2:
            return False
    return True


@pytest.mark.parametrize("markup", ["markdown", "plain"])
@pytest.mark.parametrize("unit", WORST.values(), ids=WORST)
def test_time_grows_with_the_text(unit: str, markup: Markup) -> None:
    """Of the worst texts, four times as much takes about four times as long; statements stay short."""
    assert not grows(unit, markup, 4_000)


@pytest.mark.long
@pytest.mark.parametrize("markup", ["markdown", "plain"])
@pytest.mark.parametrize("unit", WORST.values(), ids=WORST)
def test_time_grows_with_a_million_letters(unit: str, markup: Markup) -> None:
    """The same up to a megabyte."""
    assert not grows(unit, markup, 250_000)


@pytest.mark.parametrize("markup", ["markdown", "plain"])
def test_each_line_of_a_log_is_a_statement(markup: Markup) -> None:
    """Two thousand lines are as many statements; what is indented below a line belongs to it."""
    lines = [f"2024-05-01 12:00:{n % 60:02} INFO job {n} done" for n in range(2000)]
    lines[7] += "\n  at step 4"
    text = "\n".join(lines)
    assert [text[s.start : s.end] for s in whole_statements(text, markup)] == lines


@pytest.mark.parametrize("markup", ["markdown", "plain"])
def test_lines_that_are_no_prose_are_statements(markup: Markup) -> None:
    """A file of settings is not one sentence; a long sentence that wraps in small letters is."""
    settings = "\n".join(f"Key{n} = value {n}" for n in range(12))
    assert len(whole_statements(settings, markup)) == 12
    prose = "\n".join(["The tenant who leaves", *["and the landlord who stays"] * 12, "agree."])
    assert len(whole_statements(prose, markup)) == 1


@pytest.mark.parametrize("markup", ["markdown", "plain"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_typed_bullets_keep_their_introduction(markup: Markup, gap: str) -> None:
    """Items that are only typed as lines or paragraphs are items: each depends on the line above the first."""
    text = gap.join(["The following is not covered:", "• Damage by storm", "• Damage by rats"]) + "\n\nNext matter."
    found = {
        text[s.start : s.end].lstrip("• "): [text[a:b] for a, b in s.lead_in] for s in whole_statements(text, markup)
    }
    assert found["Damage by storm"] == found["Damage by rats"] == ["The following is not covered:"]
    assert found["Next matter."] == []
