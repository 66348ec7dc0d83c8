"""The PDFs of files/pdf, which real writers made: what a reader of the page sees is quotable, and nothing else."""

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.read.documents import read_file
from rag_app.text.footnotes import whole_statements
from rag_app.text.passages import cut_passages
from rag_app.text.statements import Statement

FOLDER = Path(__file__).parent / "files" / "pdf"
WANTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def cases(field: str) -> list[str]:
    """The files of which the manifest says something under `field`."""
    return sorted(name for name, wanted in WANTED.items() if field in wanted)


@cache
def document(name: str) -> Document:
    return read_file(FOLDER / name, FOLDER)


@cache
def statements(name: str) -> list[Statement]:
    return whole_statements(document(name).text, "plain")


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(name: str) -> list[str]:
    """Every statement as it is shown, with what it depends on."""
    text = document(name).text
    return [flat(" ".join(text[a:b] for a, b in (*s.lead_in, s.span, *s.lead_out))) for s in statements(name)]


@pytest.mark.parametrize("name", cases("quotable"))
def test_what_is_seen_is_one_statement(name: str) -> None:
    """Each of these texts is a statement, or the row or item that holds it, and none is torn."""
    text = document(name).text
    found = [flat(text[s.start : s.end]) for s in statements(name)]
    assert [wanted for wanted in WANTED[name]["quotable"] if not any(wanted in one for one in found)] == []


@pytest.mark.parametrize("name", [*cases("shown"), *cases("noted")])
def test_a_statement_is_shown_with_what_it_depends_on(name: str) -> None:
    """A row comes with its header, an item with what introduces its list, a text with its footnote."""
    missing = [
        parts
        for parts in [*WANTED[name].get("shown", ()), *WANTED[name].get("noted", ())]
        if not any(all(p in one for p in parts) for one in shown(name))
    ]
    assert missing == []


@pytest.mark.parametrize("name", cases("never"))
def test_what_is_not_seen_is_not_quoted(name: str) -> None:
    """Hidden text, heads, feet, and words woven together across columns are in no statement."""
    assert [text for text in WANTED[name]["never"] if any(text in one for one in shown(name))] == []


@pytest.mark.parametrize("name", cases("apart"))
def test_what_does_not_belong_together_is_apart(name: str) -> None:
    """No statement shows a value of another row, or an item under the introduction of another list."""
    wrong = [pair for pair in WANTED[name]["apart"] if any(all(part in one for part in pair) for one in shown(name))]
    assert wrong == []


@pytest.mark.parametrize("name", cases("order"))
def test_the_order_is_that_of_reading(name: str) -> None:
    """Texts follow each other as a reader of the page meets them."""
    text = flat(document(name).text)
    places = [text.find(part) for part in WANTED[name]["order"]]
    assert min(places) >= 0
    assert all(one < other for one, other in pairwise(places))


@pytest.mark.parametrize("name", cases("section"))
def test_a_text_stands_under_its_own_heading(name: str) -> None:
    """The last heading above a passage is the one that the page shows there."""
    passages = cut_passages(document(name))
    for text, heading in WANTED[name]["section"].items():
        found = [p.section for p in passages if text in flat(document(name).text[p.start : p.end])]
        assert found
        assert all(section[-1:] == (heading,) for section in found)


@pytest.mark.parametrize("name", cases("notes"))
def test_what_is_lost_is_named(name: str) -> None:
    """A page that only a picture shows is named; an empty page is no loss."""
    notes = " ".join(document(name).notes)
    assert all(part in notes for part in WANTED[name]["notes"])
    assert bool(notes) == bool(WANTED[name]["notes"])


@pytest.mark.parametrize("name", cases("error"))
def test_what_cannot_be_read_is_refused(name: str) -> None:
    """A scan and a file with a password are refused, each by its own code."""
    with pytest.raises(ReadError) as caught:
        document(name)
    assert caught.value.details["code"] == WANTED[name]["error"]
