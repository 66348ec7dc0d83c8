"""The hybrid retriever, in our engine and in anybody's."""

import asyncio
from pathlib import Path

import pytest
from llama_index.core.callbacks import CallbackManager
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import CompactAndRefine, TreeSummarize
from llama_index.core.schema import MetadataMode, QueryBundle, TextNode

from rag_app import OpenIndex
from rag_app.errors import UsageError
from rag_app.settings import ENGLISH_EMBEDDER
from rag_app.testing import TinyEmbedding
from rag_app.text.nodes import COSINE, SHOWN
from rag_app.text.passages import cut_passages, embedding_text
from tests.office import MANAGER, VISITOR, build_tiny, open_tiny, stock_index

NO_CALLBACKS = CallbackManager([])


def compact(llm: MockLLM) -> CompactAndRefine:
    """A stock synthesizer with every part given."""
    from llama_index.core.indices.prompt_helper import PromptHelper

    helper = PromptHelper(tokenizer=str.split)
    return CompactAndRefine(llm=llm, callback_manager=NO_CALLBACKS, prompt_helper=helper)


def test_a_plain_text_is_enough(tiny_office: OpenIndex) -> None:
    """As any LlamaIndex retriever it takes a text or a QueryBundle, and returns scored nodes with their exact text."""
    retriever = tiny_office.as_retriever()
    found = retriever.retrieve("days of paid holiday")
    assert len(found) == 6
    assert [n.node_id for n in found] == [n.node_id for n in retriever.retrieve(QueryBundle("days of paid holiday"))]
    for node in found:
        document = tiny_office.reader.document(node.metadata["document_id"])
        assert isinstance(node.node, TextNode)
        assert document is not None
        start = node.node.start_char_idx
        assert start is not None
        assert document.text[start : start + len(node.text)] == node.text
        assert node.score is not None


def test_the_cosine_is_the_true_one(tiny_office: OpenIndex) -> None:
    """Each node carries the cosine between the question as asked and the passage, whichever index found it."""
    question = "days of paid holiday"
    asked = TinyEmbedding().get_query_embedding(question)
    found = tiny_office.search(question)
    for node in found:
        document = tiny_office.reader.document(node.metadata["document_id"])
        assert document is not None
        (passage,) = [p for p in cut_passages(document) if p.start == node.metadata["start"]]
        stored = TinyEmbedding().get_text_embedding(embedding_text(document, passage))
        assert node.metadata[COSINE] == pytest.approx(sum(a * b for a, b in zip(asked, stored, strict=True)), abs=1e-5)
    assert len(found) == 6


def test_a_question_of_two_parts_finds_both(tiny_office: OpenIndex) -> None:
    """Each part of a question is searched by itself, so that both find their document."""
    found = tiny_office.search("How long is parental leave, and what does a hotel room in Porto cost?", k=2)
    assert {node.node.metadata["document_id"] for node in found} == {"leave", "travel"}


def test_prompts_and_embeddings_see_no_numbers(tiny_office: OpenIndex) -> None:
    """A stock prompt sees title, section, source, version and date of a node, and none of its inner facts."""
    nodes = tiny_office.search("days of paid holiday")
    assert nodes
    for found in nodes:
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            lines = found.node.get_content(mode).removesuffix(found.text).split("\n")
            shown = {line.split(":")[0] for line in lines if line}
            assert {"title", "source"} <= shown <= set(SHOWN)


@pytest.mark.parametrize("synthesizer", [CompactAndRefine, TreeSummarize])
def test_with_a_stock_synthesizer(tiny_office: OpenIndex, synthesizer: type) -> None:
    """In a stock engine with a stock synthesizer and any LLM the passages reach the prompt and the source nodes."""
    from llama_index.core.indices.prompt_helper import PromptHelper

    helper = PromptHelper(tokenizer=str.split)
    made = synthesizer(llm=MockLLM(), callback_manager=NO_CALLBACKS, prompt_helper=helper)  # it answers with its prompt
    engine = RetrieverQueryEngine(tiny_office.as_retriever(), made)
    for response in (engine.query("days of paid holiday"), asyncio.run(engine.aquery("days of paid holiday"))):
        assert "Every employee gets 25 days of paid holiday" in str(response)
        assert "cosine" not in str(response)
        assert response.source_nodes[0].node.metadata["document_id"] == "leave"


def test_with_stock_postprocessors(tiny_office: OpenIndex) -> None:
    """Stock postprocessors read its scores and texts as they read any retriever's."""
    retriever = tiny_office.as_retriever()
    scores = [node.score or 0.0 for node in retriever.retrieve("days of paid holiday")]
    cut = (scores[0] + scores[1]) / 2
    engine = RetrieverQueryEngine(
        retriever,
        compact(MockLLM()),
        node_postprocessors=[
            SimilarityPostprocessor(similarity_cutoff=cut),
            LongContextReorder(),
        ],
    )
    assert len(engine.query("days of paid holiday").source_nodes) == 1
    kept = LongContextReorder().postprocess_nodes(retriever.retrieve("days of paid holiday"))
    assert sorted(node.score or 0.0 for node in kept) == sorted(scores)


def test_beside_a_stock_retriever(tiny_office: OpenIndex) -> None:
    """Its nodes go into a stock vector index as they are, and come out with their places."""
    nodes = [found.node for found in tiny_office.search("days of paid holiday")]
    best = stock_index(nodes).as_retriever(similarity_top_k=1).retrieve("paid holiday of every employee")[0]
    assert best.node.metadata["document_id"] == "leave"
    assert best.node.metadata["start"] == nodes[0].metadata["start"]


def test_a_plain_query_bundle_has_no_trace(guarded: OpenIndex) -> None:
    """With a plain QueryBundle access rules hold all the same, and nothing is left on it."""
    bundle = QueryBundle("zephyr bonus salary")
    found = guarded.as_retriever(VISITOR).retrieve(bundle)
    assert {node.node.metadata["document_id"] for node in found} == {"canteen"}
    assert not hasattr(bundle, "trace")
    assert "budget" in {n.node.metadata["document_id"] for n in guarded.as_retriever(MANAGER).retrieve(bundle)}


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_question_is_wrong_usage(tiny_office: OpenIndex, empty: str) -> None:
    """An empty text is a UsageError, sync and async, in a stock engine too."""
    retriever = tiny_office.as_retriever()
    with pytest.raises(UsageError, match="empty"):
        retriever.retrieve(empty)
    with pytest.raises(UsageError, match="empty"):
        asyncio.run(retriever.aretrieve(empty))
    with pytest.raises(UsageError, match="empty"):
        RetrieverQueryEngine(retriever, compact(MockLLM())).query(empty)


def test_candidates(tiny_office: OpenIndex) -> None:
    """Not more nodes come back than the setting's candidates."""
    settings = tiny_office.settings.model_copy(update={"candidates": 2})
    retriever = tiny_office.as_retriever()
    retriever._settings = settings
    assert len(retriever.retrieve("days of paid holiday")) == 2


def test_a_script_that_the_embedder_cannot_read_is_ranked_by_words(tmp_path: Path) -> None:
    """With the embedder for English, cosines of Chinese mean nothing: the passage with the words of the question comes
    first, also where another one has a higher cosine. With another embedder the cosine counts."""
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "fine.md").write_text("# A\n\n雨天每小时停车费三元。\n", encoding="utf-8")
    (folder / "near.md").write_text("# B\n\nhow much how much 车 how much\n", encoding="utf-8")
    build_tiny(folder)
    index = open_tiny(folder)
    question = "how much 雨天停车费多少雨天停车费"

    def first(embedding: str) -> str:
        retriever = index.as_retriever()
        retriever._settings = index.settings.model_copy(update={"embedding": embedding, "weight_words": 0.0})
        return retriever.retrieve(question)[0].node.metadata["document_id"]

    assert first(ENGLISH_EMBEDDER) == "fine"
    assert first("another") == "near"
