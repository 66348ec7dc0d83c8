"""Calls a language model: one retry policy, one time budget, the errors of `rag_app.errors`; sync and async.

The budget holds whatever the client does: a sync call runs in a thread of its own, which is given up at the deadline.
So it needs no event loop, and works inside a running one. Errors of a user's own LLM object that nobody can classify
become a plain `ModelError` raised from them, and are not tried again.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    before_sleep_log,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)

from rag_app.errors import RagAppError
from rag_app.llm.call import ModelCall, ModelReply
from rag_app.llm.providers.integrations import arguments, chat_messages, is_sync_only
from rag_app.llm.reading import read_reply
from rag_app.llm.threads import start
from rag_app.llm.trouble import model_error
from rag_app.steps import Step

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatResponse
    from llama_index.core.llms import LLM


_log = logging.getLogger(__name__)
_JITTERED_EXPONENTIAL = wait_exponential_jitter(initial=1, max=10, jitter=1)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often transient trouble is tried again. No wait begins that would outlast the deadline."""

    attempts: int = 3
    wait: Callable[[RetryCallState], float] = _JITTERED_EXPONENTIAL
    """Seconds before the next attempt; a provider that asks for more (Retry-After) gets more."""

    def arguments(self, deadline: float) -> dict[str, Any]:
        """Keyword arguments of tenacity's Retrying and AsyncRetrying."""
        return {
            "stop": stop_after_attempt(self.attempts) | stop_before_delay(_left(deadline)),
            "wait": self._wait,
            "retry": retry_if_exception(lambda error: isinstance(error, RagAppError) and error.transient),
            "before_sleep": before_sleep_log(_log, logging.WARNING),
            "reraise": True,
        }

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.details.get("retry_after") if isinstance(error, RagAppError) else None
        return max(self.wait(state), asked or 0.0)


POLICY = RetryPolicy()


def call_llm(llm: "LLM", call: ModelCall, *, deadline: float, policy: RetryPolicy = POLICY) -> ModelReply:
    """Asks `llm`. `deadline` is a moment of `time.monotonic()`, in seconds; `math.inf` for none.

    Raises:
        ModelError: one of its kinds, see `rag_app.errors`. A reply that is cut off at `max_tokens` is not an error:
            see `reply.stop`.
        RecordingMissing: a recording is replayed and does not hold this call.
    """

    def once() -> ModelReply:
        with _mapped(llm, call):
            return read_reply(exchange(llm, call, _seconds(deadline)), call)

    return Retrying(**policy.arguments(deadline))(once)


async def acall_llm(llm: "LLM", call: ModelCall, *, deadline: float, policy: RetryPolicy = POLICY) -> ModelReply:
    """As `call_llm`. A model whose client only blocks is asked in a thread, so that the event loop goes on."""

    async def once() -> ModelReply:
        with _mapped(llm, call):
            return read_reply(await aexchange(llm, call, _seconds(deadline)), call)

    return await AsyncRetrying(**policy.arguments(deadline))(once)


def asking(llm: "LLM", call: ModelCall, *, deadline: float, policy: RetryPolicy = POLICY) -> Step[ModelReply]:
    """`call_llm` and `acall_llm` as a step of a flow."""
    return Step(
        partial(call_llm, llm, call, deadline=deadline, policy=policy),
        partial(acall_llm, llm, call, deadline=deadline, policy=policy),
    )


def exchange(llm: "LLM", call: ModelCall, seconds: float) -> "ChatResponse":
    """One attempt, with the client's own exceptions; TimeoutError after `seconds`."""
    return start(llm.chat, chat_messages(call), **arguments(llm, call, seconds)).result(seconds)


async def aexchange(llm: "LLM", call: ModelCall, seconds: float) -> "ChatResponse":
    """As `exchange`."""
    async with asyncio.timeout(seconds):
        if is_sync_only(llm):
            return await asyncio.wrap_future(start(llm.chat, chat_messages(call), **arguments(llm, call, seconds)))
        return await llm.achat(chat_messages(call), **arguments(llm, call, seconds))


@contextmanager
def _mapped(llm: "LLM", call: ModelCall) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        ours = model_error(error, llm, call)
        if ours is error:
            raise
        raise ours from error


def _left(deadline: float) -> float:
    return deadline - time.monotonic()


def _seconds(deadline: float) -> float:
    """What is left for one attempt, as threads, event loops and HTTP clients take it."""
    left = _left(deadline)
    if left <= 0:
        raise TimeoutError("the time for this question was used up before the model was asked")
    return min(left, threading.TIMEOUT_MAX)
