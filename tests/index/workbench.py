"""An index folder that tests change, build and ask."""

from pathlib import Path
from typing import Any

from rag_app.building import BuildReport, build_index
from rag_app.index.definition import load_definition
from rag_app.index.reader import IndexReader
from rag_app.index.store import Store
from rag_app.principal import Principal
from rag_app.settings import load_settings
from rag_app.testing import TinyEmbedding


class Workbench:
    """An index folder with what a test does to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.documents = path / "documents"
        self.embedder: Any = TinyEmbedding()

    def define(self, access: str = "open", more: str = "") -> None:
        self.documents.mkdir(parents=True, exist_ok=True)
        text = f'[index]\nname = "handbook"\ndescription = "Rules of a small firm."\naccess = "{access}"\n{more}\n'
        (self.path / "index.toml").write_text(text, encoding="utf-8")

    def write(self, name: str, body: str, **fields: Any) -> Path:
        head = "".join(f"{key}: {value}\n" for key, value in fields.items())
        file = self.documents / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{head}---\n{body}\n" if fields else f"{body}\n", encoding="utf-8")
        return file

    def build(self, **options: Any) -> BuildReport:
        return build_index(self.path, embedder=options.pop("embedder", self.embedder), **options)

    @property
    def store(self) -> Store:
        definition = load_definition(self.path)
        return Store(definition.store_path, load_settings(definition.settings).chroma_url)

    def open(self) -> IndexReader:
        return IndexReader.open(self.path)

    def texts(self, question: str, principal: Principal | None = None, k: int = 5) -> list[str]:
        """The texts that dense and sparse index find, as a set in order."""
        reader = self.open()
        try:
            return texts(reader, question, principal, k)
        finally:
            reader.close()


def texts(reader: IndexReader, question: str, principal: Principal | None = None, k: int = 5) -> list[str]:
    """The passages that either index finds for a question, sorted."""
    with reader.snapshot() as view:
        rules = view.readable(principal)
        vector = TinyEmbedding().get_query_embedding(question)
        found = view.search_meaning(vector, k, rules) + view.search_words(question, k, rules)
        return sorted({node.get_content() for node in view.nodes([key for key, _ in found]).values()})
