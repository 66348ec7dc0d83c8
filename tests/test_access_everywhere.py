"""Nobody learns of what they may not read by any surface: chat, tools of agents, HTTP, the command line, saved pages,
OpenTelemetry spans, events, logs, what came nearest, corrections of spelling. Random rules, askers and questions, as in
`test_access`.

Two ways to see it: no word that only an unreadable document has is said anywhere; and everything that is said is what
an index would say which holds nothing but what the asker may read.
"""

import json
import logging
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from typer.testing import CliRunner

from rag_app import start_tracing, stop_tracing
from rag_app.cli import app
from rag_app.cli.common import ANSWERED, NOT_ENOUGH_EVIDENCE
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
    place = rng.choice([place for place in range(1, len(word) - 1) if word[place] != word[place + 1]])
    return f"Where is the {word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]} kept?"


def asked_in_code(index: OpenIndex, who: Principal, question: str) -> Iterator[str]:
    """What an engine, its explanation, its tool and a conversation say."""
    engine = index.as_query_engine(who, llm=None)
    answer = engine.query(question).answer
    yield from (json.dumps(answer.as_dict()), str(answer), answer._repr_html_(), explained(answer))
    yield from map(repr, engine.stream(question))
    yield repr(index.as_tool(who, llm=None).call(question))
    shown = index.explain(question, who, llm=None)
    yield f"{shown} {shown._repr_html_()}"
    yield json.dumps(engine.query(question, as_of=date(2016, 5, 5)).answer.as_dict())
    for one in engine.batch([question, f"{question} Please say."]):
        yield f"{one.answer and json.dumps(one.answer.as_dict())} {one.error}"
    chat = index.as_chat_engine(who, llm=None)
    for turn in (question, "And who is told about it?", "What about the limit there?"):
        yield json.dumps(chat.chat(turn).answer.as_dict())
    yield repr(chat.chat_history) + repr(chat.last_quotes)
    for listing in (index.documents(who), index.search(question, who)):
        yield f"{len(listing)} {listing!r} {listing._repr_html_()} {listing.to_pandas().to_csv()}"
    yield from (found.node.to_json() for found in index.search(question, who))


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


@contextmanager
def spanned(said: list[str]) -> Iterator[None]:
    """Adds to `said` the spans that are made meanwhile, with texts and ids; several threads make them."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    start_tracing(provider, text=True, ids=True)
    try:
        yield
    finally:
        stop_tracing()
    spans = exporter.get_finished_spans()
    assert spans
    said += sorted(
        f"{span.name} {sorted((span.attributes or {}).items())!r} {[event.name for event in span.events]} "
        f"{span.status.status_code} {span.status.description}"
        for span in spans
    )


def asked_on_the_command_line(index: OpenIndex, who: Principal, question: str) -> Iterator[str]:
    """What the commands print on both streams, their exit codes, and the page that one writes."""
    folder = index.reader.definition.path
    names = [f"--role={name}" for name in who.roles] + [f"--department={name}" for name in who.departments]
    asker, page = [f"--user={who.user_id}", *names], folder / "answer.html"
    asking = ["ask", str(folder), question, *asker, "--llm=none"]
    commands = [[*asking, f"--html={page}", "--explain"], [*asking, "--json", "--full"], [*asking, "--json"]]
    commands += [["list", str(folder), *asker], ["list", str(folder), *asker, "--json"]]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rag_app.opened.open_index", lambda *_: index)  # with its embedder and settings
        for words in commands:
            ran = CliRunner().invoke(app, words)
            assert ran.exit_code in (ANSWERED, NOT_ENOUGH_EVIDENCE), f"{words}: {ran.output} {ran.exception!r}"
            yield f"{ran.exit_code} {ran.stdout} {ran.stderr}".replace(str(folder), "")
    yield page.read_text(encoding="utf-8").replace(str(folder), "")
    saved = index.as_query_engine(who, llm=None).query(question).answer
    yield saved.save_html(page, files=index.files(saved)).read_text(encoding="utf-8").replace(str(folder), "")


def said_everywhere(index: OpenIndex, who: Principal, question: str, ids: list[str]) -> list[str]:
    """What every surface says of a question, and of documents by their ids."""
    said: list[str] = []
    with logged(said), spanned(said):
        said += asked_in_code(index, who, question)
        said += asked_on_the_command_line(index, who, question)
        said += anyio.run(asked_over_the_network, index, who, question, ids)
    return said


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
            ids = [document.document_id for document in rng.sample(hidden, min(3, len(hidden)))]
            said = said_everywhere(index, who, question, ids)
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


THINGS = "hotel parking overtime badge laptop meadow lantern harbour kettle ribbon garden bridge".split()
NAMES = "Lindqvist Okonjo Brandeis Marchetti Tvedt".split()
CODES = ("QX-17", "QX-18", "ZB-4")


def almost(rng: random.Random, word: str) -> str:
    """A word with one letter added, left out, changed or swapped."""
    place, letter = rng.randrange(1, len(word) - 1), rng.choice("aeioubdgt")
    return rng.choice(
        [
            word[:place] + letter + word[place:],
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        ]
    )


def with_likely_words(rng: random.Random, bench: Workbench, written: list[Written], versions: bool) -> None:
    """Writes into each document what others have almost alike: words, names, codes, references. With `versions`, some
    are in force from a day on, perhaps one to come; without, none replaces another either."""
    for document in written:
        file = next(bench.documents.rglob(f"{document.document_id}.md"))
        text = file.read_text(encoding="utf-8")
        if not versions:
            text = re.sub('supersedes: ".*"', 'supersedes: ""', text)
        elif rng.random() < 0.3:
            day = f"20{rng.randint(10, 35)}-0{rng.randint(1, 9)}-11"
            text = text.replace("document_id:", f"effective_date: {day}\ndocument_id:", 1)
        first, second = (almost(rng, rng.choice(THINGS)) for _ in range(2))
        text += f"\nIn spring the {first} is kept with the {second}. {rng.choice(NAMES)} answers for the "
        text += f"{rng.choice(THINGS)}, and code {rng.choice(CODES)} applies.\n\n- one {rng.choice(THINGS)} costs "
        text += f"{rng.randint(2, 99)} euros\n- see {rng.choice(written).title}\n"
        file.write_text(text, encoding="utf-8")


def likely_question(rng: random.Random, written: list[Written]) -> str:
    """About what several documents have almost alike, some readable and some not."""
    thing, name, code = rng.choice(THINGS), rng.choice(NAMES), rng.choice(CODES)
    return rng.choice(
        [
            f"Where is the {almost(rng, thing)} kept?",
            f"what does {name.lower()} answer for?",
            f"Does {name} answer for the {almost(rng, thing)}?",
            f"When does {code} apply, and how much does one {thing} cost?",
            f"How much does one {thing} cost in 2016?",
            f"What does {rng.choice(written).title} say of the {thing}?",
            f"wher is the {almost(rng, almost(rng, thing))} keptt",
            random_question(rng, written),
        ]
    )


def differences(seed: int, folder: Path, principals: int, questions: int) -> tuple[int, list[str]]:
    """Cases tried, and where an index said something else than one without what the asker may not read.

    Words weigh nothing in both: their statistics are shared over an index.
    """
    rng = random.Random(seed)
    whole = Workbench(folder / "whole" / "index")
    whole.define("rules")
    written = write_corpus(whole, rng, 40)
    with_likely_words(rng, whole, written, versions=seed % 2 == 1)
    whole.build()
    tried, found = 0, []
    for number in range(principals):
        who = random_principal(rng)
        hidden = [document.document_id for document in written if not document.reads(who)]
        part = Workbench(folder / f"part{number}" / "index")
        part.define("rules")
        for document in written:
            if document.reads(who):
                source = next(whole.documents.rglob(f"{document.document_id}.md"))
                copy = part.documents / source.relative_to(whole.documents)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(source.read_bytes())
        if not hidden or len(hidden) == len(written):
            continue
        part.build()
        knobs: dict[str, float] = {"weight_words": 0, "gate_threshold": rng.choice([-1.0, 0.3, 0.5])}
        indexes = [opened(bench, **knobs) for bench in (whole, part)]
        for _ in range(questions):
            question, ids = likely_question(rng, written), rng.sample(hidden, min(2, len(hidden)))
            said = [said_everywhere(index, who, question, ids) for index in indexes]
            tried += 1
            if said[0] != said[1]:
                found.append(f"{who}: {question!r}")
        for index in indexes:
            index.reader.close()
    return tried, found


@pytest.mark.parametrize("seed", [2, 3])
def test_what_cannot_be_read_changes_nothing_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """On every surface an asker gets what an index would say that holds only what they may read: misspelt words, rare
    names, codes, dates and references of other documents change nothing."""
    monkeypatch.setattr("rag_app.trace.perf_counter", lambda: 0.0)  # milliseconds differ from run to run
    tried, found = differences(seed, tmp_path, principals=2, questions=4)
    assert found == []
    assert tried == 8


@pytest.mark.long
def test_what_cannot_be_read_changes_nothing_in_many_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same over twelve random corpora."""
    monkeypatch.setattr("rag_app.trace.perf_counter", lambda: 0.0)
    totals = [differences(100 + seed, tmp_path / str(seed), principals=5, questions=8) for seed in range(12)]
    print(sum(tried for tried, _ in totals))
    assert [line for _, found in totals for line in found] == []
    assert sum(tried for tried, _ in totals) >= 300
