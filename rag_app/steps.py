"""Code with waiting in it, written once for sync and async.

A flow is a generator that yields a `Step` where it must wait, and returns its result. `run` takes one step after the
other and needs no event loop; `arun` awaits them. What a step raises is raised within the flow, at its `yield from`.

    def greet(llm) -> Flow[str]:
        reply = yield from Step(partial(ask, llm), partial(ask_async, llm))
        return reply.strip()
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from rag_app.respond.events import Event

Result = TypeVar("Result")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Step(Generic[Result]):
    """Something to wait for, in both ways of waiting. `yield from step` gives its result."""

    wait: Callable[[], Result]
    await_: Callable[[], Awaitable[Result]]

    def __iter__(self) -> "Generator[Step[Any], Any, Result]":
        return (yield self)


Flow = Generator["Step[Any] | Event", Any, Result]


def in_thread(function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Step[Result]:
    """A call that blocks: made where the flow runs, or in a thread where an event loop must go on."""
    return Step(partial(function, *args, **kwargs), partial(asyncio.to_thread, function, *args, **kwargs))


def stream(flow: Flow[Result]) -> "Generator[Event, None, Result]":
    """The events of `flow` as they come, waiting for each step. It goes on only as far as its events are taken; closing
    it ends the flow."""
    advance = partial(next, flow)
    try:
        while True:
            try:
                step = advance()
            except StopIteration as finished:
                return finished.value
            if not isinstance(step, Step):
                yield step
                advance = partial(next, flow)
                continue
            try:
                advance = partial(flow.send, step.wait())
            except Exception as error:  # noqa: BLE001 - raised within the flow
                advance = partial(flow.throw, error)
    finally:
        flow.close()


def run(flow: Flow[Result]) -> Result:
    """The result of `flow`, waiting for each step."""
    events = stream(flow)
    while True:
        try:
            next(events)
        except StopIteration as finished:
            return finished.value


async def astream(flow: Flow[Any]) -> "AsyncIterator[Event]":
    """As `stream`, without holding up the event loop."""
    advance = partial(next, flow)
    try:
        while True:
            try:
                step = advance()
            except StopIteration:
                return
            if not isinstance(step, Step):
                yield step
                advance = partial(next, flow)
                continue
            try:
                advance = partial(flow.send, await step.await_())
            except Exception as error:  # noqa: BLE001 - raised within the flow
                advance = partial(flow.throw, error)
    finally:
        flow.close()  # also where the task is cancelled


async def arun(flow: Flow[Result]) -> Result:
    """As `run`, without holding up the event loop."""
    result: list[Result] = []

    def kept() -> Flow[None]:
        result.append((yield from flow))

    async for _ in astream(kept()):
        pass
    return result[0]


def held_back(flow: Flow[Result], *kinds: "type[Event]") -> "Flow[tuple[Result, list[Event]]]":
    """The result of `flow` and its events of some kinds, which are not handed on before somebody decides about them."""
    held: list[Event] = []
    advance = partial(next, flow)
    try:
        while True:
            try:
                step = advance()
            except StopIteration as finished:
                return finished.value, held
            if isinstance(step, kinds):
                held.append(step)
                advance = partial(next, flow)
                continue
            try:
                advance = partial(flow.send, (yield step))
            except Exception as error:  # noqa: BLE001 - raised within the flow
                advance = partial(flow.throw, error)
    finally:
        flow.close()
