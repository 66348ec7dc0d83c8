"""A blocking call in a thread that nobody has to wait for."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


def start(function: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> "Future[Result]":
    """Runs `function` in a thread of its own, with the caller's context variables.

    A daemon, unlike the threads of a pool: when a caller gives up, a call that hangs keeps nobody from leaving.
    """
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()  # from here on it cannot be cancelled, so that the result has a place to go
    context = copy_context()

    def work() -> None:
        try:
            result = context.run(function, *args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=work, name="rag_app model call", daemon=True).start()
    return future
