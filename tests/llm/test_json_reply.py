"""JSON in what a model said."""

import sys
from collections.abc import Callable
from contextlib import suppress

import pytest

from rag_app.llm.json_reply import json_values
from rag_app.question import Part
from rag_app.synthesize.parse_draft import MalformedReply, parse_draft

HOSTILE = {
    "opening braces": "{" * 50_000,
    "lists of objects": "[{" * 25_000,
    "braces": "{}" * 25_000,
    "nested and closed": "{" * 25_000 + "}" * 25_000,
    "objects in vain": "{'a" * 16_000 + "}",
    "many parts": '{"part": 1, "labels": []}\n' * 2_000,
}


def steps(work: Callable[[], object]) -> int:
    """Calls of Python functions and of built-in ones: a measure of work that no busy machine changes."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_are_read_in_linear_time(reply: str) -> None:
    """Work grows no faster than the reply, whatever it is made of."""

    def read(text: str) -> None:
        with suppress(MalformedReply):
            parse_draft(text, [Part("What?")])

    assert steps(lambda: read(reply)) <= 3 * steps(lambda: read(reply[: len(reply) // 2])) + 5_000


def test_values_behind_prose_with_brackets() -> None:
    """JSON is found behind brackets that open none."""
    assert json_values('Of {these} I choose [{see below}]: {"parts": []}') == [{"parts": []}]
