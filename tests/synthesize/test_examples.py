"""Files of worked examples."""

import json
from pathlib import Path

import pytest

from rag_app.errors import DefinitionError
from rag_app.synthesize.examples import Example, load_examples


def written(folder: Path, *lines: object) -> Path:
    file = folder / "examples.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return file


def test_examples_are_read_in_order(tmp_path: Path) -> None:
    """A question with its statements and the numbers of those that answer it; empty lines are passed over."""
    file = written(
        tmp_path,
        {"question": "How big?", "statements": ["Red.", "It is 3 m\nlong."], "right": [2]},
        "",
        {"question": "How old?", "statements": ["Red."], "right": []},
    )
    assert load_examples(file) == (
        Example("How big?", ("Red.", "It is 3 m\nlong."), (2,)),
        Example("How old?", ("Red.",), ()),
    )
    assert [example.answer for example in load_examples(file)] == ["It is 3 m long.", ""]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        {"question": "How big?", "statements": ["Red."]},
        {"question": " ", "statements": ["Red."], "right": []},
        {"question": "How big?", "statements": [], "right": []},
        {"question": "How big?", "statements": [" "], "right": []},
        {"question": "How big?", "statements": ["Red."], "right": [2]},
        {"question": "How big?", "statements": ["Red."], "right": [0]},
        {"question": "How big?", "statements": ["Red."], "right": [True]},
        {"question": "How big?", "statements": ["Red."], "right": [1], "answer": "Red."},
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object) -> None:
    """What is no example is an error that names file and line."""
    good = {"question": "How big?", "statements": ["Red."], "right": [1]}
    with pytest.raises(DefinitionError, match=r"examples\.jsonl, line 2: "):
        load_examples(written(tmp_path, good, line))


def test_a_line_ends_where_json_says(tmp_path: Path) -> None:
    """Separators of lines that JSON allows within a text do not end one."""
    example = {"question": "How\u2028big\x85?", "statements": ["Red."], "right": [1]}
    (tmp_path / "e.jsonl").write_text(json.dumps(example, ensure_ascii=False) + "\r\n", "utf-8")
    (loaded,) = load_examples(tmp_path / "e.jsonl")
    assert loaded.question == example["question"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is an error, not an empty list."""
    with pytest.raises(DefinitionError, match=r"none\.jsonl"):
        load_examples(tmp_path / "none.jsonl")
