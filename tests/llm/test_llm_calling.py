"""Calling a language model: retries, the time budget, and errors of objects that nobody knows."""

import asyncio
import math
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM, MockLLM
from pydantic import PrivateAttr
from tenacity import RetryCallState, RetryError, Retrying, stop_after_attempt, wait_none

from rag_app.errors import (
    ModelCutOff,
    ModelError,
    ModelRefused,
    ModelRejected,
    ModelThrottled,
    ModelTimeout,
    ModelUnreachable,
    UsageError,
)
from rag_app.llm import ModelCall, ModelReply, RetryPolicy
from rag_app.testing import ScriptedLLM
from tests.llm.asking import AT_ONCE, a_call, aask, ask


class OwnLLM(CustomLLM):
    """Somebody's own LLM: knows no arguments, and its metadata cannot be read."""

    _act: Any = PrivateAttr()

    def __init__(self, act: Any) -> None:
        super().__init__()
        self._act = act

    @property
    def metadata(self) -> LLMMetadata:
        raise ValueError("unknown model")

    def chat(self, messages: Sequence[ChatMessage]) -> ChatResponse:  # pyright: ignore
        return ChatResponse(message=ChatMessage(role="assistant", content=self._act()))

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


def test_own_object() -> None:
    """An LLM of an unknown class gets the messages and nothing that it may not know; its tokens are estimated."""
    assert ask(OwnLLM(lambda: "Tea.")) == ModelReply("Tea.", 10, 1, True, "unknown")
    assert asyncio.run(aask(OwnLLM(lambda: "Tea."))).text == "Tea."
    assert "What is in the pot?" in ask(MockLLM()).text


def test_a_fault_in_a_users_own_class_is_not_the_models() -> None:
    """An AttributeError in a user's own LLM object, also one derived from an integration, is its own failure; only one
    that an integration itself raises says that the reply was malformed."""
    openai = pytest.importorskip("llama_index.llms.openai")

    class Mistaken(openai.OpenAI):  # pyright: ignore
        def chat(self, messages: Any, **kwargs: Any) -> Any:
            return messages.no_such_name

    class Scripted(ScriptedLLM):
        def reply(self, call: ModelCall, seconds: float) -> ModelReply:
            raise AttributeError("no such name")

    for llm in (Mistaken(api_key="none"), Scripted([])):  # pyright: ignore[reportCallIssue]
        with pytest.raises(ModelError) as caught:
            ask(llm)
        assert type(caught.value) is ModelError


def test_unknown_exception_is_a_model_error() -> None:
    """What a user's own LLM raises becomes a ModelError raised from it, at once, in one sentence."""
    tried: list[None] = []

    def act() -> str:
        tried.append(None)
        raise LookupError("no such\nvoucher")

    for run in (ask, lambda llm: asyncio.run(aask(llm))):
        tried.clear()
        with pytest.raises(ModelError) as caught:
            run(OwnLLM(act))
        assert type(caught.value) is ModelError
        assert isinstance(caught.value.__cause__, LookupError)
        assert str(caught.value) == "The model OwnLLM failed (LookupError: no such voucher): the cause is attached."
        assert caught.value.details["purpose"] == "draft"
        assert len(tried) == 1


class APITimeoutError(Exception):
    """A client's own exception, known by its name alone."""


def reset() -> str:
    raise ConnectionResetError("reset by peer")


def gave_up() -> str:
    """Fails behind retries of its own."""
    return Retrying(stop=stop_after_attempt(2), wait=wait_none())(reset)


def test_exceptions_known_by_class() -> None:
    """Exceptions of a known class are told apart, also behind the retries of the object itself."""
    with pytest.raises(ModelUnreachable) as caught:
        ask(OwnLLM(gave_up))
    assert isinstance(caught.value.__cause__, RetryError)

    def late() -> str:
        raise APITimeoutError

    with pytest.raises(ModelTimeout):
        ask(OwnLLM(late))


def test_interruption_is_not_swallowed() -> None:
    """What is not an error but a wish to stop passes through as it is."""

    def act() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(OwnLLM(act))


@pytest.mark.parametrize("kind", [ModelThrottled, ModelUnreachable, ModelTimeout])
def test_transient_trouble_is_tried_three_times(kind: type[ModelError]) -> None:
    """Transient trouble is tried again, three times in all; then its own error is raised, with who and what for."""
    llm = ScriptedLLM([kind("busy")] * 2 + ["Tea."])
    assert ask(llm).text == "Tea."
    llm = ScriptedLLM([kind("busy")] * 9)
    with pytest.raises(kind) as caught:
        ask(llm)
    assert len(llm.calls) == 3
    assert (caught.value.details["model"], caught.value.details["purpose"]) == ("scripted", "draft")
    llm = ScriptedLLM([kind("busy")] * 9)
    with pytest.raises(kind):
        asyncio.run(aask(llm))
    assert len(llm.calls) == 3


@pytest.mark.parametrize("kind", [ModelRejected, ModelRefused, ModelCutOff, ModelError, UsageError])
def test_other_trouble_is_not(kind: type[Exception]) -> None:
    """What would fail again is not tried again."""
    llm = ScriptedLLM([kind("no"), "Tea."])
    with pytest.raises(kind):
        ask(llm)
    assert len(llm.calls) == 1


def test_no_wait_outlasts_the_deadline() -> None:
    """A wait that would end after the deadline is not begun: the trouble itself is raised."""
    llm = ScriptedLLM([ModelThrottled("busy"), "Tea."])
    with pytest.raises(ModelThrottled):
        ask(llm, seconds=5, policy=RetryPolicy(wait=lambda state: 60.0))
    assert len(llm.calls) == 1


def test_waits_grow_and_vary() -> None:
    """The default waits grow, are not the same for everybody, and give way to a longer one that was asked for."""
    policy = RetryPolicy()

    def wait(attempt: int, error: Exception) -> float:
        state = RetryCallState(Retrying(), None, (), {})
        state.attempt_number = attempt
        state.set_exception((type(error), error, None))  # pyright: ignore[reportArgumentType]
        return policy._wait(state)

    first = {wait(1, ModelThrottled("busy")) for _ in range(20)}
    second = {wait(2, ModelThrottled("busy")) for _ in range(20)}
    assert 1 <= min(first) < max(first) <= 2 <= min(second) < max(second) <= 3
    assert wait(1, ModelThrottled("busy", retry_after=7.5)) == 7.5


@pytest.mark.parametrize("seconds", [0, -5])
def test_no_time_left(seconds: float) -> None:
    """After the deadline the model is not asked at all."""
    llm = ScriptedLLM(["Tea."])
    with pytest.raises(ModelTimeout, match="used up before the model was asked"):
        ask(llm, seconds=seconds)
    with pytest.raises(ModelTimeout):
        asyncio.run(aask(llm, seconds=seconds))
    assert llm.calls == []


def test_no_deadline() -> None:
    """An infinite deadline is no deadline."""
    assert ask(ScriptedLLM(["Tea."]), seconds=math.inf).text == "Tea."
    assert asyncio.run(aask(ScriptedLLM(["Tea."]), seconds=math.inf)).text == "Tea."


def test_hanging_object_is_given_up() -> None:
    """An LLM that never returns is given up at the deadline, sync and async, and holds nobody up."""
    release = threading.Event()
    llm = OwnLLM(lambda: release.wait(30) and "late")
    try:
        with pytest.raises(ModelTimeout):
            ask(llm, seconds=0.05)
        with pytest.raises(ModelTimeout):
            asyncio.run(aask(llm, seconds=0.05))
    finally:
        release.set()


HANGING = """
import sys, threading, time
from rag_app.errors import ModelTimeout
from rag_app.llm import ModelCall, call_llm
from rag_app.testing import ScriptedLLM
def hang(messages):
    threading.Event().wait()
try:
    call_llm(ScriptedLLM(hang), ModelCall((("user", "?"),)), deadline=time.monotonic() + 0.05)
except ModelTimeout:
    print("gave up")
"""


def test_given_up_call_does_not_keep_the_process() -> None:
    """A call that was given up does not keep the process from ending."""
    done = subprocess.run([sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "gave up"


def test_sync_inside_a_running_loop() -> None:
    """A sync call works inside a running event loop, as in Jupyter, and starts none."""
    loops: list[bool] = []

    def script(messages: object) -> str:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            loops.append(False)
        else:
            loops.append(True)
        return "Tea."

    async def notebook() -> str:
        return ask(ScriptedLLM(script)).text

    assert asyncio.run(notebook()) == "Tea."
    assert loops == [False]


def test_event_loop_goes_on_meanwhile() -> None:
    """While a model whose client only blocks is asked, the event loop does other work: twenty calls meet."""
    barrier = threading.Barrier(20)

    def script(messages: object) -> str:
        barrier.wait(20)
        return "Tea."

    async def all_of_them() -> list[ModelReply]:
        llm = ScriptedLLM(script)
        return await asyncio.gather(*(aask(llm) for _ in range(20)))

    assert len(asyncio.run(all_of_them())) == 20


def test_cancelled_call_is_cancelled() -> None:
    """A task that is cancelled from outside is cancelled, not timed out."""
    entered = threading.Event()
    release = threading.Event()

    def script(messages: object) -> str:
        entered.set()
        release.wait(30)
        return "late"

    async def cancel() -> None:
        task = asyncio.create_task(aask(ScriptedLLM(script)))
        await asyncio.to_thread(entered.wait, 20)
        task.cancel()
        await task

    try:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancel())
    finally:
        release.set()


def test_scripted_llm() -> None:
    """ScriptedLLM says what it was given, with figures or without, keeps what it was asked, and stops when out."""
    llm = ScriptedLLM(["one", ModelReply("two", 3, 4, False, "length"), ModelRefused("no")], usage=(5, 6))
    assert ask(llm) == ModelReply("one", 5, 6, False, "end")
    assert ask(llm) == ModelReply("two", 3, 4, False, "length")
    with pytest.raises(ModelRefused):
        ask(llm)
    with pytest.raises(UsageError, match='has 3 replies; call 4 was for "draft"'):
        ask(llm)
    assert [call.max_tokens for call in llm.calls] == [33] * 4
    echo = ScriptedLLM(lambda messages: messages[-1][1].upper())
    assert ask(echo) == ModelReply("WHAT IS IN THE POT?", 10, 5, True, "end")
    assert str(echo.complete("tea")) == "TEA"
    assert asyncio.run(echo.achat([ChatMessage(role="user", content="tea")])).message.content == "TEA"
    assert [part.text for part in echo.stream_complete("tea")] == ["TEA"]
    assert echo.calls[0] == a_call()


def test_the_door_is_light() -> None:
    """Importing the calls loads neither LlamaIndex nor any client."""
    heavy = "{'llama_index.core', 'openai', 'boto3', 'botocore', 'httpx'}"
    script = f"import sys, rag_app.llm; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_policy_is_bounded() -> None:
    """One attempt is one attempt."""
    llm = ScriptedLLM([ModelThrottled("busy")] * 3)
    with pytest.raises(ModelThrottled):
        ask(llm, policy=RetryPolicy(attempts=1, wait=AT_ONCE.wait))
    assert len(llm.calls) == 1
