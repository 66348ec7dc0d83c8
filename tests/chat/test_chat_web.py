"""Conversations over an index with the web behind it, and over documents in force on a day."""

import json
from datetime import date
from pathlib import Path

import pytest
from llama_index.core.base.llms.types import ChatMessage

from rag_app import OpenIndex
from rag_app.settings import load_settings
from rag_app.testing import ScriptedLLM
from tests.index.workbench import Workbench
from tests.search_service import BASKETBALL, KEY, LEAGUE, found, serving
from tests.test_engine_web import COACH, gated, web_of

LEAVE = "How long does parental leave last?"
FOLLOWING = "Why are they in the news?"


@pytest.mark.usefixtures("answers_always")
def test_a_turn_that_the_index_has_nothing_near_is_searched_on_the_web(tiny_office: OpenIndex) -> None:
    """The web's answer is remembered like any other: a follow-up is completed from it, also in a history that was
    handed back, and the web is asked that in the words that were typed."""
    with serving(found(BASKETBALL, LEAGUE)) as service:
        talk = gated(tiny_office).as_chat_engine(llm=None, web=web_of(service))
        assert talk.chat(LEAVE).answer.trace.web is None
        assert service.requests == []
        first = talk.chat(COACH).answer
        assert {quote.source for quote in first.quotes} == {LEAGUE["url"]}
        kept = [ChatMessage.model_validate_json(message.model_dump_json()) for message in talk.chat_history]
        assert LEAGUE["title"] in str(kept[-1].content)
        for history in (None, kept):
            answer = talk.chat(FOLLOWING, chat_history=history).answer
            assert answer.trace.web is not None
            assert answer.understood_as == f"{COACH} {FOLLOWING}"
            assert {quote.source for quote in answer.quotes} == {LEAGUE["url"]}


@pytest.mark.usefixtures("answers_always")
@pytest.mark.parametrize("with_model", [False, True])
def test_no_title_or_sentence_of_a_document_goes_to_the_web(tmp_path: Path, with_model: bool) -> None:
    """A follow-up is completed with titles and, by a model, with words of documents: the web sees neither."""
    bench = Workbench(tmp_path / "index")
    bench.define()
    bench.write("zephyr.md", "# Zephyr scheme\n\nThe bonus of the year pays 7 percent. The Quillon board approves it.")
    bench.build()
    near, far = (
        OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=gate), bench.embedder)
        for gate in (-1.0, 1.0)
    )

    def reply(messages: tuple[tuple[str, str], ...]) -> str:
        said = str(messages)
        if "<conversation>" in said:
            return json.dumps({"question": "And who coaches them, the Warriors of the Quillon board?", "either": []})
        if "search_query" in said:
            return json.dumps({"allowed": True, "topic": "general", "search_query": "", "reason": "a team"})
        return json.dumps({"parts": [{"part": 1, "labels": ["1.1"]}]})

    llm = ScriptedLLM(reply) if with_model else None
    with serving(found(LEAGUE)) as service:
        talk = near.as_chat_engine(llm=llm, web=web_of(service))
        assert "7 percent" in str(talk.chat("What does the bonus of the year pay?"))
        assert service.requests == []
        beside = far.as_chat_engine(llm=llm, web=web_of(service))
        answer = beside.chat("And who coaches them, the Warriors?", chat_history=talk.chat_history)
    assert service.requests
    assert answer.answer.trace.web is not None
    sent = json.dumps([service.requests, service.headers]).lower()
    assert not [word for word in ("zephyr", "quillon", "scheme", "7 percent") if word in sent]
    assert KEY in sent


@pytest.mark.usefixtures("answers_always")
def test_a_turn_may_ask_what_was_in_force_on_a_day(tmp_path: Path) -> None:
    """`as_of` holds for its turn, for follow-ups too, streamed or not; the next turn asks today again."""
    bench = Workbench(tmp_path / "index")
    bench.define()
    for year, rate, before in ((2020, 12, ""), (2023, 15, "rate-2020")):
        bench.write(
            f"rate-{year}.md",
            f"# Mileage rate\n\nThe mileage rate is {rate} cents. It is paid every month.",
            document_id=f"rate-{year}",
            effective_date=f"{year}-01-01",
            **({"supersedes": before} if before else {}),
        )
    bench.build()
    index = OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=-1.0), bench.embedder)
    talk = index.as_chat_engine(llm=None)
    assert "15 cents" in str(talk.chat("What is the mileage rate?"))
    then = talk.chat("And what was it before?", as_of=date(2021, 5, 1))
    assert {quote.document_id for quote in then.answer.quotes} == {"rate-2020"}
    streamed = talk.stream_chat("How much is it?", as_of=date(2021, 5, 1))
    assert "12 cents" in "".join(streamed.response_gen)
    assert "15 cents" in str(talk.chat("How much is it?"))
