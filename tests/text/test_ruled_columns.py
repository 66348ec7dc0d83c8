"""Tables whose columns are drawn by dashes: each value under its name, empty cells kept."""

import pytest

from rag_app.read.markdown_dialects import plain_markdown
from rag_app.text.plain.ruled_columns import with_piped_columns

_SIMPLE = """Berth rules

Berth       Summer   Winter
---------- ------- --------
A1              45       20
B2                       25
Pier three      60

Done.
"""


def test_values_stand_in_the_columns_that_dashes_draw() -> None:
    """An empty cell stays empty, whatever stands behind it; the same in Markdown, as Pandoc writes it."""
    piped = with_piped_columns(_SIMPLE)
    assert piped.split("\n")[2:7] == [
        "| Berth | Summer | Winter |",
        "| --- | --- | --- |",
        "| A1 | 45 | 20 |",
        "| B2 |  | 25 |",
        "| Pier three | 60 |  |",
    ]
    assert plain_markdown(_SIMPLE) == piped


def test_a_cell_may_go_on_in_the_next_line() -> None:
    """A line that only goes on in small letters is no row; in a frame, blank lines part the rows."""
    loose = "Code  Meaning\n----  --------------\nE1    Close the door\n      and wait\nE2    Fill water\n"
    assert "| E1 | Close the door and wait |\n| E2 | Fill water |\n" in with_piped_columns(loose)
    framed = (
        "------------------------\nCode  Long\n      meaning\n----- ------------------\nE1    Close\n      Door A\n\n"
        "E2    Fill\n------------------------\n"
    )
    assert "| Code | Long meaning |\n| --- | --- |\n| E1 | Close Door A |\n| E2 | Fill |\n" in with_piped_columns(
        framed
    )


@pytest.mark.parametrize(
    "text",
    [
        "Name  Value\n----  -----\nverylongname  5\nx     6\n",
        "one -- two -- three\n-- --\n",
        "Title\n-----\n\nText\n-----  -----\n",
    ],
)
def test_what_crosses_the_columns_stays_as_it_is(text: str) -> None:
    """Nothing is cut within a word, and dashes without rows draw no table."""
    assert with_piped_columns(text) == text


def test_code_in_markdown_stays_as_it_is() -> None:
    """A table that is set in or fenced is code."""
    code = "".join(f"    {line}\n" for line in _SIMPLE.splitlines())
    assert plain_markdown(code) == code
    assert plain_markdown(f"```\n{_SIMPLE}```\n") == f"```\n{_SIMPLE}```\n"
