"""The command line: arguments in; printed answers and an exit code out.

Exit codes: 0 answered or done, 3 not enough evidence, 1 trouble, 2 wrong usage.
"""

import sys
from collections.abc import Callable

from rag_app.cli import ask as asking
from rag_app.cli import chatting, demonstrating, evaluating, questions, serving
from rag_app.cli import fitting as calibrate
from rag_app.cli import lifecycle as index
from rag_app.cli import page_lists as urls
from rag_app.cli import uplifting as uplift
from rag_app.cli.common import ANSWERED, NOT_ENOUGH_EVIDENCE, TROUBLE, WRONG_USAGE, app, tell
from rag_app.errors import RagAppError, UsageError
from rag_app.show.output import finish_output, prepare_output


def main() -> None:
    """The entry point of `rag-app`."""
    run(app)


def run(application: Callable[[], None]) -> None:
    """Runs a command line: errors that a person can act on are one sentence, without a traceback."""
    prepare_output()
    try:
        try:
            application()
        finally:
            finish_output()
    except UsageError as error:
        _stop(str(error), WRONG_USAGE)
    except RagAppError as error:
        _stop(str(error), TROUBLE)
    except OSError as error:  # standard output itself: a full disk, say
        _stop(f"The system says: {error}.", TROUBLE)


def _stop(message: str, code: int) -> None:
    tell(message)
    sys.exit(code)


__all__ = [
    "ANSWERED",
    "NOT_ENOUGH_EVIDENCE",
    "TROUBLE",
    "WRONG_USAGE",
    "app",
    "asking",
    "calibrate",
    "chatting",
    "demonstrating",
    "evaluating",
    "index",
    "main",
    "questions",
    "run",
    "serving",
    "uplift",
    "urls",
]
