"""How documents, passages and rules stand in the catalog: written and read back here alone.

SQLite keeps whatever somebody puts into a column, so what is read back is checked: a row that holds something else than
we write raises `Damaged`, which `mapped_sqlite_errors` turns into a StoreError.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date
from types import NoneType
from typing import TYPE_CHECKING, Any

from rag_app.document import Document
from rag_app.index.sqlite import Damaged
from rag_app.index.versions import Superseded
from rag_app.principal import AccessRule
from rag_app.show.lines import headings
from rag_app.text.nodes import SUPERSEDED_BY, pack_statements, passage_node
from rag_app.text.passages import Passage

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

TEXT, NUMBER, BYTES = (str,), (int,), (bytes,)
MAYBE_TEXT, MAYBE_NUMBER = (str, NoneType), (int, NoneType)

_DOCUMENT = {
    "document_id": TEXT,
    "title": TEXT,
    "text": TEXT,
    "path": TEXT,
    "source": TEXT,
    "sha256": TEXT,
    "markup": TEXT,
    "body_start": NUMBER,
    "page_starts": TEXT,
    "version": MAYBE_TEXT,
    "effective_date": MAYBE_TEXT,
    "retrieved": MAYBE_TEXT,
    "supersedes": TEXT,
    "scope": TEXT,
    "names": TEXT,
}
DOCUMENT_COLUMNS = tuple(_DOCUMENT)
"""What `document_of` wants, of a document joined with its rule."""


def typed(row: Any, *kinds: tuple[type, ...]) -> Sequence[Any]:
    """The row, having as many values as kinds, each of its kind. Raises Damaged."""
    if not isinstance(row, (list, tuple)) or len(row) != len(kinds):
        raise Damaged("a value is of another shape")
    for value, kind in zip(row, kinds, strict=True):
        if not isinstance(value, kind):
            raise Damaged(f"a value is of type {type(value).__name__}")
    return row


def all_typed(rows: Iterable[Any], *kinds: tuple[type, ...]) -> list[Sequence[Any]]:
    return [typed(row, *kinds) for row in rows]


def document_values(document: Document, rule: AccessRule, cutting: str, passages: int) -> dict[str, Any]:
    """The columns of a document."""
    return {
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
        "text": document.text,
    }


def document_of(row: Sequence[Any]) -> Document:
    """The document in a row of `DOCUMENT_COLUMNS`. Raises Damaged."""
    *plain, page_starts, version, effective, retrieved, supersedes, scope, names = typed(row, *_DOCUMENT.values())
    return Document(
        *plain,
        page_starts=tuple(of_json(page_starts, int)),
        version=version,
        effective_date=_date(effective),
        retrieved=_date(retrieved),
        supersedes=tuple(of_json(supersedes, str)),
        access=rule_of(scope, names),
    )


def passage_values(document: Document, passage: Passage) -> dict[str, Any]:
    """The columns of a passage that follow from its document; its links do only where they were just read."""
    links = dict.fromkeys(target for place, target in document.links if passage.start < place <= passage.end)
    spans = dict.fromkeys(span for statement in passage.statements for span in statement.needed)
    return {
        "start": passage.start,
        "end": passage.end,
        "page": passage.page,
        "section": json.dumps(passage.section, ensure_ascii=False),
        "statements": json.dumps(pack_statements(passage.statements)),
        "lead_ins": json.dumps([[a, b, document.text[a:b]] for a, b in spans], ensure_ascii=False),
        "links": json.dumps([*links]),
        "text": document.text[passage.start : passage.end],
    }


def node_of(
    text: str, section: str, statements: str, lead_ins: str, links: str, *, replaced: Superseded | None, **facts: Any
) -> "TextNode":
    """The columns of a passage, and `facts` about its document, as a node. Raises Damaged."""
    path = of_json(section, str)
    # The id is the place: numbers of the catalog would tell how much there is that the asker may not read.
    return passage_node(
        f"{facts['document_id']}:{facts['start']}",
        text,
        **facts,
        section=" > ".join(headings(facts["title"], path)) or None,
        section_path=path,
        statements=statements_of(statements),
        lead_ins=lead_ins_of(lead_ins),
        links=of_json(links, str) or None,
        **{SUPERSEDED_BY: [replaced.successor_id, replaced.successor_title] if replaced else None},
    )


def rule_values(rule: AccessRule) -> tuple[str, str, str]:
    """Id, scope and names."""
    return rule.rule_id, rule.scope, json.dumps(rule.names)


def rule_of(scope: Any, names: Any) -> AccessRule:
    """Raises Damaged."""
    scope, names = typed((scope, names), TEXT, TEXT)
    return AccessRule(scope, tuple(of_json(names, str)))


def of_json(text: str, kind: type) -> list[Any]:
    """A list that stands in a row as JSON, its items being of one kind. Raises Damaged."""
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged("a value is not JSON") from error
    if not isinstance(items, list) or not all(type(item) is kind for item in items):
        raise Damaged(f"a value is no list of {kind.__name__}")
    return items


def statements_of(text: str) -> list[Any]:
    """Packed statements (see `text/nodes.py`). Raises Damaged."""
    packed = of_json(text, list)
    for *_, lead_in, lead_out in all_typed(packed, TEXT, NUMBER, NUMBER, (list,), (list,)):
        all_typed(lead_in, NUMBER, NUMBER)
        all_typed(lead_out, NUMBER, NUMBER)
    return packed


def lead_ins_of(text: str) -> list[Any]:
    """Start, end and text of lead-in and lead-out lines. Raises Damaged."""
    lines = of_json(text, list)
    all_typed(lines, NUMBER, NUMBER, TEXT)
    return lines


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text is not None else None
    except ValueError as error:
        raise Damaged("a date is none") from error
