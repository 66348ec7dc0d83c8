"""What a server that takes no more requests for now says about when to come back."""

import time
from email.utils import parsedate_to_datetime


def seconds_of(header: object) -> float | None:
    """The seconds of a Retry-After header, which holds them or a date (RFC 9110, 10.2.3); None where neither."""
    said = "" if header is None else str(header).strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
        except (ValueError, OverflowError, OSError):
            return None
    return seconds if 0 <= seconds < float("inf") else None
