"""A catalog that contradicts itself is found out: when it is checked, and before it is installed."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_app.building import check_index
from rag_app.errors import RagAppError, StoreError
from rag_app.index.manifest import manifest_digest
from rag_app.index.package.transfer import export_index, install_index
from rag_app.index.package.verify import verify_catalog
from rag_app.index.records import DOCUMENT, PASSAGE, digest_of
from rag_app.index.sqlite import Damaged
from rag_app.text.passages import SPLITTER_VERSION
from tests.index.package.test_package import rewrite
from tests.index.workbench import Workbench
from tests.office import PAPERS

Stores = tuple[Path, Path]
FREE = {
    ("manifest", "name"), ("manifest", "embedder"), ("manifest", "created"), ("manifest", "reader"),
    ("manifest", "access_globs"), ("manifest", "revision"),
    ("documents", "source"), ("documents", "version"), ("documents", "path"), ("documents", "supersedes"),
}  # fmt: skip
"""What nothing else in a catalog decides."""
ODD = [None, b"\xff", 10**12, 1.5, "x", "[]", "[[1]]"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """An index under rules with everything that a catalog can hold, not to be changed."""
    bench = Workbench(tmp_path_factory.mktemp("verify") / "handbook")
    bench.define("rules", '[access]\n"*" = { access_scope = "public" }')
    for name, text in PAPERS.items():
        bench.documents.joinpath(name).write_text(text, encoding="utf-8")
    bench.write("pay.md", "Directors get 9000 euros.", access_scope="role", allowed_roles="[board, owners]")
    bench.write("old.md", "Cars cost 30 euros.", effective_date="2020-01-01", version="1")
    bench.write("new.md", "Cars cost 50 euros.", effective_date="2024-01-01", supersedes="[old]")
    bench.build()
    return bench


@pytest.fixture
def stores(built: Workbench, tmp_path: Path) -> Stores:
    """Copies of catalog and vectors."""
    generation = built.store.opened(built.path)
    copies = tmp_path / "catalog.sqlite", tmp_path / "vectors.sqlite"
    for source, copy in zip((generation.catalog, built.store.vectors), copies, strict=True):
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(copy)) as new:
            old.backup(new)
    return copies


def run(file: Path, *sql: str, seals: bool = False) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for each in sql:
            connection.execute(each)
        if seals:
            reseal(connection)


def reseal(connection: sqlite3.Connection) -> None:
    """Makes the digests of a catalog right, as somebody would who changed it on purpose."""
    connection.row_factory = sqlite3.Row
    for table, key, names in (("documents", "doc", DOCUMENT), ("passages", "passage_id", PASSAGE)):
        for row in connection.execute(f"SELECT * FROM {table}").fetchall():
            values = dict(row)
            if table == "documents":
                values["text_digest"] = digest_of([row["text"]])
                connection.execute(
                    "UPDATE documents SET text_digest = ? WHERE doc = ?", (values["text_digest"], row["doc"])
                )
            sealed = (digest_of([values[name] for name in names]), row[key])
            connection.execute(f"UPDATE {table} SET digest = ? WHERE {key} = ?", sealed)
    manifest = {key: value for key, value in connection.execute("SELECT key, value FROM manifest") if key != "digest"}
    connection.execute("UPDATE manifest SET value = ? WHERE key = 'digest'", (manifest_digest(manifest),))
    connection.row_factory = None


def test_a_built_index_is_in_order(built: Workbench, stores: Stores) -> None:
    """What a build made, with access rules, versions, tables and code in it, contradicts nothing."""
    verify_catalog(*stores, 1, is_foreign=True)
    assert check_index(built.path).ok


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE documents SET text = text || ' Not.' WHERE document_id = 'pay'", "body_sha of document 'pay'"),
        ("UPDATE passages SET text = replace(text, '9000', '90')", "text of passage 1 of document 'pay'"),
        ("UPDATE passages SET start = start + 1, text = substr(text, 2)", "start of passage 1"),
        ("UPDATE passages SET section = '[\"Board\"]'", "section of passage"),
        ("UPDATE passages SET lead_ins = '[[0, 3, \"Not\"]]'", "lead_ins of passage"),
        ("UPDATE passages SET page = 3", "page of passage"),
        ("UPDATE passages SET statements = '[]'", "statements of passage"),
        ("UPDATE passages SET vector_id = 1", "vector_id of passage"),
        ("DELETE FROM passages WHERE passage_id IN (SELECT max(passage_id) FROM passages)", "passage_count"),
        ("DELETE FROM documents WHERE document_id = 'pay'", "no document"),
        ("UPDATE documents SET rule_id = 'public' WHERE document_id = 'pay'; ", ""),
        ("UPDATE documents SET rule_id = 'open' WHERE document_id = 'pay'", "no rule"),
        ("UPDATE rules SET scope = 'public', names = '[]' WHERE scope = 'role'", "access rule"),
        ("UPDATE rules SET names = '[\"board\"]' WHERE scope = 'role'", "access rule"),
        ("UPDATE rules SET scope = 'everybody' WHERE scope = 'role'", "access rule"),
        ("UPDATE rules SET names = 'board' WHERE scope = 'role'", "CHECK"),
        ("UPDATE documents SET title = 'Other'", "vector_id of passage"),
        ("UPDATE documents SET body_start = 1000000", "body_sha"),
        ("UPDATE documents SET page_starts = '[0, 5, 5]'", "page_starts"),
        ("UPDATE documents SET page_starts = '[3]'", "page_starts"),
        ("UPDATE documents SET supersedes = '[1]'", "another kind"),
        ("UPDATE documents SET effective_date = '2024-13-01'", "CHECK"),
        ("UPDATE documents SET effective_date = '20240101'", "CHECK"),
        ("UPDATE documents SET sha256 = 'x'", "sha256"),
        (f"UPDATE documents SET cutting = '{SPLITTER_VERSION}/0/0'", "cutting"),
        ("UPDATE documents SET cutting = '1/110/0'", "another version"),
        ("UPDATE documents SET path = '/etc/passwd' WHERE document_id = 'pay'", "path"),
        ("UPDATE documents SET path = 'a/../../x' WHERE document_id = 'pay'", "path"),
        ("UPDATE documents SET path = 'pay.md'", "two documents"),
        ("UPDATE documents SET document_id = ' ' WHERE document_id = 'pay'", "document_id"),
        ("UPDATE documents SET live = 2 WHERE document_id = 'pay'", "CHECK"),
        ("UPDATE passages SET passage_id = passage_id - 4294967296", "numbers of its passages"),
        ("UPDATE sqlite_sequence SET seq = 9223372036854775807", "next number"),
        ("DELETE FROM sqlite_sequence", "numbers of its passages"),
        ("DELETE FROM manifest WHERE key = 'fingerprint'", "fingerprint"),
        ("UPDATE manifest SET value = 'x|y' WHERE key = 'fingerprint'", "fingerprint"),
        ("UPDATE manifest SET value = 'many' WHERE key = 'revision'", "revision"),
        ("UPDATE manifest SET value = 'closed' WHERE key = 'access'", "access"),
        ("UPDATE manifest SET value = 'open' WHERE key = 'access'", "open to everybody"),
    ],
)
def test_contradictions(stores: Stores, sql: str, why: str) -> None:
    """A catalog in which one thing was changed is Damaged, and the message names what; only who may read a document
    and what it says of itself can be changed unseen."""
    run(stores[0], *filter(str.strip, sql.split(";")), seals=True)
    if not why:
        verify_catalog(*stores, 1, is_foreign=True)
        return
    with pytest.raises(Damaged, match=why):
        verify_catalog(*stores, 1, is_foreign=True)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM vectors", "vector_id of passage"),
        ("UPDATE vectors SET vector = x'0000'", "numbers"),
        ("UPDATE vectors SET vector = cast(vector || vector AS BLOB)", "numbers"),
        ("UPDATE vectors SET vector = cast(zeroblob(252) || x'0000c07f' AS BLOB)", "length"),
        ("UPDATE vectors SET vector = cast(zeroblob(252) || x'0000c040' AS BLOB)", "length"),
    ],
)
def test_contradicting_vectors(stores: Stores, sql: str, why: str) -> None:
    """Damaged vectors, and vectors of other texts, are found out."""
    run(stores[1], sql)
    with pytest.raises(Damaged, match=why):
        verify_catalog(*stores, 1, is_foreign=True)


def columns(file: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as connection:
        return [
            (table, row[1])
            for table in ("documents", "passages", "rules")
            for row in connection.execute(f"PRAGMA table_info({table})")
            if "digest" not in row[1]
        ] + [("manifest", key) for (key,) in connection.execute("SELECT key FROM manifest WHERE key != 'digest'")]


def test_any_column_with_anything(stores: Stores, tmp_path: Path) -> None:
    """Whatever stands in any column, it is found out or was free to be said; nothing else is raised."""
    unseen = set()
    for table, column in columns(stores[0]):
        for number, value in enumerate(ODD):
            copy = tmp_path / f"{table}-{column}-{number}.sqlite"
            shutil.copyfile(stores[0], copy)
            with closing(sqlite3.connect(copy)) as connection, connection:
                connection.execute("PRAGMA ignore_check_constraints = ON")
                where = ("value", f"key = '{column}'") if table == "manifest" else (
                    f'"{column}"', f"rowid IN (SELECT max(rowid) FROM {table})"
                )  # fmt: skip
                before = connection.execute(f"SELECT {where[0]} FROM {table} WHERE {where[1]}").fetchone()[0]
                try:
                    connection.execute(f"UPDATE {table} SET {where[0]} = ? WHERE {where[1]}", (value,))
                except sqlite3.IntegrityError:
                    continue
                after = connection.execute(f"SELECT {where[0]} FROM {table} WHERE {where[1]}").fetchone()[0]
                reseal(connection)
            try:
                verify_catalog(copy, stores[1], 1, is_foreign=True)
            except (Damaged, RagAppError):
                pass
            else:
                if before != after:
                    unseen.add((table, column))
            copy.unlink()
    assert unseen <= FREE | {("documents", "document_id"), ("documents", "doc")}


def test_an_index_that_contradicts_itself_is_not_installed(built: Workbench, tmp_path: Path) -> None:
    """An archive whose hashes are right and whose catalog is wrong is refused in one sentence that names what."""
    export_index(built.path, tmp_path / "good.zip")

    def change(files: dict[str, bytes]) -> None:
        connection = sqlite3.connect(":memory:")
        connection.deserialize(files["catalog.sqlite"])
        connection.execute("UPDATE passages SET text = replace(text, '9000', '90')")
        reseal(connection)
        connection.commit()
        files["catalog.sqlite"] = connection.serialize()

    rewrite(tmp_path / "good.zip", tmp_path / "bad.zip", change)
    with pytest.raises(StoreError, match=r"contradicts itself .*'pay'.*Get it again") as refused:
        install_index(tmp_path / "bad.zip", tmp_path / "new")
    assert str(refused.value).count("\n") == 0
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("access", "open"),
        ("embedder", "other"),
        ("revision", 99),
        ("documents", 3),
        ("passages", 3),
        ("description", "Other"),
        ("name", "other"),
        ("question_set", "abc"),
        ("pages", [["a", "b", "c"]]),
    ],
)
def test_package_and_index_must_agree(built: Workbench, tmp_path: Path, what: str, value: Any) -> None:
    """What an archive says of its index is compared with the index."""
    from tests.index.package.test_package import repacked

    export_index(built.path, tmp_path / "good.zip")

    def change(found: list[Any]) -> None:
        info, data = found[0]
        found[0] = (info, json.dumps({**json.loads(data), what: value}).encode())

    with pytest.raises(StoreError, match=f"differ in {what}"):
        install_index(repacked(tmp_path / "good.zip", change), tmp_path / "new")


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("index.toml", b'access = "rules"', b'access = "open"', "what defines it is wrong|says access"),
        ("index.toml", b"[access]", b"[excess]", "what defines it is wrong"),
        ("index.toml", b'"handbook"', b'"hand/book"', "choose a name"),
        ("principals.json", b"[]", b'"boss"', "what defines it is wrong"),
    ],
)
def test_definition_and_catalog_must_agree(
    built: Workbench, tmp_path: Path, name: str, old: bytes, new: bytes, why: str
) -> None:
    """An index.toml that says other access than the catalog, and what cannot be read, is refused."""
    own = Workbench(tmp_path / "own")
    shutil.copytree(built.path, own.path)
    (own.path / "principals.json").write_text('{"ana": {"roles": []}}')
    export_index(own.path, tmp_path / "good.zip")

    def change(files: dict[str, bytes]) -> None:
        files[name] = files[name].replace(old, new)
        if b'access = "open"' in files[name]:
            files[name] = files[name].partition(b"[access]")[0]

    rewrite(tmp_path / "good.zip", tmp_path / "bad.zip", change)
    with pytest.raises(RagAppError, match=why):
        install_index(tmp_path / "bad.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE passages SET text = 'x'",
        "UPDATE passages SET section = 'x'",
        "UPDATE documents SET title = 'x'",
        "UPDATE documents SET text = 'x'",
        "UPDATE documents SET supersedes = 'x'",
        "UPDATE passages SET statements = '[1]'",
        "UPDATE passages SET start = 1",
        "UPDATE rules SET names = 'x'",
        "DELETE FROM manifest WHERE key = 'fingerprint'",
        "UPDATE manifest SET value = 'x' WHERE key = 'revision'",
    ],
)
@pytest.mark.parametrize("indexes", ["whole", "lost"])
def test_odd_rows_are_one_sentence_at_every_door(built: Workbench, tmp_path: Path, sql: str, indexes: str) -> None:
    """A row that was not stored so is a StoreError that says to rebuild, through every door; a rebuild mends it."""
    from rag_app.opened import open_index

    own = Workbench(tmp_path / "own")
    shutil.copytree(built.path, own.path)
    generation = own.store.opened(own.path)
    run(generation.catalog, sql)
    if indexes == "lost":
        shutil.rmtree(generation.tantivy)

    def asked() -> None:
        index = open_index(own.path, embedder=own.embedder, cross_encoder="none")
        try:
            who = Principal_("ana", ("board",))
            index.documents(who)
            index.as_query_engine(who).query("What do cars cost, and what do directors get?")
            index.reader.document("pay", who)
        finally:
            index.reader.close()

    for door in (lambda: check_index(own.path), asked):
        with pytest.raises(StoreError, match=r"rebuild|rag-app check") as trouble:
            door()
        assert str(trouble.value).count("\n") == 0
    own.build(rebuild=True)
    asked()


def Principal_(*facts: Any) -> Any:
    from rag_app.principal import Principal

    return Principal(*facts)


@pytest.mark.parametrize("damage", ["DELETE FROM vectors", "UPDATE vectors SET vector = x'00'", "file"])
def test_lost_vectors_are_told_and_made_again(built: Workbench, tmp_path: Path, damage: str) -> None:
    """Where vectors are missing, odd or beyond reading, asking is a StoreError and never a weaker answer; a rebuild
    makes them again."""
    from rag_app.opened import open_index

    own = Workbench(tmp_path / "own")
    shutil.copytree(built.path, own.path)
    if damage == "file":
        data = bytearray(own.store.vectors.read_bytes())
        data[4096:] = b"\xaa" * (len(data) - 4096)
        own.store.vectors.write_bytes(data)
    else:
        run(own.store.vectors, damage)
    who = Principal_("ana", ("board",))

    def asked() -> str:
        index = open_index(own.path, embedder=own.embedder, cross_encoder="none")
        try:
            return str([found.text for found in index.search("directors", who)])
        finally:
            index.reader.close()

    for door in (asked, lambda: check_index(own.path)):
        with pytest.raises(StoreError, match="rebuild"):
            door()
    own.build(rebuild=True)
    assert "9000" in asked()
    assert check_index(own.path).ok


@pytest.mark.parametrize("content", [b"", b"none", b"\xff", b"9" * 5000, b"77", b"-1"])
def test_a_damaged_pointer_is_told_and_made_again(built: Workbench, tmp_path: Path, content: bytes) -> None:
    """Where the file that names the generation in use is damaged, everything but a rebuild says so in a sentence."""
    own = Workbench(tmp_path / "own")
    shutil.copytree(built.path, own.path)
    (own.store.path / "CURRENT").write_bytes(content)
    for door in (own.open, own.build, lambda: check_index(own.path)):
        with pytest.raises(StoreError, match="rebuild") as trouble:
            door()
        assert str(trouble.value).count("\n") == 0
    assert own.build(rebuild=True).documents == len(PAPERS) + 3
    assert check_index(own.path).ok


@pytest.mark.parametrize(
    "pattern", ["tantivy/*.pos", "tantivy/meta.json", "tantivy/.managed.json", "chroma/chroma.sqlite3"]
)
def test_a_broken_index_is_one_short_sentence(built: Workbench, tmp_path: Path, pattern: str) -> None:
    """What a library says of a broken file, which may be pages, is cut to a sentence that says what to do."""
    own = Workbench(tmp_path / "own")
    shutil.copytree(built.path, own.path)
    (file,) = own.store.path.glob(f"generations/1/{pattern}")
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    for door in (lambda: own.open().load(), lambda: check_index(own.path)):
        with pytest.raises(StoreError, match="build the index again") as trouble:
            door()
        assert len(str(trouble.value)) < 600
        assert str(trouble.value).count("\n") == 0
    own.build(rebuild=True)
    assert check_index(own.path).ok
