"""Days of publication against what a message asks for, and pages about somebody of the same name."""

from datetime import date
from pathlib import Path

import pytest

from rag_app.web.intent import IntentGate
from rag_app.web.judging.relevance import Judgement, judge_results
from rag_app.web.region import load_region
from rag_app.web.search import WebResult

NZ = load_region("nz")
TODAY = date(2025, 11, 30)


def result(
    day: str | None, text: str = "The Kapiti Island ferry costs 95 dollars.", host: str = "stuff.co.nz"
) -> WebResult:
    return WebResult(f"https://www.{host}/{day}", "Kapiti Island ferry", text[:50], text, published=day)


def judged(message: str, *results: WebResult) -> Judgement:
    return judge_results(results, IntentGate(NZ).judge(message), NZ, TODAY)


@pytest.mark.parametrize(
    ("message", "days", "usable", "verdict"),
    [
        ("Kapiti Island ferry news this week", ("2025-11-28", "2023-03-06"), (0,), "clean"),
        ("Kapiti Island ferry news this week", ("2025-10-01", "2023-03-06"), (0, 1), "weak"),
        ("Kapiti Island ferry delays today", (None, None), (0, 1), "weak"),
        ("What does the Kapiti Island ferry cost now?", ("2023-03-06", "2025-11-03"), (1,), "clean"),
        ("What does the Kapiti Island ferry cost now?", ("2021-03-06",), (0,), "weak"),
        ("What does the Kapiti Island ferry cost?", ("2021-03-06", "2025-11-03"), (0, 1), "clean"),
    ],
)
def test_days_are_held_against_the_message(
    message: str, days: tuple[str | None, ...], usable: tuple[int, ...], verdict: str
) -> None:
    """Newer pages overtake older ones; where none is new enough the answer carries a doubt with the day."""
    found = judged(message, *(result(day, f"The Kapiti Island ferry had delays. {n}") for n, day in enumerate(days)))
    assert (found.usable, found.verdict) == (usable, verdict), found.reasons


def test_a_page_of_nobody_here_is_no_answer() -> None:
    """An unknown name is answered only from pages that carry the region, however many words of it a page has."""
    abroad = result("2025-11-07", "Tamsin Orr won the Scottish chess title in Perth.", "heraldscotland.com")
    assert judged("What did Tamsin Orr win?", abroad).verdict == "suspect"
    assert judged("What did Tamsin Orr win?", abroad).usable == ()


PROFILE = """
code = "lb"
name = "Lebanon"
anchor = "Lebanon Beirut"
native_anchor = "لبنان"
aliases = ["Lebanon", "لبنان"]
country = "lebanon"
signs = ["Lebanese", "Beirut", "لبنان", "بيروت", "Tripoli Lebanon"]
foreign = ["Tennessee", "New Hampshire", "Pennsylvania", "Ohio", "Indiana"]
news_words = ["news", "أخبار"]
news_sites = ["annahar.com", "nna-leb.gov.lb"]
[domains]
suffixes = [".lb"]
hosts = ["annahar.com"]
"""


def test_a_region_by_somebody_else_needs_no_code(tmp_path: Path) -> None:
    """A country of another script that shares its name with a city: searched in its script, never mixed up."""
    file = tmp_path / "lb.toml"
    file.write_text(PROFILE, encoding="utf-8")
    profile = load_region(str(file))
    gate = IntentGate(profile)
    assert "لبنان" in gate.judge("أسعار الخبز").search_query
    intent = gate.judge("bread prices in Lebanon")
    assert "Beirut" in intent.search_query
    city = WebResult(
        "https://www.lebanonreporter.com/a", "Bread", "x", "Bread prices rose in Lebanon, Indiana, on Monday."
    )
    home = WebResult("https://www.annahar.com/a", "Bread", "x", "Bread prices in Lebanon rose, bakers in Beirut said.")
    assert judge_results([city], intent, profile).verdict != "clean"
    assert judge_results([city, home], intent, profile).usable == (1,)
