"""More files of office programs for make_others.py: headers of two rows, exponents, margins, forms, tables in tables."""

import io

import openpyxl
import pptx
from docx.document import Document
from docx.oxml import parse_xml
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx.util import Inches

from tests.read.files.words import _NS, para, run, saved

_HEADER = {(0, 0): "Berth", (0, 1): "Price per night", (1, 1): "Summer", (1, 2): "Winter", (0, 3): "Power"}
_BODY = (
    ("A1", "40 euros", "20 euros", "yes"),
    ("B2", "50 euros", "25 euros", "no"),
    ("C3", "60 euros", "30 euros", "no"),
)
_TWO_ROWS = {
    "quotable": ["| B2 | 50 euros | 25 euros | no |"],
    "shown": [["Price per night Summer", "Price per night Winter", "Power", "| A1 | 40 euros | 20 euros | yes |"]],
    "never": ["| Summer | Winter |"],
}


def two_header_rows(word: Document) -> None:
    table = word.add_table(rows=5, cols=4)
    for place in ((0, 0), (0, 3)):
        table.cell(*place).merge(table.cell(1, place[1]))
    table.cell(0, 1).merge(table.cell(0, 2))
    for (row, column), text in _HEADER.items():
        table.cell(row, column).text = text
    for row, texts in enumerate(_BODY, start=2):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text


def unit_row(word: Document) -> None:
    table = word.add_table(rows=4, cols=3)
    for row, texts in enumerate(
        (("Part", "Weight", "Price"), ("", "kg", "EUR"), ("Pump", "12", "400"), ("Valve", "3", "80"))
    ):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text


def exponents(word: Document) -> None:
    paragraph = word.add_paragraph("The limit is 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" counts per litre of H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O.")


def exponents_by_style(word: Document) -> None:
    word.styles.add_style("Raised", 2).font.superscript = True
    paragraph = word.add_paragraph("A room has 25 m")
    paragraph.add_run("2", style="Raised")
    paragraph.add_run(" of floor and 10")
    paragraph._p.append(
        parse_xml(f'<w:r {_NS}><w:rPr><w:position w:val="6"/><w:sz w:val="12"/></w:rPr><w:t>3</w:t></w:r>')
    )
    paragraph.add_run(" litres of air.")


def margins(word: Document) -> None:
    header, footer = word.sections[0].header.paragraphs[0], word.sections[0].footer.paragraphs[0]
    header.text = "Valid until 31 May 2027"
    footer.text = "Harbour Office, page "
    footer._p.append(parse_xml(f'<w:fldSimple {_NS} w:instr=" PAGE "><w:r><w:t>17</w:t></w:r></w:fldSimple>'))
    word.add_paragraph("The fee is 7 euros.")


def box_in_margin(word: Document) -> None:
    content = (
        f"<w:txbxContent><w:p>{run('Valid from 1 May 2027')}</w:p><w:p>{run('Page ')}"
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("7")}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:txbxContent>'
    )
    box = (
        f'<w:r {_NS}><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp>'
        f"<wps:txbx>{content}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    word.sections[0].header.paragraphs[0]._p.append(parse_xml(box))
    word.add_paragraph("The gate closes at ten.")


def table_in_table(word: Document) -> None:
    table = word.add_table(rows=4, cols=2)
    for row, texts in enumerate((("Berth", "Price"), ("A1", ""), ("B2", "50 euros"), ("C3", "60 euros"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    inner = table.cell(1, 1).add_table(2, 2)
    for row, texts in enumerate((("Summer", "40 euros"), ("Winter", "20 euros"))):
        for column, text in enumerate(texts):
            inner.cell(row, column).text = text


def rows_as_titles(word: Document) -> None:
    table = word.add_table(rows=6, cols=2)
    rows = (
        ("Item", "Limit"),
        ("Covered", ""),
        ("Storm", "1000 euros"),
        ("Not covered", ""),
        ("Rats", "500 euros"),
        ("Flood", "2000 euros"),
    )
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
        if not texts[1]:
            table.cell(row, 0).merge(table.cell(row, 1))


def _control(inner: str, properties: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>"


_PROMPT = "<w:showingPlcHdr/>"


def sheet(*rows: tuple, title: str = "Prices", merged: tuple[str, ...] = ()) -> bytes:
    book = openpyxl.Workbook()
    made = book.active
    assert made is not None
    made.title = title
    for number, row in enumerate(rows, start=1):
        for column, value in enumerate(row, start=1):
            if value is not None:
                made.cell(number, column, value)
    for cells in merged:
        made.merge_cells(cells)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _shifted(before: str, text: str, after: str) -> CellRichText:
    return CellRichText(before, TextBlock(InlineFont(vertAlign="superscript"), text), after)


def slides() -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Rules"
    frame = slide.placeholders[1].text_frame
    frame.text = "Guests must not:"
    for text in ("– smoke", "– bring dogs"):
        frame.add_paragraph().text = text
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "More"
    frame = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(5), Inches(2)).text_frame
    frame.text = "Guests may:"
    for text in ("– fish", "- swim", "-"):
        frame.add_paragraph().text = text
    counts = frame.add_paragraph()
    counts.add_run().text = "The limit is 10"
    raised = counts.add_run()
    raised.text = "6"
    raised.font._element.set("baseline", "30000")
    counts.add_run().text = " a litre."
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Prices"
    table = slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    cells = {
        (0, 0): "Berth",
        (0, 1): "Price",
        (1, 1): "Summer",
        (1, 2): "Winter",
        (2, 0): "A1",
        (2, 1): "40",
        (2, 2): "20",
    }
    cells |= {(3, 0): "B2", (3, 1): "50", (3, 2): "25"}
    for (row, column), text in cells.items():
        table.cell(row, column).text = text
    target = io.BytesIO()
    show.save(target)
    return target.getvalue()


_SHEET_ROWS = (("Berth", "Price per night", None, "Power"), (None, "Summer", "Winter", None), *_BODY)
_MERGED = ("B1:C1", "A1:A2", "D1:D2")
FILES: dict[str, tuple[bytes, dict]] = {
    "word-two-header-rows.docx": (saved(change=two_header_rows), _TWO_ROWS),
    "word-unit-row.docx": (
        saved(change=unit_row), {"quotable": ["| Pump | 12 | 400 |"], "shown": [["Weight kg", "Price EUR", "| Valve | 3 | 80 |"]], "never": ["| kg |"]}),
    "word-exponents.docx": (saved(change=exponents), {"quotable": ["The limit is 10⁶ counts per litre of H₂O."], "never": ["106"]}),
    "word-exponents-by-style.docx": (
        saved(change=exponents_by_style), {"quotable": ["A room has 25 m² of floor and 10³ litres of air."], "never": ["m2", "103"]}),
    "word-page-fields.docx": (
        saved(change=margins), {"quotable": ["Valid until 31 May 2027", "Harbour Office", "The fee is 7 euros."], "never": ["17", "page"]}),
    "word-box-in-margin.docx": (
        saved(change=box_in_margin), {"quotable": ["Valid from 1 May 2027", "The gate closes at ten."], "never": ["Page"], "once": ["1 May 2027"]}),
    "word-table-in-table.docx": (
        saved(change=table_in_table),
        {"quotable": ["| A1 | Summer, 40 euros; Winter, 20 euros |", "| B2 | 50 euros |"], "shown": [["Berth", "Price", "| C3 | 60 euros |"]]}),
    "word-rows-as-titles.docx": (
        saved(change=rows_as_titles),
        {"shown": [["Item", "Covered", "| Storm | 1000 euros |"], ["Item", "Not covered", "| Flood | 2000 euros |"]], "never": ["Covered | |"]}),
    "word-prompts.docx": (
        saved(para("Name of the tenant:"), f"<w:p {_NS}>{_control(run('Click or tap here to enter text.'), _PROMPT)}</w:p>",
              para("Deposit: ", _control(run("Choose an item."), _PROMPT)), para("Rent: ", _control(run("900 euros a month.")))),
        {"quotable": ["Rent: 900 euros a month.", "Deposit: …"], "never": ["Click or tap", "Choose an item"]}),
    "sheet-two-header-rows.xlsx": (sheet(*_SHEET_ROWS, merged=_MERGED), _TWO_ROWS),
    "sheet-unit-row.xlsx": (
        sheet(("Part", "Weight", "Price"), (None, "kg", "EUR"), ("Pump", 12, 400), ("Valve", 3, 80)),
        {"quotable": ["| Pump | 12 | 400 |"], "shown": [["Weight kg", "Price EUR", "| Valve | 3 | 80 |"]]}),
    "sheet-years.xlsx": (
        sheet(("Berth", 2023, 2024), ("A1", 40, 45), ("B2", 50, 55)),
        {"quotable": ["| A1 | 40 | 45 |"], "shown": [["Berth", "2023", "2024", "| B2 | 50 | 55 |"]]}),
    "sheet-side-by-side.xlsx": (
        sheet(("Berth", "Price", None, "Item", "Deposit"), ("A1", 40, None, "Key", 10), ("B2", 50, None, "Card", 5), ("C3", 60)),
        {"quotable": ["| A1 | 40 |", "| Key | 10 |", "| C3 | 60 |"], "shown": [["Item", "Deposit", "| Card | 5 |"]], "never": ["| A1 | 40 | Key"],
         "sections": {"| Card | 5 |": "Prices, D1:E3", "| B2 | 50 |": "Prices, A1:B4"}}),
    "sheet-spacer-column.xlsx": (
        sheet(("Berth", "Price", None, "Power", "Water"), ("A1", 40, None, "yes", "no"), ("B2", 50, None, "no", "no"), ("C3", 60, None, "yes", "yes")),
        {"quotable": ["| A1 | 40 | yes | no |"], "shown": [["Berth", "Water", "| C3 | 60 | yes | yes |"]]}),
    "sheet-rich-text.xlsx": (
        sheet(("What", "Limit"), ("Counts", _shifted("10", "6", " a litre")),
              ("Fee", CellRichText(TextBlock(InlineFont(strike=True), "18 euros"), " 22 euros"))),
        {"quotable": ["| Counts | 10⁶ a litre |", "| Fee | 22 euros |"], "never": ["106", "18 euros"]}),
    "slides-typed-dashes.pptx": (
        slides(),
        {"quotable": ["The limit is 10⁶ a litre.", "bring dogs", "swim"], "never": ["106", "| Summer |"],
         "shown": [["Guests must not:", "bring dogs"], ["Guests may:", "fish"], ["Price Summer", "Price Winter", "| B2 | 50 | 25 |"]]}),
}  # fmt: skip
