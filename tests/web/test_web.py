"""Searching the web over the real client: the ladder, what is kept of it, and trouble."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from llama_index.core.schema import QueryBundle
from tenacity import wait_none

from rag_app.errors import DefinitionError, SearchQuota, SearchThrottled, SearchTimeout, SearchUnreachable, UsageError
from rag_app.llm import RetryPolicy
from rag_app.question import Question
from rag_app.settings import load_settings
from rag_app.testing import TinyEmbedding
from rag_app.text.nodes import COSINE
from rag_app.web.region import load_region
from rag_app.web.tavily import TavilyBackend
from rag_app.web.web_engine import WebSearch
from rag_app.web.web_retriever import WebSearchRetriever
from tests.search_service import (
    AT_HOME_ABOUT_THE_OTHERS,
    BASKETBALL,
    KEY,
    LEAGUE,
    Answering,
    Reply,
    Service,
    found,
    page,
    serving,
)

WHEN = datetime(2025, 11, 30, 2, 46, tzinfo=UTC)
AT_ONCE = RetryPolicy(attempts=2, wait=wait_none())
ABROAD = page(
    "https://www.bbc.com/nrl", "NZ Warriors win", "The New Zealand Warriors won in Wigan. The NRL club flew home."
)


def over(service: Service, **knobs: Any) -> WebSearchRetriever:
    return WebSearchRetriever(
        TavilyBackend(api_key=KEY, base_url=service.url),
        load_region("nz"),
        embedder=TinyEmbedding(),
        settings=load_settings(**knobs),
        now=lambda: WHEN,
        policy=AT_ONCE,
    )


def by_rung(**replies: Reply) -> Answering:
    """Answers by the step of the ladder: composed, quoted, sites, other; `rest` for what is not named."""

    def answer(request: dict[str, Any]) -> Reply:
        if "include_domains" in request:
            rung = "sites"
        elif '"' in request["query"]:
            rung = "quoted"
        else:
            rung = "other" if request["search_depth"] == "advanced" else "composed"
        return replies.get(rung, replies.get("rest", found()))

    return answer


def test_clean_at_once() -> None:
    """Clean results need one search; passages of pages about the namesake are left out, also from a local paper."""
    question = Question("why are the Warriors in the news?")
    with serving(found(BASKETBALL, LEAGUE, AT_HOME_ABOUT_THE_OTHERS)) as service:
        nodes = over(service).retrieve(question)
    assert service.queries == ["Warriors rugby league New Zealand"]
    assert {node.node.metadata["source"] for node in nodes} == {LEAGUE["url"]}
    web = question.trace.web
    assert web is not None
    assert (web.verdict, web.region, web.backend, web.gate, web.kept) == ("clean", "nz", "tavily", "profile", 0)
    assert web.attempts[0].found == 3
    assert web.attempts[0].local == 2
    assert question.trace.searches == service.queries
    assert {drop.document_id for drop in question.trace.dropped} == {BASKETBALL["url"], AT_HOME_ABOUT_THE_OTHERS["url"]}
    assert question.is_open


def test_the_ladder_is_climbed_until_it_is_clean() -> None:
    """Each step is tried while nothing clean was found, and what every one was worth stands in the trace."""
    question = Question("Warriors")
    with serving(by_rung(composed=found(BASKETBALL), quoted=found(), sites=found(LEAGUE))) as service:
        nodes = over(service).retrieve(question)
    web = question.trace.web
    assert web is not None
    assert [(a.rung, a.verdict) for a in web.attempts] == [
        ("as composed", "suspect"),
        ("quoted name", "empty"),
        ("news sites", "clean"),
    ]
    assert web.kept == 2
    assert nodes[0].node.metadata["source"] == LEAGUE["url"]


def test_the_ladder_ends() -> None:
    """Four searches at most; the best set seen is kept, not the last; a weak one is used with a warning."""
    question = Question("Warriors")
    with serving(by_rung(quoted=found(ABROAD, BASKETBALL), rest=found(BASKETBALL))) as service:
        nodes = over(service).retrieve(question)
    web = question.trace.web
    assert web is not None
    assert len(service.requests) == len(web.attempts) == 4
    assert (web.kept, web.verdict) == (1, "weak")
    assert {node.node.metadata["source"] for node in nodes} == {ABROAD["url"]}
    assert "may not be what is asked for" in question.trace.warnings[0]
    assert not question.is_open


@pytest.mark.parametrize(
    ("reply", "refusal", "verdict"),
    [
        (found(BASKETBALL, AT_HOME_ABOUT_THE_OTHERS), "nothing_relevant", "suspect"),
        (found(), "nothing_found", "empty"),
        (found(page("javascript:x", "Warriors", "Warriors NRL")), "nothing_found", "empty"),
    ],
)
def test_nothing_is_answered_from_a_suspect_set(reply: Reply, refusal: str, verdict: str) -> None:
    """Where only namesakes or nothing were found, no passage comes back, and the question knows why."""
    question = Question("Warriors")
    with serving(reply) as service:
        assert over(service).retrieve(question) == []
    assert question.refusal == refusal
    assert question.trace.web is not None
    assert question.trace.web.verdict == verdict


def test_what_is_not_for_search() -> None:
    """A message without a word leaves the machine quiet."""
    question = Question("?!")
    with serving(found(LEAGUE)) as service:
        assert over(service).retrieve(question) == []
    assert service.requests == []
    assert question.refusal == "not_for_search"


def test_trouble_for_a_moment_is_tried_again() -> None:
    """Throttling is tried once more; what was paid out is not."""
    with serving([Reply({}, 429), found(LEAGUE)]) as service:
        assert over(service).retrieve(Question("Warriors"))
    with serving(Reply({}, 429)) as service, pytest.raises(SearchThrottled):
        over(service).retrieve(Question("Warriors"))
    assert len(service.requests) == 2
    with serving(Reply({}, 432)) as service, pytest.raises(SearchQuota):
        over(service).retrieve(Question("Warriors"))
    assert len(service.requests) == 1


def test_trouble_is_never_a_refusal() -> None:
    """A later step that fails is an error where nothing usable was found before, and a warning where something was."""
    with (
        serving(by_rung(composed=found(BASKETBALL), rest=Reply({}, 503))) as service,
        pytest.raises(SearchUnreachable, match="503"),
    ):
        over(service).retrieve(Question("Warriors"))
    question = Question("Warriors")
    with serving(by_rung(composed=found(ABROAD), rest=Reply({}, 503))) as service:
        assert over(service).retrieve(question)
    assert any("not searched further" in warning and "503" in warning for warning in question.trace.warnings)


def test_the_time_for_searching_ends() -> None:
    """All searches of a question share one time."""
    with serving(Reply({"results": []}, pause=0.15)) as service, pytest.raises(SearchTimeout):
        over(service, web_seconds=0.4).retrieve(Question("Warriors"))


def test_how_much_is_measured() -> None:
    """Only so many passages are embedded, no page crowds out the others, and each node that comes back is measured."""
    long = "\n\n".join(
        f"The Warriors of the NRL won match {n} at home. " + "They trained hard. " * 20 for n in range(30)
    )
    question = Question("who won match 7 and when do the Warriors train?")
    with serving(found(page("https://a.nz/long", "Warriors long", long), LEAGUE)) as service:
        nodes = over(service, web_passages=8).retrieve(question)
    assert 0 < len(nodes) <= 4
    for found_node in nodes:
        facts = found_node.node.metadata
        assert -1 <= facts[COSINE] <= 1
    assert {drop.stage for drop in question.trace.dropped} == {"web"}


def test_in_anybodys_engine() -> None:
    """A plain QueryBundle works; an empty one is an error, and nothing is sent."""
    with serving(found(LEAGUE)) as service:
        assert over(service).retrieve(QueryBundle("Warriors coach"))
        with pytest.raises(UsageError):
            over(service).retrieve(QueryBundle(" "))
    assert len(service.requests) == 1


def test_async_does_the_same() -> None:
    """The asynchronous retriever climbs the same ladder to the same passages."""
    answers = by_rung(composed=found(BASKETBALL), quoted=Reply({}, 500), rest=found(LEAGUE))
    with serving(by_rung(composed=found(BASKETBALL), sites=found(LEAGUE))) as service:
        one, other = Question("Warriors"), Question("Warriors")
        nodes = over(service).retrieve(one)
        again = asyncio.run(over(service).aretrieve(other))
    assert [n.node.node_id for n in nodes] == [n.node.node_id for n in again]
    assert one.trace.web == other.trace.web
    with serving(answers) as service, pytest.raises(SearchUnreachable, match="500"):
        asyncio.run(over(service).aretrieve(Question("Warriors")))


def test_the_region_must_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no region by default; a setting may name one."""
    backend = TavilyBackend(api_key=KEY)
    with pytest.raises(DefinitionError, match=r"Say for which region.*ge, nz"):
        WebSearch(backend=backend).retriever(TinyEmbedding(), load_settings())
    monkeypatch.setenv("RAG_APP_REGION", "ge")
    retriever = WebSearch(backend=backend).retriever(TinyEmbedding(), load_settings())
    assert "intent_gate:intent" in retriever.get_prompts()
