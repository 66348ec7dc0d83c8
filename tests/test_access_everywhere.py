"""Nobody learns of what they may not read by any surface: chat, tools of agents, HTTP, events, logs, what came nearest,
corrections of spelling. Random rules, askers and questions, as in `test_access`."""

import json
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client

from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.serve.application import application
from rag_app.serve.askers import OneAsker
from rag_app.serve.tools_for_agents import agent_server
from rag_app.show.explain import explained
from tests.index.workbench import Workbench
from tests.test_access import Written, may, opened, random_principal, random_question, write_corpus


def with_words(rng: random.Random, bench: Workbench, written: list[Written]) -> dict[str, str]:
    """Writes into each document a word of letters alone that no other has; returns them by document id."""
    words: dict[str, str] = {}
    for document in written:
        word = words[document.document_id] = "".join(rng.choices("bdfgklmnprtv", k=4) + rng.choices("aeiou", k=4))
        file = next(bench.documents.rglob(f"{document.document_id}.md"))
        file.write_text(f"{file.read_text()}\nIn spring the {word} is kept with another {word}.\n", encoding="utf-8")
    return words


def misspelt(rng: random.Random, word: str) -> str:
    """A question with a word that only one document has, two letters swapped: a correction would give it away."""
    place = rng.randrange(1, len(word) - 1)
    return f"Where is the {word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]} kept?"


def asked_in_code(index: OpenIndex, who: Principal, question: str) -> Iterator[str]:
    """What an engine, its explanation, its tool and a conversation say."""
    engine = index.as_query_engine(who, llm=None)
    answer = engine.query(question).answer
    yield from (json.dumps(answer.as_dict()), str(answer), answer._repr_html_(), explained(answer))
    yield from map(repr, engine.stream(question))
    yield repr(index.as_tool(who, llm=None).call(question))
    chat = index.as_chat_engine(who, llm=None)
    for turn in (question, "And who is told about it?", "What about the limit there?"):
        yield json.dumps(chat.chat(turn).answer.as_dict())
    yield repr(chat.chat_history) + repr(chat.last_quotes)
    for listing in (index.documents(who), index.search(question, who)):
        yield f"{len(listing)} {listing!r} {getattr(listing, '_repr_html_', str)()}"


async def asked_over_the_network(index: OpenIndex, who: Principal, question: str, ids: list[str]) -> list[str]:
    """What the HTTP interface and the tools of agents say, asked for every document by its id too."""
    said: list[str] = []
    transport = httpx.ASGITransport(application(index, OneAsker(who), llm=None))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for more in ({}, {"history": []}):
            for accepted in ("application/json", "text/event-stream"):
                reply = await client.post("/ask", json={"question": question, **more}, headers={"Accept": accepted})
                said.append(f"{reply.status_code} {reply.headers} {reply.text}")
        said.append((await client.get("/search", params={"q": question, "k": "50"})).text)
        for document_id in ids:
            reply = await client.get(f"/documents/{document_id}", headers={"Accept": "text/html"})
            assert reply.status_code == 404
            said.append(reply.text.replace(document_id, ""))  # the asker said it
    async with Client(agent_server(index, OneAsker(who), llm=None)) as client:
        for name, arguments in (("ask", {"question": question}), ("search", {"question": question, "k": 50})):
            said.append(repr(await client.call_tool(name, arguments)))
        for document_id in ids:
            said.append(repr(await client.call_tool("fetch", {"document_id": document_id})).replace(document_id, ""))
    return said


@contextmanager
def logged(said: list[str]) -> Iterator[None]:
    """Adds to `said` whatever is logged meanwhile."""

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler, logger = Kept(logging.DEBUG), logging.getLogger("rag_app")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def leaks(seed: int, folder: Path, principals: int, questions: int) -> tuple[dict[str, int], list[str]]:
    """What was tried and what leaked, for one random corpus."""
    rng = random.Random(seed)
    bench = Workbench(folder)
    bench.define("rules")
    written = write_corpus(bench, rng, 30)
    words = with_words(rng, bench, written)
    bench.build()
    index = opened(bench, gate_threshold=0.2)
    counts, found = {"cases": 0, "refused with what came nearest": 0, "corrected": 0}, []
    for _ in range(principals):
        who = random_principal(rng)
        hidden = [document for document in written if not may(document, who, bench, globbed=False)]
        known = " ".join(document.body for document in written if document not in hidden)
        for number in range(questions):
            word = words[rng.choice(written).document_id]
            question = misspelt(rng, word) if number % 2 else random_question(rng, written)
            said: list[str] = []
            ids = [document.document_id for document in rng.sample(hidden, min(3, len(hidden)))]
            with logged(said):
                said += asked_in_code(index, who, question)
                said += anyio.run(asked_over_the_network, index, who, question, ids)
            counts["cases"] += 1
            counts["corrected"] += number % 2 and any(word in text for text in said)
            counts["refused with what came nearest"] += any('"nearest": [{' in text for text in said)
            for document in hidden:
                secrets = [s for s in document.secrets if s not in question and s not in known]
                secrets.append(words[document.document_id])
                found += [f"{who}: {question!r} says {s}" for s in secrets if any(s in text for text in said)]
    index.reader.close()
    return counts, found


def test_nothing_unreadable_anywhere(tmp_path: Path) -> None:
    """Random rules, askers and questions, some misspelt: nothing unreadable is on any surface."""
    counts, found = leaks(1, tmp_path / "index", principals=4, questions=4)
    assert found == []
    assert counts["refused with what came nearest"] > 0
    assert counts["corrected"] > 0


@pytest.mark.long
def test_nothing_unreadable_anywhere_in_a_thousand_cases(tmp_path: Path) -> None:
    """0 leaks of 1,000 cases over ten random corpora."""
    totals: dict[str, int] = {}
    for seed in range(10):
        counts, found = leaks(100 + seed, tmp_path / str(seed), principals=10, questions=10)
        assert found == []
        totals = {kind: totals.get(kind, 0) + count for kind, count in counts.items()}
    print(totals)
    assert totals["cases"] == 1000
