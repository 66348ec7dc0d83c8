"""The page store gives back what was put into it, or says that it is damaged."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rag_app.errors import StoreError
from rag_app.pages.page_store import Held, PageStore, StoredPage
from tests.index.test_damage import KINDS, damage

PAGES = [
    StoredPage(
        f"https://dogs.example/{number}",
        final_url=f"https://dogs.example/{number}/",
        content_type="text/html",
        body=f"<h1>Dog {number}</h1><p>Dog {number} eats {number * 31} bones.".encode() * 40,
        etag=f'"{number}"',
        fetched="2026-05-01",
        sha256=f"{number:064x}",
        reader="1",
        verdict="changed",
    )
    for number in range(30)
]
KEPT_ASIDE = Held(PAGES[3], 0.25, "key")


def written(file: Path) -> None:
    with PageStore(file) as store:
        for page in PAGES:
            store.put(page)
        store.hold(KEPT_ASIDE, PAGES[3])
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def trial(file: Path, kind: str, seed: int) -> str:
    """What comes of one damage: "error", or "same" where all that is found is as it was written."""
    damage(file, kind, random.Random(f"{kind} {seed}"))
    try:
        with PageStore(file) as store:
            for page in PAGES:
                assert store.get(page.url) in (page, StoredPage(page.url)), "a page that nobody wrote"
            assert store.held() in ([], [KEPT_ASIDE])
            return "same"
    except StoreError:
        return "error"


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_page_store(tmp_path: Path, kind: str) -> None:
    """Damage is an error of ours, or every page is as it was written, or not known and so fetched again."""
    whole = tmp_path / "whole.sqlite"
    written(whole)
    for seed in range(12):
        file = tmp_path / f"{seed}" / "pages.sqlite"
        file.parent.mkdir()
        file.write_bytes(whole.read_bytes())
        trial(file, kind, seed)


@pytest.mark.parametrize("column", ["final_url", "fetched", "verdict", "sha256", "body"])
def test_a_changed_value_is_noticed(tmp_path: Path, column: str) -> None:
    """A value that was changed in the file is damage, and so is one of a version that was kept aside."""
    value = "2026-05-02" if column == "fetched" else b"x" if column == "body" else "x"
    for table in ("pages", "held"):
        file = tmp_path / f"{table}.sqlite"
        written(file)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
            connection.commit()
        with PageStore(file) as store, pytest.raises(StoreError, match="damaged"):
            store.get(PAGES[0].url) if table == "pages" else store.held()


def test_a_store_of_an_earlier_version(tmp_path: Path) -> None:
    """A store without digests is read as it is, also by who may not write to it, and gets them with each page put."""
    file = tmp_path / "pages.sqlite"
    written(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE digests")
    with PageStore(file, writable=False) as store:
        assert store.get(PAGES[0].url) == PAGES[0]
    with PageStore(file) as store:
        assert store.get(PAGES[1].url) == PAGES[1]
        store.put(PAGES[0])
        assert store.get(PAGES[0].url) == PAGES[0]
