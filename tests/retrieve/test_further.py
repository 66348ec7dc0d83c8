"""What chosen statements refer to is fetched from the index, under the rules of the asker."""

from rag_app import OpenIndex
from rag_app.principal import Principal
from rag_app.question import Question, Referred
from rag_app.retrieve.further import FurtherSearches
from rag_app.text.nodes import COSINE, node_text
from tests.office import MANAGER, VISITOR

QUESTION = Question("How much may I spend?")


def fetched(index: OpenIndex, referred: Referred, principal: Principal | None = None) -> list[tuple[str, int]]:
    nodes = FurtherSearches(index.as_retriever(principal), (), keep=4).referred(QUESTION, referred)
    assert all(COSINE in node.node.metadata and node_text(node.node) for node in nodes)
    return [(node.node.metadata["document_id"], node.node.metadata["start"]) for node in nodes]


def test_what_stands_below_a_place(tiny_office: OpenIndex) -> None:
    """The next passages of the same document come, in their order; nothing above the place, and nothing at its end."""
    starts = [start for _, start in fetched(tiny_office, Referred(below=(("travel", 0),)))]
    assert len(starts) == 2
    assert starts == sorted(starts)
    assert next(start for _, start in fetched(tiny_office, Referred(below=(("travel", starts[1]),)))) == starts[1]
    assert fetched(tiny_office, Referred(below=(("travel", 100_000),))) == []


def test_documents_that_are_referred_to(guarded: OpenIndex) -> None:
    """A document that the asker may read comes once; one that they may not read gives nothing."""
    both = Referred(("budget", "canteen"), (("budget", 0),))
    assert {document for document, _ in fetched(guarded, both, VISITOR)} == {"canteen"}
    found = [document for document, _ in fetched(guarded, both, MANAGER)]
    assert sorted(found) == ["budget", "canteen"]
    assert fetched(guarded, Referred(("elsewhere",)), MANAGER) == []
