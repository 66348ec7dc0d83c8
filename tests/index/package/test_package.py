"""An index as one archive: what goes in, what comes out, and what is refused."""

import errno
import hashlib
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import check_index
from rag_app.document import is_showable
from rag_app.errors import IndexMissing, StoreError, UsageError
from rag_app.evaluate.cases.schema import load_cases
from rag_app.evaluate.measures.scoring import score
from rag_app.index.definition import load_principals
from rag_app.index.package.archive import Package
from rag_app.index.package.transfer import export_index, install_index
from rag_app.index.reader import IndexReader
from rag_app.opened import open_index
from rag_app.principal import Principal
from rag_app.testing import TinyEmbedding
from tests.index.workbench import Workbench

Change = Callable[[dict[str, bytes]], object]


@pytest.fixture
def ruled(bench: Workbench) -> Workbench:
    """An index under rules, built, with people and questions."""
    bench.define("rules")
    bench.write("pay.md", "Directors get 9000 euros a month.", access_scope="role", allowed_roles="[board]")
    bench.write(
        "leave.md", "# Leave\n\nEverybody gets 25 days of holiday a year.", title="Leave", access_scope="public"
    )
    (bench.path / "principals.json").write_text('{"ana": {"roles": ["board"]}, "eve": {}}')
    question = {
        "id": "q1",
        "question": "How many days of holiday does everybody get?",
        "as": "eve",
        "expected_documents": ["leave"],
        "facts": [["25 days"]],
    }
    (bench.path / "questions.jsonl").write_text(json.dumps(question) + "\n")
    bench.build()
    return bench


@pytest.mark.usefixtures("answers_always")
def test_install_list_ask_evaluate(ruled: Workbench, tmp_path: Path) -> None:
    """An exported index installs into an empty home and there is listed, asked and evaluated, under its rules."""
    package = export_index(ruled.path, tmp_path / "handbook.zip")
    assert (package.documents, package.question_set is not None) == (4, True)
    home = tmp_path / "home" / "handbook"
    assert install_index(tmp_path / "handbook.zip", home) == package
    assert "handbook: 4 documents" in str(package)
    index = open_index(home, embedder=TinyEmbedding(), cross_encoder="none", gate_threshold=-1.0)
    people = load_principals(home)
    assert [info.document_id for info in index.documents(people["eve"])] == ["leave"]
    assert [info.document_id for info in index.documents(people["ana"])] == ["leave", "pay"]
    for case in load_cases(home / "questions.jsonl"):
        answer = index.as_query_engine(people[case.as_name or ""]).query(case.question).answer
        assert score(case, answer).facts_found == 1
    assert "9000" not in str(index.as_query_engine(people["eve"]).query("What do directors get a month?"))
    assert check_index(home).ok


def test_equal_content_equal_hash(bench: Workbench, tmp_path: Path) -> None:
    """The content hash is that of the content: exported twice it is the same, and another after a change."""
    bench.build()
    first = export_index(bench.path, tmp_path / "a.zip")
    assert export_index(bench.path, tmp_path / "b.zip").content_sha256 == first.content_sha256
    bench.write("leave.md", "Everybody gets 30 days.")
    bench.build()
    assert export_index(bench.path, tmp_path / "c.zip").content_sha256 != first.content_sha256


def test_nothing_deleted_goes_along(bench: Workbench, tmp_path: Path) -> None:
    """Text that was deleted from an index is not in its archive."""
    bench.write("secret.md", "The password of the vault is xylophone. " * 50)
    bench.build()
    (bench.documents / "secret.md").unlink()
    bench.build()
    export_index(bench.path, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as source:
        assert not any(b"xylophone" in source.read(name) for name in source.namelist())
        connection = sqlite3.connect(":memory:")
        connection.deserialize(source.read("vectors.sqlite"))
        assert connection.execute("SELECT count(*) FROM vectors").fetchone()[0] == 3


def test_exported_while_somebody_writes(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that an update overtakes holds the state at its beginning, whole."""
    bench.build()
    from rag_app.index.view import View

    copy_to = View.copy_to

    def overtaken(view: View, catalog: Path, vectors: Path) -> None:
        for days in (30, 40):
            bench.write("leave.md", f"# Leave\n\nEverybody gets {days} days of holiday a year.", title="Leave")
            bench.build()
        copy_to(view, catalog, vectors)

    monkeypatch.setattr(View, "copy_to", overtaken)
    export_index(bench.path, tmp_path / "a.zip")
    monkeypatch.undo()
    install_index(tmp_path / "a.zip", tmp_path / "new")
    reader = IndexReader.open(tmp_path / "new")
    document = reader.document("leave")
    assert document is not None
    assert "25 days" in document.text
    reader.close()


def test_plain_folder_and_later_updates(bench: Workbench, tmp_path: Path) -> None:
    """An index of a plain folder becomes an open index, which later builds continue without mixing up passages."""
    (bench.path / "index.toml").unlink()
    bench.build()
    bench.build(rebuild=True)
    export_index(bench.path, tmp_path / "a.zip")
    target = tmp_path / "new"
    install_index(tmp_path / "a.zip", target)
    (target / "documents").mkdir()
    for file in bench.documents.iterdir():
        (target / "documents" / file.name).write_bytes(file.read_bytes())
    new = Workbench(target)
    assert new.build().documents == 3
    assert new.build(rebuild=True).documents == 3
    assert any("25 days" in text for text in new.texts("days of holiday"))


def rewrite(source: Path, target: Path, change: Change) -> None:
    """Copies an archive, its files changed, with hashes that fit again."""
    with zipfile.ZipFile(source) as old:
        files = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(files.pop("package.json"))
    change(files)
    manifest["files"] = {name: (hashlib.sha256(data).hexdigest(), len(data)) for name, data in files.items()}
    hashes = sorted((name, sha) for name, (sha, _) in manifest["files"].items())
    manifest["content_sha256"] = hashlib.sha256(json.dumps(hashes).encode()).hexdigest()
    with zipfile.ZipFile(target, "w") as new:
        new.writestr("package.json", json.dumps(manifest))
        for name, data in files.items():
            new.writestr(name, data)


@pytest.fixture
def archive(bench: Workbench, tmp_path: Path) -> Path:
    bench.build()
    export_index(bench.path, tmp_path / "good.zip")
    return tmp_path / "good.zip"


def refuses(archive: Path, why: str, error: type[Exception] = StoreError) -> None:
    """Installing is refused, and nothing is left of it, within the target or beside it."""
    before = {path for path in archive.parent.rglob("*") if "handbook" not in path.parts}
    with pytest.raises(error, match=why):
        install_index(archive, archive.parent / "target")
    assert {path for path in archive.parent.rglob("*") if "handbook" not in path.parts} == before
    empty = archive.parent / "empty"
    empty.mkdir()
    with pytest.raises(error, match=why):
        install_index(archive, empty)
    assert list(empty.iterdir()) == []


def evil_database(files: dict[str, bytes]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(files["catalog.sqlite"])
    connection.execute("CREATE TRIGGER evil AFTER DELETE ON documents BEGIN DELETE FROM rules; END")
    files["catalog.sqlite"] = connection.serialize()


def outside(files: dict[str, bytes]) -> None:
    files["index.toml"] += b'[documents]\nfolder = "/etc"\n'


def climbing(files: dict[str, bytes]) -> None:
    files["index.toml"] += b'[documents]\nurls = "../../urls.txt"\n'


def server(files: dict[str, bytes]) -> None:
    files["index.toml"] += b'[store]\nchroma = "http://elsewhere.example:8000"\n'


@pytest.mark.parametrize(
    ("change", "why", "error"),
    [
        (lambda files: files.update({"../x": b"x"}), "no file of an index", StoreError),
        (lambda files: files.update({"/etc/x": b"x"}), "no file of an index", StoreError),
        (lambda files: files.update({"documents/x.md": b"x"}), "no file of an index", StoreError),
        (lambda files: files.update({"index.toml/": b""}), "no file of an index", StoreError),
        (lambda files: files.pop("catalog.sqlite"), "a file is missing", StoreError),
        (lambda files: files.update({"catalog.sqlite": b"no database"}), "failed", StoreError),
        (lambda files: files.update({"vectors.sqlite": files["catalog.sqlite"]}), "another layout", StoreError),
        (evil_database, "another layout", StoreError),
        (outside, "outside its folder", UsageError),
        (climbing, "outside its folder", UsageError),
        (server, "names a Chroma server", UsageError),
    ],
)
def test_refused_content(archive: Path, change: Change, why: str, error: type[Exception]) -> None:
    """Files that climb out, that are none of an index, missing or not what ours are: refused, without trace."""
    bad = archive.with_name("bad.zip")
    rewrite(archive, bad, change)
    refuses(bad, why, error)


def repacked(archive: Path, entries: Callable[[list[tuple[zipfile.ZipInfo, bytes]]], None]) -> Path:
    """The archive with other entries, as they are."""
    with zipfile.ZipFile(archive) as old:
        found = [(info, old.read(info)) for info in old.infolist()]
    entries(found)
    bad = archive.with_name("bad.zip")
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as new:
        for info, data in found:
            new.writestr(info, data)
    return bad


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFDIR, stat.S_IFSOCK])
def test_refused_links_and_devices(archive: Path, kind: int) -> None:
    """A link, a device or a folder in the place of a file is refused."""

    def disguise(found: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        for info, _ in found:
            if info.filename == "index.toml":
                info.external_attr = (kind | 0o777) << 16

    refuses(repacked(archive, disguise), "a link or a device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_refused_twice(archive: Path) -> None:
    """A file that stands in the archive twice is refused."""
    refuses(repacked(archive, lambda found: found.append(found[-1])), "twice")


def test_refused_damage(archive: Path) -> None:
    """One changed byte is refused, be it in a file or in what the archive says of it."""

    def change(found: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        place = next(n for n, (info, _) in enumerate(found) if info.filename == "catalog.sqlite")
        info, data = found[place]
        found[place] = (info, data[:-1] + bytes([data[-1] ^ 1]))

    refuses(repacked(archive, change), "damaged or was changed")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("name", "../x", "name"),
        ("name", "/x", "name"),
        ("name", "", "name"),
        ("name", 7, "name"),
        ("generation", 0, "generation"),
        ("generation", "1/../..", "generation"),
        ("generation", 2**60, "generation"),
        ("content_sha256", "0" * 64, "content hash"),
        ("format", 99, "format 99"),
        ("files", {}, "not those that it lists"),
        ("files", [], "cannot be read"),
        ("more", 1, "cannot be read"),
    ],
)
def test_refused_manifest(archive: Path, key: str, value: Any, why: str) -> None:
    """A manifest that says something else than what is there, or something odd, is refused."""

    def change(found: list[tuple[zipfile.ZipInfo, bytes]]) -> None:
        info, data = found[0]
        found[0] = (info, json.dumps({**json.loads(data), key: value}).encode())

    refuses(repacked(archive, change), why)


def test_refused_bomb(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that would swell beyond reason are refused before they are unpacked, and so is too much in all."""
    bad = archive.with_name("bomb.zip")
    rewrite(archive, bad, lambda files: files.update({"questions.jsonl": b"0" * 30_000_000}))
    with zipfile.ZipFile(bad) as plain, zipfile.ZipFile(archive.with_name("bad.zip"), "w", zipfile.ZIP_DEFLATED) as out:
        for name in plain.namelist():
            out.writestr(name, plain.read(name))
    refuses(archive.with_name("bad.zip"), "swell to 30,000,000 bytes")
    (archive.parent / "empty").rmdir()
    monkeypatch.setattr("rag_app.index.package.archive.MAX_BYTES", 1000)
    refuses(archive, "would unpack to")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", b"x" * 5000])
def test_refused_no_archive(tmp_path: Path, data: bytes) -> None:
    """A file that is no archive is refused."""
    (tmp_path / "bad.zip").write_bytes(data)
    refuses(tmp_path / "bad.zip", "cannot be unpacked")


def test_places_in_use(archive: Path, bench: Workbench, tmp_path: Path) -> None:
    """Nothing is overwritten: neither a file by an export nor a folder by an installation."""
    with pytest.raises(UsageError, match="exists"):
        export_index(bench.path, archive)
    with pytest.raises(UsageError, match="in use"):
        install_index(archive, bench.path)
    with pytest.raises(UsageError, match="There is no file"):
        install_index(tmp_path / "none.zip", tmp_path / "x")
    other = Workbench(tmp_path / "other")
    other.define()
    with pytest.raises(IndexMissing):
        export_index(other.path, tmp_path / "o.zip")
    assert not (tmp_path / "o.zip").exists()


def test_package_is_plain_data(archive: Path) -> None:
    """What an archive says of itself can be read without this program."""
    with zipfile.ZipFile(archive) as source:
        said = json.loads(source.read("package.json"))
    assert said.keys() == {"format", *Package.__slots__}
    assert said["pages"][0] == ["leave", "Leave", "leave.md"]


@pytest.mark.parametrize("step", ["mkdir", "write_text", "touch", "replace", "extract", "switch"])
def test_disk_full_while_installing(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """A disk that is full at any step of an installation leaves nothing behind, and the next one succeeds."""
    folder = tmp_path / "far" / "away"

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if step in ("mkdir", "write_text", "touch"):
            make = getattr(Path, step)
            at = {"mkdir": "generations", "write_text": "writer.json", "touch": "INSTALLING"}[step]
            patch.setattr(Path, step, lambda self, *a, **k: full() if self.name == at else make(self, *a, **k))
        elif step == "replace":
            patch.setattr("rag_app.index.store.os.replace", full)
        elif step == "extract":
            patch.setattr("rag_app.index.package.transfer.extract", full)
        else:
            patch.setattr("rag_app.index.store.Store.switch", full)
        with pytest.raises(StoreError, match="disk is full"):
            install_index(archive, folder)
    assert not folder.parent.exists()
    install_index(archive, folder)
    assert open_index(folder, embedder=TinyEmbedding()).documents(Principal("ana", roles=("board",)))


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u2028", "\u200c", "\u00a0", "\u0627"])
def test_one_rule_for_ids_at_both_doors(bench: Workbench, tmp_path: Path, character: str) -> None:
    """An id or a path that a build takes can be installed, whatever letters it has; what turns the direction of writing
    or breaks the line is taken by neither."""
    bench.write("pay.md", "Directors get 9000 euros a month.", document_id=f'"pa{character}y"')
    bench.write(f"of{character}fice.md", "The office opens at nine.")
    report = bench.build()
    export_index(bench.path, tmp_path / "archive")
    install_index(tmp_path / "archive", tmp_path / "copy")
    refused = character in "\u202e\u2066\u2028"
    assert all(is_showable(c) for info in bench.open().documents() for c in info.document_id + info.path)
    assert (report.documents == 5) is not refused
