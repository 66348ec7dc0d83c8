"""What a reader finds, for whom, and what it sees while somebody else writes."""

import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core.base.embeddings.base import BaseEmbedding

from rag_app.errors import IndexMissing, StoreError, UsageError
from rag_app.index.handle import Handle
from rag_app.index.queries import Queries
from rag_app.index.reader import IndexReader
from rag_app.index.search.dense import DenseIndex
from rag_app.index.search.search_index import PassageVectors, Vector, unit_vectors
from rag_app.index.search.sparse import SparseIndex
from rag_app.index.search.vectors import text_key
from rag_app.principal import AccessRule, Principal, may_read
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench, texts

pytestmark = pytest.mark.usefixtures("both_stores")


class ClusteredEmbedding(BaseEmbedding):
    """Directions at random around 60 centres: as hard for a graph search as texts are, or harder."""

    model_name: str = "clustered"

    def _get_text_embedding(self, text: str) -> list[float]:
        return near(int.from_bytes(text_key(text)[:8], "big")).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


CENTRES = np.random.default_rng(7).standard_normal((60, 96))


def near(seed: int) -> Vector:
    """A unit vector near one of the centres."""
    return unit_vectors(CENTRES[seed % 60][None] + 0.8 * np.random.default_rng(seed).standard_normal((1, 96)))[0]


RULES = 12


class Ruled:
    """An index under rules, opened, and its rows: passage id, rule id, unit vector, text."""

    def __init__(self, reader: IndexReader, rows: list[Any]) -> None:
        self.reader = reader
        self.rows = rows

    def __repr__(self) -> str:
        return "Ruled()"


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An index of 3,000 passages under 12 rules, a few of them rare, with vectors and texts by passage."""
    bench = Workbench(tmp_path_factory.mktemp("ruled") / "ruled")
    bench.define("rules")
    bench.embedder = ClusteredEmbedding(embed_batch_size=500)
    rng = np.random.default_rng(5)
    for number in range(300):
        rule = min(int(rng.geometric(0.3)) - 1, RULES - 1)
        body = "\n\n".join(f"## Part {n}\n\nThe item {rng.integers(40)} of kind {rng.integers(9)}." for n in range(10))
        bench.write(f"d{number}.md", body, access_scope="role", allowed_roles=f"[r{rule}]")
    bench.build()
    reader = bench.open()
    with reader.snapshot() as view:
        rows = view._connection.execute(
            """SELECT passage_id, rule_id, v.vector, p.text FROM passages p JOIN documents USING (doc)
            JOIN vectors.vectors v USING (vector_id)"""
        )
    yield Ruled(reader, [(key, rule, np.frombuffer(blob, dtype=np.float32), text) for key, rule, blob, text in rows])
    reader.close()


def brute_force(rows: list[Any], query: Vector, k: int, rules: frozenset[str]) -> list[tuple[int, float]]:
    allowed = [row for row in rows if row[1] in rules]
    cosines = (np.array([row[2] for row in allowed]) @ query if allowed else np.empty(0)).astype(np.float64)
    scored = [(row[0], score) for row, score in zip(allowed, np.round(cosines, 6).tolist(), strict=True)]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:k]


@pytest.mark.parametrize("way", ["graph", "scan"])
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(roles=st.sets(st.integers(0, RULES - 1)), seed=st.integers(0, 10**6), k=st.sampled_from([1, 7, 50]))
def test_meaning_equals_brute_force(
    ruled: Ruled, monkeypatch: pytest.MonkeyPatch, way: str, roles: set[int], seed: int, k: int
) -> None:
    """By meaning, what is found under access rules equals brute force over the readable passages."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0 if way == "graph" else 10**9)
    query = near(seed)
    with ruled.reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in roles)))
        found = view.search_meaning(query.tolist(), k, rules)
    wanted = brute_force(ruled.rows, query, k + 5, rules)
    # Sums of floats may differ in the last digit, and with them the order of what is equally near.
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted[:k]], abs=2e-6)
    assert {key: dict(wanted)[key] for key, _ in found} == pytest.approx(dict(found), abs=2e-6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(roles=st.sets(st.integers(0, RULES - 1)), item=st.integers(0, 39), k=st.sampled_from([5, 50, 5000]))
def test_words_equal_filtered_ranking(ruled: Ruled, roles: set[int], item: int, k: int) -> None:
    """By words, what is found under access rules has the scores of the whole ranking cut down to the readable."""
    reader, rows = ruled.reader, ruled.rows
    with reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in roles)))
        everything = view.search_words(f"item {item}", 10_000, frozenset(view.rules()))
        allowed = {row[0] for row in rows if row[1] in rules}
        wanted = [(key, score) for key, score in everything if key in allowed]
        found = view.search_words(f"item {item}", k, rules)
    assert [round(score, 4) for _, score in found] == [round(score, 4) for _, score in wanted[:k]]
    assert {key for key, _ in found} <= allowed
    assert all(score > 0 for _, score in found)


@pytest.mark.parametrize("roles", [range(RULES), range(RULES - 1), range(1), range(0)])
def test_counted_as_found(ruled: Ruled, roles: range) -> None:
    """The passages that hold a word are counted as they are found: readable ones, and none of rows left out."""
    with ruled.reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in roles)))
        for word in ("item", "3", "nowhere", "?"):
            for most in (5, 10_000):
                for without in (frozenset[int](), frozenset([1, 2, 3])):
                    found = view.search_words(word, most, rules, without)
                    assert view.count_holding(word, most, rules, without) == len(found)


@pytest.mark.parametrize("roles", [range(RULES), range(3), range(1), range(0)])
def test_similar_words_are_counted_as_read(ruled: Ruled, roles: range) -> None:
    """A word like a misspelt one is counted in the passages that may be read; where it is in none, it is not named."""
    with ruled.reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in roles)))
        readable = [text.casefold() for _, rule, _, text in ruled.rows if rule in rules]
        wanted = {word: sum(word in text.split() for text in readable) for word in ("item", "kind")}
        for word, asked in (("item", "itme"), ("kind", "knid")):
            found = {similar.word: similar.passages for similar in view.similar_words(asked, 1, rules)}
            assert found == ({word: wanted[word]} if wanted[word] else {})


def test_lookups_do_not_carry_the_rules(ruled: Ruled) -> None:
    """What is looked for by its id is compared with the rules without handing them to SQLite, which would take in
    thousands of them with each of the small queries of a question."""
    statements: list[str] = []
    with ruled.reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in range(RULES))))
        assert len(rules) > 2
        view._connection.set_trace_callback(statements.append)
        try:
            (key, _), *_ = view.search_words("item 3", 5, rules)
            node = view.nodes([key])[key]
            document_id, start = node.metadata["document_id"], node.metadata["start"]
            assert view.readable_among([document_id], rules) == {document_id}
            assert view.stands_at(document_id, start, node.get_content(), rules)
            assert key in view.passages_of(document_id, rules, frozenset())
            assert view.document(document_id, rules) is not None
            view.not_in_force(rules, date(2020, 1, 1))
        finally:
            view._connection.set_trace_callback(None)
    assert len(statements) > 6
    assert [statement for statement in statements if sum(rule in statement for rule in rules) > 1] == []


def test_rules_are_evaluated_once_for_each_asker(ruled: Ruled, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a question asks what may be read, each rule is evaluated once for each principal and revision."""
    evaluated: list[tuple[Principal, AccessRule]] = []
    monkeypatch.setattr("rag_app.index.view.may_read", lambda *pair: evaluated.append(pair) or may_read(*pair))
    askers = [Principal("bo", ("r1",)), Principal("cy", ("r2", "r3")), Principal("cy")]
    for _ in range(3):
        for asker in askers:
            with ruled.reader.snapshot() as view:
                assert len(view.readable(asker)) == len(asker.roles)
    assert len(evaluated) == len(askers) * RULES


def test_nobody(ruled: Ruled, monkeypatch: pytest.MonkeyPatch) -> None:
    """An asker under no rule gets nothing, and neither index is even asked."""
    reader = ruled.reader
    with reader.snapshot() as view:
        monkeypatch.setattr(view, "_meaning", None)
        monkeypatch.setattr(view, "_words", None)
        rules = view.readable(Principal("eve", ("admin",)))
        assert rules == frozenset()
        assert view.search_meaning([1.0] * 96, 5, rules) == []
        assert view.search_words("item 3", 5, rules) == []
        assert view.documents(rules) == []


def test_everybody(ruled: Ruled, monkeypatch: pytest.MonkeyPatch) -> None:
    """An asker under every rule is searched for without any filter."""
    reader = ruled.reader
    with reader.snapshot() as view:
        rules = view.readable(Principal("ana", tuple(f"r{role}" for role in range(RULES))))
        asked: list[Any] = []
        search = view._words.search
        monkeypatch.setattr(
            view._words, "search", lambda q, k, within=None: asked.append(within) or search(q, k, within)
        )
        assert view.search_words("item 3", 5, rules)
        assert asked == [None]


def test_no_principal(ruled: Ruled) -> None:
    """An index with access rules refuses every door without a principal."""
    reader = ruled.reader
    reader = ruled.reader
    for door in (reader.readable, reader.documents, lambda p: reader.document("d1", p)):
        with pytest.raises(UsageError, match="say who asks"):
            door(None)


def test_unreadable_document_is_not_there(bench: Workbench) -> None:
    """A document that the principal may not read looks like one that does not exist."""
    bench.define("rules")
    bench.write("pay.md", "Directors get 9000 euros.", access_scope="private", owner_user_id="bo")
    bench.build()
    reader = bench.open()
    assert reader.document("pay", Principal("ana")) is reader.document("nothing", Principal("ana")) is None
    found = reader.document("pay", Principal("bo"))
    assert found is not None
    assert "9000" in found.text
    assert found.access is not None


def test_document_comes_back_as_it_was_read(bench: Workbench) -> None:
    """A stored document equals the one that was read, whatever its characters."""
    from rag_app.document import Document
    from rag_app.read.documents import read_folder

    bench.write(
        "odd.md",
        "Tab\there, bell \x07 there.\r\n\r\n日本語 🚲 שלום",
        title="Odd",
        version="1.10",
        effective_date="2024-05-01",
    )
    read = {d.document_id: d for d in read_folder(bench.documents) if isinstance(d, Document)}
    assert "odd" in read
    bench.build()
    for document_id, document in read.items():
        stored = bench.open().document(document_id)
        assert stored is not None
        assert (stored.text, stored.effective_date, stored.version) == (
            document.text,
            document.effective_date,
            document.version,
        )


def test_nodes(bench: Workbench) -> None:
    """Nodes come in the order asked, with exact text, place, section and lead-in lines; unknown ids are left out."""
    bench.write(
        "fees.md", "# Fees\n\n## Late\n\nLate fees are:\n\n- 5 euros for books\n- 9 euros for films", title="Fees"
    )
    bench.build()
    reader = bench.open()
    with reader.snapshot() as view:
        ids = [key for key, _ in view.search_words("late fees books holiday hotels", 5, view.readable(None))]
        nodes = view.nodes([ids[-1], 12345, *ids[:-1]])
        assert list(nodes) == [ids[-1], *ids[:-1]]
        for node in nodes.values():
            document = view.document(node.metadata["document_id"], view.readable(None))
            assert document is not None
            start = node.metadata["start"]
            assert document.text[start : start + len(node.text)] == node.text
            for a, b, text in node.metadata["lead_ins"]:
                assert document.text[a:b] == text
        fees = next(node for node in nodes.values() if node.metadata["document_id"] == "fees")
        assert fees.metadata["section_path"][-1] == "Late"
        assert "books" in fees.text


@pytest.mark.parametrize(
    "query",
    ['title:"x" AND (', "passage_id:[0 .. *]", "rule_id:public", "* ? ~ ^ \\", "", "   ", "holiday" * 5000, "\x00"],
)
def test_words_are_no_query_language(bench: Workbench, query: str) -> None:
    """Whatever stands in a question is looked up as words or not at all; nothing of it is obeyed."""
    bench.build()
    with bench.open().snapshot() as view:
        assert view.search_words(query, 5, view.readable(None)) == []


def test_stems_accents_and_unspaced_scripts(bench: Workbench) -> None:
    """Words are found in other forms, with or without accents, and in scripts without spaces."""
    bench.write("café.md", "Déjà vu: the cafés were refunding guests.")
    bench.write("jp.md", "従業員は毎年二十五日の休暇を取得できます。")
    bench.build()
    with bench.open().snapshot() as view:
        rules = view.readable(None)
        for query, part in (("deja refund cafe", "cafés"), ("休暇", "休暇")):
            (key, _), *_ = view.search_words(query, 1, rules)
            assert part in view.nodes([key])[key].get_content()


def test_meaningless_question(bench: Workbench) -> None:
    """A query vector of zeros finds passages with a cosine of 0, and fails nowhere."""
    bench.build()
    with bench.open().snapshot() as view:
        scores = [score for _, score in view.search_meaning([0.0] * 64, 5, view.readable(None))]
    assert scores == [0.0, 0.0, 0.0]


def test_may_cite(bench: Workbench) -> None:
    """Only text that stands, now, at its place in a readable document may be cited: not another text, place, document,
    reader or time."""
    bench.define("rules")
    bench.write("leave.md", "Everybody gets 25 days.", access_scope="public")
    bench.write("pay.md", "Directors get 9000 euros.", access_scope="role", allowed_roles="[board]")
    bench.build()
    reader, ana, eve = bench.open(), Principal("ana", ("board",)), Principal("eve")
    with reader.snapshot() as view:
        keys = [key for key, _ in view.search_words("directors", 1, view.readable(ana))]
        (node,) = view.nodes(keys).values()
    assert reader.may_cite(node, ana)
    assert not reader.may_cite(node, eve)
    with reader.snapshot() as view:
        both = [*view.nodes([*keys, *(key for key, _ in view.search_words("days", 1, view.readable(ana)))]).values()]
    assert reader.may_cite_each(both, ana) == [True, True]
    assert [reader.may_cite(one, eve) for one in both] == reader.may_cite_each(both, eve)
    assert sum(reader.may_cite_each(both, eve)) == 1
    assert reader.may_cite_each([], eve) == []
    forged = node.model_copy(deep=True)
    forged.metadata["document_id"] = "leave"
    assert not reader.may_cite(forged, ana)
    forged = node.model_copy(deep=True)
    forged.text = "Directors get 1 euro."
    assert not reader.may_cite(forged, ana)
    bench.build(rebuild=True)
    assert reader.may_cite(node, ana), "a rebuild of the same documents takes no answer away"
    bench.write("pay.md", "Directors get 9000 euros.", access_scope="role", allowed_roles="[owners]")
    bench.build()
    assert not reader.may_cite(node, ana)


@pytest.mark.parametrize("scanned", [0, 2000])
def test_snapshot_holds_still(bench: Workbench, monkeypatch: pytest.MonkeyPatch, scanned: int) -> None:
    """A question that began before an update sees the old version to its end; the next one sees the new version."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", scanned)
    for number in range(40):
        bench.write(f"rule{number}.md", f"Rule {number} of the house speaks of topic {number * 31}.")
    bench.build()
    reader, vector = bench.open(), TinyEmbedding().get_query_embedding("days of holiday")
    for rebuild in (False, True):
        old, new = ("25", "30") if not rebuild else ("30", "35")
        with reader.snapshot() as view:
            rules = view.readable(None)
            bench.write("leave.md", f"# Leave\n\nEverybody gets {new} days of holiday a year.", title="Leave")
            bench.build(rebuild=rebuild)
            found = view.search_meaning(vector, 5, rules) + view.search_words("days of holiday", 5, rules)
            contents = " ".join(node.get_content() for node in view.nodes([key for key, _ in found]).values())
            assert f"{old} days" in contents
            assert f"{new} days" not in contents
            assert len(view.cosines([key for key, _ in found], vector)) == len({key for key, _ in found})
        contents = " ".join(texts(reader, "days of holiday"))
        assert f"{new} days" in contents
        assert f"{old} days" not in contents


def test_other_process_writes(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process changes shows on the next question, and no deleted text comes back, by either way."""
    for number in range(120):
        bench.write(f"rule{number}.md", f"Rule {number} of the house speaks of topic {number * 31}.")
    bench.build()
    reader = bench.open()
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    assert any("topic 31." in text for text in texts(reader, "rule topic 31"))
    script = f"""
        from pathlib import Path
        from rag_app.building import build_index
        from rag_app.testing import TinyEmbedding
        folder = Path({str(bench.documents)!r})
        for number in range(0, 120, 2):
            (folder / f"rule{{number}}.md").unlink()
        for number in range(1, 120, 2):
            (folder / f"rule{{number}}.md").write_text(f"Rule {{number}} of the house is void now.")
        print(build_index(folder.parent, embedder=TinyEmbedding()))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, cwd=Path(__file__).parents[2])
    for scanned in (0, 2000):
        monkeypatch.setattr("rag_app.index.view.SCANNED", scanned)
        found = texts(reader, "rule of the house topic", k=20)
        assert len(found) >= 20
        assert not any("topic" in text for text in found)


def test_threads(bench: Workbench) -> None:
    """Eight threads ask while the index is updated and rebuilt: no error, and each answer is of one version."""
    bench.build()
    reader = bench.open()
    troubles: list[object] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            try:
                found = " ".join(texts(reader, "days of holiday, hotels a night", k=50))
                version = {part in found for part in ("25 days", "140 euros")}
                if len(version) > 1 or ("25 days" in found) == ("30 days" in found):
                    troubles.append(found)
            except Exception as error:  # noqa: BLE001
                troubles.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for days, euros, rebuild in ((30, 90, False), (25, 140, True), (30, 90, False)):
        bench.write("leave.md", f"# Leave\n\nEverybody gets {days} days of holiday a year.", title="Leave")
        bench.write("travel.md", f"# Travel\n\nHotels are refunded up to {euros} euros a night.", title="Travel")
        bench.build(rebuild=rebuild)
    done.set()
    for thread in threads:
        thread.join()
    assert troubles == []


def test_missing(bench: Workbench) -> None:
    """An index that was never built is reported with the command that builds it."""
    with pytest.raises(IndexMissing, match="rag-app build"):
        bench.open()


def test_closed(bench: Workbench) -> None:
    """A closed reader says so."""
    bench.build()
    reader = bench.open()
    reader.close()
    with pytest.raises(UsageError, match="closed"):
        reader.documents()


def test_pickle(bench: Workbench) -> None:
    """A reader pickles by its path."""
    bench.build()
    copy: IndexReader = pickle.loads(pickle.dumps(bench.open()))
    assert [d.document_id for d in copy.documents()] == ["leave", "parking.txt", "travel"]


def test_pinned(bench: Workbench) -> None:
    """A question that holds the index still finds and cites one version, through updates and rebuilds; a document that
    its asker may no longer read, or that is gone, is not cited all the same."""
    bench.define("rules")
    for name in ("pay", "bonus", "gone"):
        bench.write(f"{name}.md", f"The {name} is 25 euros.", access_scope="role", allowed_roles="[boss]")
    bench.build()
    reader, boss = bench.open(), Principal("ana", roles=("boss",))
    with reader.pinned():
        with reader.snapshot() as view:
            keys = [key for key, _ in view.search_words("euros", 9, view.readable(boss))]
            nodes = {node.metadata["document_id"]: node for node in view.nodes(keys).values()}
        bench.write("pay.md", "The pay is 30 euros.", access_scope="role", allowed_roles="[boss]")
        bench.write("bonus.md", "The bonus is 25 euros.", access_scope="role", allowed_roles="[owners]")
        (bench.documents / "gone.md").unlink()
        for rebuild in (False, True):
            bench.build(rebuild=rebuild)
            assert {name for name, node in nodes.items() if reader.may_cite(node, boss)} == {"pay"}
            assert reader.readable_among(nodes, boss) == {"pay"}
            document = reader.document("pay", boss)
            assert document is not None
            assert "25 euros" in document.text
    assert not reader.may_cite(nodes["pay"], boss)
    document = reader.document("pay", boss)
    assert document is not None
    assert "30 euros" in document.text


def test_access_is_asked_of_the_snapshot_while_it_is_the_newest(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as nothing was written, what a question may cite takes no further snapshot; afterwards it takes one."""
    bench.define("rules")
    bench.write("pay.md", "The pay is 25 euros.", access_scope="role", allowed_roles="[boss]")
    bench.build()
    reader, boss = bench.open(), Principal("ana", roles=("boss",))
    taken: list[Handle] = []
    begin = Handle.begin
    monkeypatch.setattr(Handle, "begin", lambda handle: (taken.append(handle), begin(handle))[1])
    with reader.pinned():
        assert reader.readable_among({"pay"}, boss) == {"pay"}
        assert len(taken) == 1
        bench.write("pay.md", "The pay is 25 euros.", access_scope="role", allowed_roles="[owners]")
        bench.build()
        assert reader.readable_among({"pay"}, boss) == frozenset()
        assert len(taken) > 1


def test_generation_stays_while_it_is_read(bench: Workbench) -> None:
    """A generation that was replaced stays until its last reader lets go, and is gone with the next build."""
    bench.build()
    reader = bench.open()
    with reader.snapshot() as view:
        for _ in range(3):
            bench.build(rebuild=True)
        (first, *_), newest = bench.store.numbers(), bench.store.current()
        assert newest is not None
        assert (first, newest.number) == (1, 4)
        assert bench.store.numbers() == [1, 4], "what nobody reads is gone"
        assert view.search_words("holiday", 3, view.readable(None))
    texts(reader, "holiday")
    bench.build()
    assert bench.store.numbers() == [4]


def write_rules(bench: Workbench) -> None:
    """So many that a search for five passages asks the graph."""
    for number in range(40):
        bench.write(f"rule{number}.md", f"Rule {number} of the house speaks of topic {number * 31}.")


def test_opening_does_not_wait_for_the_graph(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the graph is read, documents are listed, a search waits for it, and so does whoever would write."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    write_rules(bench)
    bench.build()
    may_load, load = threading.Event(), DenseIndex.load

    def slow(index: DenseIndex) -> None:
        may_load.wait(60)
        load(index)

    monkeypatch.setattr(DenseIndex, "load", slow)
    reader = bench.open()
    assert len(reader.documents()) > 40
    with ThreadPoolExecutor(2) as pool:
        searched = pool.submit(texts, reader, "days of holiday")
        bench.write("leave.md", "Everybody gets 30 days of holiday a year.")
        built = pool.submit(bench.build)
        assert not wait([searched], timeout=0.2).done
        assert not wait([built], timeout=0.2).done
        may_load.set()
        assert any("25 days" in text for text in searched.result())
        assert built.result().ok
    assert any("30 days" in text for text in texts(reader, "days of holiday"))


def test_a_graph_that_cannot_be_read_is_told_to_who_searches(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trouble of the reading thread reaches each search as a StoreError, and a writer is not held off for ever."""
    monkeypatch.setattr("rag_app.index.view.SCANNED", 0)
    write_rules(bench)
    bench.build()

    def broken(index: DenseIndex) -> None:
        raise StoreError("The graph cannot be read.")

    with monkeypatch.context() as patch:
        patch.setattr(DenseIndex, "load", broken)
        reader = bench.open()
        for _ in range(2):
            with pytest.raises(StoreError, match="The graph cannot be read"):
                texts(reader, "days of holiday")
        with pytest.raises(StoreError, match="The graph cannot be read"):
            reader.load()
    bench.write("leave.md", "Everybody gets 30 days of holiday a year.")
    assert bench.build().ok


def test_vectors_that_are_compared_are_read_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may read the same shares them; who may read other documents has others; an update is followed."""
    bench.define(access="rules")
    bench.write("a.md", "All staff get 25 days of holiday.", access_scope="role", allowed_roles="[staff]")
    bench.write("b.md", "The board gets 40 days of holiday.", access_scope="role", allowed_roles="[board]")
    bench.build()
    reads: list[frozenset[str]] = []
    read = Queries.vectors_under

    def counted(view: Queries, rule_ids: frozenset[str], at_once: int) -> Iterator[PassageVectors]:
        reads.append(rule_ids)
        return read(view, rule_ids, at_once)

    monkeypatch.setattr(Queries, "vectors_under", counted)
    reader, vector = bench.open(), TinyEmbedding().get_query_embedding("days of holiday")

    def found(role: str, user: str) -> list[str]:
        with reader.snapshot() as view:
            rules = view.readable(Principal(user, roles=(role,)))
            keys = [key for key, _ in view.search_meaning(vector, 5, rules)]
            return [node.get_content() for node in view.nodes(keys).values()]

    for user in ("ann", "bob", "ann"):
        assert len(found("staff", user)) == 1
    assert len(reads) == 1
    assert "40 days" in found("board", "eve")[0]
    assert len(reads) == 2
    bench.write("a.md", "All staff get 30 days of holiday.", access_scope="role", allowed_roles="[staff]")
    bench.build()
    assert "30 days" in found("staff", "ann")[0]


def test_words_are_counted_once_for_a_revision(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that another question counted is not counted again, but for other documents and after an update."""
    bench.build()
    counted: list[str] = []
    count = SparseIndex.count_holding

    def counting(index: SparseIndex, text: str, most: int) -> int:
        counted.append(text)
        return count(index, text, most)

    monkeypatch.setattr(SparseIndex, "count_holding", counting)
    reader = bench.open()
    for _ in range(2):
        with reader.snapshot() as view:
            assert view.count_holding("holiday", 20, view.readable(None), frozenset()) == 1
    assert counted == ["holiday"]
    bench.write("more.md", "A second holiday page.")
    bench.build()
    with reader.snapshot() as view:
        assert view.count_holding("holiday", 20, view.readable(None), frozenset()) == 2
