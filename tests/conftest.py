"""Tripwires for every test: no call leaves the machine, and nobody reads LlamaIndex's global Settings."""

import os
import socket

import pytest

os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

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
    """LlamaIndex's global Settings fall back to OpenAI without a word: whoever reads a model from them fails."""
    from llama_index.core.settings import _Settings

    def tripwire(name: str) -> property:
        def read(self: object) -> None:
            raise AssertionError(f"the global Settings.{name} was read")

        def write(self: object, value: object) -> None:
            raise AssertionError(f"the global Settings.{name} was set")

        return property(read, write)

    for name in ("llm", "embed_model", "callback_manager", "tokenizer", "node_parser", "prompt_helper"):
        monkeypatch.setattr(_Settings, name, tripwire(name))


@pytest.fixture
def answers_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no language model, whatever is found is answered from: tests of access and versions want to see it."""
    monkeypatch.setattr("rag_app.synthesize.extractive.ENOUGH", 0.0)
    monkeypatch.setattr("rag_app.synthesize.extractive._lacks_quantity", lambda *_: False)
