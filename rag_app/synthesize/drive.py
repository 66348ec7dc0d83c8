"""Drivers of the answer flow: they make the calls it asks for, within the question's time. Sync needs no event loop."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag_app.answer import Answer, Trace
from rag_app.errors import ModelError
from rag_app.llm import ModelCall, acall_llm, call_llm
from rag_app.synthesize.evidence import Ledger
from rag_app.synthesize.flow import Flow
from rag_app.synthesize.turn import SearchAgain, Sent

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Search = Callable[[SearchAgain], Ledger]


def drive(flow: Flow, llm: "LLM", search: Search, trace: Trace, seconds: float) -> Answer:
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
                    sent = call_llm(llm, request, deadline=deadline)
                except ModelError as error:
                    sent = error
        else:
            with trace.timed("search again"):
                sent = search(request)


async def adrive(flow: Flow, llm: "LLM", search: Search, trace: Trace, seconds: float) -> Answer:
    """As `drive`, without holding up the event loop."""
    deadline, sent = time.monotonic() + seconds, None
    while True:
        try:
            request = _advance(flow, sent)
        except StopIteration as finished:
            return finished.value
        if isinstance(request, ModelCall):
            with trace.timed(f"model: {request.purpose}"):
                try:
                    sent = await acall_llm(llm, request, deadline=deadline)
                except ModelError as error:
                    sent = error
        else:
            with trace.timed("search again"):
                sent = await asyncio.to_thread(search, request)


def _advance(flow: Flow, sent: Sent | ModelError | None) -> ModelCall | SearchAgain:
    if isinstance(sent, ModelError):
        return flow.throw(sent)
    return next(flow) if sent is None else flow.send(sent)
