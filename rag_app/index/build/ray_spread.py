"""A build over Ray: its workers read, cut and embed; everything is written by the one writer here."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rag_app.errors import BuildError, ModelUnavailable
from rag_app.read.spread import Item, Made

_AHEAD = 4
"""Items in work for each processor of the cluster, so that no worker waits for the writer."""
_TRIES = 10
"""How often an item is begun again whose worker or machine was lost."""


class RaySpread:
    """A `Spread` over a Ray cluster, or over the processors of this machine.

    Workers must see the documents folder under the same path, and have rag_app with the models that the index names.
    """

    def __init__(self, address: str = "local") -> None:
        """Joins the cluster at `address`; "local" begins one here, "auto" finds a running one.

        Raises:
            ModelUnavailable: Ray is not installed.
            BuildError: there is no such cluster.
        """
        try:
            import ray  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise ModelUnavailable('Building over Ray needs an extra: pip install "rag_app[ray]".') from error
        self._ray: Any = ray
        if not ray.is_initialized():
            try:
                ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="error")
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise BuildError(
                    f"The Ray cluster {address!r} cannot be joined ({error}): check its address.", address=address
                ) from error
        self._run = ray.remote(max_retries=_TRIES)(_apply)
        self._ahead = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))

    def __call__(self, work: Callable[[Item], Made], items: Iterable[Item], /) -> Iterator[Made]:
        sent = self._ray.put(work)
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(self._run.remote(sent, item))
            if len(waiting) >= self._ahead:
                yield self._made(waiting.popleft())
        while waiting:
            yield self._made(waiting.popleft())

    def _made(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise error.cause from error  # what the function raised
        except errors.RayError as error:
            raise BuildError(
                f"Workers of the Ray cluster were lost {_TRIES} times ({type(error).__name__}). The earlier state "
                "still answers; build again to go on from here."
            ) from error


def _apply(work: Callable[[Item], Made], item: Item) -> Made:
    return work(item)
