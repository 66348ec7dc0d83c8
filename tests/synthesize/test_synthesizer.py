"""The synthesizer in anybody's query engine."""

import asyncio
import math
import pickle
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher  # pyright: ignore[reportPrivateImportUsage]
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, ImageNode, IndexNode, NodeWithScore, QueryBundle, TextNode

from rag_app import (
    ConfidenceGate,
    CrossEncoderRerank,
    GroundedResponse,
    OpenIndex,
    QualityFilter,
    Question,
    ValidatingSynthesizer,
)
from rag_app.llm.onnx import OnnxCrossEncoder
from rag_app.synthesize.draft import Draft, DraftPart
from rag_app.synthesize.offline import extractive as module
from rag_app.testing import passage
from tests.office import stock_index

TEXTS = {
    "lunch": "The canteen serves lunch from 11:30 to 14:00 on working days. On Fridays there is fish.",
    "badge": "A lost badge is reported to the front desk on the same day. A new badge costs 15 euros.",
    "trains": "Trains are booked in the travel portal at least 3 days ahead. First class is not refunded.",
}
LUNCH = "When does the canteen serve lunch?"


def anyone(node: BaseNode) -> bool:
    return True


def nobody(node: BaseNode) -> bool:
    return False


def stock_nodes() -> list[TextNode]:
    """Nodes as any splitter makes them: no place, no headings, no cosine."""
    return [TextNode(text=text, id_=name, metadata={"file_name": f"{name}.txt"}) for name, text in TEXTS.items()]


def full_engine(may_cite: Any = anyone) -> RetrieverQueryEngine:
    """LlamaIndex's own retriever and engine around all of our other parts."""
    return RetrieverQueryEngine(
        stock_index(stock_nodes()).as_retriever(similarity_top_k=3),
        ValidatingSynthesizer(may_cite=may_cite),
        node_postprocessors=[
            QualityFilter(),
            ConfidenceGate(threshold=0.5),
            CrossEncoderRerank(OnnxCrossEncoder()),
            SimilarityPostprocessor(similarity_cutoff=-1.0),
        ],
    )


def test_behind_a_stock_retriever() -> None:
    """Our parts around a stock vector index answer with whole statements, placed within their node; sync and async."""
    engine = full_engine()
    for response in (engine.query(LUNCH), asyncio.run(engine.aquery(LUNCH))):
        assert isinstance(response, GroundedResponse)
        quote = response.answer.quotes[0]
        assert quote.text == "The canteen serves lunch from 11:30 to 14:00 on working days."
        assert (quote.document_id, quote.title, quote.source) == ("lunch", "lunch.txt", "lunch.txt")
        assert TEXTS["lunch"][quote.start : quote.end] == quote.text
        assert [node.node.node_id for node in response.source_nodes] == ["lunch"]
        assert "[1] lunch.txt" in str(response)


def test_who_builds_the_engine_says_who_may_read() -> None:
    """There is no default for `may_cite`, and what it forbids is not shown: then nothing was found."""
    with pytest.raises(TypeError, match="may_cite"):
        ValidatingSynthesizer()  # pyright: ignore[reportCallIssue]
    response = full_engine(nobody).query(LUNCH)
    assert isinstance(response, GroundedResponse)
    assert (response.answer.status, response.answer.reason, response.source_nodes) == (
        "insufficient_evidence", "nothing_found", [],
    )  # fmt: skip
    assert "canteen serves" not in str(response.answer.as_dict())


@pytest.mark.parametrize("query", ["q", QueryBundle("q"), Question("q")])
def test_no_node_is_a_refusal(query: Any) -> None:
    """An empty list is a refusal with the reason nothing_found, for a text, a QueryBundle and a Question."""
    synthesizer = ValidatingSynthesizer(may_cite=anyone)
    for response in (synthesizer.synthesize(query, []), asyncio.run(synthesizer.asynthesize(query, []))):
        assert response.answer.reason == "nothing_found"
        assert response.answer.question == "q"
        assert response.response == str(response.answer)


def test_a_stage_before_may_know_better() -> None:
    """The reason that an earlier stage left on the Question is the reason of the refusal."""
    question = Question("q", refusal="below_confidence")
    assert ValidatingSynthesizer(may_cite=anyone).synthesize(question, []).answer.reason == "below_confidence"


def test_any_node_is_taken() -> None:
    """Nodes without score, with NaN, without text, images and index nodes: answered or refused, never an error."""
    nodes = [
        NodeWithScore(node=TextNode(text=TEXTS["lunch"]), score=None),
        NodeWithScore(node=TextNode(text=TEXTS["badge"]), score=math.nan),
        NodeWithScore(node=TextNode(text=""), score=1.0),
        NodeWithScore(node=ImageNode(image_path="x.png"), score=1.0),
        NodeWithScore(node=IndexNode(text=TEXTS["trains"], index_id="x"), score=0.5),
    ]
    synthesizer = ValidatingSynthesizer(may_cite=anyone)
    nodes = CrossEncoderRerank(OnnxCrossEncoder()).postprocess_nodes(nodes, QueryBundle(LUNCH))
    answer = synthesizer.synthesize(LUNCH, nodes).answer
    assert "11:30 to 14:00" in str(answer)
    assert answer.as_dict()
    for quote in answer.quotes:
        assert quote.text in TEXTS["lunch"] + TEXTS["badge"] + TEXTS["trains"]


def drafted(monkeypatch: pytest.MonkeyPatch, *parts: DraftPart, declined: Any = None) -> None:
    """Makes the drafter choose these."""
    monkeypatch.setattr(module, "draft_extractive", lambda *args, **kwargs: Draft(parts, declined))


def test_parts_without_a_statement_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part for which nothing stands is named as missing; one that an earlier quote answers too is not."""
    drafted(
        monkeypatch,
        DraftPart("when is lunch", ("1.1",)),
        DraftPart("where is it", ("1.1",)),
        DraftPart("who cooks", ()),
        DraftPart("what does it cost", ("9.9",)),
    )
    answer = ValidatingSynthesizer(may_cite=anyone).synthesize("q", [passage(TEXTS["lunch"])]).answer
    assert [quote.part for quote in answer.quotes] == [0]
    assert answer.missing == ("who cooks", "what does it cost")
    assert answer.trace.numbers["validate.dropped"] == 1


def test_what_does_not_validate_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing of a draft stands in the ledger, the answer is a refusal with that reason."""
    drafted(monkeypatch, DraftPart("when is lunch", ("7.1",), ("Lunch is free for all of us.",)))
    answer = ValidatingSynthesizer(may_cite=anyone).synthesize("q", [passage(TEXTS["lunch"])]).answer
    assert (answer.reason, answer.quotes) == ("nothing_validated", ())


def test_a_decline_donates_no_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft that declines shows nothing, whatever it also chose."""
    drafted(monkeypatch, DraftPart("when is lunch", ("1.1",)), declined="extractive_declined")
    answer = ValidatingSynthesizer(may_cite=anyone).synthesize("q", [passage(TEXTS["lunch"])]).answer
    assert (answer.reason, answer.quotes) == ("extractive_declined", ())


def test_only_cited_nodes_are_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Source nodes are the nodes that the quotes come from, in the order of the ranking."""
    nodes = [passage(text, document_id=name) for name, text in TEXTS.items()]
    drafted(monkeypatch, DraftPart("q", ("3.1", "1.2")))
    response = ValidatingSynthesizer(may_cite=anyone).synthesize("q", nodes)
    assert [node.node.metadata["document_id"] for node in response.source_nodes] == ["lunch", "trains"]


def test_the_callers_nodes_and_question_stay_theirs() -> None:
    """Synthesizing changes neither the text of a node nor a third-party QueryBundle."""
    node, bundle = NodeWithScore(node=stock_nodes()[0], score=0.5), QueryBundle(LUNCH)
    before = node.to_dict()
    ValidatingSynthesizer(may_cite=anyone).synthesize(bundle, [node])
    assert (node.to_dict(), bundle) == (before, QueryBundle(LUNCH))


def test_bare_texts_have_no_place() -> None:
    """The methods that answer from bare texts say what to call instead."""
    synthesizer = ValidatingSynthesizer(may_cite=anyone)
    with pytest.raises(TypeError, match=r"synthesize\(query, nodes\)"):
        synthesizer.get_response("q", ["text"])
    with pytest.raises(TypeError, match=r"asynthesize\(query, nodes\)"):
        asyncio.run(synthesizer.aget_response("q", ["text"]))


def test_callbacks_and_events() -> None:
    """Handlers of callbacks and of instrumentation events are told when it begins and ends, with the response."""
    synthesizer, handler = ValidatingSynthesizer(may_cite=anyone), LlamaDebugHandler(print_trace_on_end=False)
    synthesizer.callback_manager = CallbackManager([handler])
    seen: list[str] = []
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler

    class Listening(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            seen.append(event.class_name())

    dispatcher, listening = get_dispatcher(), Listening()
    dispatcher.add_event_handler(listening)
    try:
        response = synthesizer.synthesize(LUNCH, [passage(TEXTS["lunch"])])
    finally:
        dispatcher.event_handlers.remove(listening)
    ((_, end),) = handler.get_event_pairs(CBEventType.SYNTHESIZE)
    assert end.payload is not None
    assert end.payload["response"] is response
    assert [name for name in seen if name.startswith("Synthesize")] == ["SynthesizeStartEvent", "SynthesizeEndEvent"]


def test_it_has_no_prompts() -> None:
    """LlamaIndex's ways to look at and to replace prompts work, and find none."""
    synthesizer = ValidatingSynthesizer(may_cite=anyone)
    assert synthesizer.get_prompts() == {}
    synthesizer.update_prompts({})
    assert full_engine().get_prompts() == {}


def test_it_pickles() -> None:
    """With a `may_cite` that pickles it can be sent to another process."""
    sent = pickle.loads(pickle.dumps(ValidatingSynthesizer(may_cite=anyone, max_quotes=2)))
    assert sent.synthesize(LUNCH, []).answer.reason == "nothing_found"
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(ValidatingSynthesizer(may_cite=lambda node: True))


def test_our_retriever_in_a_stock_engine(tiny_office: OpenIndex) -> None:
    """Retriever and synthesizer of ours meet in a stock engine: no Question, no trace, the same quotes."""
    reader = tiny_office.reader
    engine = RetrieverQueryEngine(
        tiny_office.as_retriever(), ValidatingSynthesizer(may_cite=lambda node: reader.may_cite(node, None))
    )
    response = engine.query("Which paper does the printer on the second floor take?")
    assert isinstance(response, GroundedResponse)
    assert response.answer.trace.retrieved == []
    for quote in response.answer.quotes:
        document = reader.document(quote.document_id)
        assert document is not None
        assert document.text[quote.start : quote.end] == quote.text
