"""`rag-app serve` and `rag-app mcp`: who asks, where they listen, and what they refuse to start with."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.test_cli import RagApp, one_sentence, rag_app
from tests.office import write_open, write_rules

__all__ = ["rag_app"]  # a fixture

OPTIONS_THAT_CONTRADICT = [
    (("serve", "--principal-header", "X-User", "--tokens", "tokens.json"), "not with both"),
    (("serve", "--host", "0.0.0.0", "--user", "ana"), "--principal-header"),
    (("serve",), "--as NAME"),
    (("serve", "--as", "nobody"), "ana"),
    (("serve", "--role", "manager"), "--user"),
    (("serve", "--tokens", "missing.json", "--host", "0.0.0.0"), "cannot be read"),
    (("mcp", "--tokens", "tokens.json"), "--http"),
    (("mcp", "--principal-header", "X-User"), "--http"),
    (("mcp", "--http", "--host", "0.0.0.0", "--as", "ana"), "--principal-header"),
    (("mcp",), "--as NAME"),
]


@pytest.fixture(scope="module")
def guarded_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with access rules, not built: what is refused is refused before anything is built."""
    return write_rules(tmp_path_factory.mktemp("guarded") / "office")


@pytest.mark.parametrize(("words", "said"), OPTIONS_THAT_CONTRADICT, ids=lambda each: " ".join(each)[:40])
def test_options_that_contradict_each_other(
    rag_app: RagApp, guarded_folder: Path, words: tuple[str, ...], said: str
) -> None:
    """A server that would let others ask as its operator, or that cannot know who asks, does not start, and says
    which option to give."""
    name, *options = words
    ran = rag_app(name, guarded_folder, *options)
    one_sentence(ran, ran.code)
    assert ran.code in (1, 2)
    assert said in ran.err


@contextmanager
def started(*words: object) -> Iterator[str]:
    """The address that a command says it listens on."""
    code = "from rag_app.cli import main; main()"
    command = [sys.executable, "-c", code, *map(str, words), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if found := re.search(r"listening on (http://\S+)", line):
                    yield found[1]
                    return
            raise AssertionError("it never listened")
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.long
def test_who_asks_a_server(guarded_folder: Path, tmp_path: Path) -> None:
    """The header of a proxy, a token, or `--as` decide what each request may read, over the page's interface and over
    the one for agents."""
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps({"mia": hashlib.sha256(b"open sesame").hexdigest()}))

    def found(address: str, **headers: str) -> int | set[str]:
        got = httpx.get(f"{address}/search", params={"q": "budget of a manager", "k": "50"}, headers=headers)
        return {each["document_id"] for each in got.json()["passages"]} if got.is_success else got.status_code

    def called(address: str, **headers: str) -> str:
        call = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "search", "arguments": {"question": "budget of a manager", "k": 50}},
        }  # fmt: skip
        headers["Accept"] = "application/json, text/event-stream"
        return httpx.post(f"{address}/mcp", json=call, headers=headers).text

    with started("serve", guarded_folder, "--principal-header", "X-User") as address:
        assert found(address) == found(address, **{"X-User": "eve"}) == 401
        assert found(address, **{"X-User": "mia"}) == {"budget", "canteen"}
        assert found(address, **{"X-User": "visitor"}) == {"canteen"}
    with started("serve", guarded_folder, "--tokens", tokens) as address:
        assert found(address, Authorization="Bearer open sesame") == {"budget", "canteen"}
        assert found(address, **{"X-User": "mia"}) == 401
    with started("serve", guarded_folder, "--as", "visitor") as address:
        assert found(address, **{"X-User": "mia"}) == {"canteen"}
        assert "text/html" in httpx.get(address).headers["content-type"]
    with started("mcp", guarded_folder, "--http", "--principal-header", "X-User") as address:
        assert "budget" in called(address, **{"X-User": "mia"})
        assert '"isError":true' in called(address).replace(" ", "")


@pytest.mark.long
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    """A second server on the same port ends with an error, and the first goes on."""
    folder = write_open(tmp_path / "office")
    with started("serve", folder) as address:
        port = address.rpartition(":")[2]
        code = "from rag_app.cli import main; main()"
        words = [sys.executable, "-c", code, "serve", str(folder), "--port", port]
        second = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert second.returncode == 1
        assert second.stderr.startswith(f"rag-app: Nothing can listen on 127.0.0.1, port {port} (")
        assert second.stderr.count("\n") == 1
        assert httpx.get(address).is_success
