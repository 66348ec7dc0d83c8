"""Blocks: what a text is made of, with exact places."""

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.text.blocks import parse_blocks
from rag_app.text.statements import split_statements

Markup = Literal["markdown", "plain"]


def blocks(text: str, markup: Markup = "markdown", start: int = 0):
    return [
        (block.kind, "⏎".join(text[a:b] for a, b in block.lines), block.section.path)
        for block in parse_blocks(text, markup, start)
    ]


def texts(text: str, markup: Markup = "markdown"):
    return [(kind, shown) for kind, shown, _ in blocks(text, markup)]


NEWLINES = pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


@NEWLINES
def test_line_ends_do_not_move_places(newline):
    """Every kind of line end gives the same blocks, and odd white space inside lines shifts nothing."""
    text = "# Top\n\nOne\ntwo\x0c\x85\u2028three 😀.\n\n- item\n  wraps\n\n> quoted\n> on\n\n"
    text += "| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert texts(text.replace("\n", newline)) == [
        ("paragraph", "One⏎two\x0c\x85\u2028three 😀."),
        ("list_item", "item⏎wraps"),
        ("paragraph", "quoted⏎on"),
        ("table_row", "| 1 | 2 |"),
    ]


def test_section_paths_have_no_markup():
    """A section path holds the words of its headings: no emphasis, links, HTML, closing marks or anchors."""
    text = (
        "# The *big* [page](x.md) {#top}\n\na\n\n## `code()` <a id='x'></a>and more ##\n\nb\n\n"
        "Under\n-----\n\nc\n\n#### Deep [ref][r] ¶\n\nd\n\n# C#\n\ne\n\n[r]: http://x.y\n"
    )
    assert [(shown, path) for _, shown, path in blocks(text)] == [
        ("a", ("The big page",)),
        ("b", ("The big page", "code() and more")),
        ("c", ("The big page", "Under")),
        ("d", ("The big page", "Under", "Deep ref")),
        ("e", ("C#",)),
    ]


def test_same_path_twice_is_two_sections():
    """Two headings of the same words open two sections."""
    first, second = parse_blocks("# A\n\none\n\n# A\n\ntwo")
    assert first.section.path == second.section.path
    assert first.section is not second.section


def test_front_matter_is_not_read():
    """Reading begins where the body does, and places still count from the beginning of the text."""
    text = "---\ntitle: X\n---\nBody."
    (block,) = parse_blocks(text, start=17)
    assert (block.start, block.end) == (17, 22)


def test_nested_lists_know_their_items():
    """An item holds its own text only, and knows the item around it and the line above its list."""
    intro, outer, inner, later, after = parse_blocks("Do this:\n\n- outer\n  1. inner\n\n     Later.\n- after\n")
    assert (inner.item, later.item, outer.item, after.item) == (outer, inner, None, None)
    assert (outer.above, after.above, inner.above) == (intro, intro, outer)
    assert [block.kind for block in (inner, later)] == ["list_item", "paragraph"]


def test_a_number_is_kept_and_a_bullet_is_not():
    """A step's number belongs to its text, as it may be referred to; a bullet and a box-less marker do not."""
    assert texts("3. Third\n4) other\n\n* bullet\n+ [x] done") == [
        ("list_item", "3. Third"),
        ("list_item", "4) other"),
        ("list_item", "bullet"),
        ("list_item", "[x] done"),
    ]


def test_steps_with_code_between_them_are_one_list():
    """Numbered steps that unindented code tears apart keep the line above the first step."""
    intro, first, code, second = parse_blocks("Steps:\n\n1. One\n\n```\nx\n```\n\n2. Two\n")
    assert (first.above, second.above, code.kind) == (intro, intro, "code")


def test_a_tag_line_does_not_tear_a_list_apart_but_a_comment_does():
    """Lines that are only a tag are no content; a comment is Markdown's own way to set two lists apart."""
    intro, _, second = parse_blocks("If:\n\n* one\n\nr[rule.id]\n* two\n")
    assert second.above is intro
    _, one, other = parse_blocks("If:\n\n* one\n\n<!-- -->\n\n* two\n")
    assert other.above is one


def test_table_rows_know_their_header():
    """The header row is no block but known to the rows; rows without any cell are none; a lone header is a row."""
    text = "> | A | B |\n> |---|---|\n> | 1 | 2 |\n> |   |   |\n"
    (row,) = parse_blocks(text)
    assert text[slice(*row.lines[0])] == "| 1 | 2 |"
    assert row.header
    assert text[slice(*row.header)] == "| A | B |"
    assert texts("| only | header |\n|---|---|\n") == [("table_row", "| only | header |")]


def test_rows_without_a_header_stay_rows():
    """A piece of a table that has lost its header is still read as rows."""
    assert texts("| 1 | 2. |\n| 3 | 4 |") == [("table_row", "| 1 | 2. |"), ("table_row", "| 3 | 4 |")]


@NEWLINES
def test_code_keeps_its_indentation(newline):
    """A code block is what stands between its fences, from the beginning of its first line."""
    code = "    if x:\n\ty = 1\n\n      z\u2028= 2"
    text = f"- step\n\n  ```py\n\n{code}\n  ```\n".replace("\n", newline)
    assert texts(text)[1] == ("code", code.replace("\n", newline))


def test_indented_code_is_code():
    """Code marked by indentation is a block of its own, with that indentation."""
    assert texts("Text:\n\n    a\n      b\n\nMore.")[1] == ("code", "    a\n      b")


def test_comments_and_definitions_are_no_content():
    """Comments, link definitions, rules, tag lines and empty anchors give no block."""
    text = "<!-- a\nb -->\n\n[x]: http://y 'T'\n\n***\n\n<a id='q'></a>\n\n{#id}\n\n"
    text += "> [!NOTE]\n> Text.\n\n<script>\nx\n</script>"
    assert texts(text) == [("paragraph", "Text.")]


def test_html_is_content_where_it_shows_words():
    """HTML with words or a spoken attribute is a paragraph; bare tags are not; preformatted HTML is code."""
    assert texts("<div>\n\n</div>\n\n<p>Words.</p>\n\n<img alt='A cat' src='c.png'>\n\n<pre>\n a\n</pre>") == [
        ("paragraph", "<p>Words.</p>"),
        ("paragraph", "<img alt='A cat' src='c.png'>"),
        ("code", "<pre>\n a\n</pre>"),
    ]


@pytest.mark.parametrize("between", ["\n<!-- c -->\n", "\n\n", "\n\n<!-- c -->\n\n"])
def test_a_sentence_torn_by_a_comment_or_blank_line_is_one_paragraph(between):
    """What plainly runs on below a comment or blank line stays with its beginning."""
    assert texts(f"The rule applies{between}unless stated.") == [("paragraph", "The rule applies⏎unless stated.")]


def test_a_long_underlined_paragraph_is_no_heading():
    """A paragraph that a rule without a blank line would turn into a heading stays readable text."""
    assert texts("Line one of it\nand line two.\n---\nNext.") == [
        ("paragraph", "Line one of it⏎and line two."),
        ("paragraph", "Next."),
    ]


def test_deep_nesting_loses_nothing():
    """Text below more levels than the parser reads is still found."""
    assert "deep down" in str(texts("> " * 80 + "deep down"))


def test_a_heading_in_a_quotation_ends_with_it():
    """A heading inside a quotation or item does not take over the text after it."""
    paths = [path for _, _, path in blocks("# A\n\n> ## B\n> in\n\nout")]
    assert paths == [("A", "B"), ("A",)]


def test_plain_text_wraps_and_breaks_pages_inside_sentences():
    """In plain text a line end, and a page break with its page number, do not end a sentence that goes on."""
    assert texts("It applies\nunless\n3\n\f\nthe board objects.\n\nNew text.", "plain") == [
        ("paragraph", "It applies⏎unless⏎the board objects."),
        ("paragraph", "New text."),
    ]


def test_plain_headings_only_where_obvious():
    """A short line alone, in capitals or with a section number, is a heading; lists and last lines are not."""
    text = "HANDBOOK\n\n1. Scope\n\nAll staff.\n\n1. Apply online\n\n2. Wait\n\nDO NOT ENTER"
    assert blocks(text, "plain") == [
        ("paragraph", "All staff.", ("HANDBOOK", "1. Scope")),
        ("list_item", "1. Apply online", ("HANDBOOK", "1. Scope")),
        ("list_item", "2. Wait", ("HANDBOOK", "1. Scope")),
        ("paragraph", "DO NOT ENTER", ("HANDBOOK", "1. Scope")),
    ]


def test_plain_lists():
    """Bullets and numbers open items, wraps stay inside, and a number that a wrap put in front opens none."""
    text = "You need:\n- one thing\n  that wraps\n   • inner\n- two\nSee section\n5. of the act."
    assert texts(text, "plain") == [
        ("paragraph", "You need:"),
        ("list_item", "one thing⏎that wraps"),
        ("list_item", "inner"),
        ("list_item", "two⏎See section⏎5. of the act."),
    ]


def test_plain_columns_are_rows():
    """Lines whose columns stand below each other are rows, with wrapped cells, and are not glued to each other."""
    text = "City      Rate\nBerlin    150\nParis     180 but\n          not in May\nRome      90\n\n"
    text += "A  sentence with  odd spaces."
    assert texts(text, "plain") == [
        ("table_row", "City      Rate"),
        ("table_row", "Berlin    150"),
        ("table_row", "Paris     180 but⏎not in May"),
        ("table_row", "Rome      90"),
        ("paragraph", "A  sentence with  odd spaces."),
    ]
    assert texts("Name:\tAnna\nPhone:\t5", "plain") == [("table_row", "Name:\tAnna"), ("table_row", "Phone:\t5")]


@settings(max_examples=150, deadline=None)
@given(
    st.text(st.sampled_from("ab1.:|-*>#`~ \t\n\r\f\u2028<![]()é中"), max_size=120),
    st.sampled_from(["markdown", "plain"]),
)
def test_lines_are_in_order_on_any_text(text, markup):
    """On any text the lines of all blocks are in range, in order, apart and without white space at their ends."""
    done = 0
    for block in parse_blocks(text, markup):
        for start, end in block.lines:
            assert done <= start < end <= len(text)
            done = end
            if block.kind != "code":
                assert text[start:end] == text[start:end].strip()


def statements_of(text: str) -> list[str]:
    return [text[s.start : s.end] for s in split_statements(text)]


@pytest.mark.parametrize(
    "struck",
    [
        "~~Cats are allowed.~~",
        "<del>Cats are allowed.</del>",
        "<span style='display:none'>Cats are <span>allowed</span>.</span>",
        "<s class=x>Cats are\nallowed.</s>",
    ],
)
def test_struck_and_hidden_sentences_are_no_statements(struck: str) -> None:
    """What is struck out is not valid, wherever it stands; what stands around it is."""
    text = f"Dogs are allowed. {struck} Birds are not.\n\n{struck}\n\n- {struck}\n- Fish are.\n"
    assert statements_of(text) == ["Dogs are allowed.", "Birds are not.", "Fish are."]


def test_a_price_struck_within_a_sentence_stays_marked() -> None:
    """A statement is a slice: inside of one, the marks say what is struck."""
    assert statements_of("It costs ~~18~~ 14 euros.") == ["It costs ~~18~~ 14 euros."]
    assert statements_of("| a | b |\n|---|---|\n| ~~x~~ | ~~1~~ |\n| y | ~~2~~ 3 |") == ["| y | ~~2~~ 3 |"]


def test_blocks_between_hiding_tags_are_no_statements() -> None:
    """Markdown between tags on lines of their own is struck with them; tags in code strike nothing."""
    assert statements_of("<del>\n\nCats are allowed.\n\n</del>\n\nFish are.") == ["Fish are."]
    code = "```html\n<div hidden>\n```\n\nShown.\n\n`<del>` and ~~~ and `</del>` are tags.\n\n```html\n</div>\n```"
    assert statements_of(code)[1:3] == ["Shown.", "`<del>` and ~~~ and `</del>` are tags."]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_definition_stands_with_its_terms(gap: str) -> None:
    """Pandoc's and MkDocs' definition lists: all terms and their text are one statement, further paragraphs no code."""
    text = f"`-f`\n`--fast`{gap}:   Skips 7 files.\n\nOther{gap}:   It does that.\n\n    It does more.\n"
    assert statements_of(text) == [
        f"`-f`\n`--fast`{gap}:   Skips 7 files.",
        f"Other{gap}:   It does that.\n\n    It does more.",
    ]


def test_a_footnote_of_one_word_is_text() -> None:
    """It is no link definition; notes on lines below each other are one each."""
    assert statements_of("Free.[^1]\n\n[^1]: Adults\n[^b]: Two words\n") == [
        "Free.[^1]",
        "[^1]: Adults",
        "[^b]: Two words",
    ]


def test_a_grid_table_gives_rows_under_its_header() -> None:
    """A row may have several lines; lines of signs are no text."""
    text = "+---+-----+\n| a | b   |\n+===+=====+\n| x | one |\n|   | two |\n+---+-----+\n| y | 3   |\n+---+-----+\n"
    cut = split_statements(text)
    assert [text[s.start : s.end] for s in cut] == ["| x | one |\n|   | two |", "| y | 3   |"]
    assert {text[slice(*s.lead_in[0])] for s in cut} == {"| a | b   |"}


def test_a_numbering_goes_on_behind_its_letters_without_a_blank_line():
    """ "5. Termination" below "(b) shout" is the next clause and no part of the letter."""
    text = "4. Conduct\nVisitors may not:\n(a) smoke\n(b) shout\n5. Termination\nThe contract ends in May.\n"
    assert [(b.section.path, text[b.start : b.end]) for b in parse_blocks(text, "plain")] == [
        (("4. Conduct",), "Visitors may not:"),
        (("4. Conduct",), "(a) smoke"),
        (("4. Conduct",), "(b) shout"),
        (("5. Termination",), "The contract ends in May."),
    ]


def test_bullets_of_typed_texts_open_items() -> None:
    """An "o" with a gap behind it, and the two stars of a second remark, are bullets; words with an "o" are not."""
    text = "Timers:\n\n   o  Open: five seconds\n\n   o  Close: nine seconds\n\n* New members only\n** Not on Sundays\n"
    assert [words for _, words in texts(text, "plain")[1:]] == [
        "Open: five seconds",
        "Close: nine seconds",
        "New members only",
        "Not on Sundays",
    ]
    assert texts("Gates\no then\n\nLocks\n", "plain")[0][1] == "Gates⏎o then"


@pytest.mark.parametrize("head", ["ARTICLE IV", "Art. 5", "§ 6"])
def test_the_number_of_a_clause_above_its_short_name_is_a_heading(head: str) -> None:
    """What follows is not cited under the clause before."""
    text = f"1. TERM\n\nThis lease ends in May.\n\n{head}\nFees\n\nThe fee is due at once.\n"
    assert [block.section.path[-1] for block in parse_blocks(text, "plain")] == ["1. TERM", head, head]


def test_numbers_below_an_unfinished_numbered_line_are_its_list() -> None:
    """As in statutes: "3. dive" below "(2) It is forbidden to" is no third paragraph, and a wrapped date no item."""
    text = "(1) Berths are let.\n(2) It is forbidden to\n1. light fires,\n2. play music,\n3. dive.\n(3) Fees are due.\n"
    rows = {text[s.start : s.end]: [text[a:b] for a, b in s.lead_in] for s in split_statements(text, "plain")}
    for item in ("1. light fires,", "2. play music,", "3. dive."):
        assert rows[item] == ["(2) It is forbidden to"]
    assert rows["(3) Fees are due."] == []
    assert texts("The lease runs to the\n1. May of next year.\n", "plain")[0][1].count("⏎") == 1


def test_a_sentence_below_the_end_of_a_list_is_no_part_of_its_last_item() -> None:
    """ "If you cannot …" stands as far out as the markers, below a short line that ends."""
    text = (
        "You may copy the whole work or a part of it, provided that:\n"
        "(a) you name the author, and\n(b) you charge no fee.\nOtherwise you may not.\n"
    )
    rows = {text[s.start : s.end]: s.lead_in for s in split_statements(text, "plain")}
    assert rows["Otherwise you may not."] == ()
    assert len(rows["(b) you charge no fee."]) == 1
