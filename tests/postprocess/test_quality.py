"""Stubs go; short passages that say something stay."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import ImageNode, IndexNode, NodeWithScore, QueryBundle, TextNode

from rag_app import Question
from rag_app.document import Document
from rag_app.evaluate.cases.schema import load_cases
from rag_app.evaluate.measures.scoring import plain
from rag_app.postprocess.quality import QualityFilter
from rag_app.read.documents import read_folder
from rag_app.testing import passage
from rag_app.text.nodes import pack_statements
from rag_app.text.passages import cut_passages

INDEXES = Path(__file__).parents[2] / "indexes"
LONG = "The canteen serves lunch on working days. " * 12
STUB = "More on this. See below. To be done."


def kept(*nodes: NodeWithScore, question: str = "How long is parental leave?") -> list[str]:
    """The texts that stay."""
    return [n.text for n in QualityFilter().postprocess_nodes(list(nodes), QueryBundle(question))]


def test_a_stub_goes() -> None:
    """A few words that name nothing of what is asked are dropped, and the trace says why."""
    question = Question("How long is parental leave?")
    nodes = [passage(LONG), passage(STUB, document_id="stub")]
    assert [n.text for n in QualityFilter().postprocess_nodes(nodes, question)] == [LONG]
    (drop,) = question.trace.dropped
    assert (drop.stage, drop.document_id, drop.start, drop.end) == ("quality filter", "stub", 0, len(STUB))
    assert "stub" in drop.reason


def test_one_whole_statement_stays() -> None:
    """A signature, a table row or a rule in one sentence stays however short it is."""
    for text in ("Yes.", "fn sum(a: i64)", "Badges are returned.", "- two keys", "```\nls\n```"):
        assert kept(passage(LONG), passage(text)) == [LONG, text]


def test_what_names_what_is_asked_stays() -> None:
    """A short passage that holds what is asked stays, also where its heading alone holds it."""
    text = "It lasts long. The manager approves it."
    assert kept(passage(LONG), passage("Parental leave: 16 weeks. Ask Mia.")) == [
        LONG,
        "Parental leave: 16 weeks. Ask Mia.",
    ]
    assert kept(passage(LONG), passage(text)) == [LONG]
    assert kept(passage(LONG), passage(text, title="Rules", section=("Rules", "Parental leave"))) == [LONG, text]


@pytest.mark.parametrize(
    ("question", "text", "section"),
    [
        ("What is the lead, by default?", "Default: none. (Lead!)", ()),
        ("What does `read_all` give back?", "read_all(path)\n\nA list. Never none.", ()),
        ("Which value may Damper.nudge take if nobody says so?", "By a bit. As it can.", ("Damper", "Damper.nudge")),
        ("When does the machine show F-36 to whoever stands beside it?", "Low power. Ovens are near.", ("F-36",)),
        ("Somebody spoke of --force yesterday; what is it for?", "| `--force` | go on |\n| `--dry` | look |", ()),
    ],
)  # fmt: skip
def test_punctuation_hides_nothing_and_a_symbol_counts_by_itself(
    question: str, text: str, section: tuple[str, ...]
) -> None:
    """A short passage that names an asked word or symbol stays, whatever stands around it or in the question."""
    assert kept(passage(LONG), passage(text, section=section), question=question) == [LONG, text]


def test_a_statement_that_can_be_an_answer_stays() -> None:
    """A question in other words shares none with its answer: a full sentence, or one with a figure, stays."""
    full = "There is none. The machine makes no connection that nobody has asked it for."
    figure = "It did. Old Dock has moved from 37 to 80."
    assert kept(passage(LONG), passage(full), passage(figure), question="Does it phone home?") == [LONG, full, figure]


@pytest.mark.parametrize("heading", ["See also", "Related pages", "Further reading:", "Next steps"])
def test_a_list_of_other_pages_goes(heading: str) -> None:
    """What only names other pages goes, even where these names are what is asked; what says more stays."""
    stub, says = "- Parental leave\n- Sick leave", "- Parental leave: 16 weeks\n- Sick leave: 3 days"
    one = "- Parental leave"
    nodes = [passage(text, section=("Leave", heading)) for text in (stub, one, says)]
    assert kept(passage(LONG), *nodes) == [LONG, says]
    assert kept(passage(LONG), passage(stub, section=("Leave", "Kinds"))) == [LONG, stub]


CORPORA = {
    "saggarline": ("site", "https://docs.saggarline.example/"),
    "fellwire": ("documents", ""),
}


@pytest.mark.parametrize("name", CORPORA)
def test_no_passage_with_an_asked_fact_goes(name: str) -> None:
    """Of two very different bodies of documents, no passage that holds a fact of a question is dropped for it, nor for
    a question that shares no word with it."""
    folder, address = CORPORA[name]
    by_document = {
        document.document_id if not address else f"{address}{document.path}": passages_of(document)
        for document in read_folder(INDEXES / name / folder, known={})
        if isinstance(document, Document)
    }
    everything = [node for nodes in by_document.values() for node in nodes]
    worst = {id(n.node) for n in QualityFilter().postprocess_nodes(everything, QueryBundle("Xyzzy?"))}
    assert len(worst) < len(everything)
    lost, held = [], 0
    for case in load_cases(INDEXES / name / "questions.jsonl"):
        with_fact = [
            node
            for document_id in case.expected_documents
            for node in by_document[document_id]
            if any(pattern.search(plain(node.text)) for fact in case.facts for pattern in fact)
        ]
        held += len(with_fact)
        stay = {id(n.node) for n in QualityFilter().postprocess_nodes(everything, QueryBundle(case.question))}
        lost += [(case.id, node.text) for node in with_fact if id(node.node) not in stay & worst]
    assert held > 50
    assert lost == []


def passages_of(document: Document) -> list[NodeWithScore]:
    """The passages of a document, as the index would hand them on."""
    return [
        passage(
            document.text[cut.start : cut.end],
            document_id=document.document_id,
            title=document.title,
            section=cut.section,
            start=cut.start,
            statements=pack_statements(cut.statements),
        )
        for cut in cut_passages(document)
    ]


def test_a_script_without_spaces_is_not_short() -> None:
    """A passage in a script without spaces counts by its characters."""
    text = "年次有給休暇は毎年二十日です。" * 4 + "未使用の日数は三月末に失効します。"
    assert kept(passage(LONG), passage(text)) == [LONG, text]


def test_if_all_are_stubs_the_best_stay() -> None:
    """Where everything would go, the best stay in their order, and a warning is set."""
    question = Question("How long is parental leave?")
    nodes = [passage(f"{STUB} Word{' word' * number}.", document_id=str(number)) for number in range(5)]
    stay = QualityFilter(at_least=2).postprocess_nodes(nodes, question)
    assert len(stay) == 2
    assert len(question.trace.dropped) == 3
    assert "only stubs" in question.trace.warnings[0]


def test_third_party_nodes() -> None:
    """Empty text, images, index nodes, odd metadata, no question: nothing fails, and empty ones go."""
    nodes = [
        NodeWithScore(node=TextNode(text=""), score=None),
        NodeWithScore(node=ImageNode(text=""), score=float("nan")),
        NodeWithScore(node=IndexNode(text=LONG, index_id="x"), score=0.1),
        NodeWithScore(node=TextNode(text=STUB, metadata={"title": None, "section": 7, "section_path": "abc"})),
    ]
    assert [n.text for n in QualityFilter().postprocess_nodes(nodes, QueryBundle("lunch"))] == [LONG]
    assert QualityFilter().postprocess_nodes(nodes) == [nodes[2]]
    assert QualityFilter().postprocess_nodes([], QueryBundle("lunch")) == []
    assert asyncio.run(QualityFilter().apostprocess_nodes(nodes, query_str="lunch")) == [nodes[2]]


texts = st.lists(st.sampled_from([LONG, STUB, "Yes.", "", "Parental leave lasts. Long."]), max_size=8)


@given(texts)
def test_something_always_stays(found: list[str]) -> None:
    """What comes out is what went in, in its order, and never nothing; each passage is kept or recorded as dropped."""
    question = Question("How long is parental leave?")
    nodes = [passage(text, document_id=str(number)) for number, text in enumerate(found)]
    stay = QualityFilter().postprocess_nodes(nodes, question)
    assert [n for n in nodes if n in stay] == stay
    assert bool(stay) == bool(nodes)
    assert len(stay) + len(question.trace.dropped) == len(nodes)
