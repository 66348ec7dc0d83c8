"""The border: what may be cited becomes numbered statements, and nothing else does."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    MediaResource,
    Node,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)

from rag_app import Trace
from rag_app.synthesize.evidence import Ledger, MayCiteTogether, build_ledger, quote_of
from rag_app.testing import passage
from rag_app.text.nodes import WINDOWS, hide

TEXT = "First sentence here. Second sentence there.\n\n- one item\n- two items\n"


def anyone(node: BaseNode) -> bool:
    return True


def ledger_of(*nodes: NodeWithScore, trace: Trace | None = None) -> Ledger:
    return build_ledger(nodes, anyone, trace or Trace())


def test_labels() -> None:
    """`2.3` is the third statement of the second passage, and is found by exactly that label."""
    ledger = ledger_of(passage("Alone."), passage(TEXT, document_id="b"))
    assert [s.label for e in ledger.evidence for s in e.statements] == ["1.1", "2.1", "2.2", "2.3", "2.4"]
    found = ledger.find("2.3")
    assert found is not None
    assert found[1].text == "one item"
    for label in ("", "2", "2.", "2.9", "0.1", "3.1", "-1.1", "2.3 ", "2.03", "b.1", "２.３", "2.3.1"):
        assert ledger.find(label) is None


def test_source_behind_a_third_party_retriever() -> None:
    """Where a node knows no more than its file's name, that is the source, rather than an id that says nothing."""
    node = TextNode(text="Alone.", metadata={"file_name": "rules.pdf"})
    assert ledger_of(NodeWithScore(node=node)).evidence[0].source == "rules.pdf"


def test_several_nodes_are_asked_about_together() -> None:
    """Where the border can be asked about many nodes at one moment it is asked once, with the same result."""
    asked: list[list[str]] = []

    def each(nodes: Sequence[BaseNode]) -> list[bool]:
        asked.append([node.metadata["document_id"] for node in nodes])
        return [of != "b" for of in asked[-1]]

    nodes = [passage(f"Rule {of}.", document_id=of) for of in "abc"]
    ledger = build_ledger(nodes, MayCiteTogether(each), Trace())
    assert [evidence.document_id for evidence in ledger.evidence] == ["a", "c"]
    assert asked == [["a", "b", "c"]]
    assert not MayCiteTogether(each)(nodes[1].node)


def test_what_may_not_be_cited_leaves_no_trace() -> None:
    """A node that may not be cited becomes no evidence, takes no number, and is forgotten by the trace."""
    trace = Trace()
    secret = passage("The secret plan.", document_id="secret")
    ledger = build_ledger(
        [secret, passage("The canteen opens at noon.", document_id="open")],
        lambda node: node.metadata["document_id"] == "open",
        trace,
    )
    assert [(e.number, e.document_id) for e in ledger.evidence] == [(1, "open")]
    assert "secret" not in str(asdict(trace))


def test_one_place_has_one_label() -> None:
    """A statement that two passages share is numbered once; the same words at two places are numbered twice."""
    trace = Trace()
    whole, part = "One here. Two here.", "Two here."
    ledger = ledger_of(
        passage(whole), passage(part, start=whole.index(part)), passage(part, document_id="other"), trace=trace
    )
    texts = [(e.document_id, s.text) for e in ledger.evidence for s in e.statements]
    assert texts == [("document", "One here."), ("document", "Two here."), ("other", "Two here.")]
    assert [drop.reason for drop in trace.dropped] == ["no statement that an earlier passage does not hold"]
    assert [hit.document_id for hit in trace.kept] == ["document", "other"]


def test_places_are_the_documents() -> None:
    """Offsets count in the document, wherever the passage begins."""
    ledger = ledger_of(passage(TEXT, start=1000))
    assert ledger.evidence[0].statements
    for statement in ledger.evidence[0].statements:
        assert TEXT[statement.start - 1000 : statement.end - 1000] == statement.text


def test_numbers_follow_their_statements() -> None:
    """Where a statement falls out as a duplicate, windows stay with the statements they are about."""
    second = passage("Two here. Three here.", start=10)
    hide(second.node, WINDOWS, [(0, 0, 0, 2.0), (1, 1, 0, 3.0)])
    ledger = ledger_of(passage("One here. Two here.", start=0), second)
    evidence = ledger.evidence[1]
    assert [s.text for s in evidence.statements] == ["Three here."]
    assert evidence.windows == ((0, 0, 0, 3.0),)


def test_a_third_party_node() -> None:
    """Without our metadata a node is cited by its own id, file name and the places within it."""
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="file-7")}
    facts = {"file_name": "a.txt", "file_path": "/x/a.txt"}
    nodes = [
        NodeWithScore(node=TextNode(text=TEXT, metadata=facts, relationships=source)),
        NodeWithScore(node=TextNode(text="Alone.", id_="n2")),
        NodeWithScore(node=IndexNode(text="An index node.", index_id="i", id_="n3")),
        NodeWithScore(node=Node(text_resource=MediaResource(text="A node of the new kind."), id_="n4")),
    ]  # fmt: skip
    first, second, third, fourth = ledger_of(*nodes).evidence
    assert (first.document_id, first.title, first.source) == ("file-7", "a.txt", "/x/a.txt")
    assert TEXT[first.statements[1].start : first.statements[1].end] == "Second sentence there."
    assert (second.document_id, second.title, second.source, second.start) == ("n2", "n2", "n2", 0)
    assert third.statements[0].text == "An index node."
    assert fourth.statements[0].text == "A node of the new kind."


def test_nodes_without_text_are_no_evidence() -> None:
    """Empty nodes and images without text are dropped, and the trace has them."""
    trace = Trace()
    nodes = [NodeWithScore(node=TextNode(text="")), NodeWithScore(node=ImageNode(image_path="x.png")),
             NodeWithScore(node=TextNode(text=" \n"))]  # fmt: skip
    assert ledger_of(*nodes, trace=trace).evidence == ()
    assert len(trace.dropped) == 3


def test_odd_facts_do_not_reach_a_quote() -> None:
    """Facts of an unexpected type become text or nothing, so that a quote is always plain data."""
    node = passage("Alone here.")
    node.node.metadata.update(
        page="xii", version=3, effective_date=date(2025, 1, 1), section_path="abc", title=None, source=None
    )
    evidence = ledger_of(node).evidence[0]
    quote = quote_of(evidence, evidence.statements[0], part=0)
    assert (quote.page, quote.version, quote.effective_date, quote.section) == (None, "3", "2025-01-01", ())
    assert (quote.title, quote.source) == ("document", "document")


def test_statements_beyond_the_text_are_passed_over() -> None:
    """Stored statements that do not fit the node's text (cut by a third-party part) are not shown."""
    node = passage("Short.", statements=[["sentence", 0, 6, []], ["sentence", 7, 99, []], ["sentence", 3, 3, []]])
    assert [s.text for s in ledger_of(node).evidence[0].statements] == ["Short."]


texts: Any = st.text(alphabet=st.sampled_from("ab .\n-|#`>1?é😀\r\t"), max_size=120)


@given(st.lists(st.tuples(texts, st.integers(0, 50)), max_size=4))
def test_every_statement_is_a_slice(found: list[tuple[str, int]]) -> None:
    """Whatever a node's text and place are, each statement and lead-in is the text at its place, labelled once."""
    ledger = ledger_of(*(passage(text, start=start, document_id=str(n)) for n, (text, start) in enumerate(found)))
    labels = []
    for evidence in ledger.evidence:
        for statement in evidence.statements:
            labels.append(statement.label)
            for part in (statement, *statement.lead_in):
                assert evidence.text[part.start - evidence.start : part.end - evidence.start] == part.text
            assert ledger.find(statement.label) == (evidence, statement)
    assert len(labels) == len(set(labels))
