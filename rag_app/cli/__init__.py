"""The command line. Exit codes: 0 answered or done, 3 not enough evidence, 1 trouble, 2 wrong usage."""

import io
import sys

from rag_app.cli import asking, calibrate, evaluating, index, questions, searching, uplift, urls
from rag_app.cli.common import ANSWERED, NOT_ENOUGH_EVIDENCE, TROUBLE, WRONG_USAGE, app, tell
from rag_app.errors import RagAppError, UsageError


def main() -> None:
    """The entry point of `rag-app`: errors that a person can act on are one sentence, without a traceback."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a character shows another in its place
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except UsageError as error:
        _stop(error, WRONG_USAGE)
    except RagAppError as error:
        _stop(error, TROUBLE)


def _stop(error: RagAppError, code: int) -> None:
    tell(str(error))
    sys.exit(code)


__all__ = [
    "ANSWERED",
    "NOT_ENOUGH_EVIDENCE",
    "TROUBLE",
    "WRONG_USAGE",
    "app",
    "asking",
    "calibrate",
    "evaluating",
    "index",
    "main",
    "questions",
    "searching",
    "uplift",
    "urls",
]
