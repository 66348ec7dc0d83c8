"""Markdown as MkDocs, Docusaurus, Obsidian and GitHub write it."""

import pytest

from rag_app.read.markdown_dialects import plain_markdown
from rag_app.read.text_file import read_markdown
from rag_app.text.footnotes import whole_statements


def shown(source: str) -> list[str]:
    """Each statement with what it depends on before it."""
    text = read_markdown(source.encode()).text
    return [" > ".join(" ".join(text[a:b].split()) for a, b in (*s.lead_in, s.span)) for s in whole_statements(text)]


def test_admonitions_and_tabs_of_mkdocs_hold_text_under_their_titles() -> None:
    """Their indented text is no code, and a second paragraph has the title too."""
    source = (
        'Ask first.\n\n!!! warning "In August"\n\n    Ask 14 days ahead.\n\n    Ask in writing.\n\n'
        "??? note\n    Closed parts count.\n\n"
        '=== "Rail"\n\n    Book late.\n\n=== "Air"\n\n    - Book early.\n\nDone.\n'
    )
    assert shown(source) == [
        "Ask first.",
        "In August",
        "In August > Ask 14 days ahead.",
        "In August > Ask in writing.",
        "Note",
        "Note > Closed parts count.",
        "Rail",
        "Rail > Book late.",
        "Air",
        "Air > Book early.",
        "Done.",
    ]


def test_details_hold_text_under_their_summary() -> None:
    """No tag is shown; a table behind them is not introduced by them."""
    source = (
        "<details>\n<summary>Who <b>signs</b>?</summary>\n\nThe master.\n\n- Or the mate.\n\n</details>\n\n"
        "<details><summary>Who pays?</summary>The guest.</details>\n\n| A |\n|---|\n| 1 |\n"
    )
    assert shown(source) == [
        "Who signs?",
        "Who signs? > The master.",
        "Who signs? > Or the mate.",
        "Who pays?",
        "Who pays? > The guest.",
        "| A | > | 1 |",
    ]


def test_a_section_within_details_stays_a_section() -> None:
    """Where a heading stands in details, their text is not set in."""
    source = "<details>\n<summary>More</summary>\n\n## Fees\n\nFour euros.\n\n</details>\n"
    assert plain_markdown(source) == source


def test_lines_around_parts_are_no_text() -> None:
    """Titles of Docusaurus' parts and tabs stay; imports, colons and comments do not."""
    source = (
        "import Tabs from '@theme/Tabs';\n\n:::tip Good to know\n\nWe bill monthly.\n\n:::\n\n"
        ":::danger\nShare no key.\n:::\n\n"
        '<Tabs>\n<TabItem value="eu" label="Europe">\n\nTen euros.\n\n</TabItem>\n</Tabs>\n\n{/* salary: 5 */}\n'
    )
    assert shown(source) == ["**Good to know** We bill monthly.", "Share no key.", "**Europe** Ten euros."]


def test_a_callout_holds_text_under_its_title() -> None:
    """The title of an Obsidian callout is no part of its first sentence."""
    assert shown("> [!question]- Is there a refund?\n> Not in May.\n>\n> Never later.\n\nBye.\n") == [
        "Is there a refund?",
        "Is there a refund? > Not in May.",
        "Is there a refund? > Never later.",
        "Bye.",
    ]


def test_deleted_text_and_comments_of_writers_are_not_read() -> None:
    """CriticMarkup and Obsidian comments; percent signs and code mean themselves."""
    source = (
        "Leave is {--9--} {~~11~>12~~} days.{>>check<<}\n\n%% band 5 %%\n\n%%\nband 6\n%%\n\n"
        "It is 100 %% of 5 and 50 %% of 6. `{--keep--}`\n"
    )
    text = read_markdown(source.encode()).text
    assert [gone for gone in ("9", "11", "check", "band") if gone in text] == []
    assert "12 days." in text
    assert "It is 100 %% of 5 and 50 %% of 6. `{--keep--}`" in text


def test_an_html_table_in_markdown_is_a_table() -> None:
    """Each row stands under its header, without tags; one in code is code."""
    table = "<table>\n<tr><th>Zone</th><th>Fee</th></tr>\n\n<tr><td>A</td><td>3 euros</td></tr>\n</table>\n"
    assert shown(f"Fees:\n{table}\nEnd.\n") == ["Fees:", "Fees: > | Zone | Fee | > | A | 3 euros |", "End."]
    assert plain_markdown(f"```html\n{table}```\n") == f"```html\n{table}```\n"


@pytest.mark.parametrize(
    "source",
    [
        "# A\n\n```\n!!! note\n    x\n:::\n<details>\n```\n\nText {++i} and a::b.\n\n::: package.Name\n",
        "What???\n\n    code\n\nTitle\n===\n\n- [!] no callout\n- import goods from 'abroad' today\n",
        "One <summary> of all.\r\n\r\nTwo.\r\n",
    ],
)
def test_other_markdown_stays_as_it_is(source: str) -> None:
    """Code, underlines and words that only look alike."""
    assert plain_markdown(source) == source
