"""Web pages as they were last fetched, and what became of them since; kept beside the generations of an index.

Fetching writes here and nowhere else; building reads here and fetches nothing. So a slow site holds up no writer, a
build that was stopped asks for nothing twice, and what is found out about a page stays until somebody acts on it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import date
from pathlib import Path

from rag_app.index.sqlite import Damaged, connect, mapped_sqlite_errors, transaction


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of the list."""

    url: str
    """As it is listed."""
    final_url: str = ""
    content_type: str = ""
    body: bytes = b""
    """The last version that could be indexed; empty where there never was one."""
    etag: str = ""
    last_modified: str = ""
    fetched: str = ""
    """ISO day on which `body` came."""
    sha256: str = ""
    """Of the title and text that `reader` made of `body`."""
    reader: str = ""
    checked: str = ""
    """ISO time at which the site was last asked."""
    verdict: str = ""
    """What came of it; see `web_pages.Verdict`."""
    reason: str = ""
    since: str = ""
    """ISO day since which the verdict stands."""


@dataclass(frozen=True, slots=True)
class Held:
    """A new version of a page that was not taken, or not yet."""

    page: StoredPage
    """The page as it would be kept, with the verdict on the new version."""
    kept: float
    """Share of the last good version's pairs of words that it still has; -1 where there was no version before."""
    text_key: str
    """See `likeness.text_key`; "" where the page has no earlier version and nothing of a wall, and so may be a twin."""

    @property
    def is_known(self) -> bool:
        """Whether the page had a good version before."""
        return self.kept >= 0


_REMEDY = "remove it, and build again, which fetches the pages"
_COLUMNS = [field.name for field in fields(StoredPage)]


class PageStore:
    """The pages of one index. One thread at a time."""

    def __init__(self, file: Path | None, *, writable: bool = True) -> None:
        """Opens or makes the file; None keeps everything in memory. Raises StoreError where it is damaged."""
        self._file = file or Path(":memory:")
        if file is None:
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
        else:
            self._connection = connect(file, writable=writable, remedy=_REMEDY)
        if writable:
            self._make_tables()
        with self._mapped():
            found = self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'digests'").fetchone()
        self._has_digests = found is not None
        """An earlier version wrote none; a reader makes no table."""

    def _make_tables(self) -> None:
        with self._mapped():
            types = ("BLOB" if name == "body" else "TEXT" for name in _COLUMNS)
            columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in zip(_COLUMNS, types, strict=True))
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS pages ({columns}, PRIMARY KEY (url))")
            more = "kept REAL NOT NULL, text_key TEXT NOT NULL"
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS held ({columns}, {more}, PRIMARY KEY (url))")
            self._connection.execute("CREATE TABLE IF NOT EXISTS run (began TEXT NOT NULL)")
            key = "kind TEXT NOT NULL, url TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (kind, url)"
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS digests ({key})")

    def __enter__(self) -> "PageStore":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, url: str) -> StoredPage:
        """What is known of a page; all but its URL empty where that is nothing."""
        with self._mapped():
            row = self._connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM pages WHERE url = ?", (url,)).fetchone()
            if row is None:
                return StoredPage(url)
            page = StoredPage(*row)
            if not self._is_whole("pages", page):
                raise Damaged(f"what is known of {url} cannot be read")
            return page

    def put(self, page: StoredPage, *, settles: bool = True) -> None:
        """Keeps what is known of a page, for good; with `settles` a version that was kept aside is forgotten."""
        with self._mapped(), transaction(self._connection):
            self._put(page)
            if settles:
                self._connection.execute("DELETE FROM held WHERE url = ?", (page.url,))

    def hold(self, new: Held, known: StoredPage) -> None:
        """Keeps a new version aside; `known` is what is known of the page meanwhile."""
        with self._mapped(), transaction(self._connection):
            self._put(known)
            values = (*astuple(new.page), new.kept, new.text_key)
            marks = ", ".join("?" * len(values))
            self._connection.execute(f"INSERT OR REPLACE INTO held VALUES ({marks})", values)
            self._put_digest("held", new.page)

    def held(self) -> list[Held]:
        """The versions that are kept aside."""
        with self._mapped():
            rows = self._connection.execute(f"SELECT {', '.join(_COLUMNS)}, kept, text_key FROM held").fetchall()
            found = [Held(StoredPage(*row[:-2]), *row[-2:]) for row in rows]
            if damaged := next((new.page.url for new in found if not self._is_whole("held", new.page)), None):
                raise Damaged(f"what was kept aside of {damaged} cannot be read")
            return found

    def _put(self, page: StoredPage) -> None:
        marks = ", ".join("?" * len(_COLUMNS))
        self._connection.execute(f"INSERT OR REPLACE INTO pages VALUES ({marks})", astuple(page))
        self._put_digest("pages", page)

    def _put_digest(self, kind: str, page: StoredPage) -> None:
        self._connection.execute("INSERT OR REPLACE INTO digests VALUES (?, ?, ?)", (kind, page.url, _digest(page)))

    def _is_whole(self, kind: str, page: StoredPage) -> bool:
        """Whether a page is as it was written."""
        if not _is_valid(page):
            return False
        if not self._has_digests:
            return True
        sql = "SELECT digest FROM digests WHERE kind = ? AND url = ?"
        row = self._connection.execute(sql, (kind, page.url)).fetchone()
        return row is None or row[0] == _digest(page)

    def final_urls(self) -> dict[str, str]:
        """Where each page that has a text was found, by its URL in the list."""
        with self._mapped():
            return dict(self._connection.execute("SELECT url, final_url FROM pages WHERE body != x''"))

    def keep_only(self, urls: Iterable[str]) -> None:
        """Forgets the pages that are not listed any more."""
        with self._mapped(), transaction(self._connection):
            listed = set(urls)
            known = [row[0] for row in self._connection.execute("SELECT url FROM pages")]
            for table in ("pages", "held", "digests"):
                gone = ((u,) for u in known if u not in listed)
                self._connection.executemany(f"DELETE FROM {table} WHERE url = ?", gone)

    def begin_run(self, now: str, oldest: str) -> str:
        """When the run began that goes on now: an earlier one that was stopped, unless it began before `oldest`."""
        with self._mapped(), transaction(self._connection):
            row = self._connection.execute("SELECT max(began) FROM run").fetchone()
            if row[0] is not None and row[0] >= oldest:
                return row[0]
            self._connection.execute("DELETE FROM run")
            self._connection.execute("INSERT INTO run VALUES (?)", (now,))
            return now

    def end_run(self) -> None:
        """Every page was asked for."""
        with self._mapped():
            self._connection.execute("DELETE FROM run")

    def _mapped(self):
        return mapped_sqlite_errors(self._file, _REMEDY)


def _digest(page: StoredPage) -> bytes:
    """SHA-256 over all of a page."""
    texts = [value for value in astuple(page) if isinstance(value, str)]
    return hashlib.sha256(json.dumps(texts).encode() + page.body).digest()


def _is_valid(page: StoredPage) -> bool:
    """Whether every value is of its kind: SQLite looks at that only when it writes."""
    kinds = (bytes if name == "body" else str for name in _COLUMNS)
    if not all(isinstance(value, kind) for value, kind in zip(astuple(page), kinds, strict=True)):
        return False
    try:
        return not page.fetched or bool(date.fromisoformat(page.fetched))
    except ValueError:
        return False
