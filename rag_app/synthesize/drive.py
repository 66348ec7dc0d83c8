"""Drives the answer flow: makes the calls that it asks for, within the question's time, as steps (`rag_app.steps`)."""

import time
from typing import TYPE_CHECKING, Protocol

from rag_app.answer import Answer, Quote, Trace
from rag_app.errors import ModelError
from rag_app.llm import ModelCall, asking
from rag_app.llm.trouble import model_name
from rag_app.respond.events import Quoted, Searching
from rag_app.steps import Flow, in_thread
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.flow import AnswerFlow
from rag_app.synthesize.turn import Request, SearchAgain, Sent

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


class EvidenceAtHand(Protocol):
    """What an answer flow needs besides a model."""

    def search(self, request: SearchAgain) -> Ledger: ...
    def may_show(self, quote: Quote) -> bool:
        """Whether the asker may be shown a quote, as things are now."""
        ...


def driven(flow: AnswerFlow, llm: "LLM", evidence: EvidenceAtHand, trace: Trace, seconds: float) -> Flow[Answer]:
    """The answer of `flow`, whose calls `llm` answers; all of them together may take `seconds`.

    A model's trouble is thrown into the flow: it knows which call the answer can do without.
    """
    deadline, sent = time.monotonic() + seconds, None
    while True:
        try:
            request = _advance(flow, sent)
        except StopIteration as finished:
            return finished.value
        if isinstance(request, ModelCall):
            with trace.timed(f"model: {request.purpose}", model=model_name(llm)) as facts:
                try:
                    sent = yield from asking(llm, request, deadline=deadline)
                    facts |= {"input_tokens": sent.input_tokens, "output_tokens": sent.output_tokens}
                except ModelError as error:
                    facts["error"] = type(error).__name__
                    sent = error
        elif isinstance(request, SearchAgain):
            if request.queries:
                yield Searching(request.queries)
            with trace.timed("search again"):
                sent = yield from in_thread(evidence.search, request)
        else:
            sent = None
            if not isinstance(request, Quoted) or (yield from in_thread(evidence.may_show, request.quote)):
                yield request


def _advance(flow: AnswerFlow, sent: Sent | ModelError | None) -> Request:
    if isinstance(sent, ModelError):
        return flow.throw(sent)
    return next(flow) if sent is None else flow.send(sent)
