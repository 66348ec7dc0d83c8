"""A suite in; a result out: questions asked through the real engine, rows kept and frozen."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag_app.evaluate.run.suite_run import EvalOptions, evaluate

__all__ = ["EvalOptions", "evaluate"]


def __getattr__(name: str) -> Any:
    """Loaded when first used: the rows of this folder are imported by what measures them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rag_app.evaluate.run import suite_run

    return getattr(suite_run, name)
