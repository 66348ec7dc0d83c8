"""How an answer looks as text and as HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app.answer import Answer, Conflict, Drop, Hit, LeadIn, Nearest, Quote, Summary, SummarySentence, Trace
from rag_app.show.explain import explained
from rag_app.show.html.answer_html import as_html
from rag_app.show.html.style import facts_table
from rag_app.show.lines import breadcrumb, cells_of, collapse
from rag_app.show.reasons import reason_in_words
from rag_app.show.render import NEAREST, NOT_ENOUGH, as_text

DOCUMENT = """Leave is 25 days.
Unused days <lapse> in
March & April.
| Band | Pay |
| 1 | 30 € |
| 2 | 40 € |
"""


def quote(text: str, **facts: object) -> Quote:
    """A quote out of DOCUMENT."""
    start = DOCUMENT.index(text)
    given_facts = {
        "document_id": "leave",
        "title": "Leave rules",
        "section": ("Leave rules", "Days"),
        "page": None,
        "source": "leave.md",
        "context": DOCUMENT,
        **facts,
    }
    return Quote(text=text, start=start, end=start + len(text), **given_facts)  # pyright: ignore[reportArgumentType]


def row(text: str, **facts: object) -> Quote:
    """A row of the table in DOCUMENT."""
    head = "| Band | Pay |"
    start = DOCUMENT.index(head)
    return quote(text, kind="table_row", lead_in=(LeadIn(head, start, start + len(head)),), **facts)


def grounded(*quotes: Quote, **facts: object) -> Answer:
    return Answer("How many days?", "grounded", quotes, **facts)  # pyright: ignore[reportArgumentType]


class Seen(HTMLParser):
    """The tags, the visible text and the marked text of a fragment; unbalanced tags fail."""

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.marked: list[str] = []
        self.cells: list[str] = []
        self.feed(fragment)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("mark", "td", "th"):
            (self.marked if tag == "mark" else self.cells).append("")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += data
        if "mark" in self.open:
            self.marked[-1] += data
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def test_text_is_quotes_then_sources() -> None:
    """Quotes are paragraphs with the number of their source; sources follow, one line each."""
    answer = grounded(
        quote("Leave is 25 days.", version="3", effective_date="2025-02-01"),
        quote("Unused days <lapse> in\nMarch & April.", section=("Other",), page=4),
    )
    assert as_text(answer) == (
        "Leave is 25 days. [1]\n\nUnused days <lapse> in March & April. [2]\n\n"
        "[1] Leave rules › Days, version 3, in force since 2025-02-01 — leave.md, characters 0–17\n"
        "[2] Leave rules › Other, page 4 — leave.md, characters 18–55"
    )
    assert str(answer) == as_text(answer)


def test_one_source_has_one_number() -> None:
    """Quotes of one section share a number, whatever stands between them."""
    answer = grounded(
        quote("Leave is 25 days."), quote("| 1 | 30 € |", document_id="pay"), quote("March & April.")
    )  # fmt: skip
    assert re.findall(r"\[(\d)\]\n", as_text(answer)) == ["1", "2", "1"]


def test_a_table_row_comes_with_its_header() -> None:
    """Rows of one table stand under its header once; a row of another table has its own above it."""
    other = row("| 2 | 40 € |", document_id="other")
    assert as_text(grounded(row("| 1 | 30 € |"), row("| 2 | 40 € |"))).count("| Band | Pay |") == 1
    assert as_text(grounded(row("| 1 | 30 € |"), other)).count("| Band | Pay |") == 2


def test_code_keeps_its_lines_and_prose_does_not() -> None:
    """White space is collapsed in prose and kept in code."""
    text = "Unused days <lapse> in\nMarch & April."
    assert "in March" in as_text(grounded(quote(text)))
    assert text in as_text(grounded(quote(text, kind="code")))
    assert "<pre><code>Unused days &lt;lapse&gt; in\nMarch &amp; April.</code></pre>" in as_html(
        grounded(quote(text, kind="code"))
    )


def test_a_footnote_stands_below_what_it_limits() -> None:
    """What limits a statement elsewhere in its document is shown after it."""
    text, note = "The fee is refunded.[^1]", "[^1]: Only if the key is\nreturned."
    limited = Quote(text, "t", "T", (), None, 0, len(text), "t.md", lead_out=(LeadIn(note, 90, 90 + len(note)),))
    shown = as_text(grounded(limited)).splitlines()
    assert shown[:2] == ["The fee is refunded.[^1] [1]", "[^1]: Only if the key is returned."]


def test_columns_of_plain_text_stay_apart() -> None:
    """A row whose columns only wide gaps tell apart is still readable as one."""
    plain = Quote("Porto    120 euros", "t", "T", (), None, 30, 48, "t.txt", kind="table_row",
                  lead_in=(LeadIn("City     A night", 0, 16),))  # fmt: skip
    assert as_text(grounded(plain)).startswith("City | A night\nPorto | 120 euros [1]")
    assert Seen(as_html(grounded(plain))).cells == ["City", "A night", "", "Porto", "120 euros", "1"]


def test_emphasis_is_rendered_where_the_document_is_markdown() -> None:
    """Emphasis and code of a Markdown document are HTML, and of plain text they stay what they are; a link leads to the
    web or nowhere, and no picture, script or tag gets in."""
    text = "**Never** run `rm -rf` on __init__ [here](https://example.com/a?b=$1) or [there](javascript:alert(1)) "
    text += '![x](http://evil/p.png) <img src=x onerror="alert(1)">'
    marked = Quote(text, "d", "D", (), None, 0, len(text), "d.md", markup="markdown", context=text)
    shown = as_html(grounded(marked))
    assert "<strong>Never</strong> run <code>rm -rf</code>" in shown
    assert '<a href="https://example.com/a?b=&#36;1" rel="noopener noreferrer" target="_blank">here</a>' in shown
    assert "img" not in Seen(shown).tags
    assert 'href="javascript' not in shown
    plain = as_html(grounded(replace(marked, markup="plain")))
    assert "**Never** run `rm -rf` on __init__ [here](https" in plain
    assert text in as_text(grounded(marked))


def test_a_terminal_obeys_no_document() -> None:
    """Escape sequences, other control characters and overrides of the direction of writing show and do nothing."""
    text = "Leave\x1b[2J\x1b]0;owned\x07 is \u202e25\u202c\x9b31m days.\x00"
    shown = as_text(grounded(Quote(text, "d", "T\x1b[1m", ("S\x08",), None, 0, 9, "d\x1b")))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]", shown)
    assert "Leave␛[2J␛]0;owned␇ is" in shown
    code = Quote("a\r\n\tb", "d", "T", (), None, 0, 5, "d", kind="code")
    assert as_text(grounded(code)).startswith("a\n\tb [1]")


def test_what_is_missing_and_what_disagrees_is_said() -> None:
    """Parts without an answer, conflicts and a model's summary are reported in text and in HTML, as what they are."""
    one = quote("Leave is 25 days.", effective_date="2025-01-01")
    answer = grounded(
        one,
        missing=("who <approves> it?",),
        summary=Summary((SummarySentence("25 days.", (0,)),)),
        conflicts=(Conflict((one, one), "days"),),
    )
    for shown in (as_text(answer).replace(": who", ":who"), Seen(as_html(answer)).text):
        assert "Not found in the documents:who <approves> it?" in shown
        assert "Summary written by a model from the quotes below: 25 days. " in shown
        assert "The documents disagree about days:" in shown
    assert "“Leave rules” (in force since 2025-01-01): Leave is 25 days." in as_text(answer)
    assert "Leave rulesin force since 2025-01-01Leave is 25 days. 1" in Seen(as_html(answer)).text


def test_a_refusal_is_one_fixed_sentence() -> None:
    """As text a refusal says the same whatever its reason; as HTML also why, and nothing of what was dropped."""
    trace = Trace(dropped=[Drop("rerank", "x", "secret", 0, 9)], warnings=["w"])
    for reason in ("nothing_readable", "below_confidence", "extractive_declined"):
        answer = Answer("q", "insufficient_evidence", reason=reason, trace=trace)
        assert as_text(answer) == NOT_ENOUGH
        shown = Seen(as_html(answer)).text
        assert shown.startswith(NOT_ENOUGH + reason_in_words(answer))
        assert len(reason_in_words(answer)) > 20
        assert "secret" not in shown


def test_what_came_nearest_is_shown_as_no_answer() -> None:
    """A refusal shows what came nearest with its source and likelihood, under a line that says that it is no answer."""
    near = (Nearest(quote("Leave is 25 days."), 0.31),)
    answer = Answer("q", "insufficient_evidence", reason="extractive_declined", nearest=near)
    text, seen = as_text(answer), Seen(as_html(answer))
    assert text.startswith(f"{NOT_ENOUGH}\n\n{NEAREST}\n- Leave is 25 days. (Leave rules › Days — leave.md, 31 %")
    assert f"{NEAREST.rstrip(':')}Leave is 25 days. Leave rules › Days, leave.md, 31 % likely to answer" in seen.text
    assert "blockquote" not in seen.tags


def test_ungrounded_says_so_in_its_first_words() -> None:
    """What a model says from its own knowledge begins with saying that."""
    answer = Answer("q", "ungrounded", own_words="Paris <b>.")
    assert as_text(answer).startswith("Not from the documents")
    assert "<b>" not in as_html(answer)


def test_sources_say_where_each_quote_stands() -> None:
    """A source names the characters of every quote from it, and where its file can be opened, if that is known."""
    one, two = quote("Leave is 25 days."), quote("March & April.")
    own = replace(one, path="leave.md", source="leave.md")
    assert as_text(grounded(one, two)).endswith("— leave.md, characters 0–17, 41–55")
    assert as_text(grounded(own), {"leave": "docs/leave.md"}).endswith("— docs/leave.md, characters 0–17")
    stated = replace(own, source="Personnel, folder 7")
    assert as_text(grounded(stated), {"leave": "docs/leave.md"}).endswith(
        "— Personnel, folder 7\n    docs/leave.md, characters 0–17"
    )
    assert as_text(grounded(stated)).endswith("— Personnel, folder 7 (leave.md), characters 0–17")


@pytest.mark.parametrize(
    ("title", "section", "line"),
    [
        ("Leave", ("Leave", "Days"), "Leave › Days"),
        ("Leave", ("LEAVE", "Days"), "Leave › Days"),
        ("Leave", ("Leave",), "Leave"),
        ("Leave", (), "Leave"),
        ("Leave", ("Days", "Leave"), "Leave › Days"),
    ],
)
def test_a_title_is_said_once(title: str, section: tuple[str, ...], line: str) -> None:
    """A first heading that is the title over again is left out, in whatever letter case."""
    assert breadcrumb(title, section) == line


NASTY = "<script>alert('x')</script> & \"quoted\" <mark>"


def test_html_is_escaped_everywhere() -> None:
    """Nothing of a document, its names or the question becomes markup."""
    nasty = Quote(
        NASTY, NASTY, NASTY, (NASTY,), None, 0, len(NASTY), NASTY, version=NASTY, effective_date=NASTY,
        lead_in=(LeadIn(NASTY, 0, 9),), context=NASTY + "\n",
    )  # fmt: skip
    written = Summary((SummarySentence(NASTY, (0,)),))
    answer = Answer(NASTY, "grounded", (nasty,), (NASTY,), (Conflict((nasty,), NASTY),), summary=written)
    seen = Seen(as_html(answer))
    assert "script" not in seen.tags
    assert seen.text.count("<script>") >= 9
    assert seen.marked == [NASTY]


def test_a_notebook_sees_no_formula() -> None:
    """Two dollar signs stay dollar signs: between bare ones a notebook would typeset a formula."""
    cost = Quote("It costs $5 to $9.", "d", "$ $", (), None, 0, 18, "d", context="It costs $5 to $9.")
    assert "$" not in as_html(grounded(cost))
    assert "It costs $5 to $9." in Seen(as_html(grounded(cost))).text


def test_html_has_chips_sources_and_highlights() -> None:
    """Each quote carries the number of its source, and the source opens its passage with the quote marked."""
    seen = Seen(as_html(grounded(quote("Leave is 25 days."), quote("March & April.", section=("Other",)))))
    assert {"a", "ol", "li", "details", "summary", "mark"} <= seen.tags
    assert seen.marked == ["Leave is 25 days.", "March & April."]
    assert DOCUMENT in seen.text


def test_every_quoted_passage_of_a_section_is_visible() -> None:
    """Where two passages of one section are quoted, both stand under their common source, each with its mark."""
    first, second = "First passage. Short.", "Second passage. Also short."
    quotes = [
        Quote(text, "d", "D", ("S",), None, at, at + len(text), "d", context=context, context_start=at)
        for text, context, at in (("First passage.", first, 0), ("Second passage.", second, 100))
    ]
    seen = Seen(as_html(grounded(*quotes)))
    assert seen.marked == ["First passage.", "Second passage."]
    assert first in seen.text
    assert second in seen.text
    assert as_html(grounded(*quotes)).count("<details>") == 1


def test_rows_are_a_table() -> None:
    """Rows of one table are an HTML table under one header, each with its number; other quotes are not."""
    seen = Seen(as_html(grounded(row("| 1 | 30 € |"), row("| 2 | 40 € |"), quote("Leave is 25 days."))))
    assert seen.cells == ["Band", "Pay", "", "1", "30 €", "1", "2", "40 €", "1"]


def test_what_limits_a_statement_is_shown_with_it() -> None:
    """A footnote stands below its statement, as text and as HTML; below a table once, whatever rows it limits."""
    note = LeadIn("March & April.", 41, 55)
    limited = quote("Leave is 25 days.", lead_out=(note,))
    assert "Leave is 25 days. [1]\nMarch & April." in as_text(grounded(limited))
    assert Seen(as_html(grounded(limited))).text.startswith("Leave is 25 days. 1March & April.")
    rows = Seen(as_html(grounded(*(row(text, lead_out=(note,)) for text in ("| 1 | 30 € |", "| 2 | 40 € |"))))).text
    assert rows.partition("Sources")[0].count("March & April.") == 1


def test_a_row_that_does_not_fit_its_header_is_shown_as_text() -> None:
    """A row with more cells than its header stays one line, so that no cell gets under a wrong column."""
    seen = Seen(as_html(grounded(row("| 1 | 30 € |\n| 2 | 40 € |"))))
    assert seen.cells == []
    assert "| 1 | 30 € |" in seen.text


def test_cells() -> None:
    """An escaped pipe belongs to its cell."""
    assert cells_of(r"| a \| b | c |") == ["a | b", "c"]
    assert cells_of("a | b") == ["a", "b"]
    assert cells_of("Porto\t120 euros") == ["Porto", "120 euros"]


def test_collapse_drops_the_marks_of_a_wrapped_block_quote() -> None:
    """The `>` at the start of a quoted line is no word of the statement; one within a line is."""
    assert collapse("quoted\n> wrapped 3 > 2") == "quoted wrapped 3 > 2"


spans = st.lists(st.tuples(st.integers(0, len(DOCUMENT) - 1), st.integers(1, 20)), min_size=1, max_size=6)


@settings(deadline=None)
@given(spans)
def test_the_passage_stays_whole_whatever_is_marked(places: list[tuple[int, int]]) -> None:
    """Whatever is quoted from it, overlapping or not, the passage below a source is the passage, letter for letter."""
    quotes = [quote(DOCUMENT[start : start + length]) for start, length in places]
    seen = Seen(as_html(grounded(*quotes)))
    assert DOCUMENT in seen.text
    assert all(mark in DOCUMENT for mark in seen.marked)


@settings(deadline=None)
@given(st.text(), st.text(min_size=1), st.text())
def test_any_text_can_be_shown(title: str, text: str, source: str) -> None:
    """No title, text or source breaks the HTML, and none becomes a tag."""
    shown = Seen(as_html(grounded(Quote(text, "d", title, (title,), 1, 0, len(text), source, context=text))))
    assert shown.tags <= {
        "div", "style", "blockquote", "a", "p", "ol", "li", "b", "br", "span", "details", "summary", "mark"
    }  # fmt: skip


def test_explained_tells_the_way() -> None:
    """The explanation names what was found, what each stage dropped and why, the numbers and every warning."""
    trace = Trace(
        retrieved=[Hit("leave", "Leave", ("Leave", "Days"), 0, 9, 0.812)],
        dropped=[
            Drop("rerank", "not among the best 8", "old", 0, 9),
            Drop("rerank", "not among the best 8", "b", 0, 9),
        ],
        numbers={"gate.best_cosine": 0.812},
        milliseconds={"search": 1.25},
        warnings=["No cross-encoder."],
        model_calls=1,
        input_tokens=10,
        output_tokens=2,
    )
    shown = explained(Answer("q", "insufficient_evidence", reason="below_confidence", trace=trace))
    for line in (
        "Status: insufficient_evidence (below_confidence)",
        "   1  Leave › Days [0:9]  cosine 0.812  not kept",
        "  2 by rerank: not among the best 8",
        "Numbers: gate.best_cosine 0.812",
        "Milliseconds: search 1.2",
        "Model: 1 calls, 10 + 2 tokens",
        "Warning: No cross-encoder.",
    ):
        assert line in shown.splitlines()


def test_facts() -> None:
    """A table of facts is escaped too."""
    seen = Seen(facts_table(NASTY, NASTY, {NASTY: NASTY}))
    assert seen.text.count(NASTY) == 4
    assert "script" not in seen.tags
