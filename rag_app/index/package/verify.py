"""Whether a catalog contradicts itself: what follows from a document's text is computed again and compared.

An index from elsewhere may say anything, and a damaged one too. So no column is believed that something else decides:
passages are cut again, vectors looked up by the texts that they belong to, rules and dates written again.
"""

import json
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from rag_app.document import Document, is_showable
from rag_app.errors import DefinitionError
from rag_app.index.catalog import Catalog
from rag_app.index.manifest import check_format, read_manifest
from rag_app.index.records import document_values, passage_values, rule_of, stored_document
from rag_app.index.search.vectors import VectorStore, text_key
from rag_app.index.sqlite import Damaged, connect, mapped_sqlite_errors
from rag_app.index.store import FIRST_ID
from rag_app.llm.fingerprint import dimension_of
from rag_app.principal import NAMES_OF, PUBLIC, AccessRule
from rag_app.settings import load_settings
from rag_app.text.passages import SPLITTER_VERSION, cut_passages, embedding_text

_CUTTING = re.compile(r"(?P<version>\w+)/(?P<words>\d{1,6})/(?P<overlap>\d{1,6})")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def verify_layout(catalog: Path, vectors: Path) -> None:
    """Refuses databases with any table, trigger or view that ours have not.

    Raises:
        Damaged, StoreError, sqlite3.Error: as `verify_catalog`.
    """
    with tempfile.TemporaryDirectory() as place:
        ours = Path(place) / "catalog", Path(place) / "vectors"
        Catalog.create(ours[0], 1, {})
        with VectorStore(ours[1], ""):
            pass
        for name, mine, theirs in zip(("catalog", "vectors"), ours, (catalog, vectors), strict=True):
            if _layout(mine) != _layout(theirs):
                raise Damaged(f"the {name} in it has another layout than this version writes")


def _layout(file: Path) -> set[tuple[Any, ...]]:
    with closing(connect(file, writable=False)) as connection, mapped_sqlite_errors(file):
        return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def verify_catalog(file: Path, vectors: Path, generation: int, *, is_foreign: bool) -> None:
    """Compares everything in a catalog with the texts in it, and with the vectors' keys.

    Args:
        generation: the number of the generation that it is of.
        is_foreign: whether passages that another version cut are refused; else they are passed over.

    Raises:
        Damaged: something does not fit; says what.
        IndexMismatch: it is of another format.
        StoreError: a file cannot be read.
    """
    with closing(connect(file, writable=False)) as connection, _mapped(file):
        connection.row_factory = sqlite3.Row
        _verify_file(connection)
        manifest = read_manifest(connection)
        check_format(manifest, file)
        dimension = _dimension(manifest)
        rules = _rules(connection, manifest["access"])
        _verify_numbers(connection, "passages", generation * FIRST_ID, (generation + 1) * FIRST_ID)
        _verify_numbers(connection, "documents", 1, FIRST_ID**2 // 4)
        with VectorStore(vectors, manifest["fingerprint"]) as known:
            known.verify(dimension)
            _verify_documents(connection, rules, known, is_foreign)


@contextmanager
def _mapped(file: Path) -> Iterator[None]:
    """SQLite's errors become a StoreError, while `Damaged` stays what it is."""
    damaged: Damaged | None = None
    with mapped_sqlite_errors(file):
        try:
            yield
        except Damaged as error:
            damaged = error
    if damaged is not None:
        raise damaged


def _verify_documents(
    connection: sqlite3.Connection, rules: dict[str, AccessRule], vectors: VectorStore, is_foreign: bool
) -> None:
    seen: set[tuple[str, str]] = set()
    for row in connection.execute("SELECT * FROM documents JOIN rules USING (rule_id)"):
        passages = connection.execute("SELECT * FROM passages WHERE doc = ? ORDER BY passage_id", (row["doc"],))
        stored = passages.fetchall()
        try:
            document = stored_document(row).with_text(row["text"])
            _verify_document(document, rules[row["rule_id"]], row, len(stored))
            _verify_passages(document, row, stored, vectors, is_foreign)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            if isinstance(error, Damaged):
                raise
            raise Damaged(f"a value of document {row['document_id']!r} is of another kind") from error
        for what in (("document_id", document.document_id), ("path", document.path)):
            if what in seen:
                raise Damaged(f"two documents have the {what[0]} {what[1]!r}")
            seen.add(what)


def _verify_file(connection: sqlite3.Connection) -> None:
    # Indexes too: searches read access rules from them without looking at the tables.
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise Damaged(str(found).partition("\n")[0])
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise Damaged("a passage has no document, or a document no rule")


def _dimension(manifest: dict[str, str]) -> int:
    """Numbers in a vector, as a manifest that is in order says."""
    if manifest["access"] not in ("open", "rules"):
        raise Damaged(f"its access is {manifest['access']!r}")
    if not (dimension := dimension_of(manifest["fingerprint"])):
        raise Damaged("its embedder's fingerprint is not valid")
    return dimension


def _rules(connection: sqlite3.Connection, access: str) -> dict[str, AccessRule]:
    rules = {}
    for row in connection.execute("SELECT rule_id, scope, names FROM rules"):
        rule = rule_of(*row)
        owner = rule.names[0] if len(rule.names) == 1 else None
        fields = {"access_scope": rule.scope, NAMES_OF.get(rule.scope, ""): rule.names, "owner_user_id": owner}
        if rule != AccessRule.from_fields(fields):
            raise Damaged(f"the access rule {row['rule_id']!r} is not what its id says")
        if access == "open" and rule != PUBLIC:
            raise Damaged("it is open to everybody and has documents that are not")
        rules[rule.rule_id] = rule
    return rules


def _verify_numbers(connection: sqlite3.Connection, table: str, first: int, end: int) -> None:
    """Numbers of rows, and the next one, lie from `first` to before `end`."""
    low, high = connection.execute(f"SELECT min(rowid), max(rowid) FROM {table}").fetchone()
    sequence = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchall()
    last = [row["seq"] for row in sequence]
    if len(last) > 1 or not all(isinstance(number, int) and first - 1 <= number < end - 1 for number in last):
        raise Damaged(f"the next number of its {table} is out of range")
    if low is not None and not (last and first <= low and high <= last[0]):
        raise Damaged(f"numbers of its {table} are out of range")


def _verify_document(document: Document, rule: AccessRule, row: sqlite3.Row, passages: int) -> None:
    name = repr(document.document_id)
    _compare(f"document {name}", row, document_values(document, rule, row["cutting"], passages))
    starts, place = document.page_starts, PurePosixPath(document.path)
    is_url = document.path.startswith(("http://", "https://"))
    for what, is_right in (
        ("live", row["live"] == 1),
        ("document_id", document.document_id.strip() and all(map(is_showable, document.document_id))),
        ("title", document.title.strip()),
        ("path", all(map(is_showable, document.path)) and (is_url or not (place.is_absolute() or ".." in place.parts))),
        ("sha256", _SHA256.fullmatch(document.sha256)),
        ("body_start", 0 <= document.body_start <= len(document.text)),
        ("page_starts", not starts or (starts[0] == 0 and starts[-1] <= len(document.text))),
        ("page_starts", all(one < other for one, other in pairwise(starts))),
        ("supersedes", all(old.strip() for old in document.supersedes)),
    ):
        if not is_right:
            raise Damaged(f"{what} of document {name} is not valid")


def _verify_passages(
    document: Document, row: sqlite3.Row, stored: Sequence[sqlite3.Row], vectors: VectorStore, is_foreign: bool
) -> None:
    name, cutting = repr(document.document_id), row["cutting"]
    found = _CUTTING.fullmatch(cutting)
    if found is None:
        raise Damaged(f"cutting of document {name} is not valid")
    if found["version"] != SPLITTER_VERSION:
        if is_foreign:
            raise Damaged(f"document {name} was cut into passages by another version")
        return
    try:
        settings = load_settings(target_words=int(found["words"]), overlap_statements=int(found["overlap"]))
    except DefinitionError as error:
        raise Damaged(f"cutting of document {name} is not valid") from error
    passages = cut_passages(
        document, target_words=settings.target_words, overlap_statements=settings.overlap_statements
    )
    if len(passages) != len(stored):
        raise Damaged(f"document {name} has {len(stored)} passages, and its text is cut into {len(passages)}")
    for number, (passage, found) in enumerate(zip(passages, stored, strict=True), start=1):
        key = text_key(embedding_text(document, passage))
        # The catalog holds no page's links but these: they can only be looked at.
        links = json.loads(found["links"])
        if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
            raise Damaged(f"links of passage {number} of document {name} are not a list of texts")
        wanted = passage_values(document, passage, row["doc"], vectors.known([key]).get(key, 0), found["links"])
        _compare(f"passage {number} of document {name}", found, wanted)


def _compare(what: str, row: sqlite3.Row, wanted: dict[str, Any]) -> None:
    for column, value in wanted.items():
        if type(row[column]) is not type(value) or row[column] != value:
            raise Damaged(f"{column} of {what} does not fit its text")
