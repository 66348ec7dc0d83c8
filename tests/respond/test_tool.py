"""An index as a tool: of an agent, of engines over several tools, and across a workflow's serialiser."""

import asyncio

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.callbacks import CallbackManager
from llama_index.core.llms.mock import MockFunctionCallingLLM, MockLLM
from llama_index.core.query_engine import RouterQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.response_synthesizers import SimpleSummarize
from llama_index.core.settings import _Settings
from llama_index.core.tools import ToolOutput
from workflows.context.serializers import JsonSerializer

from rag_app import GroundedResponse, OpenIndex
from rag_app.respond.tool import tool_name

HOLIDAY = "How many days of paid holiday does every employee get?"


class CallsOnce(MockFunctionCallingLLM):
    """An agent's model that calls the tool, and retypes what it gets where it is let."""

    def __init__(self) -> None:
        super().__init__(response_generator=self._next, is_chat_model=True)

    @staticmethod
    def _next(messages: list[ChatMessage], **_: object) -> ChatMessage:
        if messages[-1].role == MessageRole.TOOL:
            return ChatMessage(role="assistant", content="About a month, I think.")
        call = ToolCallBlock(tool_call_id="1", tool_name="office", tool_kwargs={"input": HOLIDAY})
        return ChatMessage(role="assistant", blocks=[call])


def test_an_agent_hands_the_answer_on(office: OpenIndex) -> None:
    """An agent that calls the tool ends with the answer, word for word, and no model retypes a quote."""
    tool = office.as_tool()
    assert (tool.metadata.name, tool.metadata.return_direct) == ("office", True)
    assert tool.metadata.description.startswith("An office. Answers a question in plain language")

    async def run() -> str:
        return str(await FunctionAgent(tools=[tool], llm=CallsOnce(), streaming=False).run("How much holiday?"))

    assert asyncio.run(run()) == str(office.as_query_engine().query(HOLIDAY))


def test_the_output_of_the_tool_travels(office: OpenIndex) -> None:
    """What the tool returns goes through a workflow's serialiser, and the response comes back from it."""
    output = office.as_tool().call(HOLIDAY)
    serialiser = JsonSerializer()
    back = serialiser.deserialize(serialiser.serialize(output))
    assert isinstance(back, ToolOutput)
    assert back.content == output.content
    assert GroundedResponse.from_dict(back.raw_output).answer == output.raw_output.answer


class First(BaseSelector):
    """Takes the first tool, as a model would that reads the question."""

    def _select(self, choices, query) -> SelectorResult:
        return SelectorResult(selections=[SingleSelection(index=0, reason="it is about holidays")])

    async def _aselect(self, choices, query) -> SelectorResult:
        return self._select(choices, query)

    def _get_prompts(self):
        return {}

    def _update_prompts(self, prompts) -> None:
        pass


def test_a_router_keeps_the_response(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A router hands the response on as it is, answer included."""
    nothing = CallbackManager([])
    monkeypatch.setattr(_Settings, "callback_manager", nothing)  # a router reads it, whatever it is given
    summarizer = SimpleSummarize(llm=MockLLM(), callback_manager=nothing)
    router = RouterQueryEngine(First(), [office.as_tool()], llm=MockLLM(), summarizer=summarizer)  # pyright: ignore
    response = router.query(HOLIDAY)
    assert isinstance(response, GroundedResponse)
    assert response.answer.status == "grounded"


class Halves(BaseQuestionGenerator):
    """Asks the tool two questions."""

    def generate(self, tools, query) -> list[SubQuestion]:
        questions = (HOLIDAY, "How long is parental leave?")
        return [SubQuestion(sub_question=question, tool_name=tools[0].name or "") for question in questions]

    async def agenerate(self, tools, query) -> list[SubQuestion]:
        return self.generate(tools, query)

    def _get_prompts(self):
        return {}

    def _update_prompts(self, prompts) -> None:
        pass


def test_sub_questions_read_the_quotes(office: OpenIndex) -> None:
    """An engine over sub-questions receives each answer with its quotes and sources."""
    nothing = CallbackManager([])
    engine = SubQuestionQueryEngine(
        question_gen=Halves(),
        response_synthesizer=SimpleSummarize(llm=MockLLM(), callback_manager=nothing),
        query_engine_tools=[office.as_tool()],
        callback_manager=nothing,
        verbose=False,
        use_async=False,
    )
    response = engine.query("How much holiday and parental leave is there?")
    read = " ".join(found.node.get_content() for found in response.source_nodes)
    assert "25 days of paid holiday" in read
    assert "Parental leave lasts 16 weeks" in read


@pytest.mark.parametrize(
    ("name", "taken"),
    [("office", "office"), ("Our handbook, 2026!", "Our_handbook_2026"), ("手册", "documents"), ("x" * 99, "x" * 64)],
)
def test_names_that_providers_take(name: str, taken: str) -> None:
    """A tool's name has only the characters, and the length, that providers of models take."""
    assert tool_name(name) == taken
