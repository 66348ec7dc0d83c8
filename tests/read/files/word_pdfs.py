"""More PDFs for make_pdfs.py: Word and Excel files, printed by LibreOffice, with bullets of symbol fonts and tables
in Word's own styles.

They are made where they are missing or with `--word`, since each run writes other bytes.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from docx import Document
from docx.shared import Cm
from openpyxl import Workbook
from openpyxl.styles import Font

from tests.read.files.make_pdfs import FOLDER, case


def printed(name: str, write: Callable[[Any], None], new: Callable[[], Any] = Document, kind: str = ".docx") -> bytes:
    program, kept = shutil.which("soffice"), FOLDER / name
    if kept.exists() and (program is None or "--word" not in sys.argv):
        return kept.read_bytes()
    assert program, f"LibreOffice is needed to make {name}"
    document = new()
    write(document)
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / name.replace(".pdf", kind)
        document.save(str(source))
        profile = f"-env:UserInstallation=file://{tempfile.gettempdir()}/office-of-pdfs"
        options = ["--headless", "--convert-to", "pdf", "--outdir", work, str(source)]
        subprocess.run([program, profile, *options], check=True, capture_output=True, timeout=120)
        return source.with_suffix(".pdf").read_bytes()


def add_table(document: Any, style: str, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]))
    table.style = style
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text


@case(
    "word_lists.pdf",
    shown=[
        ["Not counted as working time are:", "the way to work"],
        ["Not counted as working time are:", "voluntary courses in the evening"],
    ],
    quotable=["Overtime is recorded in the portal.", "1. Call your manager before 9:00.", "Leave expires in March."],
    apart=[["Not counted", "Overtime is recorded"], ["Not counted", "Leave expires"]],
    never=["| |", "fax"],
)
def _() -> bytes:
    def write(document: Any) -> None:
        document.add_heading("Working time", 1)
        for text in ("Overtime is recorded in the portal.", "Overtime expires after twelve months."):
            document.add_paragraph(text, style="List Bullet")
        document.add_paragraph("Not counted as working time are:")
        for text in ("the way to work", "breaks of more than 15 minutes", "voluntary courses in the evening"):
            document.add_paragraph(text, style="List Bullet 2")
        document.add_paragraph("Leave expires in March.")
        for text in ("Call your manager before 9:00.", "Send the certificate from the third day on."):
            document.add_paragraph(text, style="List Number")
        paragraph = document.add_paragraph("Certificates are sent by mail")
        paragraph.add_run(" or to the fax number 0431 555").font.strike = True

    return printed("word_lists.pdf", write)


@case(
    "word_table_styles.pdf",
    shown=[
        ["Occasion | Days", "Own wedding | 2"],
        ["Occasion | Days", "Birth of a child | 2"],
        ["Country | Full day | Half day", "Austria | 40 € | |"],
        ["Country | Full day | Half day", "Belgium | 59 € | 40 €"],
    ],
    apart=[["Own wedding", "Birth"], ["Austria", "Belgium"]],
)
def _() -> bytes:
    def write(document: Any) -> None:
        document.add_paragraph("Special leave is given as follows.")
        days = [("Occasion", "Days"), ("Own wedding", "2"), ("Birth of a child", "2"), ("Death of a parent", "3")]
        add_table(document, "Light List Accent 1", days)
        document.add_paragraph("Allowances of this year are the following ones.")
        rates = [
            ("Country", "Full day", "Half day"),
            ("Austria", "40 €", ""),
            ("Belgium", "59 €", "40 €"),
            ("Chad", "", ""),
        ]
        add_table(document, "Light Shading", rates)

    return printed("word_table_styles.pdf", write)


@case(
    "word_contract.pdf",
    shown=[["2.2 The provider answers:", "(a) critical incidents within one hour"]],
    quotable=["2.1 The provider keeps the service available.", "3.1 The monthly fee is 1,250 euro."],
    section={"The monthly fee": "3. Fees", "critical incidents": "2. Duties of the provider"},
    never=["AGREEMENT between"],
)
def _() -> bytes:
    def write(document: Any) -> None:
        document.add_paragraph().add_run("SERVICE AGREEMENT").bold = True
        document.add_paragraph("between Alder Ltd and Birch AG")
        answers = (
            "The provider answers:\n(a) critical incidents within one hour, and\n(b) others on the next working day."
        )
        for number, heading, texts in (
            (1, "Definitions", ["“Service” means the hosting of data."]),
            (2, "Duties of the provider", ["The provider keeps the service available.", answers]),
            (3, "Fees", ["The monthly fee is 1,250 euro.", "It is due on the third of each month."]),
        ):
            document.add_paragraph().add_run(f"{number}.\t{heading}").bold = True
            for at, text in enumerate(texts, 1):
                style = document.add_paragraph(f"{number}.{at}\t{text}").paragraph_format
                style.left_indent, style.first_line_indent = Cm(1), Cm(-1)

    return printed("word_contract.pdf", write)


@case(
    "sheet_printed.pdf",
    shown=[
        ["Cables", "Article | Unit | Price | Note", "NYM 3x1.5 | m | 0.89 € | from 100 m: 0.75"],
        ["Cables", "NYM 5x2.5 | m | 2.15 € | |"],
        ["Sockets", "Double, white | pc | 7.90 € | on order only"],
        ["Article | Unit | Price | Note", "Total | | 15.14 € | |"],
    ],
    apart=[["Sockets", "NYM"], ["Sockets", "Total"], ["Cables", "Single"]],
)
def _() -> bytes:
    def write(book: Any) -> None:
        sheet = book.active
        for row in (
            ("Price list", None, None, None),
            ("Article", "Unit", "Price", "Note"),
            ("Cables", None, None, None),
            ("NYM 3x1.5", "m", 0.89, "from 100 m: 0.75"),
            ("NYM 5x2.5", "m", 2.15, None),
            ("Sockets", None, None, None),
            ("Single, white", "pc", 4.2, None),
            ("Double, white", "pc", 7.9, "on order only"),
            ("Total", None, 15.14, None),
        ):
            sheet.append(row)
        sheet["A1"].font = Font(bold=True, size=14)
        for cell in (*sheet[2], sheet["A3"], sheet["A6"]):
            cell.font = Font(bold=True)
        for row in sheet.iter_rows(min_row=4, min_col=3, max_col=3):
            row[0].number_format = '0.00 "€"'
        for column, width in zip("ABCD", (22, 8, 12, 24), strict=True):
            sheet.column_dimensions[column].width = width

    return printed("sheet_printed.pdf", write, Workbook, ".xlsx")
