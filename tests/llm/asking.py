"""Short forms that the tests of language models share."""

import time
from typing import Any

from tenacity import wait_none

from rag_app.llm import ModelCall, ModelReply, RetryPolicy, acall_llm, call_llm

AT_ONCE = RetryPolicy(wait=wait_none())
SCHEMA = {"type": "object", "properties": {"labels": {"type": "array", "items": {"type": "string"}}}}


def a_call(**changes: Any) -> ModelCall:
    given: dict[str, Any] = {
        "messages": (("system", "Answer in one word."), ("user", "What is in the pot?")),
        "max_tokens": 33,
        "purpose": "draft",
    }
    return ModelCall(**{**given, **changes})


def ask(llm: Any, call: ModelCall | None = None, *, seconds: float = 20, policy: RetryPolicy = AT_ONCE) -> ModelReply:
    return call_llm(llm, call or a_call(), deadline=time.monotonic() + seconds, policy=policy)


async def aask(
    llm: Any, call: ModelCall | None = None, *, seconds: float = 20, policy: RetryPolicy = AT_ONCE
) -> ModelReply:
    return await acall_llm(llm, call or a_call(), deadline=time.monotonic() + seconds, policy=policy)
