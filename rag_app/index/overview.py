"""An index at a glance, for those who open it."""

from rag_app.index.paths import bytes_in
from rag_app.index.reader import IndexReader


def overview(reader: IndexReader) -> dict[str, str]:
    """Access and embedder; of an open index also how many documents and passages it has, its state and its size on the
    disk. With access rules, how many there are, and were, is nobody's business."""
    with reader.snapshot() as view:
        facts = {"access": view.manifest["access"], "embedder": view.manifest["embedder"]}
        if view.manifest["access"] == "open":
            documents = view.documents(view.readable(None))
            facts["documents"] = str(len(documents))
            facts["passages"] = f"{sum(document.passages for document in documents):,}"
            facts["state"] = view.version
            facts["size"] = f"{bytes_in(reader.definition.store_path) / 1e6:,.1f} MB"
        return facts
