"""What an index is: index.toml, or a plain folder of documents; and principals.json beside it."""

import difflib
import hashlib
import json
import os
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from rag_app.errors import DefinitionError, UsageError
from rag_app.index.paths import given_path
from rag_app.index.sqlite import read_regular
from rag_app.principal import ACCESS_FIELDS, NOBODY, PUBLIC, AccessRule, Principal
from rag_app.settings import INDEX_TOML, load_settings

Access = Literal["open", "rules"]

_KEYS: dict[str, tuple[str, ...]] = {
    "index": ("name", "description", "access"),
    "documents": ("folder", "urls"),
    **{table: tuple(keys) for table, keys in INDEX_TOML.items()},
}
_LONGEST_NAME = 200
"""Bytes that a store's folder takes of the name of a folder of documents; file systems allow 255 with what is added."""
_NESTED = re.compile(r"(?<![\w-])(?:(?:[\w-]+|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')[ \t]*\.[ \t]*){50}")
"""A key of so many parts that reading it takes a time that grows with the square of their number."""


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """What is indexed, who may read it and where the built state lies."""

    path: Path
    name: str
    description: str
    access: Access
    documents_folder: Path | None
    urls: Path | None
    store_path: Path
    access_globs: tuple[tuple[str, AccessRule], ...] = ()
    """Rules for files that say nothing themselves; the first pattern that matches a path counts."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Knobs that index.toml sets, by their name in `Settings`."""
    plain: bool = False
    """Whether the folder has no index.toml."""

    def rule_for(self, path: str, stated: AccessRule | None, unread: Sequence[str] = ()) -> AccessRule:
        """The rule of a document: everybody in an open index, else its own, else the first glob's, else nobody.

        No glob counts for a document that has `unread` fields which seem to say who may read it.
        """
        if self.access == "open":
            return PUBLIC
        if stated is not None:
            return stated
        if unread:
            return NOBODY
        return next((rule for glob, rule in self.access_globs if _matches(glob, path)), NOBODY)

    def idle_globs(self, paths: Collection[str]) -> dict[str, str]:
        """The patterns that decide about none of these paths, in order, each with an earlier one that matches whatever
        it matches; "" where it matches nothing."""
        idle: dict[str, str] = {}
        left = list(paths)
        for number, (glob, _) in enumerate(self.access_globs):
            if not any(_matches(glob, path) for path in left):
                met = next((path for path in paths if _matches(glob, path)), None)
                earlier = (before for before, _ in self.access_globs[:number] if met and _matches(before, met))
                idle[glob] = next(earlier, "")
            left = [path for path in left if not _matches(glob, path)]
        return idle


def load_definition(path: str | Path) -> IndexDefinition:
    """Reads what defines the index at `path`: a folder with index.toml, or any folder of documents.

    Raises:
        UsageError, SetupError: the path is not valid or cannot be read.
        DefinitionError: there is no such folder, or index.toml is wrong; the message names file and key.
    """
    folder = given_path(path, "The folder")
    if folder.name == "index.toml" and folder.is_file():
        folder = folder.parent
    if not folder.exists():
        raise DefinitionError(
            f"There is no folder {folder}: give the folder that holds the documents.", path=str(folder)
        )
    if not folder.is_dir():
        raise DefinitionError(f"{folder} is a file: give the folder that holds the documents.", path=str(folder))
    folder = folder.resolve()
    file = folder / "index.toml"
    if not os.path.lexists(file):
        _refuse_misspelt(folder)
        return IndexDefinition(folder, _name_of(folder), "", "open", folder, None, _cache_store(folder), plain=True)
    return _from_tables(folder, file, _parse(file))


def _refuse_misspelt(folder: Path) -> None:
    """Raises DefinitionError where a folder seems to have an index.toml: without it everybody would read everything."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise DefinitionError(f"{folder} cannot be opened ({error.strerror}).", path=str(folder)) from error
    for name in names:
        if name.strip(" .").casefold().startswith("index.toml"):  # also index.toml.txt, as some editors save it
            raise DefinitionError(f"{folder / name} must be called index.toml: rename it.", path=str(folder / name))


def _parse(file: Path) -> dict[str, Any]:
    try:
        text = read_regular(file).decode("utf-8-sig")
        if _NESTED.search(text):
            raise DefinitionError(f"{file} nests keys too deeply: write tables as the guide does.", path=str(file))
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{file} cannot be read: {error}.", path=str(file)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DefinitionError(f"{file} is not valid TOML: {error}.", path=str(file)) from error


def _from_tables(folder: Path, file: Path, tables: dict[str, Any]) -> IndexDefinition:
    for table, content in tables.items():
        if not isinstance(content, dict):
            raise DefinitionError(f"In {file}, {table!r} stands outside a table: write it under [index].", key=table)
        if table not in (*_KEYS, "access"):
            raise DefinitionError(
                f"{file} has an unknown table [{table}]{_nearest(table, (*_KEYS, 'access'))}", key=table
            )
        for key in content:
            if table != "access" and key not in _KEYS[table]:
                raise DefinitionError(
                    f"{file} has an unknown key {key!r} in [{table}]{_nearest(key, _KEYS[table])}", key=f"{table}.{key}"
                )
    said = tables.get("index", {})
    name, description, access = (_text(file, said, "index", key) for key in _KEYS["index"])
    if access not in ("open", "rules"):
        raise DefinitionError(
            f'In {file}, access in [index] must be "open" or "rules", not {access!r}.', key="index.access"
        )
    if access == "open" and tables.get("access"):
        raise DefinitionError(
            f'{file} has rules in [access] but access = "open" in [index]: write access = "rules", or remove them.',
            key="access",
        )
    sources = tables.get("documents", {"folder": "documents"})
    if not sources:
        raise DefinitionError(
            f'In {file}, [documents] needs folder = "documents" or urls = "urls.txt".', key="documents"
        )
    places = {
        key: given_path(folder / _text(file, sources, "documents", key), f"In {file}, {key} under [documents]:")
        for key in sources
    }
    return IndexDefinition(
        path=folder,
        name=name,
        description=description,
        access=cast(Access, access),
        documents_folder=places.get("folder"),
        urls=places.get("urls"),
        store_path=_store(folder),
        access_globs=tuple(_glob_rules(file, tables.get("access", {}))),
        settings=_settings(file, tables),
    )


def _text(file: Path, table: Mapping[str, Any], name: str, key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        example = '"open" or "rules"' if key == "access" else '"..."'
        raise DefinitionError(f"{file} needs a line {key} = {example} under [{name}].", key=f"{name}.{key}")
    return value


def _settings(file: Path, tables: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        knob: tables[table][key]
        for table, knobs in INDEX_TOML.items()
        for key, knob in knobs.items()
        if key in tables.get(table, {})
    }
    try:
        load_settings(values)
    except DefinitionError as error:
        raise DefinitionError(f"{file}: {error}", **error.details) from error
    return values


def _glob_rules(file: Path, table: Mapping[str, Any]) -> Iterable[tuple[str, AccessRule]]:
    for glob, fields in table.items():
        example = f'"{glob}" = {{ access_scope = "role", allowed_roles = ["..."] }}'
        if not isinstance(fields, dict):
            raise DefinitionError(f"In {file}, write a rule in [access] like this: {example}.", key=f"access.{glob}")
        for key in fields:
            if key not in ACCESS_FIELDS:
                raise DefinitionError(
                    f"{file} has an unknown key {key!r} in the rule for {glob!r}{_nearest(key, ACCESS_FIELDS)}",
                    key=f"access.{glob}",
                )
        rule = AccessRule.from_fields(fields)
        if rule == NOBODY:
            raise DefinitionError(
                f"In {file}, the rule for {glob!r} lets nobody read: write it like {example}.", key=f"access.{glob}"
            )
        yield glob, rule


def _matches(glob: str, path: str) -> bool:
    """Whether a glob matches a whole path; `*` and `?` stay within a folder, `**` crosses folders."""
    # In one normal form: a name that is written in another one must not slip to a later pattern.
    path = unicodedata.normalize("NFC", path)
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", unicodedata.normalize("NFC", glob))
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.fullmatch("".join(wild.get(part) or re.escape(part) for part in parts), path, re.DOTALL) is not None


def _nearest(name: str, known: Iterable[str]) -> str:
    known = tuple(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f": did you mean {close[0]!r}?" if close else f"; known are: {', '.join(known)}."


def _store(folder: Path) -> Path:
    """Beside the definition; in the user's cache folder where nothing can be written beside it, or where the path is
    no UTF-8, which Chroma cannot open."""
    local = folder / ".store"
    fits = os.fsencode(folder).decode("utf-8", "replace") == str(folder)
    return local if fits and (local.exists() or os.access(folder, os.W_OK)) else _cache_store(folder)


def _cache_store(folder: Path) -> Path:
    from platformdirs import user_cache_path

    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    name = _name_of(folder).encode()[:_LONGEST_NAME].decode(errors="ignore")
    return user_cache_path("rag_app", appauthor=False) / f"{digest}-{name}"


def _name_of(folder: Path) -> str:
    """What a folder is called; bytes that are no UTF-8 are replaced."""
    return os.fsencode(folder.name).decode("utf-8", "replace") or "documents"


def load_principals(path: str | Path) -> dict[str, Principal]:
    """The people of principals.json (a file, or the folder of an index that has one), by name.

    The file maps names to `{"user_id": ..., "roles": [...], "departments": [...]}`; without user_id the name is it.

    Raises:
        UsageError: there is no such file.
        DefinitionError: the file is wrong; the message names the entry.
    """
    file = given_path(path, "The file")
    file = file / "principals.json" if file.is_dir() else file
    if not file.is_file():
        raise UsageError(f"There is no {file}: say who asks in another way, or write that file.", path=str(file))
    try:
        entries = json.loads(read_regular(file).decode("utf-8-sig"), object_pairs_hook=_each_once)
    except (OSError, ValueError, RecursionError) as error:
        raise DefinitionError(f"{file} cannot be read: {error}.", path=str(file)) from error
    if not isinstance(entries, dict):
        raise DefinitionError(f"{file} must map names to principals.", path=str(file))
    return {name: _principal(file, name, entry) for name, entry in entries.items()}


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError where a name stands in it twice: one of the two would not count."""
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise ValueError(f"{name!r} stands in it twice")
    return dict(pairs)


def _principal(file: Path, name: str, entry: Any) -> Principal:
    known = ("user_id", "roles", "departments")
    if not isinstance(entry, dict):
        raise DefinitionError(f"In {file}, {name!r} must be an object with {', '.join(known)}.", principal=name)
    for key in entry:
        if key not in known:
            raise DefinitionError(
                f"{file} has an unknown key {key!r} in {name!r}{_nearest(key, known)}", principal=name
            )
    for key in ("roles", "departments"):
        if not isinstance(entry.get(key, []), list):
            raise DefinitionError(f"In {file}, {key} of {name!r} must be a list of names.", principal=name)
    try:
        return Principal(
            user_id=entry.get("user_id", name),
            roles=entry.get("roles", ()),
            departments=entry.get("departments", ()),
        )
    except UsageError as error:
        raise DefinitionError(f"In {file}, {name!r} is wrong: {error}", principal=name) from error
