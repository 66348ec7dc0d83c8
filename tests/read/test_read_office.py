"""What merged cells, levels, places and initials of office files mean, is kept."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl import Workbook
from pptx import Presentation

from rag_app.read import read_file
from rag_app.read.office.sheets import read_sheets
from rag_app.read.office.slides import read_slides
from rag_app.read.office.word import read_word
from rag_app.text.statements import split_statements


def test_a_name_over_all_columns_of_a_sheet_is_a_row_of_one_cell() -> None:
    """A hidden row above it moves no merged cell."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Service", "Small", "Large"), ("Polish", 1, 2), ("Cars",), ("Cleaning", 20, 35), ("Waxing", 10, 12)):
        sheet.append(row)
    sheet.merge_cells("A3:C3")
    sheet.row_dimensions[2].hidden = True
    data = io.BytesIO()
    book.save(data)
    text = read_sheets(data.getvalue()).text
    assert "| Cars |\n| Cleaning | 20 | 35 |" in text
    assert "Polish" not in text


def _slide_file(write: Callable[[Any, Any], None]) -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    assert slide.shapes.title is not None
    slide.shapes.title.text = "In case of fire"
    write(presentation, slide)
    data = io.BytesIO()
    presentation.save(data)
    return data.getvalue()


def test_points_below_a_line_with_a_colon_are_its_own() -> None:
    """ "Meet at point B" is no part of "Do not:", which its level shows."""

    def write(_: Any, slide: Any) -> None:
        frame = slide.placeholders[1].text_frame
        frame.text = "Do not:"
        for text, level in (("use the lift", 1), ("Meet at point B", 0)):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = text, level

    text = read_slides(_slide_file(write)).text
    found = {text[s.start : s.end]: [text[a:b] for a, b in s.lead_in] for s in split_statements(text)}
    assert found["use the lift"] == ["Do not:"]
    assert found["Meet at point B"] == []


def test_what_lies_beside_a_slide_is_named_and_not_read() -> None:
    """Only its author sees it."""

    def write(presentation: Any, slide: Any) -> None:
        for left, text in ((-presentation.slide_width, "Old draft"), (0, "Point B is the car park.")):
            slide.shapes.add_textbox(left, 0, 100_000, 100_000).text_frame.text = text

    found = read_slides(_slide_file(write))
    assert "Old draft" not in found.text
    assert "Point B is the car park." in found.text
    assert found.notes == ("Text or a table beside slide 1 was not read.",)


def test_a_large_first_letter_is_part_of_its_word() -> None:
    """Word keeps it as a paragraph of its own."""
    document = Document()
    initial = document.add_paragraph("T")
    frame = OxmlElement("w:framePr")
    frame.set(qn("w:dropCap"), "drop")
    initial._p.get_or_add_pPr().append(frame)
    document.add_paragraph("he harbour opens at six.")
    data = io.BytesIO()
    document.save(data)
    assert "The harbour opens at six." in read_word(data.getvalue()).text


def test_an_error_stands_in_its_cell() -> None:
    """An empty cell would say something else."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Item", "Share"), ("A", "#DIV/0!"), ("B", 2)):
        sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    assert "| A | #DIV/0! |" in read_sheets(data.getvalue()).text


def test_signs_of_symbol_fonts_are_signs(tmp_path: Path) -> None:
    """ "Below 5 bar" and ticked are not lost where office programs write characters of their own for them."""
    (tmp_path / "a.txt").write_text("\uf0fc tested, \uf0a3 5 bar", encoding="utf-8")
    assert read_file(tmp_path / "a.txt", tmp_path).text == "✔ tested, ≤ 5 bar"
