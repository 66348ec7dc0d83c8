"""An archive from a server, only where it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from rag_app.errors import StoreError
from rag_app.index.package.archive import MAX_BYTES

_SECONDS = 30.0
"""Without a byte."""
_HEADERS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Fetched:
    """A local file of an archive, downloaded where it was named by a URL."""

    archive: Path
    validators: Mapping[str, str]
    """What a server is asked with next time, so that it sends only what is newer."""


def download(url: str, target: Path, known: Mapping[str, str]) -> Fetched | None:
    """Writes the archive at `url` into a new file; None where it is as when `known` was noted.

    Raises StoreError where the server cannot be reached, refuses, or sends more than an archive may hold.
    """
    asked = {ask: known[name] for name, ask in _HEADERS.items() if name in known and known.get("url") == url}
    try:
        # No redirect is followed: what answers must come from the server that was named.
        with httpx.stream("GET", url, headers=asked, timeout=_SECONDS) as reply:
            if reply.status_code == httpx.codes.NOT_MODIFIED and asked:
                return None
            if reply.status_code != httpx.codes.OK:
                raise StoreError(
                    f"{url} was answered with status {reply.status_code}: check the address.",
                    url=url,
                    status=reply.status_code,
                )
            done = 0
            with target.open("xb") as out:
                for block in reply.iter_bytes():
                    if (done := done + len(block)) > MAX_BYTES:
                        raise StoreError(f"{url} sends more than {MAX_BYTES:,} bytes: check the address.", url=url)
                    out.write(block)
            kept = {name: reply.headers[name] for name in _HEADERS if name in reply.headers}
            return Fetched(target, {"url": url, **kept})
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise StoreError(f"{url} cannot be fetched ({error}): try again, or check the address.", url=url) from error
