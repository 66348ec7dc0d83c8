"""Word into Markdown: headings, lists, tables, code; and files that are none or mean harm."""

import io
import zipfile
from pathlib import Path
from types import SimpleNamespace

import docx
import docx.document
import mammoth
import pytest
from docx.enum.style import WD_STYLE_TYPE

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.read.documents import read_file
from rag_app.read.office import word as word_file


def read(folder: Path, content: docx.document.Document | bytes) -> Document:
    path = folder / "leave-policy.docx"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content.save(str(path))
    return read_file(path, folder)


def code_of(folder: Path, content: docx.document.Document | bytes) -> str:
    with pytest.raises(ReadError) as caught:
        read(folder, content)
    return caught.value.details["code"]


def test_structure_becomes_markdown(tmp_path: Path) -> None:
    """Title, headings, nested lists, tables with their header, and code keep what they mean."""
    word = docx.Document()
    word.add_heading("Leave", 0)
    word.add_heading("Scope", 2)
    word.add_paragraph("All – “staff” & 漢字\u00a0🙂.\nSecond line.")
    for text, style in [
        ("one", "List Bullet"),
        ("sub", "List Bullet 2"),
        ("two", "List Bullet"),
        ("1st", "List Number"),
    ]:
        word.add_paragraph(text, style=style)
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["Level", "Days", "a|b", "30"], strict=True):
        cell.text = text
    word.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
    for line in ("def f():", "    return  1", "\ttab"):
        word.add_paragraph(line, style="Source Code")
    document = read(tmp_path, word)
    assert document.markup == "markdown"
    assert document.text == (
        "# Leave\n\n## Scope\n\nAll – “staff” & 漢字\u00a0🙂.  \nSecond line.\n\n- one\n  - sub\n- two\n\n1. 1st\n\n"
        "| Level | Days |\n| --- | --- |\n| a\\|b | 30 |\n\n```\ndef f():\n    return  1\n\ttab\n```\n"
    )


@pytest.mark.parametrize(
    ("stated", "title"), [("Leave at Acme", "Leave at Acme"), ("Word Document", "Leave"), ("", "Leave")]
)
def test_the_title_is_the_stated_one_else_the_heading(tmp_path: Path, stated: str, title: str) -> None:
    """A placeholder in the properties is no title; without a heading the file's name is."""
    word = docx.Document()
    word.core_properties.title = stated
    word.add_heading("Leave", 1)
    assert read(tmp_path, word).title == title
    bare = docx.Document()
    bare.add_paragraph("text")
    assert read(tmp_path, bare).title == "Leave policy"


def test_a_word_file_without_text_is_a_problem(tmp_path: Path) -> None:
    """An empty file is named."""
    assert code_of(tmp_path, docx.Document()) == "empty"


def repacked(**parts: bytes) -> bytes:
    """A Word file in which some parts are exchanged, by the stem of their names."""
    source, target = io.BytesIO(), io.BytesIO()
    word = docx.Document()
    word.add_paragraph("text")
    word.save(source)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(Path(name).stem, old.read(name)))
    return target.getvalue()


def test_a_zip_bomb_is_a_problem_before_it_is_unpacked(tmp_path: Path) -> None:
    """Sizes are looked at first: a small file does not become gigabytes."""
    bomb = repacked(styles=b" " * 101_000_000)
    assert len(bomb) < 1_000_000
    assert code_of(tmp_path, bomb) == "too_large"


def test_an_entity_bomb_is_a_problem(tmp_path: Path) -> None:
    """XML entities that multiply are refused."""
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 20}">' for n in range(1, 9))
    xml = f'<!DOCTYPE x [<!ENTITY a0 "ha">{levels}]><x>&a8;</x>'
    assert code_of(tmp_path, repacked(document=xml.encode())) == "broken"


@pytest.mark.parametrize("xml", [b"", b"<a", b"<w:document/>", b"<a>" * 5000 + b"</a>" * 5000])
def test_a_damaged_word_file_is_a_problem(tmp_path: Path, xml: bytes) -> None:
    """Whatever zipfile, expat and mammoth raise is a read error."""
    assert code_of(tmp_path, repacked(document=xml)) in ("broken", "empty")


def test_a_zip_that_is_no_word_file_is_a_problem(tmp_path: Path) -> None:
    """Another Office file under Word's suffix is named."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    assert code_of(tmp_path, buffer.getvalue()) == "broken"


def test_of_the_styles_only_names_are_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template's styles, hundreds of kilobytes, would take longer than the text; their names still make headings."""
    handed: list[bytes] = []

    def convert(file: io.BytesIO, **options: object) -> object:
        with zipfile.ZipFile(file) as archive:
            handed.append(archive.read("word/styles.xml"))
        file.seek(0)
        return mammoth.convert_to_html(file, **options)

    monkeypatch.setattr(word_file, "mammoth", SimpleNamespace(convert_to_html=convert))
    made = docx.Document()
    made.add_heading("Fees", 1)
    made.add_paragraph("Due in May.", style="Quote")
    made.save(str(tmp_path / "a.docx"))
    assert word_file.read_word((tmp_path / "a.docx").read_bytes()).text.strip() == "# Fees\n\n> Due in May."
    assert len(handed[0]) < 30_000
