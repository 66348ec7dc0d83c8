"""Knobs and their precedence."""

import pytest

from rag_app.errors import DefinitionError
from rag_app.settings import INDEX_TOML, Settings, load_settings


def test_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    """An argument beats the environment, which beats index.toml, which beats the default."""
    default = Settings().candidates
    assert load_settings().candidates == default
    assert load_settings({"candidates": 11}).candidates == 11
    monkeypatch.setenv("RAG_APP_CANDIDATES", "12")
    assert load_settings({"candidates": 11}).candidates == 12
    assert load_settings({"candidates": 11}, candidates=13).candidates == 13


@pytest.mark.parametrize("values", [{"candidates": "many"}, {"candidates": 0}, {"candidate": 5}])
def test_a_wrong_value_is_named(values: dict[str, object]) -> None:
    """A value of the wrong type, out of range or of an unknown name is a DefinitionError naming the setting."""
    with pytest.raises(DefinitionError, match=next(iter(values))):
        load_settings(values)


def test_index_toml_names_real_knobs() -> None:
    """Every key that index.toml may hold sets a knob that exists."""
    assert {knob for keys in INDEX_TOML.values() for knob in keys.values()} <= set(Settings.model_fields)


def test_every_knob_is_explained() -> None:
    """Every knob has a description."""
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
