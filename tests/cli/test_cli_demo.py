"""rag-app demo, and the wheel that brings it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_app import build_index
from rag_app.cli import app
from rag_app.cli.demonstrating import HANDBOOK
from rag_app.testing import TinyEmbedding

ROOT = Path(__file__).parents[2]
LEAVE = "Every employee gets 27 days of paid annual leave in a calendar year."


def test_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo answers from the handbook that comes with the package, keeps its index in the user's cache folder and
    nowhere else, builds it again where another embedder built it, and says how to ask a folder of one's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    build_index(HANDBOOK, embedder=TinyEmbedding())
    files = sorted(file.name for file in HANDBOOK.iterdir())
    first = CliRunner().invoke(app, ["demo"])
    assert first.exit_code == 0, first.output
    assert LEAVE in first.stdout
    assert "annual-leave.md" in first.stdout
    assert "rag-app ask path/to/folder" in first.stderr
    again = CliRunner().invoke(app, ["demo", "Who built the first lighthouse of Alexandria?"])
    assert again.exit_code == 3
    assert "building" not in again.stderr
    assert sorted(file.name for file in HANDBOOK.iterdir()) == files
    assert all(name.endswith(".md") for name in files)


@pytest.mark.long
def test_the_wheel_works_elsewhere(tmp_path: Path) -> None:
    """What the wheel brings is enough outside the checkout: the demo answers, and the prompts are in it."""
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md"):
        shutil.copy(ROOT / name, source / name)
    for name in ("rag_app", "prompts"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(tmp_path), str(source)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)], check=True)
    shutil.rmtree(source)
    program = (
        "import rag_app, sys; assert rag_app.__file__.startswith(sys.argv.pop(1)), rag_app.__file__\n"
        "from rag_app.prompts import load_prompt; assert load_prompt('draft').version\n"
        "from rag_app.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(target), "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert LEAVE in done.stdout
