"""Language models by short name, where their extra is missing."""

import importlib
import sys

import pytest

from rag_app.errors import DefinitionError, ModelUnavailable
from rag_app.models import LLMS, load_llm

EXTRAS = [
    ("bedrock:some.model", "bedrock", "rag_app.llm.providers.converse", "llama_index.llms.bedrock_converse"),
    ("bedrock-invoke:some.model", "bedrock-invoke", "rag_app.llm.providers.invoke", "llama_index.llms.bedrock"),
    ("openai-like:some", "openai-like", "rag_app.llm.providers.openai_like", "llama_index.llms.openai_like"),
]


@pytest.mark.parametrize(("name", "extra", "ours", "theirs"), EXTRAS)
def test_missing_extra(monkeypatch: pytest.MonkeyPatch, name: str, extra: str, ours: str, theirs: str) -> None:
    """A model whose extra is not installed is one sentence with the command that brings it."""
    package = importlib.import_module("rag_app.llm")
    monkeypatch.setitem(sys.modules, theirs, None)
    monkeypatch.delitem(sys.modules, ours, raising=False)
    monkeypatch.delattr(package, ours.rpartition(".")[2], raising=False)
    with pytest.raises(ModelUnavailable) as caught:
        load_llm(name)
    assert f'run `pip install "rag_app[{extra}]"`' in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["bedrock", "bedrock:", "openai", "gpt-4", "none:x"])
def test_unknown_names(name: str) -> None:
    """A name that does not exist, or one without its model, is refused with those that do."""
    with pytest.raises(DefinitionError) as caught:
        load_llm(name)
    assert all(known in str(caught.value) for known in LLMS)


def test_none() -> None:
    """ "none" is no model."""
    assert load_llm() is None
    assert load_llm("none") is None
