"""Drives the answer flow: makes the calls that it asks for, within the question's time, as steps (`rag_app.steps`)."""

import time
from typing import TYPE_CHECKING

from rag_app.answer import Answer, Trace
from rag_app.errors import ModelError
from rag_app.llm import ModelCall, asking
from rag_app.steps import Flow, in_thread
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.flow import AnswerFlow
from rag_app.synthesize.turn import SearchAgain, Sent

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.llms import LLM


def driven(
    flow: AnswerFlow, llm: "LLM", search: "Callable[[SearchAgain], Ledger]", trace: Trace, seconds: float
) -> Flow[Answer]:
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
            with trace.timed(f"model: {request.purpose}"):
                try:
                    sent = yield from asking(llm, request, deadline=deadline)
                except ModelError as error:
                    sent = error
        else:
            with trace.timed("search again"):
                sent = yield from in_thread(search, request)


def _advance(flow: AnswerFlow, sent: Sent | ModelError | None) -> ModelCall | SearchAgain:
    if isinstance(sent, ModelError):
        return flow.throw(sent)
    return next(flow) if sent is None else flow.send(sent)
