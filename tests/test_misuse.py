"""Arguments of the wrong kind: a UsageError with one sentence at every door, never a bare Python error."""

import asyncio
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from rag_app import OpenIndex, Principal, Question, build_index, build_query_engine, open_index
from rag_app.building import check_index
from rag_app.errors import DefinitionError, SetupError, UsageError
from rag_app.index.definition import load_definition, load_principals
from rag_app.index.package.transfer import export_index, install_index
from tests.office import write_open, write_rules

Door = Callable[[Any], object]


def refused(door: Callable[[], object], *words: str, error: type[Exception] = UsageError) -> None:
    """The door raises an error of one line that holds the words."""
    with pytest.raises(error) as raised:
        door()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 500
    assert [word for word in words if word not in message] == []


ASKING: list[Any] = [
    lambda index: index.documents("ana"),
    lambda index: index.search("leave", "ana"),
    lambda index: index.search("leave", {"user_id": "ana"}),
    lambda index: index.as_retriever("ana"),
    lambda index: index.as_query_engine("ana"),
    lambda index: index.as_query_engine(principal=Principal),
    lambda index: build_query_engine(index, principal="ana"),  # pyright: ignore[reportArgumentType]
    lambda index: index.reader.document("leave", "ana"),
    lambda index: index.reader.readable("ana"),
]


@pytest.mark.parametrize("door", ASKING)
def test_who_asks_is_a_principal(tiny_office: OpenIndex, guarded: OpenIndex, door: Door) -> None:
    """Something else than a Principal is refused by an open index as well as by one with rules."""
    for index in (tiny_office, guarded):
        refused(lambda index=index: door(index), "Principal(")


@pytest.mark.parametrize("day", ["2024-01-01", 2024, datetime(2024, 1, 1), (2024, 1, 1), True, ""])
def test_as_of_is_a_day(tiny_office: OpenIndex, day: Any) -> None:
    """`as_of` must be a date; a text, a number or a moment is refused, sync and async."""
    engine = tiny_office.as_query_engine()
    refused(lambda: tiny_office.search("leave", as_of=day), "as_of")
    refused(lambda: engine.query("leave", as_of=day), "as_of")
    refused(lambda: asyncio.run(engine.aquery("leave", as_of=day)), "as_of")
    refused(lambda: Question("leave", as_of=day), "as_of")


@pytest.mark.parametrize("day", [date.min, date.max, date(999, 1, 1)])
def test_any_day_can_be_asked_of(tiny_office: OpenIndex, day: date) -> None:
    """The first and the last day there is are days too."""
    found = tiny_office.search("days of paid holiday", as_of=day)
    assert ("leave" in {node.metadata["document_id"] for node in found}) is (day.year > 2025)


@pytest.mark.parametrize("k", ["x", "3", None, 2.5, True, [3], 0])
def test_k_is_a_number(tiny_office: OpenIndex, k: Any) -> None:
    """How many passages is a whole number from 1."""
    refused(lambda: tiny_office.search("leave", k=k), "at least one passage")


@pytest.mark.parametrize("k", [10**6, 10**12, 2**63, 10**30])
def test_k_may_be_huge(tiny_office: OpenIndex, k: int) -> None:
    """Asking for more than there is gives what there is."""
    assert len(tiny_office.search("leave", k=k)) == len(tiny_office.search("leave", k=100))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"llm": []}, "llm"),
        ({"llm": 7}, "llm"),
        ({"llm": object}, "llm"),
        ({"llm": False}, "llm"),
        ({"on_low_confidence": "x"}, "on_low_confidence"),
        ({"on_low_confidence": ""}, "on_low_confidence"),
        ({"on_low_confidence": []}, "on_low_confidence"),
    ],
)
def test_parts_of_an_engine(tiny_office: OpenIndex, arguments: dict[str, Any], word: str) -> None:
    """What is no language model, and no choice there is, is refused when the engine is made."""
    refused(lambda: tiny_office.as_query_engine(**arguments), word)


@pytest.mark.parametrize("index", [None, 3, "indexes/handbook", OpenIndex])
def test_an_engine_needs_an_index(index: Any) -> None:
    """An engine is made over an open index."""
    refused(lambda: build_query_engine(index), "open_index()")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"user_id": None}, "user_id"),
        ({"user_id": 7}, "user_id"),
        ({"user_id": "a", "roles": None}, "roles"),
        ({"user_id": "a", "roles": 7}, "roles"),
        ({"user_id": "a", "roles": "manager"}, "roles"),
        ({"user_id": "a", "roles": {"manager": True}}, "roles"),
        ({"user_id": "a", "departments": b"hr"}, "departments"),
        ({"user_id": "a", "departments": [None]}, "departments"),
    ],
)
def test_a_principal_is_made_of_names(arguments: dict[str, Any], word: str) -> None:
    """A principal's roles and departments are lists of names."""
    refused(lambda: Principal(**arguments), word)


PATHS: list[Door] = [
    open_index,
    build_index,
    check_index,
    load_definition,
    load_principals,
    lambda path: export_index(path, "x.zip"),
    lambda path: install_index(path, "x"),
]


@pytest.mark.parametrize("door", PATHS)
@pytest.mark.parametrize("path", [None, 3, b"x", "", ["x"], "a\0b", "~nobody-of-this-name/x"])
def test_a_path_is_a_path(door: Door, path: Any) -> None:
    """What is no path is a UsageError at every door that takes one."""
    refused(lambda: door(path))


@pytest.mark.parametrize("door", PATHS)
def test_a_path_that_nobody_can_look_at(door: Door, tmp_path: Path) -> None:
    """A path that is too long, or whose links lead in a circle, is one short sentence."""
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path in ("x" * 300, "x/" * 3000, tmp_path / "circle" / "x"):
        refused(lambda path=path: door(path), error=SetupError)


@pytest.mark.parametrize("place", [None, 3, "", "x" * 300, "~nobody-of-this-name/x"])
def test_the_other_path_of_a_package(tiny_office: OpenIndex, tmp_path: Path, place: Any) -> None:
    """The second path is looked at too, before anything is done."""
    archive = tmp_path / "a.zip"
    archive.write_bytes(b"")
    for door in (
        lambda: export_index(tiny_office.reader.definition.path, place),
        lambda: install_index(archive, place),
    ):
        with pytest.raises((UsageError, SetupError)):
            door()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [({"embedder": "bge-small"}, "embedder"), ({"embedder": 3}, "embedder"), ({"settings": {}}, "settings")],
)
def test_parts_of_a_build(tmp_path: Path, arguments: dict[str, Any], word: str) -> None:
    """A name in the place of an embedder, and something that is not Settings, are refused before anything is made."""
    folder = write_open(tmp_path / "office")
    refused(lambda: build_index(folder, **arguments), word)
    assert not (folder / ".store").exists()
    if "embedder" in arguments:
        refused(lambda: open_index(folder, **arguments), word)


@pytest.mark.parametrize("name", ["Index.toml", "INDEX.TOML", "index.toml ", " index.toml"])
def test_a_misspelt_definition_opens_nothing(tmp_path: Path, name: str) -> None:
    """A folder whose index.toml is misspelt is not taken for one without rules."""
    folder = write_rules(tmp_path / "office")
    (folder / "index.toml").rename(folder / name)
    refused(lambda: build_index(folder), "index.toml", "rename", error=DefinitionError)


def test_a_definition_that_is_not_there_opens_nothing(tmp_path: Path) -> None:
    """An index.toml that is a dangling link, or a folder, is not taken for none."""
    folder = write_rules(tmp_path / "office")
    (folder / "index.toml").unlink()
    (folder / "index.toml").symlink_to(tmp_path / "nowhere")
    refused(lambda: build_index(folder), "index.toml", "cannot be read", error=DefinitionError)
    (folder / "index.toml").unlink()
    (folder / "index.toml").mkdir()
    refused(lambda: build_index(folder), "index.toml", "cannot be read", error=DefinitionError)
