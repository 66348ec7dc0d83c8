"""The manifest of a catalog: what was built, how, and the revision that is in force; with a digest of its own."""

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from rag_app.errors import IndexMismatch
from rag_app.index.records import digest_of
from rag_app.index.sqlite import Damaged

FORMAT = "6"
"""Of the catalog and both indexes; another one has to be rebuilt."""
_FACTS = ("format", "revision", "created", "name", "access", "access_globs", "embedder", "fingerprint", "reader")
"""What a manifest holds at least."""


def read_manifest(connection: sqlite3.Connection) -> dict[str, str]:
    """Raises Damaged."""
    manifest = {str(row[0]): row[1] for row in connection.execute("SELECT key, value FROM manifest")}
    if manifest.get("format") != FORMAT:  # for `check_format` to tell
        return manifest
    if manifest.pop("digest", None) != manifest_digest(manifest):
        raise Damaged("its manifest does not fit its digest")
    if lacking := [key for key in _FACTS if key not in manifest]:
        raise Damaged(f"its manifest lacks {lacking[0]!r}")
    if not re.fullmatch(r"[0-9]{1,18}", manifest["revision"]):
        raise Damaged("its revision is not a number")
    return manifest


def read_revision(connection: sqlite3.Connection) -> int:
    """The revision in force. Raises Damaged."""
    row = connection.execute("SELECT value FROM manifest WHERE key = 'revision'").fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise Damaged("its revision is not a number")
    return int(row[0])


def manifest_digest(manifest: Mapping[str, str]) -> str:
    return digest_of(sorted(manifest.items()))


def check_format(manifest: Mapping[str, str], file: Path) -> None:
    """Raises IndexMismatch where a catalog is of another format than this version reads."""
    if manifest.get("format") != FORMAT:
        raise IndexMismatch(
            f"The index in {file.parent} has format {manifest.get('format')!r}, this version reads {FORMAT!r}: "
            "run `rag-app rebuild FOLDER` (or `build --rebuild`).",
            path=str(file),
        )
