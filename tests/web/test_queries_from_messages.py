"""Queries for messages as people type them; each of these once lost something."""

import pytest

from rag_app.testing import ScriptedLLM
from rag_app.web.compose import has_anchor
from rag_app.web.intent import IntentGate
from rag_app.web.judging.relevance import judge_results
from rag_app.web.region import load_region
from rag_app.web.search import WebResult

NZ = load_region("nz")


def test_a_new_coach_is_no_new_zealand() -> None:
    """The region's name stands in a query as a whole: another "new" in the message does not stand for half of it."""
    query = IntentGate(NZ).judge("Have the Breakers found a new coach?").search_query
    assert query.endswith("New Zealand")
    assert not has_anchor("Breakers found new coach basketball Zealand", NZ)


def test_an_abbreviation_is_no_question_word() -> None:
    """WHO is not "who", neither in the query nor among what pages must hold."""
    intent = IntentGate(NZ).judge("What did the WHO chief say about vaccines?")
    assert intent.search_query.startswith("WHO chief")
    assert "who" in intent.terms


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("hurricanes score last night?", ()),  # a name that is known, and what is asked about it
        ("Crusaders injury update", ()),
        ("KiwiSaver contribution rate change", ("kiwisaver",)),
        ("tamsin okoro hale", ("tamsin", "okoro", "hale")),  # nobody has a capital: all may be a name
        ("NASA's next moon launch", ("nasa",)),
    ],
)
def test_what_is_asked_about_a_name_is_no_name(message: str, names: tuple[str, ...]) -> None:
    """In a short message only what may be a name counts as one, without the 's of a possessive."""
    assert IntentGate(NZ).judge(message).names == names


def test_other_endings_count() -> None:
    """A page about contributions is about a contribution."""
    intent = IntentGate(NZ).judge("What is the employer contribution rate?")
    page = WebResult("https://www.rnz.co.nz/a", "Rates of employers' contributions", "They go up, and up again.")
    assert judge_results([page], intent, NZ).verdict == "clean"


def test_a_word_of_news_may_be_all_that_is_asked() -> None:
    """Where nothing but a word of news is left, such as protests, pages are checked for it."""
    assert IntentGate(load_region("ge")).judge("Why are there protests in Georgia?").terms == ("protests",)
    assert IntentGate(NZ).judge("Was there a strike in Auckland?").terms == ("auckland",)


def test_a_model_does_not_bring_the_region_into_the_world() -> None:
    """Where a message is plainly about something elsewhere, a model's query does not name the region either."""
    model = ScriptedLLM(['{"allowed": true, "topic": "news", "search_query": "NASA moon launch New Zealand"}'])
    assert IntentGate(NZ, model).judge("When is NASA's next moon launch?").search_query == "NASA moon launch"


@pytest.mark.parametrize(
    ("message", "collisions"),
    [
        ("is spark down", ["Spark"]),
        ("is spark's network down", ["Spark"]),
        ("why has vector cut the power", ["Vector"]),
        ("Spark is down again", ["Spark"]),
        ("Does the Warehouse ship to Australia?", ["The Warehouse"]),
        ("is contact with prisoners allowed", []),
        ("how do i contact the council", []),
        ("Is a spark enough to start a fire?", []),
        ("are farmers protesting", []),
        ("Vector graphics are nice for logos", []),
    ],
)
def test_a_word_of_everyday_language_as_a_name(message: str, collisions: list[str]) -> None:
    """Without a capital it is a name where it is a subject without an article, and "the" of a name needs no capital."""
    intent = IntentGate(NZ).judge(message)
    assert [collision.name for collision in intent.collisions] == collisions
    assert has_anchor(intent.search_query, NZ)


def test_a_possessive_is_the_name() -> None:
    """What is asked of "Meridian's share price" is the share price alone."""
    assert IntentGate(NZ).judge("meridian's share price").terms == ("share", "price")


def test_a_namesake_is_never_answered_from() -> None:
    """Where a colliding word may be meant as a name or not, pages without a sign of the region are not used at all."""
    intent = IntentGate(NZ).judge("can anyone say whether spark goes down often")
    assert not intent.collisions
    abroad = WebResult("https://help.example.com/s", "Does Spark go down often?", "The mail app Spark goes down often.")
    assert judge_results([abroad], intent, NZ).verdict == "suspect"


@pytest.mark.parametrize("region", ["nz", "ge"])
@pytest.mark.parametrize(
    ("message", "is_local"),
    [
        ("Cheapest flights to Australia", True),
        ("Do I need a visa for the United States?", True),
        ("exchange rate to the US dollar", True),
        ("How do I call Australia?", True),
        ("Australia election result", False),
        ("US flights grounded", False),
        ("visa talks between Japan and China", False),  # two other countries: nobody goes from here
        ("war in Ukraine", False),
    ],
)
def test_what_is_done_from_home_is_about_home(message: str, is_local: bool, region: str) -> None:
    """A message that goes from the region to one other country is not plainly international and keeps the anchor."""
    profile = load_region(region)
    intent = IntentGate(profile).judge(message)
    assert (intent.is_local, has_anchor(intent.search_query, profile)) == (is_local, is_local)


@pytest.mark.parametrize("message", ["ALL BLACKS VS FRANCE", "Silver Ferns against Australia tonight"])
def test_a_team_of_the_region_abroad(message: str) -> None:
    """The region's own team against another country is no international question."""
    assert IntentGate(NZ).judge(message).is_local


@pytest.mark.parametrize("wrapped", ["```json\n%s\n``` and a brace }", "Here it is: %s Is {that} right?"])
def test_a_model_that_wraps_its_json(wrapped: str) -> None:
    """A query in a code fence, or in prose with braces, is read."""
    said = '{"allowed": true, "topic": "news", "search_query": "Warriors coach"}'
    intent = IntentGate(NZ, ScriptedLLM([wrapped % said])).judge("Who coaches the Warriors?")
    assert (intent.gate, intent.search_query) == ("model", "Warriors coach rugby league New Zealand")
