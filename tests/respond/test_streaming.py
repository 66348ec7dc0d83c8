"""Answers as they come: typed events, and LlamaIndex's streaming responses over them."""

import asyncio
import json
import random
from typing import Any

import pytest
from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse

from rag_app import OpenIndex, StreamingQueryEngine
from rag_app.answer import Answer
from rag_app.errors import ModelRejected, UsageError
from rag_app.respond.events import Disagreement, Done, Event, Quoted, Refused, Retrieved, Searching, Summarised
from rag_app.respond.query_engine import announced
from rag_app.respond.streamed_text import TextInPieces
from rag_app.settings import load_settings
from rag_app.steps import Flow, Step, held_back, run, stream
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.testing import ScriptedLLM
from tests.synthesize.turns import BONUS, LEAVE, SHARE, nodes_of, said

QUESTION = "How long does parental leave last, and who approves it?"


def quotes_in(events: list[Event]) -> list[Any]:
    return [event.quote for event in events if isinstance(event, Quoted)]


def answer_in(events: list[Event]) -> Answer:
    assert isinstance(events[-1], Done)
    assert not any(isinstance(event, Done) for event in events[:-1])
    return events[-1].response.answer


def text_of(events: list[Event]) -> str:
    text = TextInPieces()
    return "".join(map(text.piece, events))


def test_events_come_in_the_order_of_the_stages(tiny_office: OpenIndex, answers_always: None) -> None:
    """A search, what it found, the quotes, the response; sync and async alike, and alike to `query`."""
    engine = tiny_office.as_query_engine(llm=None)
    events = list(engine.stream(QUESTION))
    assert isinstance(events[0], Searching)
    assert isinstance(events[1], Retrieved)
    assert {type(event) for event in events[2:-1]} == {Quoted}
    answer = answer_in(events)
    assert quotes_in(events) == list(answer.quotes)
    assert answer.quotes == engine.query(QUESTION).answer.quotes
    assert text_of(events) == str(answer)

    async def taken() -> list[Event]:
        return [event async for event in engine.astream(QUESTION)]

    also = asyncio.run(taken())
    assert [type(event) for event in also] == [type(event) for event in events]
    assert answer_in(also).quotes == answer.quotes


def test_a_refusal_is_an_event_with_its_reason(tiny_office: OpenIndex) -> None:
    """A refusal says why, shows nothing, and its text is the fixed sentence."""
    engine = tiny_office.as_query_engine(llm=None)
    events = list(engine.stream("Who won the tennis match on Mars?"))
    answer = answer_in(events)
    assert events[-2] == Refused(answer.reason)
    assert answer.reason
    assert quotes_in(events) == []
    assert text_of(events) == str(answer)


LABELS = ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "3.1", "3.2", "9.9", "nonsense"]


@pytest.mark.parametrize("seed", range(40))
def test_streamed_quotes_are_those_of_the_answer(seed: int) -> None:
    """Whatever a model chooses, in a draft and in what comes after it, valid or not: what was streamed as a quote is in
    the answer, and nothing else is; it stands in a document; and the text in pieces has every paragraph of the
    answer's."""
    rng = random.Random(seed)
    nodes = [*nodes_of("leave", LEAVE), *nodes_of("bonus", BONUS), *nodes_of("share", SHARE)]
    llm = ScriptedLLM(
        lambda _: said(
            *(rng.sample(LABELS, rng.randint(0, 3)) for _ in range(rng.randint(1, 2))),
            search=["harvest share"] if rng.random() < 0.3 else [],
        )
    )
    synthesizer = ValidatingSynthesizer(
        may_cite=lambda _: True, llm=llm, search_again=lambda *_: nodes_of("more", LEAVE), settings=load_settings()
    )
    question = "How much leave is there, and when is the Bridge Bonus paid?"
    events = list(stream(announced(synthesizer.answering(question, nodes))))
    answer, quotes = answer_in(events), quotes_in(events)
    assert sorted(quotes, key=repr) == sorted(answer.quotes, key=repr)
    assert all(quote.text in (LEAVE, BONUS, SHARE)[["leave", "bonus", "share", "more"].index(quote.document_id) % 3]
               for quote in quotes)  # fmt: skip
    told = text_of(events)
    assert all(quote.text in told for quote in quotes)
    assert len(told) == len(str(answer))


def test_a_quote_is_shown_before_the_model_is_asked_again() -> None:
    """The first part's quote is there while the second part is still looked for: nothing waits that stands."""
    llm = ScriptedLLM([said(["1.1"], []), said([], ["2.1"])])
    synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, settings=load_settings())
    nodes = [*nodes_of("leave", LEAVE, cosine=1.0), *nodes_of("bonus", BONUS, cosine=1.0)]
    events = stream(announced(synthesizer.answering("How much leave is there, and what is the Bridge Bonus?", nodes)))
    first = next(event for event in events if isinstance(event, Quoted))
    assert first.quote.document_id == "leave"
    assert len(llm.calls) == 1
    assert {event.quote.document_id for event in events if isinstance(event, Quoted)} == {"bonus"}
    assert len(llm.calls) == 2


def test_what_was_withdrawn_meanwhile_is_not_streamed() -> None:
    """A document withdrawn while the model reads is not shown, not even for a moment."""
    withdrawn: list[str] = []

    def choose(_: Any) -> str:
        withdrawn.append("leave")
        return said(["1.1"])

    synthesizer = ValidatingSynthesizer(
        may_cite=lambda node: node.metadata["document_id"] not in withdrawn,
        llm=ScriptedLLM(choose),
        settings=load_settings(),
    )
    events = list(stream(announced(synthesizer.answering("How much leave is there?", nodes_of("leave", LEAVE)))))
    assert quotes_in(events) == []
    assert answer_in(events).status == "insufficient_evidence"


def test_conflicts_and_summaries_are_events_once_checked() -> None:
    """A contradiction comes with its quotes; of a summary only the sentences that stood."""
    nodes = [
        *nodes_of("old", "Parental leave lasts 16 weeks.", title="Leave"),
        *nodes_of("new", "Parental leave lasts 20 weeks.", title="Leave"),
    ]
    written = {
        "sentences": [
            {"text": "Parental leave lasts 16 weeks.", "quotes": [1]},
            {"text": "Parental leave lasts 99 weeks.", "quotes": [1]},
        ]
    }
    llm = ScriptedLLM([said(["1.1"]), json.dumps(written)])
    synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, settings=load_settings(), summarise=True)
    events = list(stream(announced(synthesizer.answering("How long does parental leave last?", nodes))))
    answer = answer_in(events)
    assert [event.conflict for event in events if isinstance(event, Disagreement)] == list(answer.conflicts)
    assert len(answer.conflicts) == 1
    assert [event.sentence.text for event in events if isinstance(event, Summarised)] == [
        written["sentences"][0]["text"]
    ]
    assert sorted(quotes_in(events), key=repr) == sorted(answer.quotes, key=repr)
    assert "99" not in text_of(events)
    assert sorted(text_of(events)) == sorted(str(answer))


def test_the_responses_of_llama_index_stream(tiny_office: OpenIndex, answers_always: None) -> None:
    """`as_query_engine(streaming=True)` gives LlamaIndex's streaming responses, whose text is that of the answer."""
    engine = tiny_office.as_query_engine(llm=None, streaming=True)
    assert isinstance(engine, StreamingQueryEngine)
    plain = tiny_office.as_query_engine(llm=None).query(QUESTION)
    response = engine.query(QUESTION)
    assert isinstance(response, StreamingResponse)
    with pytest.raises(UsageError, match="read the stream to its end"):
        _ = response.answer  # pyright: ignore[reportAttributeAccessIssue]
    pieces = list(response.response_gen)
    assert len(pieces) > 1
    assert "".join(pieces) == str(plain)
    assert response.answer.quotes == plain.answer.quotes  # pyright: ignore[reportAttributeAccessIssue]
    assert str(engine.query(QUESTION)) == str(plain)
    assert response.source_nodes

    async def taken() -> str:
        streaming = await engine.aquery(QUESTION)
        assert isinstance(streaming, AsyncStreamingResponse)
        return "".join([piece async for piece in streaming.async_response_gen()])

    assert asyncio.run(taken()) == str(plain)


def test_trouble_is_raised_while_the_stream_is_read(tiny_office: OpenIndex) -> None:
    """A model that fails is an error for the reader of the stream, never an end without one; an empty question is one
    at once."""
    engine = tiny_office.as_query_engine(llm=ScriptedLLM([ModelRejected("No access to this model.")]))
    with pytest.raises(ModelRejected):
        list(engine.stream(QUESTION))
    with pytest.raises(UsageError):
        engine.stream("")


def test_a_stream_that_nobody_reads_on_ends_its_flow() -> None:
    """Closing the stream closes the flow, so that no further step is made; held events come out in order."""
    made: list[str] = []

    def flow() -> Flow[str]:
        try:
            for number in range(3):
                made.append((yield from Step(lambda n=number: f"step {n}", None)))  # pyright: ignore
                yield Searching((f"event {number}",))
            return "whole"
        finally:
            made.append("closed")

    events = stream(flow())
    next(events)
    events.close()
    assert made == ["step 0", "closed"]
    result, held = run(held_back(flow(), Searching))
    assert result == "whole"
    assert held == [Searching((f"event {number}",)) for number in range(3)]
