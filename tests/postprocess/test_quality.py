"""Stubs go; short passages that say something stay."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import ImageNode, IndexNode, NodeWithScore, QueryBundle, TextNode

from rag_app import Question
from rag_app.postprocess.quality import QualityFilter
from rag_app.testing import passage

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
    text = "It lasts 16 weeks. The manager approves it."
    assert kept(passage(LONG), passage("Parental leave: 16 weeks. Ask Mia.")) == [
        LONG,
        "Parental leave: 16 weeks. Ask Mia.",
    ]
    assert kept(passage(LONG), passage(text)) == [LONG]
    assert kept(passage(LONG), passage(text, title="Rules", section=("Rules", "Parental leave"))) == [LONG, text]


def test_a_script_without_spaces_is_not_short() -> None:
    """A passage in a script without spaces counts by its characters."""
    text = "年次有給休暇は毎年二十日です。" * 4 + "未使用の日数は三月末に失効します。"
    assert kept(passage(LONG), passage(text)) == [LONG, text]


def test_if_all_are_stubs_the_best_stay() -> None:
    """Where everything would go, the best stay in their order, and a warning is set."""
    question = Question("How long is parental leave?")
    nodes = [passage(f"{STUB} {number}. {'word ' * number}.", document_id=str(number)) for number in range(5)]
    stay = QualityFilter(at_least=2).postprocess_nodes(nodes, question)
    assert len(stay) == 2
    assert len(question.trace.dropped) == 3
    assert "only stubs" in question.trace.warnings[0]


def test_strangers_nodes() -> None:
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
