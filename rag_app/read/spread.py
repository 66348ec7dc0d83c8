"""Work that can be done anywhere: a function applied to many items, here or on other machines."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


class Spread(Protocol):
    """Applies a function to items as they come, and gives what is made of them in the order of the items.

    Only a bounded number of items is taken ahead of what was given. What the function raises is raised here. The
    function changes nothing, so that an item may be worked on twice where a machine is lost.
    """

    def __call__(self, work: Callable[[Item], Made], items: Iterable[Item], /) -> Iterator[Made]: ...


def here(work: Callable[[Item], Made], items: Iterable[Item], /) -> Iterator[Made]:
    """In this process, one after another."""
    return map(work, items)
