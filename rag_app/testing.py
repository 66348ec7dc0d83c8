"""Doubles for tests of code that uses rag_app: deterministic, offline, quick."""

import hashlib
import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from threading import Lock
from typing import Any

import tantivy
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import NodeWithScore
from pydantic import PrivateAttr

from rag_app.errors import UsageError
from rag_app.llm.call import ModelCall, ModelReply
from rag_app.llm.providers.chat_only import ChatOnlyLLM
from rag_app.text.nodes import COSINE, hide, passage_node

_NUMBERS = 64
_SHORT = 3
"""Words up to this length say little: they weigh a fifth."""


class TinyEmbedding(BaseEmbedding):
    """A hashed bag of English stems as a unit vector of 64 numbers; texts that share words are near each other."""

    model_name: str = "tiny"

    @classmethod
    def class_name(cls) -> str:
        return "TinyEmbedding"

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * _NUMBERS
        for stem in _analyzer().analyze(text):
            digest = hashlib.blake2b(f"{self.model_name} {stem}".encode(), digest_size=4).digest()
            weight = 1.0 if len(stem) > _SHORT else 0.2
            vector[digest[0] % _NUMBERS] += weight if digest[1] % 2 else -weight
            vector[digest[2] % _NUMBERS] += weight if digest[3] % 2 else -weight
        length = math.hypot(*vector)
        return [number / length for number in vector] if length else vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


@lru_cache(maxsize=1)
def _analyzer() -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def passage(
    text: str,
    *,
    document_id: str = "document",
    title: str = "Document",
    section: tuple[str, ...] = (),
    start: int = 0,
    score: float | None = None,
    cosine: float | None = None,
    **facts: Any,
) -> NodeWithScore:
    """A retrieved passage: a node with its text, its place and its headings, as our retriever hands it on.

    Args:
        start: where it begins in its document, in code points.
        cosine: similarity to the question, -1 to 1; None leaves it out, as a third-party retriever does.
        facts: more metadata, such as page, version or source.
    """
    node = passage_node(
        f"{document_id}:{start}",
        text,
        document_id=document_id,
        title=title,
        section=" > ".join(section) or None,
        section_path=list(section),
        start=start,
        end=start + len(text),
        source=facts.pop("source", f"{document_id}.md"),
        **facts,
    )
    if cosine is not None:
        hide(node, COSINE, cosine)
    return NodeWithScore(node=node, score=score)


Said = str | ModelReply | Exception


class ScriptedLLM(ChatOnlyLLM):
    """A language model with scripted replies: the items of a list in turn, or what a function makes of a call's
    messages (a tuple of role and text).

    A str is a reply; a `ModelReply` says its tokens and why it stopped as well; an exception is raised.

    Raises:
        UsageError: it is asked more often than the list has items.
    """

    usage: tuple[int, int] | None = None
    """Input and output tokens reported for a str; None reports none, so that they are estimated."""
    model: str = "scripted"
    _script: Callable[[tuple[tuple[str, str], ...]], Said] | list[Said] = PrivateAttr()
    _calls: list[ModelCall] = PrivateAttr(default_factory=list)
    _lock: Lock = PrivateAttr(default_factory=Lock)

    def __init__(
        self,
        replies: Iterable[Said] | Callable[[tuple[tuple[str, str], ...]], Said],
        *,
        usage: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(usage=usage)  # pyright: ignore[reportCallIssue]
        self._script = replies if callable(replies) else list(replies)

    @classmethod
    def class_name(cls) -> str:
        return "ScriptedLLM"

    @property
    def calls(self) -> list[ModelCall]:
        """Every call it received, in order; attempts that were tried again are there each time."""
        return list(self._calls)

    def reply(self, call: ModelCall, seconds: float) -> ModelReply:
        with self._lock:
            self._calls.append(call)
            number = len(self._calls)
        if callable(self._script):
            said = self._script(call.messages)
        elif number <= len(self._script):
            said = self._script[number - 1]
        else:
            raise UsageError(f'ScriptedLLM has {len(self._script)} replies; call {number} was for "{call.purpose}".')
        if isinstance(said, Exception):
            raise said
        if isinstance(said, ModelReply):
            return said
        return ModelReply(said, *(self.usage or (0, 0)), estimated=self.usage is None)
