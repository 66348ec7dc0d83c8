"""Bytes of a file in, a `Document` out: its exact text and what is known about it, or a problem with its reason.

`read_file` and `read_folder` are its public functions; `kinds.py` lists the kinds of file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag_app.read.documents import Problem, Unchanged, read_file, read_folder

__all__ = ["read_file", "read_folder", "Problem", "Unchanged"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rag_app.read' has no attribute {name!r}")
    return getattr(import_module("rag_app.read.documents"), name)
