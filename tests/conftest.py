"""Tripwires for every test: no call leaves the machine, and nobody reads LlamaIndex's global Settings."""

import os
import socket
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from rag_app import OpenIndex

os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

# No deadline for one example: how long it takes depends on what else the machine does.
hypothesis.settings.register_profile("rag_app", deadline=None)
hypothesis.settings.load_profile("rag_app")

_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def no_outside_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anything but loopback fails loudly."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0]) if isinstance(address, tuple) else str(address)
            if not host.startswith(_LOOPBACK):
                raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def no_global_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """LlamaIndex's global Settings fall back to OpenAI without a word: reading a model from them fails."""
    from llama_index.core.settings import _Settings

    def tripwire(name: str) -> property:
        def read(self: object) -> None:
            raise AssertionError(f"the global Settings.{name} was read")

        def write(self: object, value: object) -> None:
            raise AssertionError(f"the global Settings.{name} was set")

        return property(read, write)

    for name in ("llm", "embed_model", "callback_manager", "tokenizer", "node_parser", "prompt_helper"):
        monkeypatch.setattr(_Settings, name, tripwire(name))


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> "OpenIndex":
    """A small open index with the embedder and the cross-encoder that come with the installation."""
    from rag_app import build_index, open_index
    from tests.office import write_open

    folder = write_open(tmp_path_factory.mktemp("office") / "office")
    build_index(folder)
    return open_index(folder)


@pytest.fixture(scope="session")
def tiny_office(tmp_path_factory: pytest.TempPathFactory) -> "OpenIndex":
    """The same with the quick embedder and no cross-encoder."""
    from tests.office import build_tiny, open_tiny, write_open

    folder = write_open(tmp_path_factory.mktemp("tiny") / "office")
    build_tiny(folder)
    return open_tiny(folder)


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> "OpenIndex":
    """A small index with access rules, with the quick embedder and no cross-encoder."""
    from tests.office import build_tiny, open_tiny, write_rules

    folder = write_rules(tmp_path_factory.mktemp("rules") / "office")
    build_tiny(folder)
    return open_tiny(folder)


@pytest.fixture
def answers_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no language model, whatever is found is answered from: tests of access and versions want to see it."""
    from rag_app.index.calibration import Decline

    monkeypatch.setattr(
        "rag_app.synthesize.offline.features.Weights.default_decline",
        property(lambda weights: Decline(1.0, 0.0, 0.0, weights.reads_pairs)),
    )
