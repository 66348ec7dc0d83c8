"""Reports: complete in themselves, escaped, the same each time."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

from rag_app.evaluate.report.plots import bars, curve, histogram
from rag_app.evaluate.report.result_page import as_html, as_markdown
from rag_app.evaluate.report.why import severity, why
from rag_app.evaluate.run.row import Place, QuotedRow, Row
from tests.evaluate.papers import error_row, result, row

NASTY = "<script>alert('x')</script> & \"quoted\" | *bold* {{ 7 * 7 }}"


class Seen(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(page: str) -> Seen:
    parser = Seen()
    parser.feed(page)
    return parser


def nasty():
    one = row(
        "bad", question=NASTY, category=NASTY, strict=False, warnings=(NASTY,), as_name=NASTY,
        quotes=(QuotedRow(NASTY, NASTY, 0, 4, NASTY, 0),), retrieved=(Place(NASTY, 0, 4),),
    )  # fmt: skip
    return result(one, replace(error_row("worse"), error=f"ModelError: {NASTY}"), name=NASTY.replace("/", ""))


def test_everything_from_documents_is_escaped() -> None:
    """No question, quote, title, error or warning becomes markup, in HTML, in a notebook or in Markdown."""
    page = seen(as_html(nasty()))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert NASTY in page.text
    fragment = seen(nasty()._repr_html_())
    assert "script" not in [tag for tag, _ in fragment.tags]
    assert "<script>" not in as_markdown(nasty()).replace("\\<script\\>", "").partition("\n")[2]


def test_a_page_needs_nothing_else() -> None:
    """The page names no other resource, forbids itself to load any, and has its plots inside."""
    page = as_html(result(row("a"), row("b", strict=False)))
    parsed = seen(page)
    assert not [tag for tag, given in parsed.tags if {"src", "href", "srcset", "action"} & given.keys()]
    assert "url(" not in page
    assert "@import" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert ("default-src 'none'") in page
    assert [tag for tag, _ in parsed.tags].count("svg") == 3
    assert "prefers-color-scheme: dark" in page


def test_a_page_is_the_same_each_time() -> None:
    """Equal results make equal pages, byte for byte."""
    rows = (row("a"), row("b", strict=False), error_row("c"))
    assert as_html(result(*rows)) == as_html(result(*rows))
    assert as_markdown(result(*rows)) == as_markdown(result(*rows))


def test_rows_can_be_filtered() -> None:
    """Every row carries category, outcome and reasons, which the page's filters read; the worst row comes first."""
    found = [given for tag, given in seen(as_html(result(row("a"), error_row("b")))).tags if tag == "details"]
    assert [json.loads(given["data-tags"] or "") for given in found] == [
        ["factual", "error", "(wrong)", "(error)"],
        ["factual", "answered", "(right)"],
    ]


def test_what_must_be_known_comes_first() -> None:
    """Missing, failed, retried, degraded and leaking rows are named before any figure."""
    rows = (row("a", retried=True), row("b", degraded=True), row("c", forbidden=("secret",)), error_row("d"))
    text = as_markdown(result(*rows, ids=["a", "b", "c", "d", "e"]))
    before = text.partition("| measure |")[0]
    for words in ("missing and in no figure: e", "Errors: 1", "which flatters: a", "Degraded", "LEAKS", ": c"):
        assert words in before


def test_the_outcome_is_said_in_words() -> None:
    """A report says in sentences how many answers are right, wrongly refused, wrongly given and failed."""
    found = result(row("a"), row("b", strict=False, outcome="refused"), row("c", strict=False), error_row("d"))
    cases = {**found.cases, "c": {**found.cases["c"], "answerable": False}}
    assert (
        "1 of 4 answers are right by the strict rule. Refused although the documents hold an answer: 1 of 3. "
        "Answered although they hold none: 1 of 1. Ended in an error: 1 of 4."
    ) in as_markdown(replace(found, cases=cases))


def test_plots_are_well_formed() -> None:
    """Plots are XML, whatever stands in them; without values there is none."""
    share = {"value": 0.5, "low": 0.25, "high": 0.75}
    for plot in (bars({NASTY: [share, share]}), histogram([1.0, 2.0, 300.0]), curve([(0.5, 0.0), (1.0, 0.25)])):
        assert ET.fromstring(plot).tag == "svg"
    assert histogram([]) == ""


def said(row: Row, case: dict[str, object]) -> list[str]:
    return [reason.sentence for reason in why(row, case)]


def test_why_names_the_first_stage_that_lost_it() -> None:
    """Why a row is not right: not retrieved, not in the evidence, refused, not quoted, wrong or missing facts."""
    case = {
        "answerable": True, "expected_documents": ["d"], "also_right": ["e"], "facts": [["26 days"]],
        "wrong_facts": ["24 days"],
    }  # fmt: skip
    quotes = (QuotedRow("e", "E", 0, 9, "There are 24 days.", 0), QuotedRow("x", "X", 0, 9, "Other.", 0))
    answered = row("a", strict=False, quotes=quotes, evidence_delivered=False)
    assert said(answered, case) == [
        "Retrieved, but not every fact reached the evidence.",
        "Not quoted: d.",
        "Fact not shown: 26 days.",
        "Wrong fact shown: “24 days”.",
        "Quoted besides: x.",
    ]
    refused = row("a", strict=False, outcome="refused", reason="below_confidence", quotes=(), right_retrieved=False)
    assert said(refused, case) == ["Not retrieved: d.", "Refused (below_confidence), although there is an answer."]
    elsewhere = row("a", strict=False, quotes=quotes[1:])
    assert "Answered from other documents alone: x." in said(elsewhere, case)
    order = [severity(one, why(one, case)) for one in (elsewhere, error_row("a"), refused)]
    assert order == sorted(order)  # what misleads comes before what leaves one without an answer
    assert said(error_row("a"), case) == ["Error: ModelTimeout: No reply."]
    assert said(row("a", strict=False), {**case, "answerable": False}) == [
        "Answered, although there is no answer to be had."
    ]


def test_a_command_cannot_break_out_of_markdown() -> None:
    """What was typed is no markup; notes stand apart from each other, and where nothing is wrong it says so."""
    text = as_markdown(result(row("a"), command="rag-app eval --name '`</p><script>\n# big'"))
    assert "Command: rag-app eval --name '\\`\\</p\\>\\<script\\> # big'" in text
    assert "## Not strictly right\n\nNothing.\n" in text
    noted = as_markdown(result(error_row("a"), ids=["a", "b"]))
    assert "\n\n- Not finished: 1 answers are missing" in noted
    assert "\n- Errors: 1 of 1 answers failed: a." in noted
    assert "Nothing." not in noted


def test_a_page_holds_no_control_characters() -> None:
    """Neither a terminal that prints it nor the direction of its text is a question's to steer."""
    page = as_html(result(row("a", question="red \x1b[31m and \u202edesrever \x9b2J")))
    assert "red \ufffd[31m and \ufffddesrever \ufffd2J" in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]", page)
