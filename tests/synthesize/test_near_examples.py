"""Worked examples in the draft prompt."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_app import Question
from rag_app.opened import open_index
from rag_app.synthesize.examples import Example
from rag_app.synthesize.near_examples import NearExamples
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.testing import ScriptedLLM, TinyEmbedding
from tests.office import build_tiny, write_open
from tests.synthesize.turns import LEAVE, nodes_of, said

HOLIDAY = Example("How many weeks of holiday do sailors have?", ("Sailors row.", "Sailors have 3 weeks."), (2,))
SOUP = Example("Which soup is served on Mondays?", ("Leek soup is served on Mondays.",), (1,))
NOTHING = Example("How many days of holiday do cooks have?", ("Cooks have white hats.",), ())


def near(*examples: Example, floor: float = 0.4, most: int = 3, tokens: int = 800) -> NearExamples:
    return NearExamples(examples, TinyEmbedding(), floor=floor, most=most, tokens=tokens)


def test_only_examples_like_the_question_are_shown() -> None:
    """The nearest comes first, what lies under the similarity floor is left out, and the trace has both numbers."""
    question = Question("How many days of holiday do sailors have?")
    block = near(SOUP, NOTHING, HOLIDAY).show(question)
    assert block.startswith("Examples of right choices")
    assert "soup" not in block
    assert block.index("weeks of holiday do sailors") < block.index("holiday do cooks")
    assert 'Right reply: {"parts": [{"part": 1, "labels": ["E1.2"]}]}' in block
    assert 'Right reply: {"parts": [{"part": 1, "labels": []}]}' in block
    assert question.trace.numbers["examples.shown"] == 2
    assert question.trace.numbers["examples.best_cosine"] > 0.4


def test_nothing_near_is_nothing_shown() -> None:
    """Without an example above the floor the prompt is byte for byte the one without examples."""
    question = Question("Who paints the fence?")
    assert near(SOUP, HOLIDAY, floor=0.9).show(question) == ""
    assert near().show(Question("Who paints the fence?")) == ""
    assert question.trace.numbers["examples.shown"] == 0
    with_none, without = ScriptedLLM([said(["1.1"])]), ScriptedLLM([said(["1.1"])])
    for llm, examples in ((with_none, near(SOUP, floor=0.9)), (without, None)):
        synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, examples=examples)
        synthesizer.synthesize(Question("How much leave is there?"), nodes_of("leave", LEAVE))
    assert with_none.calls[0].messages == without.calls[0].messages


def test_examples_take_no_more_room_than_they_may() -> None:
    """At most so many are shown, and only whole ones that fit."""
    question = "How many days of holiday do sailors have?"
    assert near(NOTHING, HOLIDAY, most=1).show(Question(question)).count("Right reply") == 1
    assert near(NOTHING, HOLIDAY, tokens=60).show(Question(question)).count("Right reply") == 1
    assert near(NOTHING, HOLIDAY, tokens=5).show(Question(question)) == ""


@given(st.lists(st.sampled_from(["</examples>", "<evidence>", "\n1.1 ", "E1.1", "Right reply: {}", "x"]), min_size=1))
def test_the_text_of_an_example_is_data(words: list[str]) -> None:
    """No text of an example closes the fence, opens another, or begins a line of its own."""
    text = " ".join(words)
    block = near(Example(text, (text,), (1,)), floor=-1).show(Question("anything"))
    lines = block.splitlines()
    assert block.count("</examples>") == 1
    assert block.count("<examples>") == 1
    assert "<evidence>" not in block
    assert [line.split(" ")[0] for line in lines[3:-2]] == ["Part", "E1.1", "Right"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_label_of_an_example_is_no_label(way: str) -> None:
    """A model that chooses from an example chooses nothing: only the ledger's statements can be shown."""
    llm = ScriptedLLM([said(["E1.2"]), said([])])
    synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, examples=near(HOLIDAY, floor=-1))
    question, nodes = Question("How much leave is there?"), nodes_of("leave", LEAVE)
    if way == "sync":
        answer = synthesizer.synthesize(question, nodes).answer
    else:
        answer = asyncio.run(synthesizer.asynthesize(question, nodes)).answer
    assert "Sailors have 3 weeks." in llm.calls[0].messages[-1][1]
    assert answer.status == "insufficient_evidence"
    assert answer.quotes == ()


def test_index_toml_names_the_file(tmp_path: Path) -> None:
    """An index that names a file of examples shows them to the model that drafts, and to nobody else."""
    folder = write_open(tmp_path / "office")
    example = {"question": HOLIDAY.question, "statements": list(HOLIDAY.statements), "right": [2]}
    (folder / "examples.jsonl").write_text(json.dumps(example), "utf-8")
    toml = '[index]\nname = "o"\ndescription = "o"\naccess = "open"\n[documents]\nfolder = "."\n'
    (folder / "index.toml").write_text(toml + '[examples]\nfile = "examples.jsonl"\nfloor = 0.3\n', "utf-8")
    build_tiny(folder)
    index = open_index(folder, embedder=TinyEmbedding(), cross_encoder="none")
    llm = ScriptedLLM([said([]), said([])])
    index.as_query_engine(llm=llm).query("How many days of holiday do employees have?")
    assert "Sailors have 3 weeks." in llm.calls[0].messages[-1][1]
    assert all("Sailors" not in message for call in llm.calls[1:] for _, message in call.messages)
    answer = index.as_query_engine(llm=None).query("How many days of holiday do employees have?").answer
    assert "examples.shown" not in answer.trace.numbers
