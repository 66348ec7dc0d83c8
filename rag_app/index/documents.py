"""Documents as the catalog has them, for those who may read them."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from rag_app.document import Document
from rag_app.index.rows import (
    DOCUMENT_COLUMNS,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    all_typed,
    document_of,
    of_json,
)
from rag_app.index.versions import Dated, Standing, find_superseded

_UNDER = "live = 1 AND rule_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document without its text."""

    document_id: str
    title: str
    path: str
    source: str
    version: str | None
    effective_date: str | None
    """ISO date; None where the document states none."""
    retrieved: str | None
    """ISO day on which a web page was retrieved; None for everything else."""
    supersedes: tuple[str, ...]
    """Ids of documents that it replaces, of those that the asker may read."""
    rule_id: str
    passages: int


def list_documents(connection: sqlite3.Connection, rule_ids: frozenset[str]) -> list[DocumentInfo]:
    """Documents under the rules, by path."""
    rows = connection.execute(
        f"""SELECT document_id, title, path, source, version, effective_date, retrieved, supersedes, rule_id,
        passage_count
        FROM documents WHERE {_UNDER} ORDER BY path""",
        (_json(rule_ids),),
    )
    rows = all_typed(rows, *[TEXT] * 4, *[MAYBE_TEXT] * 3, TEXT, TEXT, NUMBER)
    readable = {row[0] for row in rows}
    return [
        DocumentInfo(
            *plain,
            supersedes=tuple(old for old in of_json(supersedes, str) if old in readable),
            rule_id=rule_id,
            passages=passages,
        )
        for *plain, supersedes, rule_id, passages in rows
    ]


def digests(connection: sqlite3.Connection) -> dict[str, str]:
    """By access rule, a digest of all documents under it: equal documents, equal digest."""
    rows = connection.execute(
        "SELECT rule_id, document_id, path, sha256, cutting FROM documents WHERE live = 1 ORDER BY rule_id, document_id"
    )
    under: dict[str, hashlib._Hash] = {}
    for rule_id, *facts in all_typed(rows, *[TEXT] * 5):
        under.setdefault(rule_id, hashlib.sha256()).update(json.dumps(facts).encode())
    return {rule_id: digest.hexdigest() for rule_id, digest in under.items()}


def read_document(connection: sqlite3.Connection, document_id: str, rule_ids: frozenset[str]) -> Document | None:
    """A document with its text; None where there is none under these rules."""
    row = connection.execute(
        f"""SELECT {", ".join(DOCUMENT_COLUMNS)} FROM documents JOIN rules USING (rule_id)
        WHERE {_UNDER} AND document_id = ?""",
        (_json(rule_ids), document_id),
    ).fetchone()
    return None if row is None else document_of(row)


def readable_among(
    connection: sqlite3.Connection, document_ids: Iterable[str], rule_ids: frozenset[str]
) -> frozenset[str]:
    """Those of the ids that are of documents under the rules."""
    # Led by the ids: otherwise SQLite looks at every document under the rules.
    rows = connection.execute(
        f"""SELECT document_id FROM documents INDEXED BY live_documents
        WHERE {_UNDER} AND document_id IN (SELECT value FROM json_each(?))""",
        (_json(rule_ids), _json(document_ids)),
    ).fetchall()
    return frozenset(row[0] for row in rows)


def stands_at(
    connection: sqlite3.Connection, document_id: str, start: int, text: str, rule_ids: frozenset[str]
) -> bool:
    """Whether `text` stands at `start` of a document under the rules."""
    # A passage of ours is found without reading the document, which may be long.
    passages = connection.execute(
        f"""SELECT p.start, p.text FROM documents d JOIN passages p USING (doc)
        WHERE {_UNDER} AND document_id = ? AND p.start <= ? AND p.end >= ?""",
        (_json(rule_ids), document_id, start, start + len(text)),
    )
    found = all_typed(passages, NUMBER, TEXT)
    if any(passage[start - begin : start - begin + len(text)] == text for begin, passage in found):
        return True
    document = read_document(connection, document_id, rule_ids)
    return document is not None and document.text[start : start + len(text)] == text


def standing(connection: sqlite3.Connection, rule_ids: frozenset[str], day: date) -> Standing:
    """What is not in force on `day`, among documents under the rules.

    What supersedes counts only if it may be read itself: a document replaced by an unreadable one is in force for
    whoever cannot know of the other.
    """
    columns, today, rules = "doc, document_id, title, effective_date, supersedes", day.isoformat(), _json(rule_ids)
    later = connection.execute(
        f"SELECT doc FROM documents INDEXED BY document_dates WHERE effective_date > ? AND {_UNDER}", (today, rules)
    ).fetchall()
    superseding = connection.execute(
        f"""SELECT {columns} FROM documents INDEXED BY superseding WHERE supersedes != '[]'
        AND (effective_date IS NULL OR effective_date <= ?) AND {_UNDER}""",
        (today, rules),
    )
    kinds = (NUMBER, TEXT, TEXT, MAYBE_TEXT, TEXT)
    superseding = all_typed(superseding, *kinds)
    if not superseding:
        return Standing(frozenset(row[0] for row in later))
    old = _json({document_id for row in superseding for document_id in of_json(row[-1], str)})
    superseded = connection.execute(
        f"""SELECT {columns} FROM documents INDEXED BY live_documents
        WHERE document_id IN (SELECT value FROM json_each(?))
        AND (effective_date IS NULL OR effective_date <= ?) AND {_UNDER}""",
        (old, today, rules),
    )
    dated = {
        doc: Dated(doc, document_id, title, effective, tuple(of_json(supersedes, str)))
        for doc, document_id, title, effective, supersedes in (*superseding, *all_typed(superseded, *kinds))
    }
    return Standing(frozenset(row[0] for row in later), find_superseded(dated.values()))


def _json(texts: Iterable[str]) -> str:
    return json.dumps(sorted(texts))
