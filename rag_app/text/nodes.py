"""A passage as a LlamaIndex node: which facts travel with it, and which of them a prompt may see.

Everything a later stage needs stands in the node's metadata, so that every stage works behind anybody's retriever.
Numbers and offsets are kept from prompts and embeddings; a stock LlamaIndex prompt sees title, section, source,
version and date.
"""

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, NodeWithScore, TextNode

from rag_app.answer import Drop, Hit
from rag_app.document import Span
from rag_app.text.footnotes import whole_statements
from rag_app.text.statements import Statement

SHOWN = ("title", "section", "source", "version", "effective_date", "retrieved")
"""Metadata that a prompt may see; everything else is hidden from prompts and embeddings."""

COSINE = "cosine"
"""Similarity of meaning to the question as it was asked; what the confidence gate reads."""
WINDOWS = "windows"
"""What the cross-encoder read: list of (first statement, last statement, part of the question, logit)."""
UNREAD_LOGIT = -11.0
"""Stands for a window that was not read because it was not thought worth it: the lowest logit that there is."""
SUPERSEDED_BY = "superseded_by"
"""Id and title of the document that replaced the passage's."""

POINTERS = "pointers"
"""Other documents that the passage points to: list of (how, document id, statement). See `postprocess/pointers.py`."""
LINKS = "links"
"""Pages that the links in the passage lead to, by URL, which is the id of a page that is indexed."""
NAMED = "named"
"""Rare names and codes of the question that stand word for word in the passage: these open the confidence gate."""
OTHER_WORDS = "found_by_other_words"
"""True where only another phrasing of the question found the passage: it never opens the confidence gate."""
UNGATED = "ungated"
"""True where the confidence gate could not judge, since no passage carried its cosine."""
GATE_OFF = "The confidence gate was skipped: no passage carries its cosine to the question."
HIDDEN = (COSINE, WINDOWS, POINTERS, NAMED, OTHER_WORDS, UNGATED)


def passage_node(node_id: str, text: str, **facts: Any) -> TextNode:
    """A passage as a node. `facts` become its metadata; those that are None are left out."""
    metadata = {key: value for key, value in facts.items() if value is not None}
    hidden = [key for key in (*metadata, *HIDDEN) if key not in SHOWN]
    return TextNode(
        id_=node_id,
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        start_char_idx=facts.get("start"),
        end_char_idx=facts["start"] + len(text) if "start" in facts else None,
    )


def hide(node: BaseNode, key: str, value: Any) -> None:
    """Sets metadata that no prompt and no embedding sees."""
    node.metadata[key] = value
    for keys in (node.excluded_llm_metadata_keys, node.excluded_embed_metadata_keys):
        if key not in keys:
            keys.append(key)


def node_text(node: BaseNode) -> str:
    """The bare text of a node, without any metadata."""
    return node.text if isinstance(node, TextNode) else node.get_content()


def node_start(node: BaseNode) -> int:
    """Where the node's text begins in its document; 0 where nobody knows, so that places count within the node."""
    start = node.metadata.get("start")
    if start is None and isinstance(node, TextNode):
        start = node.start_char_idx
    return start if isinstance(start, int) else 0


def pack_statements(statements: Sequence[Statement]) -> list[list[Any]]:
    """Statements as plain data for metadata and the catalog."""
    return [
        [s.kind, s.start, s.end, [list(span) for span in s.lead_in], [list(span) for span in s.lead_out]]
        for s in statements
    ]


def node_statements(node: BaseNode) -> list[Statement]:
    """The statements of a node, with offsets in its document: those stored with it, else cut from its text."""
    packed = node.metadata.get("statements")
    if packed is not None:
        return [
            Statement(kind, start, end, *(tuple((a, b) for a, b in spans) for spans in needed))
            for kind, start, end, *needed in packed
        ]
    base = node_start(node)
    return [
        Statement(
            s.kind,
            s.start + base,
            s.end + base,
            *(tuple((a + base, b + base) for a, b in spans) for spans in (s.lead_in, s.lead_out)),
        )
        for s in whole_statements(node_text(node))
    ]


def slice_of(node: BaseNode, span: Span) -> str | None:
    """The document's text at `span`, as far as the node carries it (its own text, or a stored lead-in line)."""
    base, text = node_start(node), node_text(node)
    start, end = span
    if base <= start and end <= base + len(text):
        return text[start - base : end - base]
    for lead_start, lead_end, lead_text in node.metadata.get("lead_ins", ()):
        if (lead_start, lead_end) == (start, end):
            return lead_text
    return None


def hit_of(found: NodeWithScore) -> Hit:
    """A node as a line of the trace."""
    facts = found.node.metadata
    start = node_start(found.node)
    return Hit(
        document_id=str(facts.get("document_id") or found.node.node_id),
        title=str(facts.get("title") or ""),
        section=tuple(section) if isinstance(section := facts.get("section_path"), (list, tuple)) else (),
        start=start,
        end=start + len(node_text(found.node)),
        cosine=facts.get(COSINE),
    )


def drop_of(found: NodeWithScore, stage: str, reason: str) -> Drop:
    """A node that a stage took out, as a line of the trace."""
    hit = hit_of(found)
    return Drop(stage, reason, hit.document_id, hit.start, hit.end)
