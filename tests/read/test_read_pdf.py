"""PDF into text: every page's words, where each page begins, and what cannot be read."""

import io
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject
from reportlab.pdfgen.canvas import Canvas

from rag_app.document import Document
from rag_app.errors import ReadError
from rag_app.read.documents import read_file


def make_pdf(*pages: list[str], title: str | None = None, font: str = "/Encoding /WinAnsiEncoding") -> bytes:
    """A small PDF, written by hand, with one list of lines per page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>",
    ]
    for number, lines in enumerate(pages):
        escaped = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines]
        drawn = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in escaped) + " ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 612 792]"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    objects.append(f"<< /Title ({title or ''}) >>")
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + end.encode()


def read(folder: Path, data: bytes, name: str = "annual-report.pdf") -> Document:
    (folder / name).write_bytes(data)
    return read_file(folder / name, folder)


def code_of(folder: Path, data: bytes) -> str:
    with pytest.raises(ReadError) as caught:
        read(folder, data)
    return caught.value.details["code"]


def test_each_page_keeps_its_words_and_its_number(tmp_path: Path) -> None:
    """A paragraph is one line, and every offset knows its page, an empty page counted too."""
    document = read(tmp_path, make_pdf(["First page", "with – two (2) lines."], [], ["Third page."]))
    assert document.text == "First page with – two (2) lines.\n\n\nThird page."
    assert document.markup == "plain"
    assert [document.page_at(document.text.index(word)) for word in ("First", "lines", "Third")] == [1, 1, 3]
    assert [document.text[start:][:5] for start in document.page_starts] == ["First", "\nThir", "Third"]


def test_a_sentence_that_goes_on_overleaf_has_its_pages(tmp_path: Path) -> None:
    """The next page begins in the middle of the paragraph that runs over the break, also within a word."""
    pages = (
        ["Guests stay for two nights in a", "row and leave the harbour by the regi-"],
        ["stration office before noon."],
    )
    document = read(tmp_path, make_pdf(*pages))
    assert document.text.endswith("harbour by the registration office before noon.")
    assert document.text[document.page_starts[1] :] == "stration office before noon."


@pytest.mark.parametrize(
    ("other", "joined"), [("They resign.", "resign"), ("They re-sign.", "re-sign"), ("Nothing.", "resign")]
)
def test_a_hyphen_at_a_lines_end_is_read_as_the_text_writes_the_word(tmp_path: Path, other: str, joined: str) -> None:
    """Where the word stands elsewhere its spelling there decides; else the hyphen is the printer's."""
    assert f"They may {joined} it." in read(tmp_path, make_pdf(["They may re-", "sign it.", other])).text


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Leave at Acme", "Leave at Acme"),
        ("Microsoft Word - leave.doc", "Annual report"),
        ("scan_0001.tif", "Annual report"),
        ("Untitled", "Annual report"),
        ("  ", "Annual report"),
        (None, "Annual report"),
    ],
)
def test_the_title_is_the_stated_one_unless_a_program_put_it_there(
    tmp_path: Path, stated: str | None, title: str
) -> None:
    """File names and placeholders in a PDF's properties are no titles."""
    assert read(tmp_path, make_pdf(["x"], title=stated)).title == title


def test_a_side_file_names_a_pdf_and_its_readers(tmp_path: Path) -> None:
    """What has no front matter gets its fields from beside it."""
    (tmp_path / "annual-report.pdf.meta.yaml").write_text("title: Given\naccess_scope: public\nversion: 3.0")
    document = read(tmp_path, make_pdf(["x"], title="Stated"))
    assert (document.title, document.version) == ("Given", "3.0")
    assert document.access is not None


def test_a_pdf_without_text_is_a_problem(tmp_path: Path) -> None:
    """A scan, or a file without pages, is named and not indexed as nothing."""
    assert code_of(tmp_path, make_pdf([], [])) == "no_text"
    assert code_of(tmp_path, make_pdf()) == "no_text"


def test_a_pdf_whose_letters_mean_nothing_is_a_problem(tmp_path: Path) -> None:
    """Codes of a font without an encoding are no text."""
    assert code_of(tmp_path, make_pdf(["\x01\x02\x03\x04\x05 \x06"])) == "no_text"


def encrypted(password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf(["Secret page"])))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def test_an_encrypted_pdf_is_a_problem_unless_anybody_may_open_it(tmp_path: Path) -> None:
    """A password is needed to read one; where only printing is forbidden, none is."""
    assert code_of(tmp_path, encrypted("secret")) == "encrypted"
    assert read(tmp_path, encrypted("")).text == "Secret page"


@pytest.mark.parametrize("cut", [20, 150, 400])
def test_a_cut_off_pdf_is_a_problem_or_still_has_its_words(tmp_path: Path, cut: int) -> None:
    """A download that broke off is never half a document under a whole one's name without its text."""
    data = make_pdf(["First page"], ["Second page"])[:cut]
    assert code_of(tmp_path, data) in ("broken", "no_text")


def test_a_pdf_full_of_rubbish_in_the_middle_is_a_problem_or_text(tmp_path: Path) -> None:
    """Whatever is wrong with a damaged file is a read error."""
    data = make_pdf(["First page"], ["Second page"])
    for place in range(0, len(data), 23):
        damaged = data[:place] + b"\xff<<[(" + data[place + 5 :]
        try:
            document = read(tmp_path, damaged)
        except ReadError as error:
            assert error.details["code"] in ("broken", "no_text", "encrypted")  # noqa: PT017
        else:
            assert document.text.strip()


def test_a_file_that_claims_more_pages_than_it_holds_is_refused(tmp_path: Path) -> None:
    """A page tree that names one page over and over is given up at once, whatever it would come to."""
    kids = " ".join(["3 0 R"] * 200)
    nodes = [
        f"<< /Type /Pages /Parent {2 if n == 5 else 5} 0 R /Count {200 ** (8 - n)}"
        f" /Kids [{' '.join([f'{n + 1} 0 R'] * 200)}] >>"
        for n in (5, 6)
    ]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {200**3} /Kids [{' '.join(['5 0 R'] * 200)}] >>",
        "<< /Type /Page /Parent 7 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        "<< /Length 0 >>\nstream\n\nendstream",
        *nodes,
        f"<< /Type /Pages /Parent 6 0 R /Count 200 /Kids [{kids}] >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n"
    )
    assert code_of(tmp_path, body + end.encode() + b"%%EOF\n") == "broken"


def test_words_that_a_line_strikes_out_are_not_read(tmp_path: Path) -> None:
    """A line through words that ends where they end makes them invalid; underlines and rules behind a text do not."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    for y, text in [(700, "The fee is 30 euros."), (650, "The fee is 35 euros."), (600, "Seven days remain.")]:
        page.drawString(72, y, text)
    page.line(72, 703.5, 72 + page.stringWidth("The fee is 30 euros."), 703.5)
    page.line(72, 648.5, 72 + page.stringWidth("The fee is 35 euros."), 648.5)
    page.line(20, 603.5, 500, 603.5)
    page.save()
    text = read(tmp_path, drawn.getvalue()).text
    assert "30 euros" not in text
    assert "The fee is 35 euros." in text
    assert "Seven days remain." in text


def test_a_text_beside_a_narrow_box_is_read_on_its_own(tmp_path: Path) -> None:
    """Sentences that run on from line to line are no cells of a table, also where a box has as many lines."""
    drawn = io.BytesIO()
    canvas = Canvas(drawn)
    canvas.setFont("Helvetica", 10)
    body = (
        "The harbour opens at six in the morning and closes at nine in",
        "the evening. Guests who arrive later moor at the outer pier and",
        "report to the guard before they leave their boat. The guard keeps",
        "a list of all boats. Fees are paid in advance at the office.",
    )
    for number, (left, right) in enumerate(
        zip(body, ("Call first:", "555 0100", "Mon to Fri", "8 to 17"), strict=True)
    ):
        canvas.drawString(72, 700 - 14 * number, left)
        canvas.drawString(430, 700 - 14 * number, right)
    canvas.rect(424, 640, 100, 75)
    canvas.save()
    assert read(tmp_path, drawn.getvalue()).text == " ".join(body) + "\n\nCall first: 555 0100 Mon to Fri 8 to 17"


def test_text_that_a_reader_struck_out_is_no_text(tmp_path: Path) -> None:
    """A StrikeOut mark takes away what it covers, and nothing else."""
    drawn = io.BytesIO()
    canvas = Canvas(drawn)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 720, "The fee is 9 euros.")
    canvas.drawString(72, 700, "The gate closes at nine.")
    canvas.save()
    writer = pypdf.PdfWriter(clone_from=drawn)
    places = (70.0, 732.0, 175.0, 732.0, 70.0, 716.0, 175.0, 716.0)
    mark = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/StrikeOut"),
            NameObject("/Rect"): ArrayObject(map(FloatObject, (70.0, 716.0, 175.0, 732.0))),
            NameObject("/QuadPoints"): ArrayObject(map(FloatObject, places)),
        }
    )
    writer.add_annotation(0, mark)
    written = io.BytesIO()
    writer.write(written)
    assert read(tmp_path, written.getvalue()).text == "The gate closes at nine."


def test_entries_below_their_terms_are_apart(tmp_path: Path) -> None:
    """A term that begins further out than the entry above it begins a paragraph of its own."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    page.setFont("Helvetica", 10)
    page.drawString(
        72, 760, "The pump is sold in two forms, which differ in nothing but the way in which they are driven."
    )
    page.drawString(72, 748, "Both are kept in stock.")
    names = ["Plain", "With a hood", "With a converter", "With a filter"]
    lines = [
        (x, text) for name in names for x, text in ((72, name), (102, f"Article {len(name)}, made in three days."))
    ]
    for number, (x, text) in enumerate(lines):
        page.drawString(x, 700 - 12 * number, text)
    page.save()
    assert "days. With" not in read(tmp_path, drawn.getvalue()).text


def test_terms_in_bold_begin_their_entries(tmp_path: Path) -> None:
    """A line that begins with a term in bold is not of the entry above it, which begins with one too."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    entries = [
        ("Bowl", "Wash it at up to 60 °C."),
        ("Base", "Never put it in water, not even to wash."),
        ("Lid", "Dry it."),
    ]
    for number, (term, text) in enumerate(entries):
        page.setFont("Helvetica-Bold", 10)
        page.drawString(72, 700 - 12 * number, term)
        page.setFont("Helvetica", 10)
        page.drawString(74 + page.stringWidth(term, "Helvetica-Bold", 10) + 1, 700 - 12 * number, text)
    page.save()
    paragraphs = read(tmp_path, drawn.getvalue()).text.split("\n\n")
    assert paragraphs == [f"{term} {text}" for term, text in entries]


def test_the_raised_number_of_a_note_may_be_nearly_as_large_as_the_note(tmp_path: Path) -> None:
    """A number that stands above the line at its beginning is raised, whatever its size."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    page.setFont("Helvetica", 11)
    page.drawString(72, 760, "The allowance depends on the country, and it is paid at the end of the month.")
    page.setFont("Helvetica", 7.2)
    page.drawString(72, 103.6, "1")
    page.setFont("Helvetica", 8)
    page.drawString(78.6, 100, "Reduced by 20% where breakfast is provided.")
    page.setFont("Helvetica", 11)
    page.drawString(72, 70, "The allowance is free of tax.")
    page.save()
    assert "¹ Reduced by 20%" in read(tmp_path, drawn.getvalue()).text


def test_a_line_is_one_text_where_words_in_it_are_struck(tmp_path: Path) -> None:
    """What stands before and behind struck words of a line is one sentence."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    before, struck, behind = "Mileage is paid at ", "the old rate of EUR 0.30", " EUR 0.38 for each kilometre."
    page.drawString(72, 700, before + struck + behind)
    left = 72 + page.stringWidth(before)
    page.line(left, 703.5, left + page.stringWidth(struck), 703.5)
    page.save()
    assert read(tmp_path, drawn.getvalue()).text.strip() == "Mileage is paid at EUR 0.38 for each kilometre."


def test_a_small_table_at_the_head_of_a_column_is_read_with_that_column(tmp_path: Path) -> None:
    """Its rows are no cells beside the lines of the other columns, and its last row, which nearly fills its cell, is
    one of them."""
    drawn = io.BytesIO()
    page = Canvas(drawn, pagesize=(842, 595))
    page.setFont("Helvetica", 10)
    texts = [
        "Read the manual before you switch on the unit. Keep|the ground around the outer part free of leaves|and snow.",
        "Choose a temperature that suits your rooms. Floors|need 35 degrees, and radiators need 50 degrees or|more.",
        "The guarantee lasts five years from the day on which|the unit was installed, unless parts of others|are used.",
    ]
    for x, y, text in zip((40, 303, 567), (468, 468, 410), texts, strict=True):
        for number, line in enumerate(text.split("|")):
            page.drawString(x, y - 11.1 * number, line)
    for number, (part, often) in enumerate([("Filter", "3 months"), ("Pump", "12 months"), ("Sensor", "24 months")]):
        page.drawString(569, 485 - 14.2 * number, part)
        page.drawString(603.7, 485 - 14.2 * number, often)
    page.setFont("Helvetica-Bold", 10)
    page.drawString(569, 499, "Part")
    page.drawString(603.7, 499, "Interval")
    page.save()
    text = read(tmp_path, drawn.getvalue()).text
    rows = ["| Filter | 3 months |", "| Pump | 12 months |", "| Sensor | 24 months |"]
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "| Part | Interval |",
        "| --- | --- |",
        *rows,
    ]
    assert all(one.replace("|", " ") in text for one in texts)


def test_headers_that_touch_stand_over_their_own_columns(tmp_path: Path) -> None:
    """Where a header fills its cell up to the next one, as in printed spreadsheets, both are read apart."""
    drawn = io.BytesIO()
    page = Canvas(drawn)
    page.setFont("Helvetica-Bold", 11)
    end = 200 + page.stringWidth("Minimum", "Helvetica-Bold", 11)
    for x, header in [(72, "Article"), (140, "Place"), (200, "Minimum"), (end, "Price EUR")]:
        page.drawString(x, 740, header)
    page.setFont("Helvetica", 11)
    for number in range(20):
        page.drawString(72, 725 - 15 * number, f"A-100{number}")
        page.drawString(140, 725 - 15 * number, f"R{number}")
        page.drawRightString(end - 2, 725 - 15 * number, f"{20 + number}")
        page.drawRightString(end + 40, 725 - 15 * number, f"{number}.50")
    page.save()
    lines = read(tmp_path, drawn.getvalue()).text.splitlines()
    assert lines[0] == "| Article | Place | Minimum | Price EUR |"
    assert lines[2] == "| A-1000 | R0 | 20 | 0.50 |"
