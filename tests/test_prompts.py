"""Prompts: checked when loaded, fingerprinted, replaceable, and part of every installation."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate, RichPromptTemplate

from rag_app.errors import DefinitionError
from rag_app.prompts import load_prompt

ROOT = Path(__file__).parents[1]
NAMES = sorted(file.stem for file in (ROOT / "prompts").glob("*.md"))
GOOD = """---
name: greet
version: 3
variables: [who]
notes: Says hello.
---

# system

Be kind.

# user

Greet {who}.
"""


@pytest.mark.parametrize("name", NAMES)
def test_shipped_prompts(name: str) -> None:
    """Each shipped prompt loads, and is filled by exactly the variables that it names."""
    prompt = load_prompt(name)
    messages = prompt.messages(**{variable: f"<{variable}>" for variable in prompt.variables})
    assert all(any(f"<{variable}>" in text for _, text in messages) for variable in prompt.variables)
    assert not any("{" + variable + "}" in text for variable in prompt.variables for _, text in messages)
    assert prompt.notes


def test_load(tmp_path: Path) -> None:
    """Version and fingerprint come from the file; braces around anything but a variable are text."""
    (tmp_path / "greet.md").write_text(GOOD.replace("Be kind.", 'Reply {"a": [1]}.'), encoding="utf-8")
    prompt = load_prompt("greet", tmp_path)
    assert prompt.messages(who="{who} {x}") == (("system", 'Reply {"a": [1]}.'), ("user", "Greet {who} {x}."))
    assert prompt.fingerprint.startswith("3 (")
    assert len(prompt.fingerprint) == len("3 (ab12cd34)")


def test_fingerprint_follows_the_text(tmp_path: Path) -> None:
    """Another text has another fingerprint."""
    found = set()
    for number, text in enumerate((GOOD, GOOD.replace("kind", "kinder"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "greet.md").write_text(text, encoding="utf-8")
        found.add(load_prompt("greet", folder).fingerprint)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Greet {who}.", "Greet {whom}.", r"greet\.md uses \{whom\}"),
        ("Greet {who}.", "Greet them.", r"greet\.md does not use its variable \{who\}"),
        ("variables: [who]", "variables: [who, when]", r"does not use its variable \{when\}"),
        ("version: 3\n", "", r"greet\.md needs version"),
        ("name: greet", "name: other", "calls itself 'other'"),
        ("notes:", "note:", "needs notes"),
        ("notes: Says hello.", "notes: x\nmore: 1", "unknown field 'more'"),
        ("# system\n", "# sistem\n", "must stand under"),
        ("Greet {who}.", "", "must stand under"),
        ("variables: [who]", "variables: [who", "not YAML"),
        ("---\nname", "name", "front matter"),
    ],
)
def test_wrong_files(tmp_path: Path, old: str, new: str, said: str) -> None:
    """A file that is wrong is named, with what is wrong in it."""
    (tmp_path / "greet.md").write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(DefinitionError, match=said):
        load_prompt("greet", tmp_path)


def test_missing_file(tmp_path: Path) -> None:
    """A prompt that does not exist is named with the file that was looked for."""
    with pytest.raises(DefinitionError, match=r"nothing\.md cannot be read"):
        load_prompt("nothing", tmp_path)


@pytest.mark.parametrize(
    "template",
    [
        PromptTemplate("Which of {evidence} helps with {question}? {searches}"),
        RichPromptTemplate("{{ evidence }} {{ question }} {{ searches }}"),
        PromptTemplate("{facts} {question} {searches}", template_var_mappings={"evidence": "facts"}),
        PromptTemplate("{evidence} {question} {searches} {tone}", tone="kind"),
    ],
)
def test_replaced(template: ChatPromptTemplate) -> None:
    """Any LlamaIndex template with the right variables stands in for a prompt, and the trace can tell."""
    prompt = load_prompt("draft").replaced(template)
    said = " ".join(text for _, text in prompt.messages(evidence="E", question="Q", searches="0"))
    assert "E" in said
    assert "Q" in said
    assert prompt.fingerprint.startswith("replaced (")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{evidence} {question}", r"does not use its variable \{searches\}"),
        ("{evidence} {question} {searches} {x}", "x"),
    ],
)
def test_replaced_wrongly(text: str, said: str) -> None:
    """A template that lacks a variable, or has one that nobody fills, is refused when it is put in."""
    with pytest.raises(DefinitionError, match=said):
        load_prompt("draft").replaced(PromptTemplate(text))


def test_wheel(tmp_path: Path) -> None:
    """A wheel holds every prompt, and finds them where it is unpacked."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("rag_app", "prompts"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "MANIFEST.in"):
        shutil.copyfile(ROOT / name, source / name)
    build = "from setuptools.build_meta import build_wheel; print(build_wheel('..'))"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    packed = tmp_path / "installed" / "rag_app" / "_prompts"
    assert sorted(file.stem for file in packed.glob("*.md")) == NAMES
    assert (tmp_path / "installed" / "rag_app" / "evaluate" / "report" / "report.html").is_file()
    load = "import rag_app.prompts as p; print(p.__file__, p.load_prompt('draft').fingerprint)"
    where = {"PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run(
        [sys.executable, "-c", load], cwd=tmp_path, env=where, check=True, capture_output=True, text=True
    )
    assert done.stdout.split(" ", 1) == [
        str(tmp_path / "installed" / "rag_app" / "prompts.py"),
        f"{load_prompt('draft').fingerprint}\n",
    ]
