"""Nobody learns of what they may not read: through the real indexes, the real stages and every door."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.answer import Answer
from rag_app.errors import UsageError
from rag_app.index.search.search_index import unit_vectors
from rag_app.opened import OpenIndex
from rag_app.principal import Principal
from rag_app.respond.query_engine import GroundedQueryEngine
from rag_app.settings import load_settings
from rag_app.show.explain import explained
from rag_app.testing import ScriptedLLM
from tests.index.workbench import Workbench
from tests.synthesize.turns import said as chosen

pytestmark = pytest.mark.usefixtures("answers_always")

ROLES = ["manager", "auditor", "admin", "public", "nobody", "*", "null"]
DEPARTMENTS = ["hr", "finance", "admin"]
USERS = ["ana", "bo", "root", "admin", "None"]
TOPICS = ["holiday", "parking", "hotel", "overtime", "badge", "laptop"]


@dataclass(frozen=True)
class Written:
    """A document that was written, with who may read it as this test was written."""

    document_id: str
    secrets: tuple[str, ...]
    """Words that stand in this document, its name or its place, and nowhere else."""
    reads: Callable[[Principal], bool]
    title: str
    body: str


def nobody(_: Principal) -> bool:
    return False


MALFORMED = [
    "",
    "access_scope:",
    "access_scope: Public",
    "access_scope: 'public '",
    "access_scope: everyone",
    "access_scope: [public]",
    "access_scope: true",
    "access_scope: admin",
    "access_scope: {public: yes}",
    "access_scope: role",
    "access_scope: role\nallowed_roles:",
    "access_scope: role\nallowed_roles: []",
    "access_scope: role\nallowed_roles: manager",
    "access_scope: role\nallowed_roles: '*'",
    "access_scope: role\nallowed_roles: [manager, 7]",
    "access_scope: role\nallowed_roles: [null]",
    "access_scope: role\nallowed_roles: ['  ', manager]",
    "access_scope: role\nallowed_roles: {manager: true}",
    "access_scope: role\nallowed_departments: [hr]",
    "access_scope: department\nallowed_roles: [manager]",
    "access_scope: department\nallowed_departments: [[hr]]",
    "access_scope: private",
    "access_scope: private\nowner_user_id: [ana]",
    "access_scope: private\nowner_user_id: 7",
    "access_scope: private\nowner_user_id: null",
    "allowed_roles: [manager]",
    "owner_user_id: ana",
    "access_scope: public\naccess_scope: role",
    "access_scope: public\nAccess-Scope: role",
    "access_scope: [public",
]


def random_rule(rng: random.Random) -> tuple[str, Callable[[Principal], bool]]:
    """Front matter, and who may read by it."""
    match rng.randrange(6):
        case 0:
            return "access_scope: public", lambda _: True
        case 1:
            names = set(rng.sample(ROLES, rng.randint(1, 3)))
            listed = json.dumps(sorted(names))
            return f"access_scope: role\nallowed_roles: {listed}", lambda who: bool(names & set(who.roles))
        case 2:
            names = set(rng.sample(DEPARTMENTS, rng.randint(1, 2)))
            listed = json.dumps(sorted(names))
            return f"access_scope: department\nallowed_departments: {listed}", lambda who: bool(
                names & set(who.departments)
            )
        case 3:
            owner = rng.choice(USERS)
            return f'access_scope: private\nowner_user_id: "{owner}"', lambda who: who.user_id == owner
        case _:
            return rng.choice(MALFORMED), nobody


def random_principal(rng: random.Random) -> Principal:
    roles = rng.sample(ROLES, rng.randint(0, 3))
    return Principal(rng.choice(USERS), tuple(roles), tuple(rng.sample(DEPARTMENTS, rng.randint(0, 2))))


def write_corpus(bench: Workbench, rng: random.Random, count: int) -> list[Written]:
    """Documents about the same few topics, each with words of its own in every place where something could leak."""
    written: list[Written] = []
    for _ in range(count):
        rule, reads = random_rule(rng)
        tag, figure = f"zq{rng.randrange(10**9)}x", f"vk{rng.randrange(10**9)}x"
        topic = rng.choice(TOPICS)
        older = rng.choice(written).document_id if written and rng.random() < 0.3 else ""
        shared = f"Everybody is told about {rng.choice(TOPICS)} in spring."
        named = rng.choice(written) if written and rng.random() < 0.3 else None
        if named:
            shared += f"\n\nThis does not replace {named.title}."
        body = f"# {topic} {tag}\n\n## Rules of {tag}\n\nThe {topic} limit of {tag} is {figure} a year.\n\n{shared}\n"
        head = f'document_id: {tag}\ntitle: "The {topic} of {tag}"\nversion: {tag}\nsupersedes: "{older}"\n{rule}\n'
        file = bench.documents / tag[:4] / f"{tag}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{head}---\n{body}", encoding="utf-8")
        written.append(Written(tag, (tag, figure), reads, f"The {topic} of {tag}", body))
    return written


def random_question(rng: random.Random, written: list[Written]) -> str:
    """About a topic, or by a word that a document has alone, which the asker may have heard somewhere."""
    topic, other = rng.choice(TOPICS), rng.choice(written)
    return rng.choice(
        [
            f"What is the {topic} limit a year?",
            f"What is the {topic} limit of {other.document_id}?",
            f"Who is told about {topic} in spring, and what is the limit of {other.secrets[1]}?",
            f"Is {other.secrets[1]} a limit?",
            "supersedes version rules document_id access_scope",
        ]
    )


def opened(bench: Workbench, **knobs: Any) -> OpenIndex:
    return OpenIndex(bench.open(), load_settings(cross_encoder="none", **knobs), bench.embedder)


def everything_said(
    engine: GroundedQueryEngine, llm: ScriptedLLM, index: OpenIndex, who: Principal, question: str
) -> str:
    """Whatever a question brings to light, as one text: to the asker, and to a language model."""
    response: Any = engine.query(question)
    answer: Answer = response.answer
    nodes = [*response.source_nodes, *index.search(question, who)]
    return "\n".join(
        [
            *(str(call.messages) for call in llm.calls),
            json.dumps(answer.as_dict()),
            str(answer),
            answer._repr_html_(),
            explained(answer),
            *(found.node.to_json() for found in nodes),
        ]
    )


def leaks(seed: int, folder: Path, principals: int, questions: int) -> tuple[int, list[str]]:
    """Cases tried and what leaked, for one random corpus."""
    rng = random.Random(seed)
    bench = Workbench(folder)
    bench.define(
        "rules", rng.choice(["", '[access]\n"zq1*/**" = { access_scope = "role", allowed_roles = ["auditor"] }'])
    )
    globbed = "auditor" in (folder / "index.toml").read_text()
    written = write_corpus(bench, rng, 40)
    bench.build()
    indexes = [opened(bench, gate_threshold=threshold) for threshold in (-1.0, 0.5)]
    tried, prompted, found = 0, 0, []
    for _ in range(principals):
        who = random_principal(rng)
        readable = {document.document_id for document in written if may(document, who, bench, globbed)}
        listed = {info.document_id for info in indexes[0].documents(who)}
        if listed != readable:
            found.append(f"{who}: {listed ^ readable} listed and readable differ")
        known = " ".join(document.body for document in written if document.document_id in readable)
        for number in range(questions):
            tried += 1
            question = random_question(rng, written)
            index = indexes[number % 2]
            llm = ScriptedLLM(lambda _: chosen(["1.1", "2.1", "3.1"], ["1.2"], search=["limit in spring"]))
            engine = index.as_query_engine(who, llm=llm if number % 3 == 0 else None)
            said = everything_said(engine, llm, index, who, question)
            prompted += len(llm.calls)
            for document in written:
                if document.document_id in readable:
                    continue
                if indexes[0].reader.document(document.document_id, who) is not None:
                    found.append(f"{who} opens {document}")
                secrets = [s for s in document.secrets if s not in question and s not in known]
                found += [f"{who}: {question!r} says {s}" for s in secrets if s in said]
    for index in indexes:
        index.reader.close()
    assert prompted > tried / 10, "the language model was hardly asked"
    return tried, found


def may(document: Written, who: Principal, bench: Workbench, globbed: bool) -> bool:
    """Who reads it; files that say nothing about it fall under the rule for their folder."""
    file = bench.documents / document.document_id[:4] / f"{document.document_id}.md"
    silent = not any(name in file.read_text() for name in ("access_scope", "allowed_", "owner_user_id", "Access-Scope"))
    if silent and globbed and document.document_id.startswith("zq1"):
        return "auditor" in who.roles
    return document.reads(who)


def test_nobody_learns_of_the_unreadable(tmp_path: Path) -> None:
    """Random rules, well and badly written, random askers and questions: nothing unreadable shows anywhere."""
    tried, found = leaks(1, tmp_path / "index", principals=10, questions=10)
    assert tried == 100
    assert found == []


@pytest.mark.long
def test_nobody_learns_of_the_unreadable_in_ten_thousand_cases(tmp_path: Path) -> None:
    """0 leaks of 10,000 cases over 20 random corpora."""
    tried, found = 0, []
    for seed in range(20):
        more, leaked = leaks(100 + seed, tmp_path / str(seed), principals=25, questions=20)
        tried, found = tried + more, found + leaked
    assert tried == 10_000
    assert found == []


@pytest.mark.parametrize("seed", range(3))
def test_unreadable_documents_change_nothing(tmp_path: Path, seed: int) -> None:
    """What an asker gets is to the last figure what an index would say that holds only what they may read (word
    statistics, which are shared, weigh nothing here)."""
    rng = random.Random(seed)
    whole, part = Workbench(tmp_path / "whole"), Workbench(tmp_path / "part")
    for bench in (whole, part):
        bench.define("rules")
    written = write_corpus(whole, rng, 40)
    who = Principal("ana", ("manager",), ("hr",))
    readable = [document.document_id for document in written if document.reads(who)]
    for document_id in readable:
        source = next(whole.documents.rglob(f"{document_id}.md"))
        copy = part.documents / source.relative_to(whole.documents)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    whole.build()
    part.build()
    assert 0 < len(readable) < len(written)
    engines = [opened(b, weight_words=0, gate_threshold=0.3).as_query_engine(who) for b in (whole, part)]
    for _ in range(40):
        question = random_question(rng, written)
        answers = [engine.query(question).answer.as_dict() for engine in engines]  # pyright: ignore
        for answer in answers:
            del answer["trace"]["milliseconds"]
        assert answers[0] == answers[1]


def test_scores_tell_nothing_of_word_statistics(tmp_path: Path) -> None:
    """Scores of a search are made of its ranking and of cosines: however often others' documents use a word, and
    wherever a score is shown, they are the same for the same ranking."""
    benches = Workbench(tmp_path / "few"), Workbench(tmp_path / "many")
    for bench in benches:
        bench.define("rules")
        for name, text in (("a", "Hotels cost 140 euros a night."), ("b", "Badges open the gate of hotels.")):
            bench.write(f"{name}.md", text, access_scope="public")
    for number in range(30):
        text = f"Hotels, hotels, hotels and badges of number {number}, at great length and in many more words."
        benches[1].write(f"s{number}.md", text, access_scope="private", owner_user_id="ana")
    for bench in benches:
        bench.build()
    indexes = [opened(bench, gate_threshold=-1.0, weight_words=0.5) for bench in benches]
    eve = Principal("eve")
    for question in ("What do hotels cost a night?", "hotels", "badges of hotels", "gate euros night"):
        searches = [index.search(question, eve) for index in indexes]
        engines = [index.as_query_engine(eve).query(question).source_nodes for index in indexes]
        rankings = [[found.node_id for found in nodes] for nodes in searches]
        assert rankings[0] == rankings[1]
        for few, many in (searches, engines):
            assert [found.score for found in few] == [found.score for found in many]
            assert few


def test_filtered_search_is_search_of_the_filtered(tmp_path: Path) -> None:
    """The first k of each index under rules are those of brute force over the readable passages."""
    rng = random.Random(5)
    bench = Workbench(tmp_path / "index")
    bench.define("rules")
    written = write_corpus(bench, rng, 60)
    bench.build()
    reader = bench.open()
    with reader.snapshot() as view:
        rows = view._connection.execute(
            "SELECT passage_id, document_id, v.vector FROM passages JOIN documents USING (doc) "
            "JOIN vectors.vectors v USING (vector_id)"
        ).fetchall()
        for _ in range(60):
            who, question, k = random_principal(rng), random_question(rng, written), rng.choice([1, 5, 20])
            readable = {document.document_id for document in written if document.reads(who)}
            vector = bench.embedder.get_query_embedding(question)
            query = unit_vectors([vector])[0]
            scored = {row[0]: float(np.frombuffer(row[2], np.float32) @ query) for row in rows if row[1] in readable}
            found = view.search_meaning(vector, k, view.readable(who))
            best = sorted(scored.values(), reverse=True)[:k]
            assert [score for _, score in found] == pytest.approx(best, abs=2e-6)
            assert {key: scored[key] for key, _ in found} == pytest.approx(dict(found), abs=2e-6)
            everything = view.search_words(question, 1000, frozenset(view.rules()))
            ids = {row[0] for row in rows if row[1] in readable}
            assert [s for _, s in view.search_words(question, k, view.readable(who))] == pytest.approx(
                [score for key, score in everything if key in ids][:k], abs=1e-5
            )


SAME = "Hotels are refunded up to 140 euros a night."


def test_same_sentence_in_public_and_restricted(bench: Workbench) -> None:
    """The same sentence in a public and a restricted file is cited from the public one for outsiders."""
    bench.define("rules")
    bench.write("a-board.md", SAME, title="Hotels", access_scope="role", allowed_roles="[board]")
    bench.write("b-travel.md", SAME, title="Hotels", access_scope="public")
    bench.build()
    engine = opened(bench, gate_threshold=-1.0).as_query_engine(Principal("eve"))
    answer = engine.query("How much is refunded for hotels a night?").answer  # pyright: ignore
    assert {quote.document_id for quote in answer.quotes} == {"b-travel"}
    assert "board" not in json.dumps(answer.as_dict())


class Meanwhile(BaseNodePostprocessor):
    """Does something between two stages."""

    what: Callable[[], object]

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        self.what()
        return nodes


def withdraw(bench: Workbench) -> None:
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="role", allowed_roles="[owners]")
    bench.build()


def delete(bench: Workbench) -> None:
    (bench.documents / "pay.md").unlink()
    bench.build()


def rewrite(bench: Workbench) -> None:
    bench.write("pay.md", "The pay of directors is not told.", access_scope="role", allowed_roles="[board]")
    bench.build()


def bad_access_data(bench: Workbench) -> None:
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="[board")
    bench.build()


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """An index under rules, not built: a document for the board, and one for all."""
    bench = Workbench(tmp_path / "handbook")
    bench.define("rules")
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="role", allowed_roles="[board]")
    bench.write("leave.md", "Everybody gets 25 days of holiday a year.", access_scope="public")
    return bench


@pytest.mark.parametrize("change", [withdraw, delete, bad_access_data])
@pytest.mark.parametrize("stage", ["first", "last", "gate closed"])
def test_access_ends_while_a_question_runs(bench: Workbench, stage: str, change: Callable[[Workbench], None]) -> None:
    """What an asker may no longer read, or what is no longer there, when the answer is made is neither cited nor
    mentioned in the trace, whichever stage had let it pass or dropped it."""
    bench.build()
    ana = Principal("ana", ("board",))
    index = opened(bench, gate_threshold=0.999 if stage == "gate closed" else -1.0)
    assert "pay" in {found.node.metadata["document_id"] for found in index.search("pay of directors", ana)}
    engine = index.as_query_engine(ana)
    place = 0 if stage == "first" else len(engine._node_postprocessors)
    engine._node_postprocessors.insert(place, Meanwhile(what=lambda: change(bench)))
    response: Any = engine.query("How many euros do directors get a month?")
    said = json.dumps(response.answer.as_dict()) + str(response.source_nodes)
    assert "get 9000" not in said
    assert '"pay"' not in said
    assert not any(name.startswith("gate") for name in response.answer.trace.numbers)


@pytest.mark.parametrize("stage", ["first", "last"])
def test_rewritten_while_a_question_runs(bench: Workbench, stage: str) -> None:
    """A document that is written again while a question runs is answered from as it was when the question began, and
    not lost between its two versions; the next question sees the new one."""
    bench.build()
    ana = Principal("ana", ("board",))
    engine = opened(bench, gate_threshold=-1.0).as_query_engine(ana)
    place = 0 if stage == "first" else len(engine._node_postprocessors)
    engine._node_postprocessors.insert(place, Meanwhile(what=lambda: rewrite(bench)))
    answers = [str(engine.query("How many euros do directors get a month?").answer.as_dict()) for _ in range(2)]  # pyright: ignore
    assert "get 9000" in answers[0]
    assert "get 9000" not in answers[1]


def test_access_to_the_successor_ends_while_a_question_runs(bench: Workbench) -> None:
    """A document is not named as superseded by one that the asker may no longer read."""
    who = {"access_scope": "role", "allowed_roles": "[board]"}
    bench.write("old.md", "Cars cost 30 euros a day.", title="Cars 2019", access_scope="public")
    bench.write("new.md", "Cars cost 50 euros a day.", title="Cars now", supersedes="old", **who)
    bench.build()
    engine = opened(bench, gate_threshold=-1.0).as_query_engine(Principal("ana", ("board",)))
    assert "Cars now" in str(engine.query("What did cars cost a day in 2019?"))
    bench.write("new.md", "Cars cost 50 euros a day.", title="Cars now", supersedes="old", access_scope="private")
    engine._node_postprocessors.append(Meanwhile(what=bench.build))
    response: Any = engine.query("What did cars cost a day in 2019?")
    assert "Cars now" not in json.dumps(response.answer.as_dict()) + str(response.source_nodes)


def test_border_relies_on_no_search(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a search lets everything pass, the border still stops what the asker may not read."""
    bench.build()
    index = opened(bench, gate_threshold=-1.0)
    engine = index.as_query_engine(Principal("eve"))
    with index.reader.snapshot() as view:
        everything = frozenset(view.rules())
    monkeypatch.setattr("rag_app.retrieve.hybrid.HybridRetriever._readable", lambda self, view: everything)
    response: Any = engine.query("How many euros do directors get a month?")
    said = json.dumps(response.answer.as_dict()) + str(response.source_nodes)
    assert "get 9000" not in said
    assert '"pay"' not in said


@pytest.mark.parametrize("how", ["front matter", "index.toml"])
def test_readers_change_on_the_next_question(bench: Workbench, how: str) -> None:
    """A change of readers alone, in a file or in index.toml, counts for an open index on its next question, in both
    indexes, and nothing is embedded."""
    if how == "index.toml":
        bench.write("pay.md", "Directors get 9000 euros a month.")
        bench.define("rules", '[access]\n"pay*" = { access_scope = "role", allowed_roles = ["board"] }')
    bench.build()
    index = opened(bench, gate_threshold=-1.0)
    ana, bo, question = Principal("ana", ("board",)), Principal("bo", ("owners",)), "pay of directors"

    def finds(who: Principal) -> list[bool]:
        """Whether each index finds the document for somebody."""
        vector = bench.embedder.get_query_embedding(question)
        with index.reader.snapshot() as view:
            rules = view.readable(who)
            found = (view.search_meaning(vector, 9, rules), view.search_words(question, 9, rules))
            return [any("9000" in node.text for node in view.nodes([k for k, _ in hits]).values()) for hits in found]

    assert (finds(ana), finds(bo)) == ([True, True], [False, False])
    if how == "index.toml":
        bench.define("rules", '[access]\n"pay*" = { access_scope = "role", allowed_roles = ["owners"] }')
    else:
        bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="role", allowed_roles="[owners]")
    report = bench.build()
    assert (report.embedded, report.access_changed) == (0, 1)
    assert (finds(ana), finds(bo)) == ([False, False], [True, True])


def test_without_a_principal_nothing_is_told(bench: Workbench) -> None:
    """An index with rules asked by nobody is a wrong use, told without naming any document."""
    bench.build()
    index = opened(bench)
    for door in (index.documents, index.as_query_engine, lambda: index.search("pay of directors")):
        with pytest.raises(UsageError) as error:
            door()
        assert "pay" not in str(error.value) + json.dumps(error.value.details)


def test_many_rules(tmp_path: Path) -> None:
    """Rules are never cut off: somebody with 600 roles reads 600 documents, under 600 rules."""
    many_rules(tmp_path / "index", 600)


@pytest.mark.long
def test_ten_thousand_rules(tmp_path: Path) -> None:
    """10,000 rules and an asker with 10,000 roles: everything is found, and a role less is a document less."""
    many_rules(tmp_path / "index", 10_000)


def many_rules(folder: Path, count: int) -> None:
    bench = Workbench(folder)
    bench.define("rules")
    for number in range(count):
        text = f"Gadget{number} weighs {number * 7} grams."
        bench.write(f"{number // 500}/d{number}.md", text, access_scope="role", allowed_roles=f"[r{number}]")
    bench.build()
    index = opened(bench)
    everybody = Principal("ana", tuple(f"r{number}" for number in range(count)))
    without_last = Principal("ana", everybody.roles[:-1])
    assert len(index.documents(everybody)) == count
    assert len(index.documents(without_last)) == count - 1
    question = f"gadget{count - 1}"
    vector = bench.embedder.get_query_embedding(question)
    for who in (everybody, without_last):
        with index.reader.snapshot() as view:
            rules = view.readable(who)
            assert len(rules) == len(who.roles)
            assert len(view.search_words("grams", count, rules)) == len(rules)
            assert len(view.search_meaning(vector, count, rules)) == len(rules)
            found = [node.text for node in view.nodes([k for k, _ in view.search_words(question, 5, rules)]).values()]
            assert found == ([f"Gadget{count - 1} weighs {count * 7 - 7} grams."] if who is everybody else [])


def test_changes_of_others_tell_nothing(bench: Workbench) -> None:
    """The name of an index's state, which every trace carries, changes with what the asker may read, and with nothing
    else: revisions would count what happens to other documents."""
    bench.build()
    index = opened(bench, gate_threshold=-1.0)

    def state(who: Principal) -> str | None:
        return (
            index.as_query_engine(who).query("How many days of holiday does everybody get?").answer.trace.index_version
        )

    ana, eve = Principal("ana", ("board",)), Principal("eve")
    before = state(ana), state(eve)
    rewrite(bench)
    assert state(eve) == before[1]
    assert state(ana) != before[0]
    bench.write("leave.md", "Everybody gets 30 days of holiday a year.", access_scope="public")
    bench.build()
    assert state(eve) != before[1]
    assert "revision" not in str(state(eve)) + index._repr_html_()


def test_a_link_shows_nobody_what_is_meant_for_others(bench: Workbench) -> None:
    """With access rules a link to another document is not read: those who may make links need not be readers of it."""
    bench.define(
        "rules",
        '[access]\n"hr/*" = { access_scope = "role", allowed_roles = ["hr"] }\n"*/*" = { access_scope = "public" }',
    )
    bench.write("hr/pay.txt", "Directors get 9000 euros a month.")
    (bench.documents / "team").mkdir()
    (bench.documents / "team" / "news.txt").symlink_to("../hr/pay.txt")
    report = bench.build()
    assert ("team/news.txt", "link") in {(problem.path, problem.code) for problem in report.problems}
    assert not any("9000" in text for text in bench.texts("directors", Principal("eve")))
    assert any("9000" in text for text in bench.texts("directors", Principal("ana", ("hr",))))


def test_a_folder_in_another_normal_form_is_the_same_folder(bench: Workbench) -> None:
    """A rule for a folder holds whichever way the file system writes its letters, so that no later rule takes over."""
    bench.define(
        "rules",
        '[access]\n"f\u00fchrung/*" = { access_scope = "role", allowed_roles = ["board"] }\n'
        '"**" = { access_scope = "public" }',
    )
    bench.write("fu\u0308hrung/pay.txt", "Directors get 9000 euros a month.")
    bench.build()
    assert not any("9000" in text for text in bench.texts("directors", Principal("eve")))
    assert any("9000" in text for text in bench.texts("directors", Principal("ana", ("board",))))
