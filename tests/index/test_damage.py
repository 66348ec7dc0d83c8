"""Damage to any file of a store: a typed error that says what helps, or the right answer."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import changed_documents, check_index
from rag_app.errors import RagAppError, StoreError
from tests.index import crash
from tests.index.workbench import Workbench

FILES = (
    *("CURRENT", "LAST", "lock", "vectors.sqlite", "catalog.sqlite", "in-use", "files.lock"),
    *("chroma", "chroma.checksums", "tantivy"),
)
KINDS = ("flipped", "cut", "emptied", "removed", "folder")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """An index whose databases are at rest, without side files that would mend them."""
    bench = Workbench(tmp_path_factory.mktemp("whole") / "handbook")
    bench.define()
    bench.write("leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.", title="Leave")
    bench.write("travel.md", "# Travel\n\nHotels are refunded up to 140 euros a night.", title="Travel")
    for number in range(20):
        bench.write(f"rule{number}.md", f"# Rule\n\nRule {number} of the house speaks of topic {number * 31}.")
    bench.build()
    for file in bench.store.path.rglob("*.sqlite*"):
        if file.suffix in (".sqlite", ".sqlite3"):
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return bench


def damaged_files(store: Path, name: str) -> list[Path]:
    """The files, by their place below the store, that a name of `FILES` stands for."""
    found = [file for file in sorted(store.rglob("*")) if file.is_file() and name in file.relative_to(store).parts]
    return [file.relative_to(store) for file in found]


def damage(file: Path, kind: str, rng: random.Random) -> None:
    data = bytearray(file.read_bytes())
    if kind == "flipped":
        for _ in range(rng.choice([1, 3, 40])):
            if data:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
    elif kind == "cut":
        file.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif kind == "emptied":
        file.write_bytes(b"")
    else:
        file.unlink()
        if kind == "folder":  # what nobody can open as a file, though root may open everything
            file.mkdir()


def trial(whole: Workbench, folder: Path, name: str, kind: str, seed: int, counts: dict[str, int]) -> None:
    """One damage, seen through every door."""
    rng = random.Random(f"{name} {kind} {seed}")
    shutil.copytree(whole.path, folder)
    bench = Workbench(folder)
    places = damaged_files(bench.store.path, name)
    if not places:  # made only when somebody writes
        shutil.rmtree(folder)
        return
    damage(bench.store.path / rng.choice(places), kind, rng)
    texts = [file.read_text() for file in bench.documents.iterdir()]

    def ask() -> None:
        with closing(bench.open()) as reader:
            found = crash.citable(reader)
            assert all(any(text in whole for whole in texts) for text in found), "a text that nobody wrote"
            counts["answers" if any("25 days" in text for text in found) else "silent"] += 1

    doors: list[Callable[[], Any]] = [ask, lambda: changed_documents(folder), bench.build]
    doors += [ask, lambda: check_index(folder), ask, lambda: bench.build(rebuild=True)]
    for door in doors:
        try:
            door()
        except RagAppError:
            counts["errors"] += 1
    counts["trials"] += 1
    shutil.rmtree(folder)


def trials(whole: Workbench, folder: Path, seeds: range, names: tuple[str, ...] = FILES) -> dict[str, int]:
    counts: dict[str, int] = {"trials": 0, "answers": 0, "silent": 0, "errors": 0}
    for name in names:
        for kind in KINDS:
            for seed in seeds:
                trial(whole, folder / "trial", name, kind, seed, counts)
    return counts


@pytest.mark.parametrize("name", ["CURRENT", "catalog.sqlite", "tantivy"])
def test_damage_is_an_error_or_the_right_answer(whole: Workbench, tmp_path: Path, name: str) -> None:
    """A file that is flipped, cut, emptied, removed or cannot be opened is an error of ours, or does not matter."""
    counts = trials(whole, tmp_path, range(1), (name,))
    assert counts["errors"] > 0
    assert counts["silent"] == 0, "a damage that passes for not being in the documents"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_every_damage_to_every_file(whole: Workbench, tmp_path: Path) -> None:
    """The same over every file, many times."""
    counts = trials(whole, tmp_path, range(12))
    print(counts)
    assert min(counts["answers"], counts["errors"]) > 0
    assert counts["silent"] == 0


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE passages SET text = replace(text, '25 days', '52 days')",
        "UPDATE passages SET start = start + 1",
        "UPDATE documents SET title = 'Life'",
        "UPDATE documents SET text = replace(text, '25 days', '52 days'); UPDATE passages SET digest = ''",
        "UPDATE manifest SET value = 'other' WHERE key = 'name'",
        "UPDATE vectors.vectors SET vector = randomblob(256)",
    ],
)
def test_a_changed_value_is_noticed(bench: Workbench, sql: str) -> None:
    """A stored value that is not what was written never becomes part of an answer."""
    bench.build()
    generation = bench.store.current()
    assert generation is not None
    with closing(sqlite3.connect(generation.catalog)) as connection:
        connection.execute("ATTACH DATABASE ? AS vectors", (str(bench.store.vectors),))
        connection.executescript(sql)
    with pytest.raises(RagAppError, match="damaged"), closing(bench.open()) as reader:
        crash.citable(reader)
    bench.build(rebuild=True)
    with closing(bench.open()) as reader:
        assert any("25 days" in text for text in crash.citable(reader))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """An index with so many passages that Chroma has written its graph to files."""
    bench = Workbench(tmp_path_factory.mktemp("large") / "handbook")
    bench.define()
    for number in range(20):
        rules = "".join(f"## Rule {n}\n\nRule {number}x{n} of the house is about {n * 31}.\n\n" for n in range(60))
        bench.write(f"rules{number}.md", f"# Rules {number}\n\n{rules}")
    bench.build()
    return bench


@pytest.mark.parametrize(
    "name", ["data_level0.bin", "header.bin", "length.bin", "link_lists.bin", "index_metadata.pickle"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_graph_is_noticed(large: Workbench, tmp_path: Path, name: str, kind: str) -> None:
    """A byte of the graph that is not what was written is an error when it is read or written to: a search
    would pass over passages in silence. A rebuild helps."""
    shutil.copytree(large.path, tmp_path / "copy")
    bench = Workbench(tmp_path / "copy")
    damage(next(bench.store.path.rglob(name)), kind, random.Random(name + kind))
    for door in (lambda: bench.open().load(), bench.build, lambda: check_index(bench.path)):
        with pytest.raises(StoreError, match="--rebuild"):
            door()
    if name == "data_level0.bin" and kind == "flipped":
        bench.build(rebuild=True)
        bench.open().close()


def test_a_changed_vector_is_repaired(bench: Workbench) -> None:
    """A vector in Chroma's database that is not what was written is written again by a check."""
    bench.build()
    assert check_index(bench.path).ok
    with closing(sqlite3.connect(next(bench.store.path.rglob("chroma.sqlite3")))) as connection:
        changed = connection.execute(
            "UPDATE embeddings_queue SET vector = zeroblob(256) WHERE seq_id = "
            "(SELECT max(seq_id) FROM embeddings_queue)"
        )
        assert changed.rowcount == 1
        connection.commit()
    assert check_index(bench.path).missing == {"dense": 1, "sparse": 0}
    assert check_index(bench.path).ok


@pytest.mark.parametrize("name", [".tmp9FXkap", "0123456789abcdef0123456789abcdef.store"])
def test_half_written_files_of_a_stopped_writer_are_no_damage(bench: Workbench, name: str) -> None:
    """What a killed writer left in the folder of the sparse index belongs to no committed segment: it opens."""
    bench.build()
    (next(bench.store.path.rglob("tantivy")) / name).write_bytes(b'{"segments": [')
    bench.open().close()
    assert check_index(bench.path).ok


def test_a_stopped_writer_leaves_no_false_alarm(large: Workbench, tmp_path: Path) -> None:
    """Where no checksums stand beside the graph, as after a writer that was stopped, it is opened, and the next writer
    makes them again."""
    shutil.copytree(large.path, tmp_path / "copy")
    bench = Workbench(tmp_path / "copy")
    checksums = next(bench.store.path.rglob("chroma.checksums"))
    checksums.unlink()
    bench.open().close()
    bench.write("new.md", "Dogs stay outside.")
    bench.build()
    assert checksums.exists()
    bench.open().close()


@pytest.mark.parametrize("scope", ["rules", "documents"])
def test_wrong_kinds_are_never_stored(bench: Workbench, scope: str) -> None:
    """The catalog takes no value of another kind and no malformed JSON."""
    bench.build()
    generation = bench.store.current()
    assert generation is not None
    column = {"rules": "names", "documents": "supersedes"}[scope]
    with closing(sqlite3.connect(generation.catalog)) as connection:
        for value in ("'[not json'", "x'00'"):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(f"UPDATE {scope} SET {column} = {value}")
