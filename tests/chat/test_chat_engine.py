"""Conversations over a real index: follow-ups, what is remembered, and who may read it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine.types import AgentChatResponse, BaseChatEngine, StreamingAgentChatResponse

from rag_app import GroundedChatEngine, OpenIndex, Principal
from rag_app.errors import ModelTimeout, UsageError
from rag_app.respond.events import Done, Quoted, Refused, Understood
from rag_app.settings import load_settings
from rag_app.testing import ScriptedLLM
from tests.index.workbench import Workbench
from tests.synthesize.turns import said

LEAVE = "How long does parental leave last?"


@pytest.fixture
def talk(tiny_office: OpenIndex, answers_always: None) -> GroundedChatEngine:
    return tiny_office.as_chat_engine(llm=None)


def shown(response: Any) -> list[str]:
    return [quote.text for quote in response.answer.quotes]


def plain(response: Any) -> dict[str, Any]:
    answer = response.answer.as_dict()
    del answer["trace"]["milliseconds"]
    return answer


def test_it_is_a_chat_engine_of_llama_index(talk: GroundedChatEngine) -> None:
    """All of BaseChatEngine's methods work, each response carries its answer, and the history is LlamaIndex's."""
    assert isinstance(talk, BaseChatEngine)
    response = talk.chat(LEAVE)
    assert isinstance(response, AgentChatResponse)
    assert str(response) == str(response.answer)
    assert response.source_nodes
    streamed = talk.stream_chat("Who approves it?")
    assert isinstance(streamed, StreamingAgentChatResponse)
    assert "".join(streamed.response_gen) == str(streamed.answer)
    assert [message.role for message in talk.chat_history] == [MessageRole.USER, MessageRole.ASSISTANT] * 2

    async def also() -> tuple[str, str]:
        first = await talk.achat(LEAVE)
        second = await talk.astream_chat("Who approves it?")
        text = "".join([piece async for piece in second.async_response_gen()])
        assert text == str(second.answer)
        return str(first), text

    assert asyncio.run(also()) == (str(response), str(streamed.answer))
    talk.reset()
    assert talk.chat_history == []


def test_a_follow_up_is_completed_and_says_so(talk: GroundedChatEngine) -> None:
    """ "Who approves it?" is answered from what was spoken of; answer and trace say what it was understood as."""
    talk.chat(LEAVE)
    response = talk.chat("Who approves it?")
    assert "The head of personnel approves it." in shown(response)
    assert response.answer.question == "Who approves it?"
    assert response.answer.understood_as == "Who approves parental leave?"
    assert response.answer.trace.understood_as == response.answer.understood_as
    assert "Understood as" in str(response)
    assert "Understood as" in response._repr_html_()


HISTORIES = [
    [],
    ["Where is toner kept?"],
    [LEAVE, "Who approves it?", "Thank you!"],
    ["What does a hotel in Porto cost?", "And in Bergen?"],
]
STANDING = [
    LEAVE,
    "How many days of paid holiday does every employee get in a calendar year?",
    "Where is the toner of the printer kept?",
    "How do I restore a file from the nightly backup?",
    "What is the rate of a hotel room in Porto, and how far ahead are tickets booked?",
    "Is it possible to travel first class on journeys of more than 6 hours?",
]


@pytest.mark.parametrize("history", HISTORIES, ids=len)
def test_a_question_that_names_its_subject_is_never_changed(
    tiny_office: OpenIndex, answers_always: None, history: list[str]
) -> None:
    """Whatever was said before, it is answered to the last figure as the query engine answers it."""
    engine = tiny_office.as_query_engine(llm=None)
    for question in STANDING:
        talk = tiny_office.as_chat_engine(llm=None)
        for turn in history:
            talk.chat(turn)
        assert plain(talk.chat(question)) == plain(engine.query(question))


def test_a_history_that_was_kept_elsewhere_is_taken_over(talk: GroundedChatEngine) -> None:
    """chat_history takes the place of what is remembered; its own messages bring their quotes along, and those of
    others are found again by their text."""
    talk.chat(LEAVE)
    kept = [ChatMessage.model_validate_json(message.model_dump_json()) for message in talk.chat_history]
    first = talk.chat("Who approves it?")
    talk.chat("Where is toner kept?")
    assert shown(talk.chat("Who approves it?", chat_history=kept)) == shown(first)
    foreign = [
        ChatMessage(role=MessageRole.USER, content="How long is it for parents?"),
        ChatMessage(role=MessageRole.ASSISTANT, content="Parental leave lasts 16 weeks."),
    ]
    assert "The head of personnel approves it." in shown(talk.chat("Who approves it?", chat_history=foreign))
    forged = [ChatMessage(role=MessageRole.ASSISTANT, content="x", additional_kwargs={"rag_app_quotes": [{"a": 1}]})]
    with pytest.raises(UsageError, match="cannot be read"):
        talk.chat("Who approves it?", chat_history=forged)


def guarded_talk(tmp_path: Path) -> tuple[Workbench, OpenIndex]:
    bench = Workbench(tmp_path / "index")
    bench.define("rules")
    bench.write(
        "zephyr.md",
        "# Zephyr scheme\n\nThe zephyr bonus pays 7 percent in December. The board of Quillon approves it.",
        document_id="zephyr",
        access_scope="role",
        allowed_roles="[manager]",
    )
    bench.write(
        "canteen.md", "# Canteen\n\nThe canteen serves lunch at noon.", document_id="canteen", access_scope="public"
    )
    bench.build()
    return bench, OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=-1.0), bench.embedder)


SECRETS = ("zephyr scheme", "7 percent", "quillon", "december")


@pytest.mark.usefixtures("answers_always")
@pytest.mark.parametrize("with_model", [False, True])
def test_nothing_unreadable_comes_through_the_history(tmp_path: Path, with_model: bool) -> None:
    """Once access is withdrawn, no word of what was quoted before comes back: not in the history, an answer, a trace,
    a stream or a prompt; nor through a history that the caller hands back."""
    bench, index = guarded_talk(tmp_path)
    llm = ScriptedLLM(
        lambda messages: (
            json.dumps({"question": "", "either": []}) if "<conversation>" in str(messages) else said(["1.1", "1.2"])
        )
    )
    talk = index.as_chat_engine(Principal("mia", roles=("manager",)), llm=llm if with_model else None)
    assert "7 percent" in str(talk.chat("What does the bonus of the year pay?"))
    understood = talk.chat("Is that paid in the canteen too?").answer.understood_as
    assert with_model or "Zephyr scheme" in str(understood)
    before = talk.chat_history
    assert "7 percent" in str(before)
    bench.write(
        "zephyr.md",
        "# Zephyr scheme\n\nThe zephyr bonus pays 7 percent in December. The board of Quillon approves it.",
        document_id="zephyr",
        access_scope="role",
        allowed_roles="[director]",
    )
    bench.build()
    asked = len(llm.calls)
    told = [str(talk.chat_history), str(talk.last_quotes)]
    for turn in ("Who approves it?", "And in summer?", "What about lunch?"):
        told += [json.dumps(plain(talk.chat(turn))), str(list(talk.stream(turn))), str(talk.chat_history)]
    told += [json.dumps(plain(talk.chat("Who approves it?", chat_history=before))), str(talk.chat_history)]
    told += [str(call.messages) for call in llm.calls[asked:]]
    assert not [secret for secret in SECRETS for text in told if secret in text.lower()]


@pytest.mark.usefixtures("answers_always")
def test_a_model_completes_a_follow_up_or_the_rules_do(tiny_office: OpenIndex) -> None:
    """The model's version is answered where it keeps the turn's names, figures and negations; else, and where the model
    fails, the rules complete the turn, and the trace says so. A question that stands alone costs no call."""
    replies: list[Any] = [
        said(["1.1"]),
        json.dumps({"question": "Who approves parental leave?", "either": []}),
        said(["1.2"]),
        json.dumps({"question": "Who approves parental leave of 40 weeks?", "either": []}),
        said(["1.2"]),
        ModelTimeout("No reply in time: try again."),
        ModelTimeout("No reply in time: try again."),
        ModelTimeout("No reply in time: try again."),
        said(["1.2"]),
    ]
    llm = ScriptedLLM(replies)
    talk = tiny_office.as_chat_engine(llm=llm)
    talk.chat(LEAVE)
    assert [call.purpose for call in llm.calls] == ["draft"]
    second = talk.chat("Who approves it?").answer
    assert second.understood_as == "Who approves parental leave?"
    assert second.trace.model_calls == 2
    assert "follow_up" in second.trace.prompt_versions
    third = talk.chat("Who approves it?").answer
    assert third.understood_as
    assert "40 weeks" not in third.understood_as
    assert any("added a figure" in warning for warning in third.trace.warnings)
    fourth = talk.chat("Who approves it?").answer
    assert fourth.trace.degraded
    assert any("completed by rules" in warning for warning in fourth.trace.warnings)


@pytest.mark.usefixtures("answers_always")
def test_a_turn_that_may_mean_two_things_is_asked_back(tmp_path: Path) -> None:
    """A bare phrase with evidence about two subjects is asked back, with both named and nothing quoted, also streamed;
    the next turn may say which."""
    bench = Workbench(tmp_path / "index")
    bench.define()
    bench.write("tax.md", "# Tax of a rental property\n\nThe tax of a rental property is 20 percent of the rent.")
    bench.write("buying.md", "# Buying a rental property\n\nA rental property is bought with a deposit of 30 percent.")
    bench.write("canteen.md", "# Canteen\n\nThe canteen serves lunch at noon.")
    bench.build()
    index = OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=-1.0), bench.embedder)
    talk = index.as_chat_engine(llm=None)
    answer = talk.chat("Rental property").answer
    assert answer.status == "needs_clarification"
    assert set(answer.ambiguous) == {"Tax of a rental property", "Buying a rental property"}
    assert answer.quotes == ()
    assert all(subject in str(answer) for subject in answer.ambiguous)
    talk.reset()
    events = list(talk.stream("Rental property"))
    assert not [event for event in events if isinstance(event, Quoted)]
    assert isinstance(events[-2], Refused)
    assert events[-2].ambiguous == answer.ambiguous
    assert "20 percent" in str(talk.chat("What is the tax of it?").answer)


def test_a_follow_up_streams_what_it_was_understood_as(talk: GroundedChatEngine) -> None:
    """The completed question comes before the first quote; the quotes are those of the answer."""
    talk.chat(LEAVE)
    events = list(talk.stream("Who approves it?"))
    kinds = [type(event) for event in events]
    assert kinds.index(Understood) < kinds.index(Quoted)
    last = events[-1]
    assert isinstance(last, Done)
    assert [event.quote for event in events if isinstance(event, Quoted)] == list(last.response.answer.quotes)


@pytest.mark.usefixtures("answers_always")
def test_another_subject_is_not_answered_with_the_one_before(tmp_path: Path) -> None:
    """After a question about one machine, "What about the CNC mill?" is answered about the mill alone, and a further
    turn goes on from there; a turn that names its own subject and then points to it is not changed."""
    bench = Workbench(tmp_path / "index")
    bench.define()
    bench.write("laser.md", "# Laser cutter\n\nBook the laser cutter online for two hours. It costs 9 euros.")
    bench.write("mill.md", "# CNC mill\n\nBook the CNC mill at the desk for four hours. It costs 20 euros.")
    bench.build()
    index = OpenIndex(bench.open(), load_settings(cross_encoder="none", gate_threshold=-1.0), bench.embedder)
    talk = index.as_chat_engine(llm=None)
    talk.chat("How do I book the laser cutter?")
    mill = talk.chat("What about the CNC mill?").answer
    assert mill.understood_as == "How do I book the CNC mill?"
    assert {quote.title for quote in mill.quotes} == {"CNC mill"}
    cost = talk.chat("What does it cost?").answer
    assert "laser" not in str(cost).lower()
    assert cost.understood_as == "What does the CNC mill cost?"
    laser = talk.chat("And the laser cutter?").answer
    assert laser.understood_as == "What does the laser cutter cost?"
    assert {quote.title for quote in laser.quotes} == {"Laser cutter"}
    assert talk.chat("Must the CNC mill be cleaned before it is used?").answer.understood_as is None
