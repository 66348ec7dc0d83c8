"""The files of files/others, which real writers made: what a reader of the file sees is quotable, and nothing else."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rag_app.document import Document
from rag_app.read import read_file
from rag_app.text.passages import cut_passages

FOLDER = Path(__file__).parent / "files" / "others"
WANTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def cases(field: str) -> list[str]:
    return sorted(name for name, wanted in WANTED.items() if field in wanted)


@cache
def document(name: str) -> Document:
    return read_file(FOLDER / name, FOLDER)


def flat(text: str) -> str:
    return " ".join(text.split())


@cache
def statements(name: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Every statement: itself, with what it depends on, and its section."""
    text = document(name).text
    return [
        (
            flat(text[s.start : s.end]),
            flat(" ".join(text[a:b] for a, b in (*s.lead_in, s.span))),
            passage.section,
        )
        for passage in cut_passages(document(name))
        for s in passage.statements
    ]


@pytest.mark.parametrize("name", cases("quotable"))
def test_what_is_seen_is_quotable(name: str) -> None:
    """Each of these texts stands whole in one statement."""
    found = [own for own, _, _ in statements(name)]
    assert [wanted for wanted in WANTED[name]["quotable"] if not any(flat(wanted) in one for one in found)] == []


@pytest.mark.parametrize("name", cases("never"))
def test_what_is_not_seen_is_never_quoted(name: str) -> None:
    """Hidden, struck and deleted words, and signs of markup, are in no statement and no lead-in."""
    shown = " ".join(whole for _, whole, _ in statements(name))
    assert [unwanted for unwanted in WANTED[name]["never"] if unwanted in shown] == []


@pytest.mark.parametrize("name", cases("shown"))
def test_a_statement_is_shown_with_what_it_depends_on(name: str) -> None:
    """A row comes with its header, an item with what introduces its list, a text with its term."""
    shown = [whole for _, whole, _ in statements(name)]
    assert [
        parts for parts in WANTED[name]["shown"] if not any(all(flat(p) in one for p in parts) for one in shown)
    ] == []


@pytest.mark.parametrize("name", cases("sections"))
def test_a_statement_is_cited_under_its_own_heading(name: str) -> None:
    """The innermost heading is the one it stands under: a slide, a cell range, a numbered clause."""
    for words, heading in WANTED[name]["sections"].items():
        assert [(section or ("",))[-1] for own, _, section in statements(name) if flat(words) in own] == [heading]


@pytest.mark.parametrize("name", cases("named"))
def test_what_is_not_read_is_named(name: str) -> None:
    """Nothing vanishes without a word."""
    told = " ".join(document(name).notes)
    assert [words for words in WANTED[name]["named"] if words not in told] == []


@pytest.mark.parametrize("name", cases("title"))
def test_the_title_is_the_document_s_own(name: str) -> None:
    """A heading, a subject, a property; not a file's name where there is better."""
    assert document(name).title == WANTED[name]["title"]


@pytest.mark.parametrize("name", cases("once"))
def test_what_stands_twice_in_the_file_is_read_once(name: str) -> None:
    """A text box and its copy for older programs are one text."""
    assert [document(name).text.count(words) for words in WANTED[name]["once"]] == [1] * len(WANTED[name]["once"])
