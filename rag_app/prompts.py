"""Prompts: one Markdown file per task, checked when loaded, fingerprinted into every trace that used it.

The files lie in `prompts/` beside this package, and in a wheel inside it. Front matter (YAML) gives name, version,
variables and notes; the body has a part `# system`, a part `# user` or both. A variable stands in braces: {question}.
Braces around anything else, such as JSON, are text.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from rag_app.errors import DefinitionError

if TYPE_CHECKING:
    from llama_index.core.prompts import BasePromptTemplate

    from rag_app.llm.call import Role

_PACKAGED = Path(__file__).parent / "_prompts"
_BESIDE = Path(__file__).parents[1] / "prompts"
_FRONT_MATTER = re.compile(r"\A---\r?\n(?P<head>.*?)\r?\n---\r?\n(?P<body>.*)\Z", re.DOTALL)
_ROLE = re.compile(r"^# (system|user)[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\{([a-z_]+)\}")
_FIELDS = {"name": str, "version": int, "variables": list, "notes": str}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt for one task."""

    name: str
    version: str
    """From its file; "replaced" where a caller put in a template of their own."""
    variables: tuple[str, ...]
    """What it is filled with: each must occur, and nothing else may."""
    notes: str
    template: "BasePromptTemplate"

    @property
    def fingerprint(self) -> str:
        """Version and the first digits of the text's SHA-256: `1 (ab12cd34)`."""
        text = self.template.get_template()
        return f"{self.version} ({hashlib.sha256(text.encode()).hexdigest()[:8]})"

    def messages(self, **values: str) -> "tuple[tuple[Role, str], ...]":
        """Role and text of each message. Values are filled in once: braces inside them stay as they are."""
        filled = self.template.format_messages(None, **values)
        return tuple((message.role.value, message.content or "") for message in filled)  # pyright: ignore

    def replaced(self, template: "BasePromptTemplate") -> "Prompt":
        """This task with another LlamaIndex template.

        Raises:
            DefinitionError: it lacks a variable of this task, or has one that nobody fills.
        """
        mapped = template.template_var_mappings or {}
        filled = {*template.kwargs, *(template.function_mappings or {})}
        asked = {mapped.get(name, name): name for name in self.variables}
        _check(f"the new template for the prompt {self.name!r}", set(template.template_vars), asked, filled)
        return replace(self, version="replaced", template=template)


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """The prompt in `NAME.md` of `folder`, by default of those that belong to this package; read once.

    Raises:
        DefinitionError: there is no such file, or it is wrong; the message names file and field or variable.
    """
    return _load(name, folder or (_PACKAGED if _PACKAGED.is_dir() else _BESIDE))


@lru_cache(maxsize=64)
def _load(name: str, folder: Path) -> Prompt:
    file = folder / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DefinitionError(f"The prompt {file} cannot be read: {error}.", path=str(file)) from error
    found = _FRONT_MATTER.match(text)
    try:
        head = yaml.safe_load(found["head"]) if found else None
    except yaml.YAMLError as error:
        raise DefinitionError(f"The front matter of {file} is not YAML: {error}.", path=str(file)) from error
    if found is None or not isinstance(head, dict):
        raise DefinitionError(f"{file} must begin with front matter between two lines `---`.", path=str(file))
    _check_fields(file, head)
    if head["name"] != name:
        raise DefinitionError(f"{file} calls itself {head['name']!r}; name and file must agree.", path=str(file))
    messages = _messages(file, found["body"])
    used = {variable for _, said in messages for variable in _VARIABLE.findall(said)}
    _check(str(file), used, {variable: variable for variable in head["variables"]})
    return Prompt(name, str(head["version"]), tuple(head["variables"]), head["notes"].strip(), _template(messages))


def _template(messages: "list[tuple[str, str]]") -> "BasePromptTemplate":
    from llama_index.core.prompts import ChatPromptTemplate

    return ChatPromptTemplate.from_messages(messages)


def _messages(file: Path, body: str) -> list[tuple[str, str]]:
    before, *pieces = _ROLE.split(body)
    messages = [(role, said.strip()) for role, said in zip(pieces[::2], pieces[1::2], strict=True)]
    if before.strip() or not messages or not all(said for _, said in messages):
        raise DefinitionError(f"The text of {file} must stand under `# system` and `# user`.", path=str(file))
    return messages


def _check_fields(file: Path, head: dict[str, Any]) -> None:
    for field, kind in _FIELDS.items():
        if not isinstance(head.get(field), kind):
            raise DefinitionError(f"The front matter of {file} needs {field} ({kind.__name__}).", path=str(file))
    if unknown := sorted(set(head) - set(_FIELDS)):
        raise DefinitionError(f"The front matter of {file} has an unknown field {unknown[0]!r}.", path=str(file))


def _check(where: str, used: set[str], asked: dict[str, str], filled: Iterable[str] = ()) -> None:
    """`asked` maps the name that must be used to the variable that it stands for."""
    for name in sorted(used.difference(asked, filled)):
        raise DefinitionError(
            f"{where} uses {{{name}}}, which is not one of its variables.", prompt=where, variable=name
        )
    for name in sorted(set(asked).difference(used)):
        raise DefinitionError(f"{where} does not use its variable {{{asked[name]}}}.", prompt=where, variable=name)
