"""Passages that point to other documents are marked, within bounds, and never towards what may not be read."""

from collections.abc import Sequence

import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.postprocess.pointers import PointerDetector
from rag_app.question import Question
from rag_app.text.nodes import LINKS, POINTERS, hide
from tests.synthesize.turns import nodes_of

TITLES = (("bonus", "Bridge Bonus"), ("share", "Harvest Share"), ("leave", "Annual Leave Policy"), ("nda", "NDA"))


def detected(
    nodes: list[NodeWithScore],
    question: str = "What do I get?",
    titles: Sequence[tuple[str, str]] = TITLES,
    **limits: int,
) -> list[list[tuple[str, str, int | None]]]:
    found = PointerDetector(lambda: titles, None, **limits).postprocess_nodes(nodes, Question(question))
    return [node.node.metadata[POINTERS] for node in found]


@pytest.mark.parametrize(
    ("text", "pointers"),
    [
        ("The bonus is paid in May. See the Harvest Share for the rest.", [("referred", "share", 26)]),
        ("It is paid as set out in the Annual Leave Policy.", [("referred", "leave", 0)]),
        ("It is separate from the Harvest Share.", []),
        ("The Harvest Share does not apply here.", []),
        ("The board likes the Harvest Share.", []),
        ("It applies to annual leave.", []),
        ("It is a standard bonus.", []),
        ("The Bridge Bonus is paid in May.", []),
    ],
)
def test_references(text: str, pointers: list[tuple[str, str, int]]) -> None:
    """A passage points to what one of its statements refers to; mentions, contrasts and its own title do not count."""
    assert detected(nodes_of("bonus", text)) == [pointers]


def test_the_question_names_a_document() -> None:
    """What the question names counts for every passage."""
    assert detected(nodes_of("bonus", "It is 300 euros."), "How does it differ from the harvest share?") == [
        [("asked", "share", None)]
    ]


def test_unreadable_documents_are_not_named() -> None:
    """A title that the asker may not read leaves no trace."""
    readable = [title for title in TITLES if title[0] != "share"]
    assert detected(nodes_of("bonus", "See the Harvest Share."), "the harvest share?", readable) == [[]]


def test_hints_are_bounded() -> None:
    """A passage points to a bounded number of documents, each once."""
    titles = [(f"t{number}", f"Topic{number} Rules") for number in range(9)]
    text = " ".join(f"See the Topic{number} Rules." for number in range(9)) + " See the Topic0 Rules."
    pointers = detected(nodes_of("a", text), titles=titles)[0]
    assert pointers == [("referred", f"t{number}", number * 22) for number in range(4)]


def test_named_documents_are_fetched() -> None:
    """A readable document that was named but not retrieved has its best passages fetched, behind the best ones."""
    asked: list[tuple[str, int]] = []

    def passages_of(question: QueryBundle, document_id: str, k: int) -> list[NodeWithScore]:
        asked.append((document_id, k))
        return nodes_of(document_id, "It is 4 % of the profit.")

    question = Question("What do I get?")
    nodes = [*nodes_of("bonus", "See the Harvest Share."), *nodes_of("b", "Tea."), *nodes_of("c", "Sign the NDA.")]
    found = PointerDetector(lambda: TITLES, passages_of, best=2).postprocess_nodes(nodes, question)
    assert asked == [("share", 2)]  # only the best passages have something fetched
    assert [node.node.metadata["document_id"] for node in found] == ["bonus", "b", "share", "c"]
    assert question.trace.numbers["pointers.fetched"] == 1


def test_few_documents_are_fetched() -> None:
    """Of many documents that are named two are fetched, the first ones, with two passages each."""
    asked: list[tuple[str, int]] = []

    def passages_of(question: QueryBundle, document_id: str, k: int) -> list[NodeWithScore]:
        asked.append((document_id, k))
        return nodes_of(document_id, "It is 4 % of the profit.")

    nodes = nodes_of("a", "See the Harvest Share. See the Annual Leave Policy. See the Bridge Bonus.")
    PointerDetector(lambda: TITLES, passages_of).postprocess_nodes(nodes, Question("What do I get?"))
    assert asked == [("share", 2), ("leave", 2)]


def test_retrieved_documents_are_not_fetched() -> None:
    """A named document that was retrieved is not fetched again."""
    nodes = [*nodes_of("bonus", "See the Harvest Share."), *nodes_of("share", "It is 4 %.")]
    detector = PointerDetector(lambda: TITLES, lambda *_: pytest.fail("fetched"))
    assert len(detector.postprocess_nodes(nodes, Question("What?"))) == 2


def test_hints_are_hidden() -> None:
    """No prompt and no embedding sees a hint."""
    nodes = nodes_of("bonus", "See the Harvest Share.")
    detected(nodes)
    assert POINTERS in nodes[0].node.excluded_llm_metadata_keys
    assert POINTERS in nodes[0].node.excluded_embed_metadata_keys


def test_behind_a_third_party_retriever() -> None:
    """Without a question and without our metadata it still marks passages, and fetches nothing."""
    nodes = nodes_of("bonus", "See the Harvest Share.")
    assert PointerDetector(lambda: TITLES, lambda *_: pytest.fail("fetched")).postprocess_nodes(nodes) == nodes
    assert PointerDetector(lambda: TITLES).postprocess_nodes([]) == []


def test_links_point_to_readable_pages_alone() -> None:
    """A link to a page of the index is a pointer, behind what is referred to; a link to anything else is none."""
    links = ["https://docs.example.org/elsewhere", "bonus", "leave", "share"]
    nodes = nodes_of("bonus", "See the Harvest Share and this page for the rest.")
    hide(nodes[0].node, LINKS, links)
    assert detected(nodes) == [[("referred", "share", 0), ("linked", "leave", None)]]


def test_a_page_behind_a_link_is_fetched_where_it_was_not_found() -> None:
    """Its best passages stand behind the best ones found, whatever it is called."""
    nodes = nodes_of("bonus", "It is told elsewhere.")
    hide(nodes[0].node, LINKS, ["leave"])
    asked: list[tuple[str, int]] = []

    def passages_of(question: QueryBundle, document_id: str, k: int) -> list[NodeWithScore]:
        asked.append((document_id, k))
        return nodes_of(document_id, "There are 26 days a year.")

    found = PointerDetector(lambda: TITLES, passages_of).postprocess_nodes(nodes, Question("How many days?"))
    assert asked == [("leave", 2)]
    assert len(found) == 2
