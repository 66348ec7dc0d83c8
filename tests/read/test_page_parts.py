"""Parts of HTML pages that are made by roles, scripts and inner pages."""

from rag_app.read.html.html_file import html_to_markdown, read_html
from rag_app.text.footnotes import whole_statements


def shown(html: str) -> list[str]:
    """Each statement with what it depends on before it."""
    text = html_to_markdown(html)[1]
    return [" | ".join(" ".join(text[a:b].split()) for a, b in (*s.lead_in, s.span)) for s in whole_statements(text)]


def test_what_details_say_is_said_under_their_summary() -> None:
    """An answer comes with its question, also its second paragraph; a list before the details does not introduce it."""
    html = (
        "<p>Bring:</p><ul><li>Keys</li></ul><details><summary>Is there a refund?</summary><p>No.</p></details>"
        "<details><summary>Field team</summary><p>Up to 900 euros.</p><p>No approval is needed.</p></details>"
    )
    assert shown(html)[2:] == [
        "Is there a refund? No.",
        "Field team",
        "Field team | Up to 900 euros.",
        "Field team | No approval is needed.",
    ]


def test_each_panel_of_tabs_stands_under_the_label_of_its_tab() -> None:
    """Found by the id that a tab controls, by the order of panels, and by the labels before or above panels."""
    by_id = (
        "<ul role=tablist><li><button role=tab data-bs-target='#a'>Rail</button></li><li>"
        "<a role=tab href='#b'>Air</a></li></ul><div><div id=a role=tabpanel>Book 7 days ahead.</div>"
        "<div id=b role=tabpanel hidden>Book 21 days ahead.</div></div>"
    )
    by_order = (
        "<div><ul role=tablist><li role=tab>Rail</li><li role=tab>Air</li></ul><div>"
        "<div role=tabpanel>Book 7 days ahead.</div><div role=tabpanel hidden>Book 21 days ahead.</div></div></div>"
    )
    above = (
        "<input type=radio id=a checked><input type=radio id=b><div><label for=a>Rail</label>"
        "<label for=b>Air</label></div><div><div>Book 7 days ahead.</div><div>Book 21 days ahead.</div></div>"
    )
    before = (
        "<div><input type=radio id=a><label for=a>Rail</label><div>Book 7 days ahead.</div>"
        "<input type=radio id=b><label for=b>Air</label><div>Book 21 days ahead.</div></div>"
    )
    for html in (by_id, by_order, above, before):
        assert shown(html) == ["Rail: Book 7 days ahead.", "Air: Book 21 days ahead."]


def test_elements_whose_roles_make_a_table_are_one() -> None:
    """Each value stands in its row, under its column."""
    row = "<div role=row><span role=cell>{}</span><span role=cell>{}</span></div>"
    head = "<div role=row><span role=columnheader>Plan</span><span role=columnheader>Users</span></div>"
    html = f"<div role=table>{head}{row.format('Basic', 5)}{row.format('Pro', 50)}</div>"
    assert shown(html) == ["| Plan | Users | | | Basic | 5 |", "| Plan | Users | | | Pro | 50 |"]


def test_a_header_may_begin_with_an_empty_cell() -> None:
    """The names of the columns are the header of rows that begin with their own names."""
    html = "<table><tr><td></td><th>2024</th><th>2025</th></tr><tr><th>Costs</th><td>7</td><td>9</td></tr></table>"
    assert shown(html) == ["| | 2024 | 2025 | | | Costs | 7 | 9 |"]


def test_a_raised_letter_is_the_sign_of_a_note() -> None:
    """The row is shown with the note that limits it, and the letter is no part of the figure."""
    rows = "<tr><th>Zone</th><th>Fee</th></tr><tr><td>A</td><td>7.30<sup>b</sup></td></tr>"
    html = f"<table>{rows}</table><p><sup>b</sup> On Mondays.</p>"
    text = html_to_markdown(html)[1]
    assert [text[a:b] for a, b in whole_statements(text)[0].lead_out] == ["ᵇ On Mondays."]


def test_a_page_within_a_page_is_read_where_it_is_written_out() -> None:
    """The text of `srcdoc` stands where the frame does."""
    assert shown("<p>One.</p><iframe srcdoc='&lt;p>Two.&lt;/p>'></iframe><p>Three.</p>") == ["One.", "Two.", "Three."]


def test_parts_without_text_are_named() -> None:
    """Words of drawings, films and embedded files do not vanish without a word; what is hidden is not named."""
    html = (
        "<p>One.</p><svg><text>Submit</text><text>Wait 3 days</text></svg><video src=tour.mp4></video>"
        "<svg><path/></svg><object data=rates.pdf></object><iframe src='https://maps.example' title='Map'></iframe>"
        "<div hidden><video src=x.mp4></video></div>"
    )
    notes = " ".join(read_html(html.encode()).notes)
    assert [w for w in ("Submit Wait 3 days", "tour.mp4", "rates.pdf", "Map") if w not in notes] == []
    assert "x.mp4" not in notes


def test_ticked_tasks_keep_their_state() -> None:
    """Confluence ticks a task by a class."""
    html = "<ul><li data-inline-task-id=1 class=checked>Publish</li><li data-inline-task-id=2>Order</li></ul>"
    assert shown(html) == ["[x] Publish", "[ ] Order"]


def test_content_that_a_control_of_a_div_expands_is_kept() -> None:
    """A class may say that what follows opens by a click."""
    html = "<div class=expand-control>Pay</div><div style='display:none'>It is paid with 150 euros.</div>"
    assert shown(html)[-1].endswith("It is paid with 150 euros.")


def test_lists_of_two_kinds_are_two_lists() -> None:
    """What introduces bullets does not introduce the letters below them."""
    assert shown("<p>Bring:</p><ul><li>keys</li></ul><ol type=a><li>first</li></ol>") == [
        "Bring:",
        "Bring: | keys",
        "a. first",
    ]


def test_switches_and_links_of_a_theme_are_no_text() -> None:
    """Boxes that open menus and links past the navigation leave no trace; a box of the page's form does."""
    html = (
        "<body><input type=checkbox id=__nav><a class=skip-to-content href='#m'>Skip to content</a>"
        "<p><input type=checkbox> Breakfast</p></body>"
    )
    assert shown(html) == ["[ ] Breakfast"]


def test_words_that_styles_write_are_read() -> None:
    """A unit behind a figure, a label before a sentence; no bullets, icons or hidden words."""
    css = (
        ".price::after{content:' \\20AC'} .new:before{content:\"New:\";margin-right:4px} li::before{content:'•'}"
        "@media print{p::after{content:'printed'}} .i::before{font-family:Material Icons;content:'home'}"
        ".x::before{content:'secret';display:none} .y::after{content:attr(href)} p:hover::after{content:'tip'}"
    )
    html = (
        f"<style>{css}</style><p class=new>A night costs <b class=price>95</b>.</p><ul><li class=i>One</li></ul>"
        "<p class='x y'>Two.</p>"
    )
    assert shown(html) == ["New: A night costs 95 €.", "One", "Two."]


def test_words_outside_of_the_cells_of_a_table_in_a_heading_are_kept() -> None:
    """A heading is one line, in which such a table has no rows."""
    assert html_to_markdown("<h1><div><table>Fees 2024") == ("Fees 2024", "# Fees 2024\n")
