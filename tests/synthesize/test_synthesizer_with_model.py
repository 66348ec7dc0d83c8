"""The synthesizer with a language model: sync and async, within any event loop, and with anybody's prompts."""

import asyncio
import threading
import time
from typing import Any

import pytest
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.answer import Answer
from rag_app.errors import DefinitionError, ModelTimeout, UsageError
from rag_app.question import Question
from rag_app.settings import load_settings
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.testing import ScriptedLLM
from tests.synthesize.turns import BONUS, LEAVE, SHARE, nodes_of, said, shown, synthesizer_of


def answer_of(response: Any) -> Answer:
    return response.answer


def test_sync_needs_no_event_loop() -> None:
    """A question is answered in a thread without an event loop, and none is made."""
    found: list[Answer] = []

    def ask() -> None:
        found.append(
            answer_of(synthesizer_of(ScriptedLLM([said(["1.1"])])).synthesize("How much?", nodes_of("a", LEAVE)))
        )
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert shown(found[0]) == ["Employees have 26 days of leave."]


def test_sync_within_a_running_event_loop() -> None:
    """A question is answered within a running event loop, as in Jupyter, without patching it."""

    async def cell() -> Answer:
        return answer_of(synthesizer_of(ScriptedLLM([said(["1.1"])])).synthesize("How much?", nodes_of("a", LEAVE)))

    assert shown(asyncio.run(cell())) == ["Employees have 26 days of leave."]


def test_async_answers_alike() -> None:
    """Async and sync run the same flow, further searches included."""

    def more(question: Question, queries: object) -> list[NodeWithScore]:
        return nodes_of("share", SHARE)

    replies = [said(search=["share"]), said(["2.1"])]
    question = "How much is the Harvest Share?"
    sync = synthesizer_of(ScriptedLLM(replies), more=more).synthesize(question, nodes_of("bonus", BONUS))
    other = asyncio.run(synthesizer_of(ScriptedLLM(replies), more=more).asynthesize(question, nodes_of("bonus", BONUS)))
    assert answer_of(sync).quotes == answer_of(other).quotes
    assert [node.node.node_id for node in other.source_nodes] == ["share 0"]
    assert answer_of(other).trace.prompt_versions == answer_of(sync).trace.prompt_versions


def test_async_runs_together() -> None:
    """Twenty questions wait for their models at the same time, and the event loop goes on meanwhile."""
    together = threading.Barrier(20)

    def reply(messages: object) -> str:
        together.wait(20)  # breaks unless all twenty are under way at once
        return said(["1.1"])

    async def main() -> list[Answer]:
        synthesizer = synthesizer_of(ScriptedLLM(reply))
        found = await asyncio.gather(*(synthesizer.asynthesize("How much?", nodes_of("a", LEAVE)) for _ in range(20)))
        return [answer_of(one) for one in found]

    assert {len(answer.quotes) for answer in asyncio.run(main())} == {1}


def test_time_budget() -> None:
    """The calls of one question share its time; when it is over, that is an error and no refusal."""
    release = threading.Event()

    def slow(messages: object) -> str:
        release.wait(20)
        return said([])

    try:
        with pytest.raises(ModelTimeout):
            synthesizer_of(ScriptedLLM(slow), model_seconds=0.1).synthesize("How much?", nodes_of("a", LEAVE))
        with pytest.raises(ModelTimeout):
            asyncio.run(
                synthesizer_of(ScriptedLLM(slow), model_seconds=0.1).asynthesize("How much?", nodes_of("a", LEAVE))
            )
    finally:
        release.set()


def test_prompts_can_be_replaced() -> None:
    """LlamaIndex's get_prompts and update_prompts read and replace the prompts, through a query engine too."""

    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return nodes_of("a", LEAVE)

    llm = ScriptedLLM([said(["1.1"])])
    from llama_index.core.callbacks.base import CallbackManager

    engine = RetrieverQueryEngine(Fixed(), synthesizer_of(llm), callback_manager=CallbackManager([]))
    assert {"response_synthesizer:draft", "response_synthesizer:coverage"} <= set(engine.get_prompts())
    engine.update_prompts({"response_synthesizer:draft": PromptTemplate("Mine: {question} {evidence} {searches}")})
    answer = answer_of(engine.query("How much?"))
    assert llm.calls[0].messages[0][1].startswith("Mine: Part 1: How much?")
    assert shown(answer) == ["Employees have 26 days of leave."]


@pytest.mark.parametrize("name", ["drafts", "draft"])
def test_prompts_cannot_be_replaced_wrongly(name: str) -> None:
    """An unknown prompt, or a template with the wrong variables, is refused at once, and nothing changes."""
    synthesizer = synthesizer_of(ScriptedLLM([]))
    before = synthesizer.get_prompts()
    with pytest.raises(DefinitionError, match=name):
        synthesizer.update_prompts({name: PromptTemplate("{question}")})
    assert synthesizer.get_prompts() == before


def test_no_model() -> None:
    """Without a model there are no prompts, and no answers from its own knowledge can be wanted."""
    assert synthesizer_of(None).get_prompts() == {}
    with pytest.raises(DefinitionError, match="no language model"):
        synthesizer_of(None).update_prompts({"draft": PromptTemplate("{question}")})
    with pytest.raises(UsageError, match="needs a language model"):
        synthesizer_of(None, on_low_confidence="ungrounded")


def test_may_cite_guards_further_searches() -> None:
    """What a further search finds passes the border like everything else."""
    llm = ScriptedLLM([said(search=["share"])])
    synthesizer = ValidatingSynthesizer(
        may_cite=lambda node: node.metadata["document_id"] != "share",
        llm=llm,
        search_again=lambda *_: nodes_of("share", SHARE),
        settings=load_settings(),
    )
    answer = answer_of(synthesizer.synthesize("How much is the Harvest Share?", nodes_of("bonus", BONUS)))
    assert answer.reason == "model_declined"
    assert len(llm.calls) == 1
    assert not any(hit.document_id == "share" for hit in answer.trace.kept)


def test_time_is_traced() -> None:
    """The trace says how long each kind of call took."""
    started = time.perf_counter()
    answer = answer_of(synthesizer_of(ScriptedLLM([said(["1.1"])])).synthesize("How much?", nodes_of("a", LEAVE)))
    spent = (time.perf_counter() - started) * 1000
    assert 0 < answer.trace.milliseconds["model: draft"] <= spent


def test_a_conflict_with_a_withdrawn_document_is_not_shown() -> None:
    """What contradicts a quote is shown too; where it was withdrawn while the model read, nothing is shown."""
    leave = nodes_of("leave", "Full-time staff get 26 days of paid leave a year.")
    rival = nodes_of("rival", "Full-time staff get 24 days of paid leave a year.")
    withdrawn: set[str] = set()

    def answered(when_asked: set[str]) -> Answer:
        def reply(_: object) -> str:
            withdrawn.update(when_asked)
            return said(["1.1"])

        synthesizer = ValidatingSynthesizer(
            may_cite=lambda node: node.metadata["document_id"] not in withdrawn,
            llm=ScriptedLLM(reply),
            settings=load_settings(),
        )
        response = synthesizer.synthesize("How much leave?", [*leave, *rival])
        cited = {quote.document_id for quote in answer_of(response).quotes}
        assert {node.node.metadata["document_id"] for node in response.source_nodes} == cited
        return answer_of(response)

    both = answered(set())
    assert [quote.document_id for quote in both.quotes] == ["leave", "rival"]
    assert len(both.conflicts) == 1
    for one in ("rival", "leave"):
        refused = answered({one})
        assert refused.status == "insufficient_evidence"
        assert (refused.quotes, refused.conflicts) == ((), ())


@pytest.mark.parametrize("asked", ["", "  ", "\ud800?", QueryBundle("")])
def test_a_question_is_looked_at_behind_a_third_party_engine(asked: Any) -> None:
    """An empty question, or one that is no text, is refused in words here as in an engine of ours."""
    with pytest.raises(UsageError, match="question"):
        synthesizer_of(ScriptedLLM([])).synthesize(asked, nodes_of("a", LEAVE))
