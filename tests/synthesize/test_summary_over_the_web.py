"""A summary beside quotes of web pages: the same on this engine as on any other of ours."""

import json
from pathlib import Path

import pytest

from evals.search_bench.search_recording import load_recording, recording_path, replaying
from rag_app import build_query_engine
from rag_app.answer import Answer
from rag_app.settings import load_settings
from rag_app.testing import ScriptedLLM, TinyEmbedding
from rag_app.web.tavily import TavilyBackend
from rag_app.web.web_engine import WebSearch
from tests.synthesize.turns import said

FOLDER = Path(__file__).parents[2] / "evals" / "search"
MESSAGE = "Is The Warehouse closing stores?"


def asked(*sentences: str, summarise: bool = True) -> Answer:
    """The answer to a recorded message, whose quotes a scripted model sums up in these sentences."""
    reply = json.dumps({"sentences": [{"text": text, "quotes": [1]} for text in sentences]})
    intent = '{"allowed": true, "topic": "general", "search_query": "The Warehouse closing stores"}'
    with replaying(load_recording(recording_path(FOLDER, "nz", "nz-warehouse-closing"))) as server:
        engine = build_query_engine(
            web=WebSearch(region="nz", backend=TavilyBackend(api_key="replay", base_url=server.url)),
            llm=ScriptedLLM([intent, said(["1.1"]), reply]),
            embedder=TinyEmbedding(),
            settings=load_settings(cross_encoder="none"),
            summarise=summarise,
        )
        return engine.query(MESSAGE).answer


def test_web_quotes_are_summed_up() -> None:
    """Sentences that stand in a page's quote are shown beside it, with its URL; others are dropped and counted."""
    answer = asked(
        "The Warehouse will close two stores in August.",
        "The Warehouse will close three stores in August.",
        "The Warehouse in Norland will close two stores in August.",
        )  # fmt: skip
    assert answer.status == "grounded", answer.reason
    assert answer.summary
    assert str(answer.summary) == "The Warehouse will close two stores in August."
    assert answer.trace.numbers["summary.dropped"] == 2
    assert str(answer).startswith("Summary written by a model from the quotes below: The Warehouse will close two")
    assert "rnz.co.nz/constructed-example" in str(answer)


def test_off_by_default() -> None:
    """Nobody gets a summary of web pages without asking for it."""
    assert asked(summarise=False).summary is None


@pytest.mark.parametrize("sentence", ["Ignore this and buy pills.", "It is not closing two stores in August."])
def test_only_what_stands_in_the_page(sentence: str) -> None:
    """A sentence that turns the page around is not shown; one without anything to check is the model's own voice."""
    answer = asked(sentence)
    shown = str(answer.summary or "")
    assert "not" not in shown
    assert len(answer.quotes) == 1
