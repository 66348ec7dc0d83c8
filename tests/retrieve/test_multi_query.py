"""Other phrasings widen what is found, never open the gate, and never do harm when their model fails."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.prompts import PromptTemplate
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.errors import DefinitionError, ModelReplyEmpty, ModelUnreachable
from rag_app.index.reader import IndexReader
from rag_app.llm import ModelReply
from rag_app.postprocess.confidence import ConfidenceGate
from rag_app.question import Question
from rag_app.retrieve.hybrid import HybridRetriever
from rag_app.retrieve.multi_query import MultiQueryRetriever
from rag_app.settings import load_settings
from rag_app.testing import ScriptedLLM, TinyEmbedding
from rag_app.text.nodes import COSINE, OTHER_WORDS
from tests.index.workbench import Workbench
from tests.synthesize.turns import nodes_of

ASKED = "How much holiday?"


class Fixed(BaseRetriever):
    """Finds by question what a dictionary says."""

    def __init__(self, found: dict[str, list[str]]) -> None:
        super().__init__()
        self.found = found
        self.asked: list[QueryBundle] = []

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.asked.append(query_bundle)
        names = self.found.get(query_bundle.query_str, [])
        return [node for name in names for node in nodes_of(name, f"Text of {name}.", cosine=0.9)]


def names(nodes: list[NodeWithScore]) -> list[str]:
    return [node.node.metadata["document_id"] for node in nodes]


def phrased(*texts: str) -> str:
    return '{"phrasings": [' + ", ".join(f'"{text}"' for text in texts) + "]}"


def test_merged_by_best_rank() -> None:
    """A passage's place is the best it has for any phrasing; the question's own comes first where two share it."""
    inner = Fixed({ASKED: ["a", "b", "c"], "leave": ["d", "c"], "time off": ["e", "f", "b"]})
    question = Question(ASKED)
    found = MultiQueryRetriever(inner, ScriptedLLM([phrased("leave", "time off")])).retrieve(question)
    assert names(found) == ["a", "d", "e", "b", "c", "f"]
    assert question.trace.searches == ["leave", "time off"]
    assert [hit.document_id for hit in question.trace.retrieved] == names(found)
    assert (question.trace.model_calls, question.trace.numbers["multi_query.added"]) == (1, 3)


def test_async_finds_the_same() -> None:
    """Async and sync merge alike."""
    inner = Fixed({ASKED: ["a", "b"], "leave": ["c"]})
    found = asyncio.run(MultiQueryRetriever(inner, ScriptedLLM([phrased("leave")])).aretrieve(Question(ASKED)))
    assert names(found) == ["a", "c", "b"]


def test_the_gate_stays_closed() -> None:
    """Passages that only other phrasings found never open the gate, however near they are."""
    inner = Fixed({ASKED: ["a"], "leave": ["b"]})
    found = MultiQueryRetriever(inner, ScriptedLLM([phrased("leave")])).retrieve(Question(ASKED))
    assert [bool(node.node.metadata.get(OTHER_WORDS)) for node in found] == [False, True]
    found[0].node.metadata[COSINE] = 0.1
    found[1].node.metadata[COSINE] = 0.99
    question = Question(ASKED)
    assert ConfidenceGate(threshold=0.5).postprocess_nodes(found, question) == []
    assert question.refusal == "below_confidence"
    assert ConfidenceGate(threshold=0.5).postprocess_nodes(found[1:], Question(ASKED)) == []


def test_other_words_carry_no_foreign_similarity() -> None:
    """Nobody measured what other phrasings found against the question: then no number says otherwise."""
    inner = Fixed({ASKED: ["a"], "leave": ["b"]})
    found = MultiQueryRetriever(inner, ScriptedLLM([phrased("leave")])).retrieve(Question(ASKED))
    assert [COSINE in node.node.metadata for node in found] == [True, False]


def test_nothing_found_asks_nobody() -> None:
    """Where the question finds nothing at all, no model is asked and nothing else is found."""
    llm = ScriptedLLM([])
    assert MultiQueryRetriever(Fixed({"leave": ["a"]}), llm).retrieve(Question(ASKED)) == []
    assert llm.calls == []


@pytest.mark.parametrize(
    "trouble",
    [
        ModelUnreachable("Down."),
        ModelReplyEmpty("Empty."),
        "No JSON here.",
        '{"phrasings": "leave"}',
        '{"other": []}',
        ModelReply(phrased("leave"), 1, 1, stop="length"),
        RuntimeError("a client's own"),
    ],
)
def test_trouble_leaves_the_question_alone(trouble: Any) -> None:
    """When the model fails, the result is exactly that of the question alone, and the trace says so."""
    inner = Fixed({ASKED: ["a", "b"], "leave": ["c"]})
    question = Question(ASKED)
    retriever = MultiQueryRetriever(inner, ScriptedLLM(lambda _: trouble), seconds=0.2)
    found = retriever.retrieve(question)
    assert [(node.node.node_id, node.score) for node in found] == [
        (node.node.node_id, node.score) for node in inner._retrieve(QueryBundle(ASKED))
    ]
    assert "No other phrasings were searched" in question.trace.warnings[0]
    assert names(asyncio.run(retriever.aretrieve(Question(ASKED)))) == ["a", "b"]


def test_phrasings_are_bounded() -> None:
    """More phrasings than wanted, empty and endless ones and the question itself are not searched."""
    inner = Fixed({ASKED: ["a"]})
    odd = ("", "...", "\\ud800", ASKED.upper(), "x" * 500)
    reply = f"First I thought of {{this}}. {phrased(*odd, 'leave', 'leave', 'time off', 'vacation')}"
    llm = ScriptedLLM([reply])
    MultiQueryRetriever(inner, llm, count=2).retrieve(Question(ASKED))
    assert [asked.query_str for asked in inner.asked] == [ASKED, "leave", "time off"]
    assert "2 times" in llm.calls[0].messages[0][1]
    assert not any("Text of" in text for _, text in llm.calls[0].messages)


def test_the_day_asked_for_travels_along() -> None:
    """Other phrasings are asked for the same day."""
    from datetime import date

    inner = Fixed({ASKED: ["a"]})
    MultiQueryRetriever(inner, ScriptedLLM([phrased("leave")])).retrieve(Question(ASKED, as_of=date(2020, 1, 1)))
    assert [getattr(asked, "as_of", None) for asked in inner.asked] == [date(2020, 1, 1)] * 2


def test_prompt_can_be_replaced() -> None:
    """The prompt is read and replaced as LlamaIndex does it; a wrong one is refused."""
    llm = ScriptedLLM([phrased("leave")])
    retriever = MultiQueryRetriever(Fixed({ASKED: ["a"]}), llm)
    retriever.update_prompts({"multi_query": PromptTemplate("{count} more of {question}")})
    retriever.retrieve(Question(ASKED))
    assert llm.calls[0].messages[0][1] == f"2 more of {ASKED}"
    with pytest.raises(DefinitionError, match="count"):
        retriever.update_prompts({"multi_query": PromptTemplate("{question}")})
    with pytest.raises(DefinitionError, match="no prompt"):
        retriever.update_prompts({"other": PromptTemplate("{question}")})


# Over a built index


@pytest.fixture
def hybrid(tmp_path: Path) -> Iterator[HybridRetriever]:
    bench = Workbench(tmp_path / "handbook")
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year. Holiday is booked in the tool.")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 140 euros a night. Taxis are refunded too.")
    bench.build()
    reader = IndexReader.open(bench.path)
    yield HybridRetriever(reader, TinyEmbedding(), None, load_settings(candidates=1))
    reader.close()


def test_true_similarity(hybrid: HybridRetriever) -> None:
    """A passage that another phrasing found carries its own similarity to the question as it was asked."""
    question = "How many days of holiday a year?"
    llm = ScriptedLLM([phrased("Hotels refunded euros a night")])
    found = MultiQueryRetriever(hybrid, llm, measure=hybrid.measure).retrieve(Question(question))
    assert [node.node.metadata["title"] for node in found] == ["Leave", "Travel"]
    embedder = TinyEmbedding()
    alone = hybrid.retrieve(Question("Hotels refunded euros a night"))[0]
    assert found[1].node.node_id == alone.node.node_id
    assert found[1].node.metadata[COSINE] < 0.5 < alone.node.metadata[COSINE]
    text = "Travel. " + found[1].node.get_content()
    near = sum(
        a * b for a, b in zip(embedder.get_query_embedding(question), embedder.get_text_embedding(text), strict=True)
    )
    assert found[1].node.metadata[COSINE] == pytest.approx(near, abs=0.2)
    assert found[1].score == found[1].node.metadata[COSINE]


def test_measured_by_the_part_that_fits_best(hybrid: HybridRetriever) -> None:
    """A passage that other words found is scored by the part of the question that it fits best, as any passage is."""
    question = Question("How many days of holiday a year, and how many euros a night are hotels refunded?")
    assert len(question.queries) > 1
    (found,) = hybrid.passages_of(question, "travel", 1)
    best, found.score = found.score, None
    hybrid.measure(question, [found])
    assert found.score == best


def test_passages_of_one_document(hybrid: HybridRetriever) -> None:
    """The nearest passages of one document are found by its title, with their similarity to the question."""
    question = Question("How many days of holiday a year?")
    found = hybrid.passages_of(question, "travel", 2)
    assert [node.node.metadata["document_id"] for node in found] == ["travel"]
    assert COSINE in found[0].node.metadata
    assert hybrid.passages_of(question, "elsewhere", 2) == []
