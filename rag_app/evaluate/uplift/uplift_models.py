"""The models of an uplift evaluation, live or recorded."""

import re
from typing import TYPE_CHECKING, Literal

from rag_app.errors import UsageError
from rag_app.evaluate.cases.suite import Suite, slug
from rag_app.llm.recording import RecordingLLM
from rag_app.llm.trouble import model_name
from rag_app.models import load_llm

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

_PROVIDERS = ("bedrock", "bedrock-invoke", "openai-like")
Mode = Literal["live", "record", "replay"]


def check_judge(llm: "LLM | str", judge: "LLM | str", same: bool) -> None:
    """Raises UsageError where a model would mark its own answers and nobody allowed it."""
    if not same and _model_of(name_of(llm)) == _model_of(name_of(judge)):
        raise UsageError("A model favours its own answers: name another one with --judge, or allow it: --same-judge.")


def model_of(suite: Suite, model: "LLM | str", mode: Mode) -> "LLM":
    """The model itself, or a recording of it beside the suite.

    Raises:
        DefinitionError, ModelUnavailable: as `load_llm`.
        UsageError: no model is named.
    """
    inner = None
    if mode != "replay" or not isinstance(model, str):
        inner = load_llm(model) if isinstance(model, str) else model
        if inner is None:
            raise UsageError("This needs a language model that answers, and one that judges: name them.")
    if mode == "live" and inner is not None:
        return inner
    name = name_of(model)
    file = suite.folder / "recordings" / f"uplift-{slug(name)}.jsonl"
    return RecordingLLM(inner, path=file, mode=mode, model=name)


def name_of(model: "LLM | str") -> str:
    """What a model is called in results and recordings."""
    return model if isinstance(model, str) else getattr(model, "model", "") or model_name(model)


def _model_of(name: str) -> str:
    """The model that a name means, whichever way or region it is asked in: `bedrock:eu.maker.x` is `maker.x`."""
    provider, _, model = name.partition(":")
    name = model if provider in _PROVIDERS else name
    return re.sub(r"^(?:us|us-gov|eu|apac|au|ca|jp|global)\.(?=\w+\.)", "", name.casefold())
