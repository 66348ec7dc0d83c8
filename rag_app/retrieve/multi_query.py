"""Other phrasings of a question by a language model, searched besides it. Off by default.

What leaves the machine is the question, before anything was found; no text of a document does.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from rag_app.errors import DefinitionError, ModelCutOff, ModelError, ModelReplyMalformed
from rag_app.llm import ModelCall, ModelReply, asking
from rag_app.llm.json_reply import json_values
from rag_app.llm.trouble import model_name
from rag_app.prompts import load_prompt
from rag_app.question import Question, question_of
from rag_app.steps import Flow, Step, arun, in_thread, run
from rag_app.text.nodes import COSINE, OTHER_WORDS, hide, hit_of

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Measure = Callable[[QueryBundle, list[NodeWithScore]], None]
"""Gives nodes found by other words the numbers that they have for the question as it was asked."""

_TOKENS_EACH = 100
_MOST_CHARACTERS = 400


class MultiQueryRetriever(BaseRetriever):
    """Wraps any retriever; a passage's place is the best that it has for the question or another phrasing.

    Passages that only other phrasings found are marked, and never open the confidence gate. Where the model fails, is
    too slow or says nothing usable, the result is that of the question alone, and the trace says so.

    Args:
        retriever: searches the question and each phrasing.
        llm: phrases.
        count: how many other phrasings there are at most.
        seconds: time for the model.
        measure: says what passages found by other words count for the question itself; without it they carry no
            similarity.
    """

    def __init__(
        self,
        retriever: BaseRetriever,
        llm: "LLM",
        *,
        count: int = 2,
        seconds: float = 5.0,
        measure: Measure | None = None,
    ) -> None:
        super().__init__()
        self._retriever = retriever
        self._phrasing_model = llm
        self._count = count
        self._seconds = seconds
        self._measure = measure
        self._prompt = load_prompt("multi_query")

    def _get_prompts(self) -> PromptDictType:
        return {self._prompt.name: self._prompt.template}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        for name, template in prompts.items():
            if name != self._prompt.name:
                raise DefinitionError(f"There is no prompt {name!r} here; there is: {self._prompt.name}.", prompt=name)
            self._prompt = self._prompt.replaced(template)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return run(self._searched(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await arun(self._searched(query_bundle))

    def _searched(self, query_bundle: QueryBundle) -> Flow[list[NodeWithScore]]:
        found = yield from self._search(query_bundle)
        if not found:
            return found
        question = question_of(query_bundle)
        try:
            with question.trace.timed("model: multi_query", model=model_name(self._phrasing_model)):
                deadline = time.monotonic() + self._seconds
                reply = yield from asking(self._phrasing_model, self._call(question), deadline=deadline)
            phrasings = self._phrasings(question, reply)
        except ModelError as error:
            question.trace.warn(f"No other phrasings were searched: {error}", degrades=True)
            return found
        others: list[list[NodeWithScore]] = []
        for phrasing in phrasings:
            others.append((yield from self._search(phrasing)))
        return (yield from in_thread(self._merged, question, found, others))

    def _search(self, query_bundle: QueryBundle) -> Step[list[NodeWithScore]]:
        return Step(partial(self._retriever.retrieve, query_bundle), partial(self._retriever.aretrieve, query_bundle))

    def _call(self, question: Question) -> ModelCall:
        question.trace.prompt_versions[self._prompt.name] = self._prompt.fingerprint
        messages = self._prompt.messages(question=question.query_str, count=str(self._count))
        schema = {
            "type": "object",
            "properties": {"phrasings": {"type": "array", "items": {"type": "string"}, "maxItems": self._count}},
            "required": ["phrasings"],
            "additionalProperties": False,
        }
        return ModelCall(messages, schema, _TOKENS_EACH * self._count, "multi_query")

    def _phrasings(self, question: Question, reply: ModelReply) -> list[Question]:
        trace = question.trace
        trace.count("multi_query", reply.input_tokens, reply.output_tokens, reply.estimated, reply.request_id)
        if reply.stop == "length":
            raise ModelCutOff("The other phrasings were cut off at their token limit.", purpose="multi_query")
        texts = _read(reply.text, question.query_str)[: self._count]
        trace.searches += texts
        return [Question(text, as_of=question.as_of) for text in texts]

    def _merged(
        self, question: Question, found: list[NodeWithScore], others: Sequence[list[NodeWithScore]]
    ) -> list[NodeWithScore]:
        """By best rank; where two share it, the question's own comes first."""
        best: dict[str, tuple[int, int, NodeWithScore]] = {}
        for turn, nodes in enumerate([found, *others]):
            for rank, node in enumerate(nodes):
                known = best.get(node.node.node_id)
                if known is None or rank < known[0]:
                    best[node.node.node_id] = (rank, known[1] if known else turn, known[2] if known else node)
        own = {node.node.node_id for node in found}
        merged = [node for _, _, node in sorted(best.values(), key=lambda entry: entry[:2])]
        new = [node for node in merged if node.node.node_id not in own]
        for node in new:
            hide(node.node, OTHER_WORDS, True)
            node.node.metadata.pop(COSINE, None)
        if self._measure:
            self._measure(question, new)
        trace = question.trace
        trace.retrieved = [hit_of(node) for node in merged]
        trace.numbers["multi_query.added"] = len(new)
        return merged


def _read(reply: str, asked: str) -> list[str]:
    """The phrasings in a reply that differ from the question. Raises ModelReplyMalformed."""
    values = [value["phrasings"] for value in json_values(reply) if isinstance(value, dict) and "phrasings" in value]
    if not values or not isinstance(values[-1], list):
        raise ModelReplyMalformed("The reply with other phrasings cannot be read.", purpose="multi_query")
    known = {"", " ".join(asked.split()).casefold()}
    # Half a surrogate pair, which JSON can spell, is no text to a search.
    texts = (text.encode("utf-8", "ignore").decode() for text in values[-1] if isinstance(text, str))
    folded = [" ".join(text.split()) for text in texts if any(character.isalnum() for character in text)]
    usable = [text for text in folded if len(text) <= _MOST_CHARACTERS and text.casefold() not in known]
    return list(dict.fromkeys(usable))
