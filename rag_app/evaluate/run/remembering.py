"""An open index whose models remember what they were asked: variants of one index mostly read the same texts.

The models read one text at a time, so that a remembered number is exactly the one that would come again. Times mean
nothing with it.
"""

from collections.abc import Sequence
from threading import Lock

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from rag_app.llm.onnx import CrossEncoder
from rag_app.models import MissingCrossEncoder
from rag_app.opened import OpenIndex
from rag_app.settings import Component, Settings


class RememberingIndex(OpenIndex):
    """As the open index that it is made of; `without` makes variants that share what the models said."""

    def __init__(
        self, index: OpenIndex, settings: Settings | None = None, of: "RememberingIndex | None" = None
    ) -> None:
        super().__init__(index.reader, settings or index.settings, index._embedder)
        self._embedding = of._embedding if of else RememberingEmbedding(index.embedder)
        model = index.cross_encoder
        self._reads = of._reads if of else model and RememberingCrossEncoder(model)

    @property
    def embedder(self) -> BaseEmbedding:
        return self._embedding

    @property
    def cross_encoder(self) -> CrossEncoder | None:
        return self._reads

    def without(self, *components: Component) -> "RememberingIndex":
        """The same index with components switched off."""
        settings = self.settings.model_copy(update={"without": self.settings.without | set(components)})
        return RememberingIndex(self, settings, of=self)


class RememberingEmbedding(BaseEmbedding):
    """Another embedder, whose vectors of questions are kept."""

    _of: BaseEmbedding = PrivateAttr()
    _known: dict[str, list[float]] = PrivateAttr(default_factory=dict)

    def __init__(self, of: BaseEmbedding) -> None:
        super().__init__(model_name=of.model_name)
        self._of = of

    @classmethod
    def class_name(cls) -> str:
        return "RememberingEmbedding"

    def _get_query_embedding(self, query: str) -> list[float]:
        if query not in self._known:
            self._known[query] = self._of.get_query_embedding(query)
        return self._known[query]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._of.get_text_embedding(text)


class RememberingCrossEncoder:
    """Another cross-encoder, whose scores are kept. Thread-safe."""

    def __init__(self, of: CrossEncoder | MissingCrossEncoder) -> None:
        self._of = of
        self._known: dict[tuple[str, str], float] = {}
        self._reading = Lock()

    @property
    def name(self) -> str:
        return self._of.name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        with self._reading:
            unread = [text for text in dict.fromkeys(texts) if (query, text) not in self._known]
            for text, score in zip(unread, self._of.score(query, unread), strict=True):
                self._known[query, text] = score
            return [self._known[query, text] for text in texts]

    def fingerprint(self) -> str:
        return self._of.fingerprint()
