"""Every door of an index with access rules: who gets in, and what those outside learn (nothing)."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_app import OpenIndex, Principal, build_query_engine
from rag_app.errors import IndexMismatch, UsageError
from rag_app.show.explain import explained
from rag_app.show.notebook import explain
from tests.office import ANA, MANAGER, RULES, SECRETS, VISITOR, build_tiny, open_tiny, write_rules

READS = {"visitor": ["canteen.md"], "mia": ["budget.md", "canteen.md"], "ana": ["ana.md", "bonus.md", "canteen.md"]}
QUESTIONS = [
    "How much is the zephyr bonus?",
    "When is the merger with Quillon?",
    "What does Ana want?",
    "How much may a team manager spend on training?",
    "When is lunch served?",
    "Which documents are there, and who may read them?",
    "zephyr Quillon merger bonus salary 7 percent December October",
]


@pytest.mark.parametrize(
    "door",
    [
        lambda index: index.documents(),
        lambda index: index.search("lunch"),
        lambda index: index.as_retriever(),
        lambda index: index.as_query_engine(),
        lambda index: build_query_engine(index),
        lambda index: index.reader.document("canteen"),
        lambda index: index.reader.readable(None),
    ],
)
def test_nobody_gets_in_nowhere(guarded: OpenIndex, door: Callable[[OpenIndex], Any]) -> None:
    """Without a principal every door of an index with rules is a UsageError that says what is missing."""
    with pytest.raises(UsageError, match="say who asks"):
        door(guarded)


@pytest.mark.parametrize("principal", [VISITOR, MANAGER, ANA], ids=lambda principal: principal.user_id)
def test_each_reads_what_is_theirs(guarded: OpenIndex, principal: Principal) -> None:
    """Each principal lists, finds and reads the documents of their own rules, and no others."""
    own = READS[principal.user_id]
    assert [document.path for document in guarded.documents(principal)] == own
    found = {node.node.metadata["source"] for question in QUESTIONS for node in guarded.search(question, principal)}
    assert found == set(own)
    for path in RULES:
        document = guarded.reader.document(path.removesuffix(".md"), principal)
        assert (document is not None) is (path in own)


def test_an_open_index_asks_nobody(tiny_office: OpenIndex) -> None:
    """In an open index everybody reads everything, named or not."""
    assert tiny_office.documents() == tiny_office.documents(VISITOR)
    assert tiny_office.as_query_engine().query("leave").answer.as_dict()["trace"]["retrieved"]


def everything_said(index: OpenIndex, principal: Principal, question: str) -> str:
    """All that an asker can get to see of one question, in lower case, without the question itself."""
    engine = index.as_query_engine(principal)
    answers = [engine.query(question).answer, asyncio.run(engine.aquery(question)).answer]
    nodes = [*index.search(question, principal), *index.as_retriever(principal).retrieve(question)]
    shown = [str(node.to_dict()) for node in nodes]
    for answer in answers:
        shown += [str(answer), answer._repr_html_(), explained(answer), explain(answer)._repr_html_()]
        shown.append(json.dumps({**answer.as_dict(), "question": "", "missing": ()}))
    shown.append(str(index.documents(principal)) + index._repr_html_())
    said = " ".join(shown)
    for part in engine.query(question).answer.missing:  # the question's own words
        said = said.replace(part, "")
    for word in re.findall(r"\w+", question):  # so is the word that a passage does not name
        said = re.sub(
            rf"it does not name (?:\\?'|&#x27;){re.escape(word)}", "it does not name", said, flags=re.IGNORECASE
        )
    return said.lower()


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_word_of_what_may_not_be_read(guarded: OpenIndex, question: str) -> None:
    """Nothing of an unreadable document reaches answer, trace, refusal, hits, lists or displays."""
    said = everything_said(guarded, VISITOR, question)
    assert [secret for secret in (*SECRETS, "4000 euros", "orphan", "ana.md", "budget") if secret in said] == []


def test_those_who_may_read_see_it(guarded: OpenIndex) -> None:
    """The same looking finds what the asker may read (so that the test above could fail)."""
    assert "zephyr" in everything_said(guarded, ANA, "How much is the zephyr bonus?")


words = st.sampled_from(sorted({word for _, _, body in RULES.values() for word in body.lower().split()}))


@settings(max_examples=40, deadline=None)
@given(st.lists(words, min_size=1, max_size=8), st.sampled_from([VISITOR, MANAGER, ANA]))
def test_retrieved_is_always_readable(guarded: OpenIndex, asked: list[str], principal: Principal) -> None:
    """Whatever is asked, only readable documents are retrieved, kept, dropped or quoted."""
    answer = guarded.as_query_engine(principal).query(" ".join(asked)).answer
    own = {path.removesuffix(".md") for path in READS[principal.user_id]}
    named = [*answer.quotes, *answer.trace.retrieved, *answer.trace.kept]
    assert {thing.document_id for thing in named} <= own
    assert {drop.document_id for drop in answer.trace.dropped} <= own | {None}


def test_an_unreadable_document_is_like_one_that_is_not_there(tmp_path: Path) -> None:
    """Errors, refusals and lists are the same whether an unreadable document exists or not."""
    with_secrets, without = write_rules(tmp_path / "a" / "office"), write_rules(tmp_path / "b" / "office")
    for name, (scope, _, _) in RULES.items():
        if scope != "public":
            (without / "documents" / name).unlink()
    said = []
    for folder in (with_secrets, without):
        build_tiny(folder)
        index = open_tiny(folder)
        answers = [index.as_query_engine(VISITOR).query(question).answer for question in QUESTIONS]
        said.append(
            (
                [(str(answer), answer.status, answer.reason, answer.quotes, answer.missing) for answer in answers],
                [[(hit.document_id, hit.start, hit.cosine) for hit in answer.trace.retrieved] for answer in answers],
                [answer.trace.dropped for answer in answers],
                [document.document_id for document in index.documents(VISITOR)],
                index.reader.document("bonus", VISITOR),
            )
        )
    assert said[0] == said[1]


def test_rules_that_came_later_count_at_once(tmp_path: Path) -> None:
    """An index that was built open is not opened once index.toml says that it has rules, until it is built again."""
    folder = write_rules(tmp_path / "office")
    with_rules = (folder / "index.toml").read_text("utf-8")
    (folder / "index.toml").write_text(with_rules.replace('"rules"', '"open"'), "utf-8")
    build_tiny(folder)
    assert len(open_tiny(folder).documents()) == len(RULES)
    (folder / "index.toml").write_text(with_rules, "utf-8")
    with pytest.raises(IndexMismatch, match="rag-app build"):
        open_tiny(folder)
    build_tiny(folder)
    assert [document.path for document in open_tiny(folder).documents(VISITOR)] == READS["visitor"]


def test_two_principals_never_mix(guarded: OpenIndex) -> None:
    """Engines of different principals, asked in turns, never show what is the other's."""
    engines = {principal.user_id: guarded.as_query_engine(principal) for principal in (VISITOR, MANAGER, ANA)}
    for question in QUESTIONS:
        for name, engine in engines.items():
            retrieved = {f"{hit.document_id}.md" for hit in engine.query(question).answer.trace.retrieved}
            assert retrieved == set(READS[name])


def test_the_index_does_not_count_what_is_hidden(guarded: OpenIndex, tiny_office: OpenIndex) -> None:
    """In Jupyter an open index tells how many documents it has; one with rules does not."""
    assert "documents" in tiny_office._repr_html_()
    assert "documents" not in guarded._repr_html_()
