"""Build, update, rebuild: what changes, what is said about it, and what stays when something fails."""

import errno
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import build_index, check_index
from rag_app.errors import BuildError, DefinitionError, IndexMismatch, StoreError, StoreLocked
from rag_app.index import sqlite
from rag_app.index.build import stage, write
from rag_app.index.definition import load_definition
from rag_app.index.lock import writing
from rag_app.index.search.dense import remove_collections
from rag_app.index.search.vectors import VectorStore
from rag_app.index.store import Store
from rag_app.principal import Principal
from rag_app.settings import load_settings
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench, texts

pytestmark = pytest.mark.usefixtures("both_stores")


class Counting(TinyEmbedding):
    """Counts the texts it embeds, and fails after some."""

    seen: int = 0
    fail_after: int = 10**9

    def _get_text_embedding(self, text: str) -> list[float]:
        if self.seen >= self.fail_after:
            raise RuntimeError("out of memory")
        self.seen += 1
        return super()._get_text_embedding(text)


def test_first_build(bench: Workbench) -> None:
    """A first build indexes every document, tells how many, and dense and sparse index find them."""
    report = bench.build()
    assert (report.added, report.documents, report.passages, report.revision) == (3, 3, 3, 1)
    assert report.ok
    assert report.embedded == 3
    assert "3 added" in str(report)
    assert Path(report.store) == (bench.path / ".store").resolve()
    assert any("25 days of holiday" in text for text in bench.texts("days of holiday"))


def test_nothing_changed(bench: Workbench) -> None:
    """Building twice changes nothing, embeds nothing and says so."""
    bench.build()
    bench.embedder = Counting()
    report = bench.build()
    assert report.unchanged == 3
    assert report.revision == 1
    assert report.embedded == 0
    assert str(report).startswith("Nothing changed: 3 documents, revision 1.")
    assert bench.embedder.seen <= 2  # the fingerprint's probe


def test_update(bench: Workbench) -> None:
    """An update takes over what was added, changed and removed, and embeds only what is new."""
    bench.build()
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    bench.write("lunch.md", "# Lunch\n\nLunch is free on Fridays.")
    (bench.documents / "parking.txt").unlink()
    report = bench.build()
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 1)
    assert report.embedded == 2
    assert report.revision == 2
    assert report.documents == 3
    found = bench.texts("holiday lunch bicycles", k=50)
    assert len(found) == 3
    assert any("30 days" in text for text in found)
    assert not any("25 days" in text for text in found)
    assert check_index(bench.path).ok


def test_moved(bench: Workbench) -> None:
    """A file that moved is reported as moved, is cited from its new place, and is not embedded again."""
    bench.build()
    (bench.documents / "old").mkdir()
    shutil.move(bench.documents / "leave.md", bench.documents / "old" / "leave.md")
    report = bench.build()
    assert (report.moved, report.added, report.removed, report.embedded) == (1, 0, 0, 0)
    assert [d.path for d in bench.open().documents()] == ["old/leave.md", "parking.txt", "travel.md"]


def test_readers_change(bench: Workbench) -> None:
    """A change of readers alone takes effect at once for an open reader, by either index, without embedding."""
    bench.define("rules")
    bench.write("leave.md", "Everybody gets 25 days of holiday.", title="Leave", access_scope="public")
    bench.write("pay.md", "The pay of directors is 9000 euros.", access_scope="role", allowed_roles="[board]")
    bench.build()
    reader, ana = bench.open(), Principal("ana", ("board",))
    assert any("9000" in text for text in texts(reader, "pay of directors", ana))
    bench.write("pay.md", "The pay of directors is 9000 euros.", access_scope="role", allowed_roles="[owners]")
    report = bench.build()
    assert report.access_changed == 1
    assert report.embedded == 0
    assert report.unchanged == 3
    assert not any("9000" in text for text in texts(reader, "pay of directors", ana))
    assert any("9000" in text for text in texts(reader, "pay of directors", Principal("bo", ("owners",))))


def test_duplicates(bench: Workbench) -> None:
    """The same content for the same readers is indexed once and told; the same title alone is no duplicate."""
    shutil.copy(bench.documents / "leave.md", bench.documents / "copy.md")
    bench.write("other.md", "# Leave\n\nLeave the building by the north door.", title="Leave")
    report = bench.build()
    assert [(p.path, p.code) for p in report.problems] == [("leave.md", "duplicate")]
    assert "copy.md" in report.problems[0].reason
    assert report.documents == 4
    assert report.ok
    assert bench.build().problems == report.problems


def test_same_content_for_others(bench: Workbench) -> None:
    """The same content for different readers stays two documents."""
    bench.define("rules")
    bench.write("leave.md", "Everybody gets 25 days.", access_scope="public")
    bench.write("leave2.md", "Everybody gets 25 days.", access_scope="role", allowed_roles="[hr]")
    assert "duplicate" not in {problem.code for problem in bench.build().problems}


def test_what_nobody_may_read_is_named_each_time(bench: Workbench) -> None:
    """A document without access data, or with odd ones, is indexed for nobody; every build says which and why."""
    bench.define("rules")
    bench.write("leave.md", "Everybody gets 25 days.", access_scope="public")
    bench.write("travel.md", "Hotels are refunded up to 140 euros.", access_scope="everyone")
    first = bench.build()
    assert [(problem.path, problem.code) for problem in first.problems] == [
        ("parking.txt", "nobody"),
        ("travel.md", "nobody"),
    ]
    assert first.ok
    again = bench.build()
    assert again.problems == first.problems
    assert again.unchanged == 3


def test_problems(bench: Workbench) -> None:
    """A file that cannot become a document is named with its reason, and the rest is built."""
    (bench.documents / "empty.md").write_text("")
    (bench.documents / "photo.bin").write_bytes(bytes(range(256)))
    report = bench.build()
    assert [p.path for p in report.problems] == ["empty.md", "photo.bin"]
    assert not report.ok
    assert report.documents == 3
    assert "empty.md" in str(report)
    assert report.as_dict()["ok"] is False


def test_plain_folder(bench: Workbench, cache_home: Path) -> None:
    """A plain folder is built into the cache folder, which the report names, and nothing is written into it."""
    (bench.path / "index.toml").unlink()
    before = sorted(bench.path.rglob("*"))
    report = bench.build()
    assert Path(report.store).is_relative_to(cache_home)
    assert report.store in str(report)
    assert sorted(bench.path.rglob("*")) == before
    assert bench.texts("holiday")


def test_plain_folder_with_readers(bench: Workbench) -> None:
    """A plain folder with a document that says who may read it is refused, with the lines to write."""
    (bench.path / "index.toml").unlink()
    bench.write("pay.md", "The pay of directors is 9000 euros.", access_scope="role", allowed_roles="[board]")
    with pytest.raises(DefinitionError, match=r"pay\.md says who may read it") as caught:
        bench.build()
    lines = str(caught.value).split("\n", 1)[1]
    (bench.path / "index.toml").write_text(lines)
    assert bench.build().documents == 4


@pytest.mark.parametrize("state", ["empty", "missing"])
def test_empty_folder(bench: Workbench, state: str) -> None:
    """A folder without documents, or none at all, is reported in a sentence, and nothing is made."""
    shutil.rmtree(bench.documents)
    if state == "empty":
        bench.documents.mkdir()
    with pytest.raises((BuildError, DefinitionError), match=r"holds no document|There is no folder"):
        bench.build()
    assert bench.store.current() is None


def test_unmounted_folder(bench: Workbench) -> None:
    """An update over a folder that is suddenly empty is refused unless forced, and everything still answers."""
    bench.build()
    shutil.rmtree(bench.documents)
    bench.documents.mkdir()
    for rebuild in (False, True):
        with pytest.raises(BuildError, match="--force"):
            bench.build(rebuild=rebuild)
    assert bench.texts("holiday")
    assert bench.build(force=True).removed == 3
    assert bench.texts("holiday") == []


def test_most_documents_gone(bench: Workbench) -> None:
    """A rebuild that comes out with far fewer documents than before does not switch unless forced."""
    for number in range(12):
        bench.write(f"rule{number}.md", f"Rule {number} is about {'x' * number}.")
    bench.build()
    for number in range(10):
        (bench.documents / f"rule{number}.md").unlink()
    with pytest.raises(BuildError, match="holds 5 documents now and the index has 15"):
        bench.build(rebuild=True)
    assert len(bench.open().documents()) == 15
    assert bench.build(rebuild=True, force=True).documents == 5


def test_unreadable_file_keeps_its_earlier_version(bench: Workbench) -> None:
    """A file that is broken at the moment keeps its earlier version, and the report says so."""
    bench.build()
    (bench.documents / "leave.md").unlink()
    (bench.documents / "leave.md").symlink_to("leave.md")
    report = bench.build()
    assert report.removed == 0
    assert not report.ok
    assert "earlier version still answers" in report.problems[0].reason
    assert any("25 days" in text for text in bench.texts("holiday"))


def test_lost_access_data_hides_the_document(bench: Workbench) -> None:
    """A document whose access data became unreadable is not kept for its earlier readers."""
    bench.define("rules")
    bench.write("leave.md", "Everybody gets 25 days.", access_scope="public")
    bench.write("pay.md", "Directors get 9000 euros.", access_scope="public")
    bench.build()
    (bench.documents / "pay.md").write_text("---\naccess_scope: [\n---\nDirectors get 9000 euros.\n")
    assert not bench.build().ok
    assert not any("9000" in text for text in bench.texts("directors", Principal("ana")))


def test_rebuild(bench: Workbench) -> None:
    """A rebuild replaces the generation, counts the revision on, and reuses the vectors of the same embedder."""
    first = bench.build()
    reader = bench.open()
    with reader.snapshot() as view:
        old_ids = {key for key, _ in view.search_words("holiday hotels", 5, view.readable(None))}
    report = bench.build(rebuild=True)
    assert report.unchanged == 3
    assert report.revision == first.revision + 1
    assert report.embedded == 0
    store = bench.store
    with reader.snapshot() as view:
        new_ids = {key for key, _ in view.search_words("holiday hotels", 5, view.readable(None))}
    assert len(new_ids) == len(old_ids)
    assert not new_ids & old_ids
    bench.build()
    assert len(store.numbers()) == 1, "the replaced generation goes once nobody reads it"


def test_another_embedder(bench: Workbench) -> None:
    """Another embedder of the same dimension is refused for updates and questions until the index is rebuilt."""
    bench.build()
    other = TinyEmbedding(model_name="other")
    with pytest.raises(IndexMismatch, match=r"built with tiny .* other.*--rebuild"):
        bench.build(embedder=other)
    with pytest.raises(IndexMismatch, match=r"built with the embedder tiny .* other"):
        bench.open().check_embedder(other)
    assert bench.build(embedder=other, rebuild=True).embedded == 3
    bench.open().check_embedder(other)


def test_other_cutting(bench: Workbench) -> None:
    """Other settings of cutting make an update cut everything again."""
    bench.write("long.md", "# Long\n\n" + "\n\n".join(f"Rule {n} of the house says word {n * 7}." for n in range(60)))
    before = bench.build().passages
    report = bench.build(settings=load_settings(target_words=40))
    assert report.changed == 4
    assert report.passages > before


def test_embedder_fails(bench: Workbench) -> None:
    """An embedder that fails half-way leaves the old answers; the retry completes and embeds nothing twice."""
    bench.build()
    for number in range(20):
        bench.write(f"rule{number}.md", f"Rule number {number} speaks of topic {number * 31}.")
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    failing = Counting(fail_after=12, embed_batch_size=2)
    with pytest.raises(BuildError, match=r"failed after 10 texts \(out of memory\)"):
        bench.build(embedder=failing)
    assert any("25 days" in text for text in bench.texts("days of holiday", k=50))
    assert len(bench.open().documents()) == 3
    report = bench.build()
    assert report.added == 20
    assert report.changed == 1
    assert report.embedded == 21 - 10  # 12 texts, of which 2 were the fingerprint's probe
    assert any("30 days" in text for text in bench.texts("days of holiday", k=50))


def test_first_build_fails(bench: Workbench) -> None:
    """A first build that fails leaves no index; the retry completes with the vectors that were made."""
    with pytest.raises(BuildError):
        bench.build(embedder=Counting(fail_after=4, embed_batch_size=1))
    report = bench.build()
    assert report.added == 3
    assert report.embedded == 1
    assert check_index(bench.path).ok


def test_odd_vectors(bench: Workbench) -> None:
    """An embedder that returns numbers that are not finite, or too few vectors, is reported; nothing is stored."""

    class Odd(TinyEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [[float("nan")] * 64 for _ in texts]

    with pytest.raises(BuildError, match="no vector"):
        bench.build(embedder=Odd())


def test_locked(bench: Workbench) -> None:
    """While one writes, a second writer is told who writes and since when; a reader is not held up."""
    bench.build()
    with writing(load_definition(bench.path).store_path):
        with pytest.raises(StoreLocked, match=r"Process \d+ on .* has been building this index for 0 s"):
            bench.build()
        assert bench.texts("holiday")
    bench.build()


STEPS = ["embed_texts", "stage", "add meaning", "add words", "flip", "delete meaning", "delete words", "switch"]


class Killed(BaseException):
    """Stands for the end of the process."""


def _break(monkeypatch: pytest.MonkeyPatch, step: str, when: str, trouble: BaseException) -> None:
    """Makes the named write step raise, before or after it did its work."""
    from rag_app.index.catalog import Catalog
    from rag_app.index.search.dense import DenseIndex
    from rag_app.index.search.sparse import SparseIndex
    from rag_app.index.search.vectors import VectorStore

    target, name = {
        "embed_texts": (VectorStore, "put"),
        "stage": (Catalog, "stage"),
        "add meaning": (DenseIndex, "add"),
        "add words": (SparseIndex, "add"),
        "flip": (Catalog, "flip"),
        "delete meaning": (DenseIndex, "delete"),
        "delete words": (SparseIndex, "delete"),
        "switch": (Store, "switch"),
    }[step]
    original: Any = getattr(target, name)

    def broken(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            raise trouble
        original(*args, **kwargs)
        raise trouble

    monkeypatch.setattr(target, name, broken)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", ["build", "update", "rebuild"])
def test_stopped_between_steps(bench: Workbench, step: str, when: str, kind: str) -> None:
    """A stop before or after any write leaves the old or the new version answering, never a mixture; the next build
    completes, and both indexes then agree with the catalog."""
    if kind != "build":
        bench.build()
    bench.write("leave.md", "# Leave\n\nEverybody gets 30 days of holiday a year.", title="Leave")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 90 euros a night.", title="Travel")
    with pytest.MonkeyPatch.context() as patch:
        _break(patch, step, when, Killed())
        try:
            bench.build(rebuild=kind == "rebuild")
            stopped = False
        except Killed:
            stopped = True
    assert stopped or (step.startswith("delete") and kind != "update") or (step == "switch" and kind == "update")
    if bench.store.current():
        found = _by_each_index(bench, "holiday hotels bicycles")
        new = "30 days" in found
        assert "Bicycles" in found
        assert ("90 euros" in found) == new
        assert ("25 days" in found) == ("140 euros" in found) == (not new)
    else:
        assert kind == "build"
    bench.build()
    assert check_index(bench.path).ok
    found = " ".join(bench.texts("holiday hotels bicycles", k=50))
    assert "30 days" in found
    assert "90 euros" in found
    assert "25 days" not in found
    assert "140 euros" not in found
    assert len(bench.open().documents()) == 3


@pytest.mark.parametrize("full", ["vectors.sqlite", "catalog.sqlite", "CURRENT"])
@pytest.mark.parametrize("rebuild", [False, True])
def test_disk_full(bench: Workbench, monkeypatch: pytest.MonkeyPatch, full: str, rebuild: bool) -> None:
    """A full disk is reported in a sentence, and the earlier state still answers; with space the build completes."""
    bench.build()
    bench.write(
        "long.md", "".join(f"## Rule {n}\n\n" + f"Rule {n} is about topic {n * 31}. " * 20 + "\n\n" for n in range(300))
    )
    with monkeypatch.context() as patch:
        if full == "CURRENT":
            patch.setattr("rag_app.index.store.os.fsync", _no_space)
        else:
            module = "search.vectors" if full.startswith("vectors") else "catalog"
            patch.setattr(f"rag_app.index.{module}.connect", _small_disk)
        if full != "CURRENT" or rebuild:
            with pytest.raises(StoreError, match="the disk is full"):
                bench.build(rebuild=rebuild)
    if full != "CURRENT" or rebuild:
        assert len(bench.store.numbers()) == 1, "what failed takes no space"
        assert len(bench.open().documents()) == 3
    assert any("25 days" in text for text in bench.texts("days of holiday"))
    assert bench.build(rebuild=rebuild).documents == 4


def _by_each_index(bench: Workbench, question: str) -> str:
    """What is found by words, having seen that the dense index has all of it as well."""
    with bench.open().snapshot() as view:
        rules = view.readable(None)
        found = {key for key, _ in view.search_words(question, 50, rules)}
        assert found <= {key for key, _ in view._meaning().search(TinyEmbedding().get_query_embedding(question), 50)}
        assert found == {key for key, _ in view.search_meaning([0.0] * 64, 50, rules)}
        return " ".join(node.get_content() for node in view.nodes(found).values())


def test_vectors_are_forgotten(bench: Workbench) -> None:
    """Vectors that nothing rests on do not pile up; those of the last state stay for questions still running."""
    bench.build()
    store = bench.store
    for number in range(6):
        bench.write("leave.md", f"# Leave\n\nEverybody gets {number} days of holiday a year.", title="Leave")
        bench.build(rebuild=number % 2 == 1)
    connection = sqlite.connect(store.vectors, writable=False)
    assert connection.execute("SELECT count(*) FROM vectors").fetchone()[0] == 4
    connection.close()


def _no_space(*args: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _small_disk(file: Path, *, writable: bool) -> sqlite3.Connection:
    connection = sqlite.connect(file, writable=writable)
    if writable:
        connection.execute(f"PRAGMA max_page_count = {20 if 'vectors' in file.name else 60}")
    return connection


def test_check_repairs(bench: Workbench) -> None:
    """Check finds what an index lacks and has too many, repairs it, and finds nothing the next time."""
    bench.build()
    generation = bench.store.current()
    assert generation is not None
    from rag_app.index.search.search_index import IndexEntry, unit_vectors

    with write.open_for_writing(generation) as indexes:
        meaning, words = (index._index for index in indexes)
        meaning.delete(sorted(meaning.ids())[:2])
        words.delete(sorted(words.ids())[:1])
        words.add([IndexEntry(99, 1, "public", "Ghost", "A ghost of the holiday.")], unit_vectors([[1.0]]))
    with pytest.raises(StoreError, match=r"dense index .* has lost passages: run `rag-app check`"):
        bench.open().load()
    report = check_index(bench.path)
    assert report.missing == {"dense": 2, "sparse": 1}
    assert report.orphans == {"dense": 0, "sparse": 1}
    assert not report.ok
    assert "the dense index lacked 2 passages" in str(report)
    assert check_index(bench.path).ok


@pytest.mark.parametrize("folder", ["chroma", "tantivy"])
def test_lost_index(bench: Workbench, folder: str) -> None:
    """An index that is gone is reported, instead of finding nothing, and check makes it again without embedding."""
    bench.build()
    generation = bench.store.current()
    assert generation is not None
    if folder == "chroma" and generation.chroma_url:
        remove_collections(generation.chroma_url, generation.collection, None)
    else:
        shutil.rmtree(generation.path / folder)
    with pytest.raises(StoreError, match="rag-app check"):
        bench.open()
    assert sum(check_index(bench.path).missing.values()) == 3
    assert any("25 days" in text for text in bench.texts("days of holiday"))


def test_entries_ahead_of_the_catalog(bench: Workbench) -> None:
    """What an index has and the catalog does not is found by nobody and takes no place away."""
    from rag_app.index.search.search_index import IndexEntry, unit_vectors

    bench.build()
    generation = bench.store.current()
    assert generation is not None
    with write.open_for_writing(generation) as indexes:
        ghosts = [IndexEntry(key, 1, "public", "Holiday", "Days of holiday.") for key in range(90, 99)]
        for index in indexes:
            index._index.add(ghosts, unit_vectors([TinyEmbedding().get_text_embedding("days of holiday")] * 9))
    with bench.open().snapshot() as view:
        rules = view.readable(None)
        vector = TinyEmbedding().get_query_embedding("days of holiday")
        for found in (view.search_words("days of holiday", 1, rules), view.search_meaning(vector, 1, rules)):
            ((key, _),) = found
            assert "25 days" in view.nodes([key])[key].get_content()
    assert check_index(bench.path).orphans == {"dense": 9, "sparse": 9}


def test_damaged_catalog(bench: Workbench) -> None:
    """A damaged catalog is reported with what to do, and a rebuild repairs it."""
    bench.build()
    generation = bench.store.current()
    assert generation is not None
    generation.catalog.write_bytes(b"no database at all" * 500)
    for door in (bench.open, bench.build, lambda: check_index(bench.path)):
        with pytest.raises(StoreError, match="--rebuild"):
            door()
    assert bench.build(rebuild=True).documents == 3
    assert bench.texts("holiday")


def test_other_format(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of another format is refused by readers and updates, and a rebuild replaces it."""
    bench.build()
    for module in ("manifest", "catalog"):
        monkeypatch.setattr(f"rag_app.index.{module}.FORMAT", "999")
    for door in (bench.open, bench.build):
        with pytest.raises(IndexMismatch, match=r"format '\d+', this version reads '999'.*--rebuild"):
            door()
    assert bench.build(rebuild=True).documents == 3
    assert bench.open().documents()


def test_many_passages(bench: Workbench) -> None:
    """5,500 passages go through one build, more than Chroma takes in one batch."""
    for number in range(55):
        sections = (
            f"## Part {part}\n\nRule {number}-{part} is the rule of topic {number * part}." for part in range(100)
        )
        bench.write(f"rules{number}.md", "\n\n".join(sections))
    report = build_index(bench.path, embedder=TinyEmbedding(embed_batch_size=500))
    assert report.passages >= 5500
    assert check_index(bench.path).ok


def test_texts_are_not_held_all_at_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build cuts, embeds and stores a group of documents before it looks at the next, and leaves no file behind."""
    monkeypatch.setattr(stage, "GROUP", 2)
    steps: list[str] = []
    cut, put = stage.cut, VectorStore.put
    monkeypatch.setattr(stage, "cut", lambda *args: steps.append("cut") or cut(*args))
    monkeypatch.setattr(VectorStore, "put", lambda *args: steps.append("put") or put(*args))
    for number in range(4):
        bench.write(f"d{number}.md", f"# Rule {number}\n\nRule {number} speaks of topic {number * 31}.")
    bench.build(embedder=TinyEmbedding(embed_batch_size=50))
    assert steps == ["cut", "cut", "put"] * 3 + ["cut", "put"]
    assert {path.name for path in bench.store.path.iterdir() if path.is_file()} <= {
        "CURRENT",
        "LAST",
        "lock",
        "vectors.sqlite",
        ".gitignore",
    }


def test_progress(bench: Workbench) -> None:
    """Progress is reported as numbers that never pass their total."""
    calls: list[tuple[int, int, str]] = []
    bench.build(progress=lambda done, total, what: calls.append((done, total, what)))
    assert {"reading", "embedding"} <= {what for _, _, what in calls}
    assert all(done <= total or total == 0 for done, total, _ in calls)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files that are parsed from now on."""
    from rag_app.read import documents as read

    places: list[str] = []
    parse = read._parse
    monkeypatch.setattr(read, "_parse", lambda file, *rest: places.append(file.place) or parse(file, *rest))
    return places


def test_unchanged_files_are_not_parsed(bench: Workbench, parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An update parses only files whose bytes or side file changed, unless rules, cutting or the reader did."""
    bench.build()
    parsed.clear()
    bench.build()
    assert parsed == []
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 90 euros a night.", title="Travel")
    bench.write("parking.txt.meta.yaml", "title: Where to park")
    report = bench.build()
    assert parsed == ["parking.txt", "travel.md"]
    assert (report.changed, report.unchanged) == (2, 1)
    parsed.clear()
    bench.build(settings=load_settings(target_words=50))
    assert len(parsed) == 3
    bench.build()
    parsed.clear()
    monkeypatch.setattr("rag_app.index.build.builder.READER_VERSION", "other")
    assert bench.build().unchanged == 3
    assert len(parsed) == 3
    parsed.clear()
    bench.define("rules", '[access]\n"*" = { access_scope = "public" }')
    assert bench.build().documents == 3
    assert len(parsed) == 3
    parsed.clear()
    bench.build(rebuild=True)
    assert len(parsed) == 3


def test_unchanged_file_gets_a_copy(bench: Workbench) -> None:
    """A copy of an unchanged file is reported as a duplicate, whichever of the two comes first."""
    bench.build()
    for name in ("a-copy.txt", "z-copy.txt"):
        copy = bench.documents / name
        copy.write_bytes((bench.documents / "parking.txt").read_bytes())
        report = bench.build()
        assert [problem.code for problem in report.problems] == ["duplicate"]
        assert report.documents == 3
        copy.unlink()
        bench.build()
        assert {info.document_id for info in bench.open().documents()} == {"leave", "parking.txt", "travel"}


def test_what_nobody_may_read_is_named(bench: Workbench) -> None:
    """A document whose access data is missing or malformed is named in the report; the build is still in order."""
    bench.define("rules")
    bench.write("typo.md", "A secret.", access_scope="pubic")
    bench.write("open.md", "No secret.", access_scope="public")
    report = bench.build()
    reasons = {problem.path: problem.reason for problem in report.problems if problem.code == "nobody"}
    assert "malformed" in reasons["typo.md"]
    assert "open.md" not in reasons
    assert report.ok


def test_access_data_that_is_not_understood_lets_nobody_read(bench: Workbench) -> None:
    """Under access rules a document with fields of another system is named and read by nobody, though a pattern matches
    it, until it says itself who may read it."""
    bench.define("rules", '[access]\n"**" = { access_scope = "public" }')
    bench.write("notes.md", "A secret about zeppelins.", restricted_to="[board]")
    bench.write("open.md", "A text for all about zeppelins.", title="Open")
    report = bench.build()
    (problem,) = report.problems
    assert (problem.path, problem.code) == ("notes.md", "nobody")
    assert "restricted_to" in problem.reason
    asked = bench.texts("Which zeppelins?", Principal("ana"), k=50)
    assert any("for all about zeppelins" in text for text in asked)
    assert not any("secret about zeppelins" in text for text in asked)
    bench.write("notes.md", "A secret about zeppelins.", restricted_to="[board]", access_scope="public")
    assert bench.build().problems == ()
    assert any("secret about zeppelins" in text for text in bench.texts("Which zeppelins?", Principal("ana"), k=50))


def test_access_data_in_an_open_index_is_named(bench: Workbench) -> None:
    """An index that everybody may read says which documents seem to be meant for some people only."""
    bench.write("board.md", "A secret.", access_scope="role", allowed_roles="[board]")
    bench.write("notes.md", "Another.", acl="[board]")
    bench.write("free.md", "For all.", access_scope="public", visibility="internal")
    (note,) = (note for note in bench.build().notes if "Everybody may read" in note)
    assert "access_scope of board.md and of 1 more document" in note


def test_a_pattern_that_another_hides_is_named(bench: Workbench) -> None:
    """A rule for a folder that stands below a wider one decides nothing, and the report says so."""
    public, board = '{ access_scope = "public" }', '{ access_scope = "role", allowed_roles = ["board"] }'
    bench.define("rules", f'[access]\n"**" = {public}\n"pay/**" = {board}\n"none/*" = {board}')
    bench.write("pay/salaries.md", "A secret.")
    notes = [note for note in bench.build().notes if "[access]" in note]
    assert len(notes) == 2
    assert '"pay/**"' in notes[0]
    assert '"**" stands before it' in notes[0]
    assert '"none/*" in [access] matches no document' in notes[1]
    bench.define("rules", f'[access]\n"pay/**" = {board}\n"**" = {public}')
    assert not [note for note in bench.build().notes if "[access]" in note]


@pytest.mark.parametrize(
    "name", [b"z" * 255, b"in\xff", b"a\nb", "\u00e9".encode() * 127], ids=["long", "bytes", "line", "accents"]
)
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_folder_of_any_name(tmp_path: Path, name: bytes, is_plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a file system lets a folder be called, its documents can be indexed and found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bench = Workbench(Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)))
    bench.define()
    bench.write("leave.md", "Everybody gets 25 days of holiday.", title="Leave")
    if is_plain:
        (bench.path / "index.toml").unlink()
    bench.build()
    assert any("25 days" in text for text in bench.texts("How many days of holiday?"))


def test_a_rebuild_says_so(bench: Workbench) -> None:
    """A rebuild of unchanged documents is reported as what it is."""
    bench.build()
    assert str(bench.build(rebuild=True)).startswith("Rebuilt in")
