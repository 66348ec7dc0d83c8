"""How documents, passages and rules stand in the catalog: written and read back here alone.

SQLite checks types and JSON as they are written (STRICT tables), and nothing as it is read: it has no checksums. So
each row carries a digest of its values, and a row that does not fit its digest raises `Damaged`: a byte that a disk has
lost never becomes a word of an answer.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from rag_app.document import Document
from rag_app.index.sqlite import Damaged
from rag_app.index.versions import Superseded
from rag_app.principal import AccessRule
from rag_app.show.lines import headings
from rag_app.text.nodes import SUPERSEDED_BY, pack_statements, passage_node
from rag_app.text.passages import Passage

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

SCHEMA = """
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE rules (
    rule_id TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    names TEXT NOT NULL CHECK (json_valid(names))
) STRICT;
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY AUTOINCREMENT,
    live INTEGER NOT NULL DEFAULT 0 CHECK (live IN (0, 1)),
    rule_id TEXT NOT NULL REFERENCES rules,
    passage_count INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    markup TEXT NOT NULL CHECK (markup IN ('markdown', 'plain')),
    version TEXT,
    effective_date TEXT CHECK (effective_date IS date(effective_date)),
    retrieved TEXT CHECK (retrieved IS date(retrieved)),
    supersedes TEXT NOT NULL CHECK (json_valid(supersedes)),
    sha256 TEXT NOT NULL,
    body_sha TEXT NOT NULL,
    cutting TEXT NOT NULL,
    body_start INTEGER NOT NULL,
    page_starts TEXT NOT NULL CHECK (json_valid(page_starts)),
    text_digest TEXT NOT NULL,
    digest TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX live_documents ON documents (document_id) WHERE live = 1;
CREATE INDEX document_rules ON documents (doc, live, rule_id);
CREATE INDEX document_sizes ON documents (live, rule_id, passage_count);
CREATE INDEX document_dates ON documents (effective_date, live, rule_id);
CREATE INDEX superseding ON documents (doc) WHERE supersedes != '[]';
CREATE TABLE passages (
    passage_id INTEGER PRIMARY KEY AUTOINCREMENT,
    doc INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    vector_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    page INTEGER,
    section TEXT NOT NULL CHECK (json_valid(section)),
    statements TEXT NOT NULL CHECK (json_valid(statements)),
    lead_ins TEXT NOT NULL CHECK (json_valid(lead_ins)),
    links TEXT NOT NULL CHECK (json_valid(links)),
    text TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT;
CREATE INDEX passages_of ON passages (doc, passage_id, vector_id);
CREATE INDEX document_of ON passages (passage_id, doc);
"""
DOCUMENT = (
    "rule_id", "passage_count", "document_id", "path", "title", "source", "markup", "version", "effective_date",
    "retrieved", "supersedes", "sha256", "body_sha", "cutting", "body_start", "page_starts", "text_digest",
)  # fmt: skip
"""Columns of a document that its digest is made of; the digest of its text stands for that."""
PASSAGE = ("doc", "vector_id", "start", "end", "page", "section", "statements", "lead_ins", "links", "text")
"""Columns of a passage that its digest is made of."""
_RULES = 4096
"""Access rules that are kept as they were read: each document names one, and most name the same."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the catalog has it, without its text."""

    doc: int
    """Its row."""
    rule: AccessRule
    passages: int
    document_id: str
    path: str
    title: str
    source: str
    markup: Literal["markdown", "plain"]
    version: str | None
    effective_date: str | None
    """ISO date; None where the document states none."""
    retrieved: str | None
    """ISO day on which a web page was retrieved; None for everything else."""
    supersedes: tuple[str, ...]
    sha256: str
    body_sha: str
    cutting: str
    body_start: int
    page_starts: tuple[int, ...]
    text_digest: str

    def with_text(self, text: str) -> Document:
        """Raises Damaged where this is not its text."""
        if digest_of([text]) != self.text_digest:
            raise Damaged(f"the text of document {self.document_id!r} is not what was stored")
        return Document(
            document_id=self.document_id,
            title=self.title,
            text=text,
            path=self.path,
            source=self.source,
            sha256=self.sha256,
            markup=self.markup,
            body_start=self.body_start,
            page_starts=self.page_starts,
            version=self.version,
            effective_date=date.fromisoformat(self.effective_date) if self.effective_date else None,
            retrieved=date.fromisoformat(self.retrieved) if self.retrieved else None,
            supersedes=self.supersedes,
            access=self.rule,
        )


def digest_of(values: Sequence[Any]) -> str:
    """Of texts, numbers and None; of anything else "", which is no digest."""
    try:
        return hashlib.blake2b(json.dumps(values).encode(), digest_size=16).hexdigest()
    except TypeError:
        return ""


def document_values(document: Document, rule: AccessRule, cutting: str, passages: int) -> dict[str, Any]:
    """The columns of a document."""
    values = {
        "rule_id": rule.rule_id,
        "passage_count": passages,
        "document_id": document.document_id,
        "path": document.path,
        "title": document.title,
        "source": document.source,
        "markup": document.markup,
        "version": document.version,
        "effective_date": document.effective_date.isoformat() if document.effective_date else None,
        "retrieved": document.retrieved.isoformat() if document.retrieved else None,
        "supersedes": json.dumps(document.supersedes),
        "sha256": document.sha256,
        "body_sha": document.body_sha,
        "cutting": cutting,
        "body_start": document.body_start,
        "page_starts": json.dumps(document.page_starts),
        "text_digest": digest_of([document.text]),
    }
    return {**values, "digest": digest_of([values[name] for name in DOCUMENT]), "text": document.text}


def stored_document(row: sqlite3.Row) -> StoredDocument:
    """The document in a row of its columns, `doc`, and the scope and names of its rule. Raises Damaged."""
    values = checked(row, DOCUMENT)
    rule = rule_of(values.pop("rule_id"), row["scope"], row["names"])
    return StoredDocument(
        doc=row["doc"],
        rule=rule,
        passages=values.pop("passage_count"),
        supersedes=tuple(json.loads(values.pop("supersedes"))),
        page_starts=tuple(json.loads(values.pop("page_starts"))),
        **values,
    )


def passage_values(
    document: Document, passage: Passage, doc: int, vector_id: int, links: str | None = None
) -> dict[str, Any]:
    """The columns of a passage. Its `links` (JSON) follow from its document only where that was just read."""
    if links is None:
        targets = (target for place, target in document.links if passage.start < place <= passage.end)
        links = json.dumps([*dict.fromkeys(targets)])
    spans = dict.fromkeys(span for statement in passage.statements for span in statement.needed)
    values = {
        "doc": doc,
        "vector_id": vector_id,
        "start": passage.start,
        "end": passage.end,
        "page": passage.page,
        "section": json.dumps(passage.section, ensure_ascii=False),
        "statements": json.dumps(pack_statements(passage.statements)),
        "lead_ins": json.dumps([[a, b, document.text[a:b]] for a, b in spans], ensure_ascii=False),
        "links": links,
        "text": document.text[passage.start : passage.end],
    }
    return {**values, "digest": digest_of([values[name] for name in PASSAGE])}


def node_of(row: sqlite3.Row, document: StoredDocument, replaced: Superseded | None) -> "TextNode":
    """The columns of a passage as a node. Raises Damaged."""
    values = checked(row, PASSAGE)
    section = json.loads(values["section"])
    # The id is the place: numbers of the catalog would tell how much there is that the asker may not read.
    return passage_node(
        f"{document.document_id}:{values['start']}",
        values["text"],
        document_id=document.document_id,
        title=document.title,
        source=document.source,
        path=document.path,
        markup=document.markup,
        version=document.version,
        effective_date=document.effective_date,
        retrieved=document.retrieved,
        start=values["start"],
        end=values["end"],
        page=values["page"],
        section=" > ".join(headings(document.title, section)) or None,
        section_path=section,
        statements=json.loads(values["statements"]),
        lead_ins=json.loads(values["lead_ins"]),
        links=json.loads(values["links"]) or None,
        **{SUPERSEDED_BY: [replaced.successor_id, replaced.successor_title] if replaced else None},
    )


def rule_values(rule: AccessRule) -> tuple[str, str, str]:
    """Id, scope and names."""
    return rule.rule_id, rule.scope, json.dumps(rule.names)


@lru_cache(maxsize=_RULES)
def rule_of(rule_id: Any, scope: Any, names: Any) -> AccessRule:
    """Raises Damaged."""
    try:
        rule = AccessRule(scope, tuple(json.loads(names)))
        if rule_values(rule) == (rule_id, scope, names):
            return rule
    except (ValueError, TypeError):
        pass
    raise Damaged("an access rule is not what its id says")


def checked(row: sqlite3.Row, names: Sequence[str]) -> dict[str, Any]:
    """The named columns of a row. Raises Damaged where they do not fit the row's digest."""
    values = {name: row[name] for name in names}
    if digest_of([*values.values()]) != row["digest"]:
        raise Damaged("a row does not fit its digest")
    return values
