"""Writes the PDFs of this folder with real writers (reportlab, fpdf2, LibreOffice) and manifest.json, which says of
each what must be quotable and what must never be quoted.

Run by hand after a change: python tests/read/files/make_pdfs.py. The files are kept, so that tests need no writer.
LibreOffice (`soffice`) makes the files whose source is HTML; without it those are left as they are.
"""

import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from fpdf import FPDF
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    ListFlowable,
    ListItem,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

FOLDER = Path(__file__).parent / "pdf"
STYLES = getSampleStyleSheet()
BODY = STYLES["BodyText"]
JUSTIFIED = ParagraphStyle("justified", parent=BODY, alignment=4)
CASES: dict[str, dict[str, Any]] = {}
MAKERS: dict[str, Callable[[], bytes]] = {}


def case(name: str, **wanted: Any) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
    """A file and what is wanted of it.

    quotable: texts that one statement holds. shown: lists of texts that one statement holds together with what it
    depends on. noted: the same with its footnote. never: texts in no statement. apart: pairs that no statement shows together. order: texts in the order
    of reading. section: text -> last heading above it. notes: what the reader reports. error: the code of its refusal.
    """

    def keep(make: Callable[[], bytes]) -> Callable[[], bytes]:
        CASES[name], MAKERS[name] = wanted, make
        return make

    return keep


def drawn(draw: Callable[[Canvas], None], size: tuple[float, float] = A4, **options: Any) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def flowed(*story: Any, size: tuple[float, float] = A4, **options: Any) -> bytes:
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=size, invariant=1, **options).build(list(story))
    return out.getvalue()


def lines(canvas: Canvas, texts: list[str], x: float = 72, y: float = 760, step: float = 14, size: float = 11) -> float:
    canvas.setFont(canvas._fontname or "Helvetica", size)
    for text in texts:
        canvas.drawString(x, y, text)
        y -= step
    return y


LEFT = [
    "The harbour office is open from",
    "eight to noon on every weekday",
    "and closed in the first week of",
    "August. Guests who arrive later",
    "ring the bell beside the door.",
]
RIGHT = [
    "Dogs are not allowed on the",
    "pontoons between May and the",
    "end of September, unless they",
    "are kept on a lead. Cats may",
    "stay on board at all times.",
]
COLUMNS = dict(
    quotable=[
        "The harbour office is open from eight to noon on every weekday and closed in the first week of August.",
        "Dogs are not allowed on the pontoons between May and the end of September, unless they are kept on a lead.",
    ],
    never=["open from Dogs", "weekday pontoons"],
    order=["harbour office", "ring the bell", "Dogs are not", "Cats may"],
)


@case("columns_one_after_the_other.pdf", **COLUMNS)
def _() -> bytes:
    return drawn(lambda c: (lines(c, LEFT, 60), lines(c, RIGHT, 320)))


@case("columns_row_by_row.pdf", **COLUMNS)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            c.drawString(60, 760 - 14 * number, left)
            c.drawString(320, 760 - 14 * number, right)

    return drawn(draw)


@case("columns_shifted.pdf", **COLUMNS)
def _() -> bytes:
    return drawn(lambda c: (lines(c, LEFT, 60), lines(c, RIGHT, 320, 753)))


@case("columns_narrow_gutter.pdf", **COLUMNS)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.setFont("Times-Roman", 11)
        for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            c.drawString(60, 760 - 13 * number, left)
            c.drawString(220, 760 - 13 * number, right)

    return drawn(draw)


PROSE = (
    "The council meets on the first Monday of the month. Members who cannot come send word to the clerk before noon, "
    "and the clerk reads their letters aloud. Nobody may vote by letter. A motion needs the support of three members "
    "before it is put to the vote, and it fails when the votes are equal. Minutes are kept for ten years in the cellar "
    "of the town hall, where citizens can read them on Thursdays between two and four. "
)
SECOND = (
    "Fishing licences are sold at the kiosk. They are valid for a year and must be carried at all times. Children under "
    "twelve fish without a licence when an adult is with them. Nets are forbidden in the whole bay. Whoever catches a "
    "sturgeon lets it go at once and reports the place to the warden, who keeps a list of all sightings. "
)


@case(
    "columns_of_paper.pdf",
    quotable=[
        "Nobody may vote by letter.",
        "Nets are forbidden in the whole bay.",
        "Minutes are kept for ten years in the cellar of the town hall, where citizens can read them on Thursdays between two and four.",
    ],
    order=["Rules of the bay", "The council meets", "Nobody may vote", "Fishing licences", "Nets are forbidden"],
    section={"Nobody may vote": "Rules of the bay"},
)
def _() -> bytes:
    out = io.BytesIO()
    width, height = A4
    column = (width - 144 - 18) / 2
    doc = BaseDocTemplate(out, pagesize=A4, invariant=1)
    frames = [
        Frame(72, height - 120, width - 144, 60, id="title", showBoundary=0),
        Frame(72, 72, column, height - 200, id="left", leftPadding=0, rightPadding=0),
        Frame(72 + column + 18, 72, column, height - 200, id="right", leftPadding=0, rightPadding=0),
    ]
    doc.addPageTemplates(PageTemplate(frames=frames))
    story = [Paragraph("Rules of the bay", STYLES["Title"]), *[Paragraph(PROSE * 2, JUSTIFIED) for _ in range(4)]]
    doc.build([*story, *[Paragraph(SECOND, JUSTIFIED) for _ in range(6)]])
    return out.getvalue()


@case(
    "columns_under_full_width_headings.pdf",
    quotable=[
        "Members pay 20 euros a year and bring their own boat.",
        "Visitors pay 5 euros a day and leave before dark.",
    ],
    order=["Fees", "Members pay", "Visitors pay", "Opening times", "In summer the gate", "In winter the gate"],
    section={"Visitors pay": "Fees", "In winter": "Opening times"},
    never=["a year Visitors", "Members pay 20 euros Visitors"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.setFont("Helvetica-Bold", 16)
        c.drawString(60, 780, "Fees")
        c.setFont("Helvetica", 11)
        lines(c, ["Members pay 20 euros a year", "and bring their own boat. A", "second boat costs the half."], 60, 750)
        lines(c, ["Visitors pay 5 euros a day", "and leave before dark. The", "warden collects the money."], 310, 750)
        c.setFont("Helvetica-Bold", 16)
        c.drawString(60, 670, "Opening times")
        c.setFont("Helvetica", 11)
        lines(c, ["In summer the gate is open", "from six in the morning until", "ten in the evening."], 60, 640)
        lines(c, ["In winter the gate is opened", "on request only. Call the", "office a day ahead."], 310, 640)

    return drawn(draw)


PRICES = [["Berth", "Summer", "Winter"], ["A", "120", "70"], ["B", "", "99"], ["C", "250", "110"]]
PRICE_ROWS = dict(
    shown=[["Berth", "Summer", "Winter", "| B | | 99 |"], ["Summer", "| A | 120 | 70 |"]],
    apart=[["99", "110"], ["| B |", "120"]],
)


@case("table_aligned.pdf", **PRICE_ROWS)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, row in enumerate(PRICES):
            for x, text in zip((60, 200, 320), row, strict=True):
                c.drawString(x, 760 - 14 * number, text)

    return drawn(draw)


@case("table_aligned_right.pdf", **PRICE_ROWS)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, row in enumerate(PRICES):
            c.drawString(60, 760 - 14 * number, row[0])
            c.drawRightString(250, 760 - 14 * number, row[1])
            c.drawRightString(350, 760 - 14 * number, row[2])

    return drawn(draw)


GRID = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])


@case("table_ruled.pdf", **PRICE_ROWS, quotable=["Prices are in euros."])
def _() -> bytes:
    return flowed(Paragraph("Prices are in euros.", BODY), Table(PRICES, style=GRID), Paragraph(PROSE, BODY))


@case("table_between_text.pdf", quotable=["Nets are forbidden in the whole bay."], **PRICE_ROWS)
def _() -> bytes:
    return flowed(Paragraph(PROSE, BODY), Table(PRICES, colWidths=90), Paragraph(SECOND, BODY))


@case("table_booktabs.pdf", shown=[["Colour", "Meaning", "| red | stop | all |"]], apart=[["red", "green"]])
def _() -> bytes:
    rows = [["Colour", "Meaning", "Who"], ["red", "stop", "all"], ["green", "go", "cars"], ["amber", "wait", "trams"]]
    style = TableStyle(
        [
            ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
        ]
    )
    return flowed(Paragraph("The lamps at the lock mean what follows.", BODY), Table(rows, colWidths=80, style=style))


@case(
    "table_shaded_header.pdf",
    shown=[["Duty", "Who", "When", "| sweeping | Ana | Monday |"]],
    apart=[["sweeping", "Bo"]],
)
def _() -> bytes:
    rows = [["Duty", "Who", "When"], ["sweeping", "Ana", "Monday"], ["cooking", "Bo", "Friday"], ["", "Cy", "Sunday"]]
    style = TableStyle([("BACKGROUND", (0, 0), (-1, 0), colors.darkblue), ("TEXTCOLOR", (0, 0), (-1, 0), colors.white)])
    return flowed(Table(rows, colWidths=90, style=style))


WRAPPED = [
    ["Item", "Condition", "Fee"],
    [
        Paragraph("Bicycle or scooter rental", BODY),
        Paragraph("Only with a deposit of fifty euros and a valid passport", BODY),
        "12",
    ],
    [
        Paragraph("Canoe", BODY),
        Paragraph("Not for children under ten, and never after sunset in the winter months", BODY),
        "30",
    ],
]


@case(
    "table_wrapped_cells_ruled.pdf",
    shown=[["Condition", "Canoe", "Not for children under ten, and never after sunset in the winter months", "30"]],
    apart=[["Canoe", "deposit"], ["scooter", "sunset"]],
)
def _() -> bytes:
    return flowed(Table(WRAPPED, colWidths=[80, 140, 60], style=GRID))


@case(
    "table_wrapped_cells.pdf",
    shown=[["Bicycle or scooter rental", "Only with a deposit of fifty euros and a valid passport", "12"]],
    apart=[["Canoe", "deposit"], ["scooter", "sunset"]],
)
def _() -> bytes:
    return flowed(Table(WRAPPED, colWidths=[80, 140, 60], style=TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP")])))


LONG = [
    ["Article", "Name", "Price"],
    *[[f"ZX-{n:04}", f"Valve of kind {n % 7}", f"{n * 3 + 1}.50"] for n in range(240)],
]


@case(
    "table_over_pages_header_repeated.pdf",
    shown=[["Article", "Price", "ZX-0239", "718.50"], ["Article", "Price", "ZX-0100", "301.50"]],
    apart=[["ZX-0239", "ZX-0238"], ["ZX-0100", "ZX-0101"]],
)
def _() -> bytes:
    return flowed(Table(LONG, colWidths=100, style=GRID, repeatRows=1))


@case(
    "table_over_pages_header_once.pdf",
    shown=[["Article", "Price", "ZX-0239", "718.50"], ["Article", "Price", "ZX-0100", "301.50"]],
    apart=[["ZX-0239", "ZX-0238"]],
)
def _() -> bytes:
    return flowed(Table(LONG, colWidths=100))


@case(
    "table_merged_header.pdf",
    shown=[["Berth", "Summer", "Winter", "| A | 120 | 70 |"], ["| B | 130 | 80 |"]],
    apart=[["120", "80"]],
)
def _() -> bytes:
    rows = [
        ["Berth", "Price", ""],
        ["", "Summer", "Winter"],
        ["A", "120", "70"],
        ["B", "130", "80"],
        ["C", "140", "90"],
    ]
    style = TableStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
            ("SPAN", (1, 0), (2, 0)),
            ("SPAN", (0, 0), (0, 1)),
            ("FONTNAME", (0, 0), (-1, 1), "Helvetica-Bold"),
        ]
    )
    return flowed(Table(rows, colWidths=80, style=style))


@case(
    "table_first_cell_empty.pdf",
    shown=[["Zone", "Fee", "| | Sunday | 9 |"], ["| North | Monday | 4 |"]],
    apart=[["Monday", "9 |"]],
)
def _() -> bytes:
    rows = [["Zone", "Day", "Fee"], ["North", "Monday", "4"], ["", "Sunday", "9"], ["South", "Monday", "5"]]
    return flowed(Table(rows, colWidths=80, style=GRID))


@case("table_two_side_by_side.pdf", shown=[["Fee", "| Hall | 40 |"], ["| Pipes | Mr Stone |"]], order=["Hall", "Attic"])
def _() -> bytes:
    left = Table([["Room", "Fee"], ["Hall", "40"], ["Cellar", "15"], ["Attic", "25"]], style=GRID)
    right = Table([["Matter", "Who"], ["Pipes", "Mr Stone"], ["Lamps", "Mrs Lee"]], style=GRID)
    return flowed(Table([[left, right]], colWidths=220))


@case("table_landscape_page.pdf", **PRICE_ROWS)
def _() -> bytes:
    return flowed(Table(PRICES, style=GRID), size=landscape(A4))


@case("page_turned.pdf", **PRICE_ROWS, quotable=["Prices hold until the end of the year."])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.setPageRotation(90)
        c.translate(595, 0)
        c.rotate(90)
        c.drawString(60, 520, "Prices hold until the end of the year.")
        for number, row in enumerate(PRICES):
            for x, text in zip((60, 200, 320), row, strict=True):
                c.drawString(x, 480 - 14 * number, text)

    return drawn(draw)


@case(
    "text_turned.pdf",
    quotable=["The valve is opened by the foreman alone."],
    never=["valve is Internal"],
    order=["The valve"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["The valve is opened by the", "foreman alone."], 100)
        c.saveState()
        c.translate(40, 300)
        c.rotate(90)
        c.drawString(0, 0, "Internal use, edition of March")
        c.restoreState()

    return drawn(draw)


def _list(
    canvas: Canvas, intro: str, items: list[str], marker: Callable[[int], str], x: float = 72, y: float = 760
) -> float:
    canvas.drawString(x, y, intro)
    for number, item in enumerate(items):
        y -= 14
        canvas.drawString(x, y, f"{marker(number)} {item}")
    return y


SNAKES = ["snakes", "spiders", "birds of prey"]


@case(
    "lists_flush_left.pdf",
    shown=[["Not allowed:", "snakes"], ["Not allowed:", "birds of prey"], ["Allowed in the hostel:", "cats"]],
    apart=[["Allowed in the hostel:", "snakes"], ["Not allowed:", "cats"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        y = _list(c, "Allowed in the hostel:", ["cats", "small dogs"], lambda n: f"{n + 1}.")
        _list(c, "Not allowed:", SNAKES, lambda n: f"{n + 1}.", y=y - 14)

    return drawn(draw)


for _name, _marker in {
    "bullets": lambda n: "•",
    "dashes": lambda n: "-",
    "letters": lambda n: f"({'abc'[n]})",
    "roman": lambda n: f"({'i ii iii'.split()[n]})",
    "closed_letters": lambda n: f"{'abc'[n]})",
}.items():

    @case(
        f"list_{_name}.pdf",
        shown=[["Guests may not bring:", "spiders"], ["Guests may not bring:", "birds of prey"]],
        quotable=["The warden keeps a list."],
    )
    def _(marker: Callable[[int], str] = _marker) -> bytes:
        return drawn(
            lambda c: (
                _list(c, "Guests may not bring:", SNAKES, marker),
                c.drawString(72, 690, "The warden keeps a list."),
            )
        )


@case(
    "list_over_pages.pdf",
    shown=[["The following is not covered:", "Damage by storm"], ["The following is not covered:", "Damage by rats"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(72, 760, "The following is not covered:")
        for number in range(48):
            c.drawString(90, 746 - 14 * number, f"• Loss of {number + 2} parcels" if number else "• Damage by storm")
        c.showPage()
        c.drawString(90, 760, "• Damage by rats")
        c.drawString(90, 746, "• Damage by rust")

    return drawn(draw)


@case(
    "list_of_writer.pdf",
    shown=[["Bring along:", "a towel"], ["Bring along:", "papers:", "the passport"]],
    quotable=["Leave the rest at home."],
)
def _() -> bytes:
    inner = ListFlowable(
        [ListItem(Paragraph("the passport", BODY)), ListItem(Paragraph("the ticket", BODY))], bulletType="bullet"
    )
    outer = ListFlowable(
        [ListItem(Paragraph("a towel", BODY)), ListItem([Paragraph("papers:", BODY), inner])], bulletType="1"
    )
    return flowed(Paragraph("Bring along:", BODY), outer, Paragraph("Leave the rest at home.", BODY))


@case(
    "legal_clauses.pdf",
    shown=[
        [
            "3.1 The tenant may not:",
            "(a) keep a dog",
        ],
        ["3.1 The tenant may not:", "(b) without the written consent of the landlord:", "(ii) change the locks"],
        ["3.2 The landlord may:", "(a) enter the flat"],
    ],
    apart=[["The tenant may not", "enter the flat"]],
)
def _() -> bytes:
    return drawn(
        lambda c: lines(
            c,
            [
                "3. Use of the flat",
                "3.1 The tenant may not:",
                "(a) keep a dog;",
                "(b) without the written consent of the landlord:",
                "(i) paint the doors; or",
                "(ii) change the locks.",
                "3.2 The landlord may:",
                "(a) enter the flat after a notice of two days;",
                "(b) repair the roof at any time.",
            ],
        )
    )


def _furnished(c: Canvas, number: int, count: int) -> None:
    c.setFont("Helvetica", 9)
    c.drawString(60, 810, "Harbour Authority - Rules for Guests")
    c.drawString(60, 30, "Printed 3 March 2024 - not valid without stamp")
    c.drawString(500, 30, f"Page {number} of {count}")
    c.setFont("Helvetica", 11)


BODIES = [
    [
        "Guests may stay for at most fourteen nights in a",
        "season, and must leave the pontoon by noon on the",
        "day on which they depart, but owners of a yearly",
    ],
    [
        "berth may stay as long as they like. Fires are",
        "forbidden everywhere in the harbour. The key to the",
        "washrooms is handed out at the office against a",
    ],
    ["deposit of twenty euros. Bicycles are lent for free."],
]


@case(
    "head_and_foot.pdf",
    quotable=[
        "but owners of a yearly berth may stay as long as they like.",
        "The key to the washrooms is handed out at the office against a deposit of twenty euros.",
    ],
    never=["not valid without", "Page 2", "Rules for Guests"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, body in enumerate(BODIES, start=1):
            _furnished(c, number, 3)
            lines(c, body, 60)
            c.showPage()

    return drawn(draw)


@case(
    "page_numbers.pdf",
    quotable=["Members who cannot come send word to the clerk before noon, and the clerk reads their letters aloud."],
    never=["- 2 -", "- 3 -"],
)
def _() -> bytes:
    def foot(canvas: Canvas, document: Any) -> None:
        canvas.drawCentredString(297, 30, f"- {document.page} -")

    out = io.BytesIO()
    doc = SimpleDocTemplate(out, pagesize=A4, invariant=1)
    doc.build([Paragraph(PROSE, BODY) for _ in range(30)], onFirstPage=foot, onLaterPages=foot)
    return out.getvalue()


@case(
    "head_on_two_pages.pdf",
    quotable=["The gate is shut at ten.", "The lamps burn all night."],
    never=["Town of Lowmere"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for text in ("The gate is shut at ten.", "The lamps burn all night."):
            c.drawString(60, 810, "Town of Lowmere")
            c.drawString(60, 740, text)
            c.drawRightString(540, 40, str(c.getPageNumber()))
            c.showPage()

    return drawn(draw)


@case(
    "chapter_on_every_page.pdf",
    section={"Boats are": "Chapter 1", "Ropes are": "Chapter 2", "Lamps are": "Chapter 3"},
    quotable=["Ropes are dried in the loft."],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, text in enumerate(
            ("Boats are painted in May.", "Ropes are dried in the loft.", "Lamps are lit at dusk."), start=1
        ):
            c.setFont("Helvetica-Bold", 18)
            c.drawString(72, 770, f"Chapter {number}")
            c.setFont("Helvetica", 11)
            lines(c, [text, "Nothing else is done in that month, as far as the books show."], 72, 730)
            c.showPage()

    return drawn(draw)


@case(
    "headings_by_size.pdf",
    section={"Leave is": "Annual leave", "Sick days": "Illness"},
    quotable=["Leave is thirty days a year.", "Sick days are reported before nine."],
    never=["Annual leave Leave is"],
)
def _() -> bytes:
    return flowed(
        Paragraph("Handbook", STYLES["Title"]),
        Paragraph("Annual leave", STYLES["Heading2"]),
        Paragraph("Leave is thirty days a year. " + PROSE, BODY),
        Paragraph("Illness", STYLES["Heading2"]),
        Paragraph("Sick days are reported before nine. " + SECOND, BODY),
    )


@case(
    "headings_in_bold.pdf",
    section={"Leave is": "Annual leave", "Sick days": "Illness"},
    quotable=["Leave is thirty days a year."],
    never=["Annual leave Leave is"],
)
def _() -> bytes:
    bold = ParagraphStyle("bold", parent=BODY, fontName="Helvetica-Bold", spaceBefore=0, spaceAfter=0, leading=12)
    return flowed(
        Paragraph("Annual leave", bold),
        Paragraph("Leave is thirty days a year. " + PROSE, BODY),
        Paragraph("Illness", bold),
        Paragraph("Sick days are reported before nine. " + SECOND, BODY),
    )


@case(
    "superscripts.pdf",
    quotable=[
        "The tank holds 10⁶ litres of H₂O.",
        "The area is 12 m² and the 1st floor is let.",
        "Use 2 1/2 litres or ½ a bucket.",
    ],
    never=["106", "21/2", "12 litre"],
)
def _() -> bytes:
    return flowed(
        Paragraph("The tank holds 10<super>6</super> litres of H<sub>2</sub>O.", BODY),
        Paragraph("The area is 12 m<super>2</super> and the 1<super>st</super> floor is let.", BODY),
        Paragraph("Use 2<super>1</super>/<sub>2</sub> litres or ½ a bucket.", BODY),
    )


@case("superscript_drawn_last.pdf", quotable=["About 10⁶ fish live here."], never=["106", "10 fish"])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        width = c.stringWidth("About 10", "Helvetica", 12)
        c.setFont("Helvetica", 12)
        c.drawString(72, 700, "About 10")
        c.drawString(72 + width + 5, 700, " fish live here.")
        c.setFont("Helvetica", 7)
        c.drawString(72 + width, 705, "6")

    return drawn(draw)


@case(
    "hyphens.pdf",
    quotable=[
        "The registration of well-known guests is carried out by the harbourmaster himself, and every registration is kept."
    ],
    never=["regis-", "wellknown"],
)
def _() -> bytes:
    return drawn(
        lambda c: lines(
            c,
            [
                "The regis-",
                "tration of well-",
                "known guests is carried out by the harbour-",
                "master himself, and every registration is kept.",
                "A well-known guest needs no harbourmaster.",
            ],
        )
    )


@case("ligatures.pdf", quotable=["The office file is affixed to the flag."])
def _() -> bytes:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Lig", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))

    def draw(c: Canvas) -> None:
        c.setFont("Lig", 12)
        c.drawString(72, 700, "The oﬃce ﬁle is aﬃxed to the ﬂag.")

    return drawn(draw)


@case(
    "footnotes.pdf",
    noted=[["The fee is refunded within 10 days.", "Only if all keys are returned."]],
    quotable=["The hall may be rented by members and by guests who have paid for the season."],
    never=["members and by Only"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.setFont("Helvetica", 11)
        c.drawString(72, 760, "The fee is refunded within 10 days.")
        end = 72 + c.stringWidth("The fee is refunded within 10 days.", "Helvetica", 11)
        c.setFont("Helvetica", 7)
        c.drawString(end, 764, "1")
        c.setFont("Helvetica", 11)
        c.drawString(72, 720, "The hall may be rented by members and by")
        c.line(72, 90, 200, 90)
        c.setFont("Helvetica", 6)
        c.drawString(72, 79, "1")
        c.setFont("Helvetica", 8)
        c.drawString(77, 76, "Only if all keys are returned.")
        c.showPage()
        c.setFont("Helvetica", 11)
        c.drawString(72, 760, "guests who have paid for the season.")

    return drawn(draw)


@case(
    "starred_row.pdf",
    noted=[["Adults", "12", "Only with a ticket of the same day."]],
    apart=[["Children", "Only with a ticket"]],
)
def _() -> bytes:
    rows = [["Visitor", "Fee"], ["Children", "4"], ["Adults*", "12"], ["Groups", "50"]]
    return flowed(
        Table(rows, colWidths=90, style=GRID), Spacer(1, 8), Paragraph("* Only with a ticket of the same day.", BODY)
    )


def _form() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["Application for a market stall"], 72, 760)
        for y, label, value in (
            (720, "Name of the applicant:", "Rosa Lindqvist"),
            (690, "Length in metres:", "4.5"),
            (660, "Remarks:", ""),
        ):
            c.drawString(72, y, label)
            c.acroForm.textfield(
                name=label.strip(":"),
                tooltip=label.strip(":"),
                x=230,
                y=y - 4,
                width=200,
                height=16,
                value=value,
                fontSize=10,
                borderStyle="solid",
            )
        c.acroForm.checkbox(name="power", tooltip="power", x=72, y=626, size=12, checked=True)
        c.drawString(92, 628, "Electricity is needed")
        c.acroForm.checkbox(name="water", tooltip="water", x=72, y=606, size=12, checked=False)
        c.drawString(92, 608, "Water is needed")
        c.drawString(72, 570, "The market office decides within ten working days.")

    return drawn(draw)


case(
    "form.pdf",
    quotable=[
        "Name of the applicant: Rosa Lindqvist",
        "Length in metres: 4.5",
        "☒ Electricity is needed",
        "☐ Water is needed",
        "The market office decides within ten working days.",
    ],
    never=["Lindqvist Length"],
)(_form)


@case("text_box.pdf", quotable=["The offer holds until Friday.", "Approved by the mayor on 3 May."])
def _() -> bytes:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.cell(text="The offer holds until Friday.")
    pdf.free_text_annotation("Approved by the mayor on 3 May.", x=20, y=60, w=120, h=10)
    return bytes(pdf.output())


@case(
    "hidden_text.pdf",
    quotable=["The shop is open on Sundays.", "A white notice on blue paper is read."],
    never=["white on white", "render mode three", "tiny secret", "almost white", "behind the box", "outside the page"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(72, 760, "The shop is open on Sundays.")
        c.setFillColorRGB(1, 1, 1)
        c.drawString(72, 740, "This is white on white and says the shop is shut.")
        c.setFillColorRGB(0.99, 0.99, 0.99)
        c.drawString(72, 720, "This is almost white and says the shop is shut.")
        c.setFillColorRGB(0, 0, 0)
        text = c.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("This is in render mode three and cannot be seen.")
        text.setTextRenderMode(0)
        c.drawText(text)
        c.setFont("Helvetica", 0.4)
        c.drawString(72, 680, "A tiny secret that nobody can read.")
        c.setFont("Helvetica", 12)
        c.drawString(72, 660, "This lies behind the box and is covered.")
        c.rect(60, 650, 400, 24, fill=1)
        c.drawString(700, 640, "This lies outside the page altogether.")
        c.setFillColorRGB(0, 0, 0.6)
        c.rect(60, 600, 300, 24, fill=1, stroke=0)
        c.setFillColorRGB(1, 1, 1)
        c.drawString(72, 607, "A white notice on blue paper is read.")

    return drawn(draw)


def _raw(objects: list[bytes]) -> bytes:
    """A PDF of numbered objects, the first of which is the catalog."""
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    start = out.tell()
    out.write(
        b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
    )
    out.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


@case(
    "layer_switched_off.pdf",
    quotable=["The rent is 300 euros.", "The garden is shared."],
    never=["The rent is 200 euros."],
)
def _() -> bytes:
    page = b"BT /F1 12 Tf 72 700 Td (The rent is 300 euros.) Tj ET /OC /Off BDC BT /F1 12 Tf 72 680 Td (The rent is 200 euros.) Tj ET EMC /OC /On BDC BT /F1 12 Tf 72 660 Td (The garden is shared.) Tj ET EMC"
    return _raw(
        [
            b"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [6 0 R] >> >> >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> /Properties << /Off 6 0 R /On 7 0 R >> >> >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            _stream(page),
            b"<< /Type /OCG /Name (Old) >>",
            b"<< /Type /OCG /Name (New) >>",
        ]
    )


def _picture(c: Canvas, width: float = 500, height: float = 700) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    image = Image.linear_gradient("L").resize((64, 96))
    c.drawImage(ImageReader(image), 48, 70, width, height)


@case(
    "scanned_page_among_others.pdf",
    quotable=["The rent is 300 euros a month.", "Both parties have signed this lease."],
    notes=["page 2"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(72, 760, "The rent is 300 euros a month.")
        c.showPage()
        _picture(c)
        c.showPage()
        c.drawString(72, 760, "Both parties have signed this lease.")

    return drawn(draw)


@case("scan_with_text_layer.pdf", quotable=["The deed was signed in the year 1921."])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        _picture(c)
        text = c.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("The deed was signed in the year 1921.")
        c.drawText(text)

    return drawn(draw)


@case("scan.pdf", error="no_text")
def _() -> bytes:
    return drawn(_picture)


@case("blank_page_among_others.pdf", quotable=["The end comes after an empty page."], notes=[])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(72, 760, "It begins on the first page.")
        c.showPage()
        c.showPage()
        c.drawString(72, 760, "The end comes after an empty page.")

    return drawn(draw)


@case("encrypted.pdf", error="encrypted")
def _() -> bytes:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.cell(text="The safe is opened with 4711.")
    pdf.set_encryption(owner_password="owner", user_password="secret")
    return bytes(pdf.output())


@case("printing_forbidden.pdf", quotable=["Anybody may read this page."])
def _() -> bytes:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    pdf.cell(text="Anybody may read this page.")
    pdf.set_encryption(owner_password="owner")
    return bytes(pdf.output())


@case("drawn_letter_by_letter.pdf", quotable=["The ferry leaves at seven."], never=["T h e"])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        x = 72.0
        pieces = []
        for letter in "The ferry leaves at seven.":
            pieces.append((x, letter))
            x += c.stringWidth(letter, "Helvetica", 12)
        for x, letter in [*pieces[::2], *pieces[1::2]]:
            c.setFont("Helvetica", 12)
            c.drawString(x, 700, letter)

    return drawn(draw)


@case("drawn_from_below.pdf", order=["First of all", "Then the door", "At last"], quotable=["Then the door is shut."])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for y, text in (
            (600, "At last the lamp is lit."),
            (650, "Then the door is shut."),
            (700, "First of all the bell rings."),
        ):
            c.drawString(72, y, text)

    return drawn(draw)


@case("bold_drawn_twice.pdf", quotable=["No entry for visitors."], never=["NNoo", "No entry for visitors. No entry"])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(72, 700, "No entry for visitors.")
        c.drawString(72.3, 700, "No entry for visitors.")
        c.drawString(72, 650, "The gate is on the left.")

    return drawn(draw)


@case(
    "justified.pdf",
    quotable=[
        "Members who cannot come send word to the clerk before noon, and the clerk reads their letters aloud.",
        "Nobody may vote by letter.",
    ],
)
def _() -> bytes:
    narrow = ParagraphStyle("narrow", parent=JUSTIFIED, rightIndent=260)
    return flowed(Paragraph(PROSE, narrow), Paragraph(PROSE + SECOND, narrow))


@case(
    "first_line_indent.pdf",
    quotable=["Nobody may vote by letter.", "Nets are forbidden in the whole bay."],
    order=["The council", "Fishing licences"],
)
def _() -> bytes:
    indented = ParagraphStyle("indented", parent=JUSTIFIED, firstLineIndent=14, spaceBefore=0, spaceAfter=0)
    return flowed(*[Paragraph(text, indented) for text in (PROSE, SECOND, PROSE, SECOND)])


@case(
    "sidebar.pdf",
    quotable=[
        "The museum shows forty boats from three centuries and the tools of those who built them.",
        "Tickets are sold until five.",
    ],
    never=["forty boats Tickets", "centuries Tickets"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(
            c,
            [
                "The museum shows forty boats from three centuries",
                "and the tools of those who built them. A film is",
                "shown every hour in the small hall, and children",
                "may row a boat on the pond behind the house.",
            ],
            60,
        )
        c.rect(370, 690, 160, 90)
        lines(
            c,
            ["Tickets are sold until", "five. Groups of ten or", "more book a guide.", "Photographs are fine."],
            380,
            760,
        )

    return drawn(draw)


@case(
    "label_and_value.pdf", quotable=["Order number: 48213", "Date of delivery: 3 May 2024"], apart=[["48213", "3 May"]]
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for number, (label, value) in enumerate(
            (("Order number:", "48213"), ("Date of delivery:", "3 May 2024"), ("Place:", "Lowmere"))
        ):
            c.drawString(72, 760 - 16 * number, label)
            c.drawString(250, 760 - 16 * number, value)

    return drawn(draw)


@case(
    "by_fpdf2.pdf",
    shown=[["Fee", "Hall", "40"]],
    section={"The hall is": "Rooms"},
    quotable=["The hall is let by the day."],
)
def _() -> bytes:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Times", "B", 18)
    pdf.cell(text="Rooms", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Times", size=12)
    pdf.multi_cell(0, text="The hall is let by the day. " + SECOND, new_x="LMARGIN", new_y="NEXT")
    with pdf.table() as table:
        for cells in (["Room", "Fee"], ["Hall", "40"], ["Attic", "25"]):
            row = table.row()
            for cell in cells:
                row.cell(cell)
    return bytes(pdf.output())


OFFICE: dict[str, tuple[str, dict[str, Any]]] = {
    "office_headings.pdf": (
        "<h1>Statutes</h1><h2>Members</h2><p>Members pay 20 euros a year. They may use the slipway.</p><h2>Guests</h2><p>Guests pay by the day. The fee is due in advance.</p>",
        dict(section={"Members pay": "Members", "Guests pay": "Guests"}, quotable=["The fee is due in advance."]),
    ),
    "office_table.pdf": (
        "<p>Prices of berths:</p><table border=1 width=400><tr><th>Berth</th><th>Summer</th><th>Winter</th></tr><tr><td>A</td><td>120</td><td>70</td></tr><tr><td>B</td><td></td><td>99</td></tr><tr><td>C</td><td>250</td><td>110</td></tr></table><p>They hold for a year.</p>",
        {**PRICE_ROWS, "quotable": ["They hold for a year."]},
    ),
    "office_lists.pdf": (
        "<p>Bring along:</p><ul><li>a towel</li><li>papers:<ul><li>the passport</li><li>the ticket</li></ul></li></ul><p>The following steps are taken:</p><ol><li>Ring the bell.</li><li>Wait for the warden.</li></ol><p>Leave the rest at home.</p>",
        dict(
            shown=[
                ["Bring along:", "a towel"],
                ["Bring along:", "papers:", "the passport"],
                ["The following steps are taken:", "Wait for the warden."],
            ],
            quotable=["Leave the rest at home."],
            apart=[["Bring along:", "Ring the bell"]],
        ),
    ),
    "office_superscripts.pdf": (
        "<p>The tank holds 10<sup>6</sup> litres of H<sub>2</sub>O.</p>",
        dict(quotable=["The tank holds 10⁶ litres of H₂O."], never=["106"]),
    ),
    "office_german.pdf": (
        "<h2>Kündigung</h2><p style='text-align:justify;width:60%'>Die Kündigungsfrist beträgt mind. drei Monate zum Ende des Quartals. Sie gilt gem. § 5 Abs. 2 des Vertrags nicht für Gäste, die nur für eine Saison bleiben. Alles Weitere regelt die Hausordnung.</p>",
        dict(
            quotable=[
                "Die Kündigungsfrist beträgt mind. drei Monate zum Ende des Quartals.",
                "Alles Weitere regelt die Hausordnung.",
            ],
            section={"Alles Weitere": "Kündigung"},
        ),
    ),
    "office_long.pdf": (
        "<h1>Rules</h1>"
        + "".join(
            f"<h2>Part {n}</h2>" + f"<p>{PROSE} Rule number {n} is the last one here.</p>" * 2 for n in range(1, 9)
        ),
        dict(
            quotable=["Rule number 7 is the last one here."],
            section={"Rule number 7": "Part 7"},
            order=["Rule number 1 ", "Rule number 4 ", "Rule number 8 "],
        ),
    ),
}


def make_office(folder: Path) -> None:
    """The files that LibreOffice writes."""
    program = shutil.which("soffice")
    for name, (body, wanted) in OFFICE.items():
        CASES[name] = wanted
        if program is None:
            continue
        with tempfile.TemporaryDirectory() as work:
            source = Path(work) / name.replace(".pdf", ".html")
            source.write_text(f"<html><meta charset=utf-8><body>{body}</body></html>", encoding="utf-8")
            base = [program, f"-env:UserInstallation=file://{tempfile.gettempdir()}/office-of-pdfs", "--headless"]
            for option, kind, file in (
                ("--infilter=HTML (StarWriter)", "odt:writer8", source),
                ("--norestore", "pdf:writer_pdf_Export", source.with_suffix(".odt")),
            ):
                subprocess.run(
                    [*base, option, "--convert-to", kind, "--outdir", work, str(file)],
                    check=True,
                    capture_output=True,
                    timeout=120,
                )
            shutil.copy(source.with_suffix(".pdf"), folder / name)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for more in ("more_pdfs", "group_pdfs", "browser_pdfs", "typeset_pdfs", "word_pdfs"):
        import_module(f"tests.read.files.{more}")
    for name, make in MAKERS.items():
        (FOLDER / name).write_bytes(make())
    if "--no-office" not in sys.argv:
        make_office(FOLDER)
    else:
        CASES.update({name: wanted for name, (_, wanted) in OFFICE.items()})
    text = json.dumps(CASES, ensure_ascii=False, indent=1, sort_keys=True)
    (FOLDER / "manifest.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":  # the module that more_pdfs.py adds to is the imported one
    import_module("tests.read.files.make_pdfs").main()
