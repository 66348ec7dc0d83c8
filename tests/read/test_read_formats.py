"""What AsciiDoc and spreadsheets keep from their readers, and what of it and of other kinds of file is named."""

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment

from rag_app.read import Problem, read_folder
from rag_app.read.formats.asciidoc import read_asciidoc
from rag_app.read.formats.csv_rows import read_csv
from rag_app.read.formats.epub import read_epub
from rag_app.read.formats.ipynb import read_notebook
from rag_app.read.formats.rst import read_rst
from rag_app.read.office.sheets import read_sheets
from rag_app.read.text_file import read_markdown
from rag_app.text.statements import split_statements


def test_asciidoc_under_an_unmet_condition_is_named_and_not_read() -> None:
    """`ifdef` holds for attributes that the document sets, until it unsets them."""
    source = (
        b":inside: yes\n\nifdef::inside[]\nShown.\nendif::[]\n\nifdef::other[]\nHidden.\n\nifdef::inside[]\nToo.\n"
        b"endif::[]\nendif::[]\n\n:inside!:\n\nifndef::inside[Last.]\n"
    )
    found = read_asciidoc(source)
    assert found.text == "Shown.\n\nLast.\n"
    assert [note.partition(" ")[0] for note in found.notes] == ["ifdef::other"]


def test_a_titled_asciidoc_list_does_not_belong_to_the_list_above() -> None:
    """A title parts two lists: the second is not set in below the last item of the first, where it would be code."""
    found = read_asciidoc(b".Allowed\n* pens\n** red pens\n\n.Not allowed\n. knives\n. snakes\n")
    assert "Not allowed\n\n1. knives\n2. snakes\n" in found.text


def test_hidden_rows_and_columns_of_a_sheet_are_named() -> None:
    """What a spreadsheet hides is not read, and the notes say so; hidden columns without values need no word."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Item", "Price", "Cost"), ("Kiln", 5, 3), ("Wheel", 6, 4)):
        sheet.append(row)
    sheet.column_dimensions["F"].hidden = True
    data = io.BytesIO()
    book.save(data)
    assert read_sheets(data.getvalue()).notes == ()
    sheet.row_dimensions[3].hidden = True
    data = io.BytesIO()
    book.save(data)
    found = read_sheets(data.getvalue())
    assert "Wheel" not in found.text
    assert found.notes == ("Hidden rows or columns of Sheet were not read.",)


@pytest.mark.parametrize(
    ("name", "helps"),
    [
        ("rules.DOC", "as .docx"),
        ("talk.key", "as .pptx"),
        ("mail.msg", "as .eml"),
        ("a.xyz", ".docx"),
        ("LICENSE", "LICENSE.txt"),
        ("app.log.1", "app.log.1.txt"),
        ("run.py", "as .txt"),
    ],
)
def test_a_kind_that_is_not_read_is_named_with_what_helps(tmp_path: Path, name: str, helps: str) -> None:
    """The build report says of such a file what to save it as."""
    (tmp_path / name).write_bytes(b"x")
    (problem,) = read_folder(tmp_path)
    assert isinstance(problem, Problem)
    assert problem.code == "unsupported"
    assert helps in problem.reason


def test_comments_on_cells_are_named(tmp_path: Path) -> None:
    """A comment limits what a cell says, so the build report names that there are some."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Part", "Price"])
    sheet.append(["ZX", 7])
    sheet["B2"].comment = Comment("Only until May", "Ana")
    target = io.BytesIO()
    book.save(target)
    assert any("Comments on cells" in note for note in read_sheets(target.getvalue()).notes)


def test_a_book_s_own_style_sheet_hides_what_it_hides() -> None:
    """A reader of an EPUB does not see what the sheet in the book hides, as in a page with a sheet of its own."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as book:
        place = '<rootfiles><rootfile full-path="O/c.opf"/></rootfiles>'
        book.writestr("META-INF/container.xml", f"<container>{place}</container>")
        items = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        spine = '<spine><itemref idref="a"/></spine>'
        book.writestr("O/c.opf", f"<package><manifest>{items}</manifest>{spine}</package>")
        head = '<?xml version="1.0"?><html><head><link rel="stylesheet" href="css/s.css"/></head>'
        book.writestr("O/a.xhtml", f"{head}<body><p class='old'>9 euros</p><p>7 euros</p></body></html>")
        book.writestr("O/css/s.css", ".old { display: none }")
    assert read_epub(target.getvalue()).text == "7 euros\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (timedelta(hours=30, minutes=5), "30:05"),
        (timedelta(minutes=1, seconds=7), "0:01:07"),
    ],
)
def test_a_duration_is_read_in_hours(value: timedelta, shown: str) -> None:
    """A sheet shows how many hours a duration has; days are not counted apart."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Task", "Time"), ("Firing", value)):
        sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    assert f"| Firing | {shown} |" in read_sheets(data.getvalue()).text


def test_the_letters_of_a_list_are_those_that_were_typed() -> None:
    """Of reStructuredText: "(a)" is not shown as "1."."""
    text = read_rst(b"Rules\n=====\n\na) first\nb) second\n\nText.\n\nIV. fourth\nV. fifth\n").text
    assert [line for line in ("a. first", "b. second", "IV. fourth", "V. fifth") if line not in text] == []


def test_a_row_that_tells_the_delimiter_is_no_row() -> None:
    """Spreadsheets write "sep=;" above the table."""
    assert read_csv(b"sep=;\r\nName;Fee\r\nCar, large;5\r\n").text.splitlines()[::2] == [
        "| Name | Fee |",
        "| Car, large | 5 |",
    ]


def test_struck_words_of_a_notebook_are_not_read() -> None:
    """As in any Markdown."""
    cell = {"cell_type": "markdown", "source": "The rate is ~~5~~ 6 %."}
    assert read_notebook(json.dumps({"cells": [cell]}).encode()).text.split() == "The rate is 6 %.".split()


@pytest.mark.parametrize("gone", ["~~Dogs may enter.~~", "<s>Dogs may enter.</s>", "<del>Dogs\nmay enter.</del>"])
def test_what_follows_struck_words_is_no_item_and_no_code(gone: str) -> None:
    """The space that they leave does not indent: a permission is not shown under the prohibition above it."""
    text = read_markdown(f"Not allowed:\n\n- lions\n\n{gone} Cats may enter.\n\n1. ~~No.~~ Birds too.\n".encode()).text
    found = {text[s.start : s.end].split()[0]: s for s in split_statements(text)}
    assert found["Cats"].lead_in == ()
    assert found["1."].kind == "list_item"
    assert "Dogs" not in text
