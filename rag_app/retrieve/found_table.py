"""Retrieved passages as a table."""

from collections.abc import Sequence

from llama_index.core.schema import NodeWithScore

from rag_app.show.tables import Row, Table
from rag_app.text.nodes import COSINE, node_text


def found_table(found: Sequence[NodeWithScore]) -> Table[NodeWithScore]:
    """A list of nodes, best first, with a row of plain values for each."""
    return Table(found, [_row(rank, each) for rank, each in enumerate(found, start=1)], "Passages")


def _row(rank: int, found: NodeWithScore) -> Row:
    facts = found.node.metadata
    return {
        "rank": rank,
        "score": found.score,
        "cosine": facts.get(COSINE),
        "title": facts.get("title"),
        "section": facts.get("section"),
        "page": facts.get("page"),
        "text": node_text(found.node),
        "document_id": facts.get("document_id"),
        "start": facts.get("start"),
        "source": facts.get("source"),
    }
