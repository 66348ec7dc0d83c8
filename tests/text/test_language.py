"""In which language a text is, so far as that tells whether the models know it."""

from pathlib import Path

import pytest

from rag_app.index.build.languages import language_notes
from rag_app.index.build.plan import make_plan
from rag_app.index.build.spool import Spool
from rag_app.index.definition import load_definition
from rag_app.read import read_folder
from rag_app.text.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The gate must not be opened by guests. It is closed at nine and the key is with the guard. " * 3, "English"),
        (
            "Das Tor darf nicht von Gästen geöffnet werden. Es ist um neun zu und der Schlüssel bei der Wache. " * 3,
            "German",
        ),
        (
            "La porte ne doit pas être ouverte par les clients. Elle est fermée et la clé est dans le poste. " * 3,
            "French",
        ),
        ("门不得由客人打开。晚上九点关门。", "Chinese"),
        ("館内では飲食は禁止です。", "Japanese"),
        ("| A | 120 |\n| B | 99 |", ""),
        ("", ""),
    ],
)
def test_a_language_is_named_where_it_is_clear(text: str, language: str) -> None:
    """By script, or by many common words; a table of figures is in none."""
    assert language_of(text) == language


def test_a_build_names_documents_that_its_model_does_not_know(tmp_path: Path) -> None:
    """Questions about them are mostly refused, which the builder should hear of at once."""
    german = "Das Tor ist zu und der Schlüssel ist bei der Wache. Es wird von den Gästen nicht geöffnet. " * 3
    (tmp_path / "tor.md").write_text(german)
    (tmp_path / "gate.md").write_text("The gate is closed.")
    with Spool(tmp_path) as spool:
        plan = make_plan(
            load_definition(tmp_path),
            read_folder(tmp_path),
            [],
            spool,
            cutting="",
            everything=True,
            keep_unreadable=False,
            source_trouble=frozenset(),
            seen=print,
        )
    assert plan.languages == {"German": ["tor.md"]}
    assert "German (tor.md)" in language_notes(plan.languages, "bge-small-en-v1.5")[0]
    assert language_notes(plan.languages, "multilingual-e5-small") == []
