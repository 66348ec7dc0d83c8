"""Asking touches nothing but the index."""

import os
import subprocess
import sys
from pathlib import Path

from tests.office import build_tiny, write_open

ASKING = """
import os, sys
allowed = sys.argv[1]

def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect", "socket.gethostbyname"):
        print("network:", event, arguments)
    elif event == "open" and isinstance(arguments[0], str) and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        if not os.path.abspath(arguments[0]).startswith((allowed, "/dev/")):
            print("written:", arguments[0])

sys.addaudithook(watch)
from rag_app import open_index
from rag_app.llm.onnx import OnnxCrossEncoder
from rag_app.testing import TinyEmbedding

OnnxCrossEncoder().score("What?", ["That."])
open_index(allowed, embedder=TinyEmbedding()).as_query_engine().query("How many days of paid holiday are there?")
"""


def test_no_name_is_looked_up_and_nothing_is_written_elsewhere(tmp_path: Path) -> None:
    """Asking, with the models that come with the installation, looks up no name, connects to nothing, and leaves no
    file outside the index: neither by Python nor by the libraries beneath it, in the user's home or cache."""
    folder = write_open(tmp_path / "office")
    build_tiny(folder)
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    environment = {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", ASKING, str(folder)], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == ""
    assert [str(file) for file in home.rglob("*")] == []
