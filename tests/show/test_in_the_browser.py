"""An answer's page as a person meets it: in a real browser, by eye, by keyboard and by screen reader."""

from pathlib import Path

import pytest

from rag_app.answer import Answer, Conflict, LeadIn, Quote, Trace
from tests.browser import Tab, browsing, needs_browser

TEXT = """# Leave

Everybody gets **25 days** of leave (see `leave.xlsx`). They cost $5 to $9. <img src=http://127.0.0.1:9/x>

| Band | Pay a month in the year to which this table applies | Allowance_of_one_long_unbroken_word_for_narrow_screens |
| 1 | 3,000 € | none |
"""
CONTRAST = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const over = (top, under) => { const a = top[3] ?? 1; return [0, 1, 2].map(i => top[i] * a + under[i] * (1 - a)) };
  const ground = e => e ? over(rgb(getComputedStyle(e).backgroundColor), ground(e.parentElement)) : BASE;
  const fade = e => e ? +getComputedStyle(e).opacity * fade(e.parentElement) : 1;
  const light = c => c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const BASE = rgb(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = 21;
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || ['STYLE', 'SCRIPT'].includes(e.tagName)) continue;
    const under = ground(e), color = rgb(getComputedStyle(e).color);
    const shown = over([...color.slice(0, 3), (color[3] ?? 1) * fade(e)], under);
    const [a, b] = [light(shown), light(under)].sort((x, y) => y - x);
    least = Math.min(least, (a + .05) / (b + .05));
  }
  return least;
})()"""


def quote(text: str, **facts: object) -> Quote:
    start = TEXT.index(text)
    known: dict[str, object] = {
        "document_id": "leave", "title": "Leave rules", "section": ("Leave",), "page": None, "source": "leave.md",
        "markup": "markdown", "context": TEXT, **facts,
    }  # fmt: skip
    return Quote(text=text, start=start, end=start + len(text), **known)  # pyright: ignore[reportArgumentType]


def an_answer() -> Answer:
    head = TEXT.splitlines()[4]
    days = quote("Everybody gets **25 days** of leave (see `leave.xlsx`).", version="3", effective_date="2025-02-01")
    row = quote(
        "| 1 | 3,000 € | none |", kind="table_row", lead_in=(LeadIn(head, TEXT.index(head), 0),), page=4, path="x.pdf"
    )
    page = quote(
        "They cost $5 to $9.", document_id="web", title="Costs", source="https://example.com/costs",
        retrieved="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    trace = Trace(milliseconds={"embed question": 8.0, "rerank": 40.0, "draft": 2.0, "total": 50.0}, model_calls=1)
    trace.warn("The cross-encoder could not be loaded.")
    return Answer(
        "How many days?", "grounded", (days, row, page), ("who approves?",), (Conflict((days, page), "days"),),
        trace=trace,
    )  # fmt: skip


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory):
    with browsing(tmp_path_factory.mktemp("browser")) as found:
        yield found


@needs_browser
@pytest.mark.parametrize("answer", [an_answer(), Answer("q?", "insufficient_evidence", reason="model_declined")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_is_legible(tab: Tab, tmp_path: Path, answer: Answer, scheme: str) -> None:
    """On a narrow screen nothing runs out of the page, and in light and dark every text stands out from what is behind
    it (contrast of 4.5 at least); nothing is loaded but the page itself."""
    file = answer.save_html(tmp_path / "answer.html")
    tab.look(360, scheme)
    tab.loaded.clear()
    tab.open(file.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert tab.evaluate(CONTRAST) >= 4.5
    assert tab.loaded == [file.as_uri()]
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 18, 18)"
    )


@needs_browser
def test_keyboard_and_screen_reader(tab: Tab, tmp_path: Path) -> None:
    """A chip is reached by the tabulator and leads to its source, the return key unfolds the passage with the quote
    marked in it, and a screen reader finds named links, lists and tables."""
    file = an_answer().save_html(tmp_path / "answer.html", files={"leave": str(tmp_path / "my leave.pdf")})
    tab.look(1000, "light")
    tab.open(file.as_uri())
    tab.press("Tab", 9)
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "source 1"
    tab.press("Enter", 13, "\r")
    tab.wait("document.querySelector('li:target') !== null")
    for _ in range(2):  # the link to the file, then the fold
        tab.press("Tab", 9)
    assert tab.evaluate("document.activeElement.tagName") == "SUMMARY"
    tab.press("Enter", 13, "\r")
    tab.wait("document.querySelector('li:target details').open")
    assert tab.evaluate("document.querySelector('li:target mark').innerText").startswith("Everybody gets **25 days**")
    assert {"source 1", "source 2", "source 3", "leave.md", "https://example.com/costs"} <= set(tab.names("link"))
    assert "Sources" in tab.names("list")
    assert any(name.startswith("Pay a month") for name in tab.names("columnheader"))
    links = tab.evaluate("[...document.querySelectorAll('li[id] > span a')].map(each => each.href)")
    assert links[0].endswith(
        "/my%20leave.pdf#:~:text=Everybody%20gets%2025%20days%20of%20leave%20%28see%20leave.xlsx%29."
    )
    assert links[1].endswith("/my%20leave.pdf#page=4")
    assert links[2] == "https://example.com/costs#:~:text=They%20cost%20%245%20to%20%249."
