"""One reading of Retry-After for models, pages and search services."""

import time
from email.utils import formatdate

import pytest

from rag_app.llm.retry_after import seconds_of


@pytest.mark.parametrize(("header", "seconds"), [("0", 0.0), (" 12 ", 12.0), ("1.5", 1.5), (7, 7.0)])
def test_seconds(header: object, seconds: float) -> None:
    """A number is taken as seconds."""
    assert seconds_of(header) == seconds


def test_a_date() -> None:
    """A date counts from now, and one that has passed is no wait."""
    later = seconds_of(formatdate(time.time() + 600, usegmt=True))
    assert later is not None
    assert 500 < later <= 600
    assert seconds_of(formatdate(time.time() - 600, usegmt=True)) == 0.0


@pytest.mark.parametrize("header", [None, "", "soon", "-1", "nan", "inf", "9" * 400, "Mon, 99 Foo 2025"])
def test_nothing_that_can_be_waited_for(header: object) -> None:
    """What is neither is no wait at all."""
    assert seconds_of(header) is None
