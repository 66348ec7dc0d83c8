"""Names that the region's own name is part of are kept whole where the pages confirm them."""

import pytest

from rag_app.web.intent import IntentGate
from rag_app.web.judging.relevance import Judgement, judge_results
from rag_app.web.region import load_region
from rag_app.web.search import WebResult

NZ = load_region("nz")


def judged(message: str, *pages: WebResult, region: str = "nz") -> Judgement:
    profile = load_region(region)
    return judge_results(pages, IntentGate(profile).judge(message), profile)


def page(url: str, title: str, text: str) -> WebResult:
    return WebResult(url, title, text)


BANK = page("https://www.rnz.co.nz/b", "Outage", "Customers of the Bank of New Zealand could not pay on Friday.")
OTHER_BANK = page("https://www.stuff.co.nz/k", "Outage", "An outage hit Kiwi Bank on Friday.")
RESERVE = page("https://www.rbnz.govt.nz/r", "Rates", "The Reserve Bank of New Zealand knows of no outage.")


@pytest.mark.parametrize("message", ["Bank of New Zealand outage", "is the bank of new zealand down"])
def test_a_bank_of_the_region_is_not_any_bank(message: str) -> None:
    """Where a local page holds the whole name, pages of another bank or of a longer name are dropped."""
    judgement = judged(message, OTHER_BANK, RESERVE, BANK)
    assert (judgement.verdict, judgement.usable) == ("clean", (2,))


def test_the_other_names_of_the_region_count() -> None:
    """A page that writes NZ names Air New Zealand."""
    short = page("https://www.rnz.co.nz/a", "Strike off", "Cabin crew of Air NZ are flying again.")
    smog = page("https://www.niwa.co.nz/a", "Clean air", "The air was clean; birds were flying.")
    assert judged("Is Air New Zealand flying today?", smog, short).usable == (1,)


def test_the_region_beside_a_name_is_no_part_of_it() -> None:
    """Where no page holds the whole run of words, each counts for itself as ever."""
    storm = page("https://www.rnz.co.nz/g", "Cyclone Gabrielle", "Cyclone Gabrielle hit Hawke's Bay.")
    assert judged("Cyclone Gabrielle New Zealand", storm).verdict == "clean"


def test_another_region() -> None:
    """Nothing of it depends on the region."""
    museum = page("https://civil.ge/a", "New hall", "The National Museum of Georgia opens a hall in Tbilisi.")
    other = page("https://civil.ge/b", "New hall", "A museum in Batumi is to be a national one, with a new hall.")
    assert judged("National Museum of Georgia hall", other, museum, region="ge").usable == (1,)
