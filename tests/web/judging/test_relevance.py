"""What a set of web results is worth: on topic, from the right region, and never a namesake."""

import itertools

import pytest

from rag_app.web.intent import Intent, IntentGate
from rag_app.web.judging.relevance import Judgement, better, distinctive_terms, judge_results
from rag_app.web.ladder import ladder
from rag_app.web.region import RegionProfile, load_region
from rag_app.web.search import WebResult

NZ, GE = load_region("nz"), load_region("ge")


def page(url: str, title: str, text: str) -> WebResult:
    return WebResult(url, title, text[:100], text)


LEAGUE = page(
    "https://www.rnz.co.nz/w", "Warriors sign a prop", "The Warriors signed a prop. The NRL club plays on Sunday."
)
NBA = page("https://www.espn.com/w", "Warriors win", "The Golden State Warriors won. Stephen Curry scored 40.")
BARE = page("https://www.example.com/w", "Warriors win again", "The Warriors won again on Saturday, their coach said.")
LOCAL_NBA = page(
    "https://www.stuff.co.nz/nba", "Warriors beat Lakers", "The Golden State Warriors beat the Lakers in the NBA."
)
ABROAD = page(
    "https://www.bbc.com/w", "NZ Warriors", "The New Zealand Warriors of the NRL have signed a prop from Wigan."
)
OTHER_LOCAL = page("https://www.rnz.co.nz/x", "Rates to rise", "Auckland Council will raise rates by 6 percent.")


def judged(message: str, *results: WebResult, profile: RegionProfile = NZ) -> Judgement:
    return judge_results(results, asked(message, profile), profile)


def asked(message: str, profile: RegionProfile = NZ) -> Intent:
    return IntentGate(profile).judge(message)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Hurricanes news New Zealand", ("hurricanes",)),
        ("Christopher Luxon New Zealand news", ("christopher", "luxon")),
        ("Fletcher Building today NZ", ("fletcher", "building")),
        ("The NZ outage", ("outage",)),
        ("Super Rugby New Zealand", ("super", "rugby")),
        ("the Māori Party in Aotearoa", ("maori", "party")),
        ("New Zealand", ()),
    ],
)
def test_distinctive_terms(query: str, terms: tuple[str, ...]) -> None:
    """Each distinctive word for itself: no region, words of news only where nothing else is left, and never a whole run
    of capitals in one."""
    assert distinctive_terms(query, NZ) == terms


@pytest.mark.parametrize(
    ("results", "verdict", "usable"),
    [
        ((LEAGUE, NBA), "clean", (0,)),
        ((NBA, LEAGUE, LOCAL_NBA, BARE), "clean", (1,)),
        ((NBA, BARE), "suspect", ()),
        ((LOCAL_NBA,), "suspect", ()),
        ((LOCAL_NBA, NBA), "suspect", ()),
        ((BARE,), "suspect", ()),
        ((ABROAD,), "weak", (0,)),
        ((ABROAD, LEAGUE), "clean", (0, 1)),
        ((OTHER_LOCAL,), "suspect", ()),
        ((), "empty", ()),
    ],
)
def test_a_name_that_collides(results: tuple[WebResult, ...], verdict: str, usable: tuple[int, ...]) -> None:
    """Clean needs a page of the region that speaks for the local one; a local report on the namesake is none."""
    judgement = judged("Warriors", *results)
    assert (judgement.verdict, judgement.usable) == (verdict, usable)
    assert len(judgement.usable) + len(judgement.dropped) == len(results)
    assert judgement.reasons


def test_what_is_dropped_says_why() -> None:
    """Each result that is not used has its reason."""
    judgement = judged("Warriors", LEAGUE, NBA, BARE, OTHER_LOCAL)
    why = dict(judgement.dropped)
    assert "namesake" in why[1]
    assert "Golden State" in why[1]
    assert "rugby league" in why[2]
    assert "does not name Warriors" in why[3]


def test_never_clean_for_want_of_anything_to_check() -> None:
    """A message that names nothing is weak at best, and suspect where nothing is of the region."""
    assert judged("news", OTHER_LOCAL).verdict == "weak"
    assert judged("news", NBA).verdict == "suspect"


def test_a_run_of_capitals_is_no_term() -> None:
    """A page need not hold a query's capitalised words in a row, and may leave a first name out."""
    text = (
        "Luxon said in Wellington that the budget was on track. The prime minister, Christopher Luxon, leads National."
    )
    budget = page("https://www.rnz.co.nz/b", "Budget on track", text)
    assert judged("Christopher Luxon Budget National Party", budget).verdict == "clean"
    three = page("https://www.rnz.co.nz/c", "Te Pāti Māori", "Debbie Ngarewa-Packer of Te Pāti Maori spoke.")
    assert judged("Debbie Ngarewa-Packer speech", three).verdict == "clean"


@pytest.mark.parametrize(
    "host", ["www.govt.nz", "www.otago.ac.nz", "www.consumer.org.nz", "health.govt.nz", "newsroom.co.nz"]
)
def test_every_second_level_is_local(host: str) -> None:
    """A page of the government or a university is as local as one of a company."""
    wage = page(f"https://{host}/wage", "Minimum wage", "The minimum wage is 23.50 dollars an hour.")
    assert judged("what is the minimum wage", wage).verdict == "clean"


def test_somebody_whom_only_others_write_about() -> None:
    """A name on pages that say nothing of the region is suspect, a full name too: it may be a namesake."""
    singer = page("https://www.bbc.com/t", "Taylor Swift tours", "Taylor Swift announced a tour of forty cities.")
    at_home = page("https://www.bbc.com/u", "Taylor Swift tours", "Taylor Swift announced two evenings in Auckland.")
    assert judged("Taylor Swift", singer).verdict == "suspect"
    assert (judged("Taylor Swift", singer, at_home).verdict, judged("Taylor Swift", singer, at_home).usable) == (
        "weak",
        (1,),
    )
    assert judged("Adele", page("https://www.bbc.com/a", "Adele", "Adele sings.")).verdict == "suspect"


def test_a_hurricane_is_not_the_hurricanes() -> None:
    """A name has no other endings: the storm is not the team, nor is a ranger the Rangers."""
    storm = page("https://www.rnz.co.nz/s", "Hurricane Otto", "A hurricane hit Florida. Northland is safe.")
    ranger = page("https://www.rnz.co.nz/r", "A ranger in Fiordland", "The ranger counts birds in New Zealand.")
    assert judged("Hurricanes", storm).verdict == "suspect"
    assert judged("Rangers", ranger).verdict == "suspect"


def test_an_idea_needs_pages_of_the_region() -> None:
    """For a question about an idea, pages of the region are clean, pages of others weak, and only the former are used
    where there are both."""
    here = page("https://www.sorted.org.nz/c", "Compound interest", "Compound interest is interest on interest.")
    there = page("https://www.investopedia.com/c", "Compound interest", "Compound interest is interest on interest.")
    assert judged("what is compound interest", here).verdict == "clean"
    assert judged("what is compound interest", there).verdict == "weak"
    assert judged("what is compound interest", there, here).usable == (1,)


def test_an_international_question() -> None:
    """Where the message is plainly international no page need be of the region, but each must hold what is asked."""
    cup = page("https://www.bbc.com/c", "World Cup final", "France won the World Cup final against Spain.")
    judgement = judged("did France win the World Cup", cup, OTHER_LOCAL)
    assert (judgement.verdict, judgement.usable) == ("clean", (0,))
    assert judged("did France win the World Cup", OTHER_LOCAL).verdict == "suspect"


def test_a_region_whose_own_name_is_a_namesakes() -> None:
    """The name alone does not show that a page is about the country; a town, or its own script, does."""
    state = page(
        "https://www.ajc.com/p", "Georgia protests", "Protests in Georgia went on. Brian Kemp spoke in Atlanta."
    )
    bare = page("https://www.example.com/p", "Protests in Georgia", "Protests in Georgia went on for a third night.")
    country = page("https://www.bbc.com/p", "Protests in Georgia", "Protests went on in Tbilisi, Georgia.")
    own = page("https://netgazeti.ge/p", "აქცია", "თბილისში აქცია გრძელდება. საქართველოს პარლამენტი ღამით შეიკრიბა.")
    judgement = judged("Georgia protests", state, bare, profile=GE)
    assert (judgement.verdict, judgement.usable) == ("suspect", ())
    assert judged("Georgia protests", state, country, profile=GE).usable == (1,)
    assert judged("აქცია თბილისში", own, profile=GE).verdict == "clean"


def test_the_other_place_of_the_regions_name() -> None:
    """A message that says which of the two it means is answered from pages about that one alone."""
    state = page(
        "https://www.ajc.com/p", "Peach harvest", "The peach harvest in Georgia was good, growers near Macon say."
    )
    unsaid = page("https://www.example.com/p", "Peach harvest", "The peach harvest was the best in five years.")
    country = page("https://bm.ge/p", "Peach harvest", "The peach harvest in Kakheti, Georgia, was sold to neighbours.")
    for message in ("peach harvest in the US state of Georgia", "peach harvest in Georgia, the U.S. state"):
        assert judged(message, country, state, unsaid, profile=GE).usable == (1, 2)
    assert judged("peach harvest in Georgia", country, state, profile=GE).usable == (0,)


def test_the_namesake_of_the_region_alone_is_no_answer() -> None:
    """Where every page speaks of the other place, or names the region without a sign of it, nothing is used."""
    house = page("https://www.ajc.com/v", "Budget vote", "The House in Atlanta passed the budget after a vote.")
    bare = page("https://www.example.com/v", "Budget vote", "Georgia lawmakers passed the budget after a vote.")
    assert judged("Georgia budget vote", house, bare, profile=GE).verdict == "suspect"


def test_the_rest_of_a_name_is_not_the_name() -> None:
    """Of a name with a word that no dictionary has, a page must hold such a word."""
    other = page("https://www.rnz.co.nz/h", "Kaimai Hill Road shut", "The Kaimai Hill Road is closed by snow.")
    own = page("https://www.rnz.co.nz/r", "Remutaka Hill", "The road over the Remutaka Hill is closed by a slip.")
    assert judged("Is the Remutaka Hill Road closed?", other, own).usable == (1,)
    assert judged("Is the Remutaka Hill Road closed?", other).verdict == "suspect"
    assert judged(
        "aukland trains cancelled", page("https://www.rnz.co.nz/t", "Trains", "Trains in Auckland were cancelled.")
    ).usable == (0,)


def test_better() -> None:
    """Verdicts are compared first, then how much is usable."""
    ranked = [
        judged("Warriors", LEAGUE, ABROAD),
        judged("Warriors", LEAGUE),
        judged("Warriors", ABROAD),
        judged("Warriors", NBA),
        judged("Warriors"),
    ]
    for one, other in itertools.pairwise(ranked):
        assert better(one, other)
        assert not better(other, one)


def test_tags_and_entities_do_not_hide_a_name() -> None:
    """Names are found in pages that still are HTML, and scripts of any kind do no harm."""
    html = page(
        "https://www.rnz.co.nz/h", "The <b>War</b>riors", "<p>The&nbsp;<b>Warriors</b> signed &amp; paid. NRL.</p>"
    )
    chinese = page("https://www.rnz.co.nz/zh", "勇士队", "勇士队在奥克兰赢了。" * 50)
    assert judged("Warriors", chinese, html).usable == (1,)


def test_the_ladder() -> None:
    """At most four searches: as composed, the name quoted, news sites alone, the other topic more thoroughly."""
    rungs = ladder(asked("why are the Warriors in the news?"), NZ)
    assert [name for name, _ in rungs] == ["as composed", "quoted name", "news sites", "other topic"]
    first, quoted, sites, other = (request for _, request in rungs)
    assert first.topic == "news"
    assert first.country == "new zealand"
    assert first.depth == "basic"
    assert quoted.query == '"Warriors" rugby league New Zealand'
    assert sites.include_domains == NZ.news_sites
    assert (other.topic, other.depth) == ("general", "advanced")
    assert ladder(asked("Jacinda Ardern"), NZ)[1][1].query == '"Jacinda Ardern" New Zealand'


def test_the_ladder_of_an_international_question() -> None:
    """No country is preferred and no local sites are searched; where nothing is named, nothing is quoted."""
    rungs = ladder(asked("what do global share markets do worldwide"), NZ)
    assert [name for name, _ in rungs] == ["as composed", "other topic"]
    assert all(not request.country and not request.include_domains for _, request in rungs)
