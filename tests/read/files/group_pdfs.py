"""More PDFs for make_pdfs.py: names of groups, turned headers, hyphens at line ends, pale text, check marks, lists."""

from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, ListItem, Paragraph, Table, TableStyle

from tests.read.files.make_pdfs import BODY, STYLES, case, drawn, flowed, lines

SERVICES = [
    ("Service", "Small", "Large"),
    ("Boats",),
    ("Cleaning", "40", "80"),
    ("Painting", "200", "420"),
    ("Cars",),
    ("Cleaning", "20", "35"),
    ("Painting", "300", "600"),
]
GROUPED = {
    "shown": [
        ["Boats", "Service | Small | Large", "Cleaning | 40 | 80"],
        ["Boats", "Service | Small | Large", "Painting | 200 | 420"],
        ["Cars", "Service | Small | Large", "Cleaning | 20 | 35"],
        ["Cars", "Service | Small | Large", "Painting | 300 | 600"],
    ],
    "apart": [["Cars", "Cleaning | 40"], ["Boats", "Cleaning | 20"], ["Painting", "Cars", "200"]],
}


def service_rows(c: Canvas, *, bold: bool) -> None:
    lines(c, ["Our prices from January on."], y=780)
    for number, row in enumerate(SERVICES):
        c.setFont("Helvetica-Bold" if bold and len(row) == 1 else "Helvetica", 11)
        for x, value in zip((72, 250, 350), row, strict=False):
            c.drawString(x, 750 - 16 * number, value)


@case("group_rows.pdf", **GROUPED)
def _() -> bytes:
    return drawn(lambda c: service_rows(c, bold=False))


@case("group_rows_bold.pdf", **GROUPED)
def _() -> bytes:
    return drawn(lambda c: service_rows(c, bold=True))


@case("group_rows_ruled.pdf", **GROUPED)
def _() -> bytes:
    rows = [(*row, *[""] * (3 - len(row))) for row in SERVICES]
    style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("SPAN", (0, 1), (-1, 1)), ("SPAN", (0, 4), (-1, 4))]
    return flowed(Table(rows, style=TableStyle(style)))


@case(
    "heading_between_tables.pdf",
    shown=[["Berth | Fee", "North | 20"], ["Room | Seats", "Blue | 12"]],
    apart=[["Berth | Fee", "Blue | 12"], ["Our rooms", "North | 20"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        y = 760
        for heading, rows in (
            ("Our berths", [("Berth", "Fee"), ("North", "20"), ("South", "30"), ("East", "35")]),
            ("Our rooms", [("Room", "Seats"), ("Blue", "12"), ("Green", "30"), ("Red", "8")]),
        ):
            lines_of = [(heading,), *rows]
            for row in lines_of:
                c.setFont("Helvetica-Bold" if row[0] in (heading, rows[0][0]) else "Helvetica", 11)
                for x, value in zip((72, 200), row, strict=False):
                    c.drawString(x, y, value)
                y -= 16

    return drawn(draw)


@case(
    "line_end_hyphens.pdf",
    quotable=[
        "The self-service counter opens at nine.",
        "Ask for a 24-hour ticket at the department of the Miller-Brown family.",
        "It covers short- and long-term stays under COVID-19 rules.",
    ],
)
def _() -> bytes:
    text = """The self-
service counter opens at nine. Ask for a 24-
hour ticket at the depart-
ment of the Miller-
Brown family. It covers short-
and long-
term stays under COVID-
19 rules."""
    return drawn(lambda c: lines(c, text.split("\n")) and None)


@case("pale_text.pdf", quotable=["The fee for a berth is 30 euro a night."], never=["900", "mooring", "Grey"])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["The fee for a berth is 30 euro a night."])
        for number, grey in enumerate((0.97, 0.9725, 0.975, 0.98)):
            c.setFillGray(grey)
            lines(c, [f"Grey {grey} says that the fee for a mooring is 900 euro, is it not?"], y=740 - 20 * number)

    return drawn(draw)


@case("check_marks.pdf", quotable=["✔ The machine was cleaned", "✘ The filter was changed", "The lid was closed"])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["Please tick what applies."])
        for number, (mark, text) in enumerate(
            (("✔", "The machine was cleaned"), ("✘", "The filter was changed"), ("❏", "The lid was closed"))
        ):
            c.setFont("ZapfDingbats", 11)
            c.drawString(72, 740 - 18 * number, mark)
            c.setFont("Helvetica", 11)
            c.drawString(92, 740 - 18 * number, text)

    return drawn(draw)


ROLES = [("Apprentice", "yes", "no", ""), ("Archivist", "no", "yes", "no"), ("Administrator", "yes", "yes", "yes")]
BY_ROLE = {
    "shown": [["Workshop | Archive | Server room", "Archivist | no | yes | no"], ["Apprentice | yes | no | |"]],
    "never": ["Server room Workshop", "Archive Server"],
}


def roles(c: Canvas, *, upwards: bool) -> None:
    lines(c, ["Access to rooms by role."], y=800)
    for number, header in enumerate(("Workshop", "Archive", "Server room")):
        c.saveState()
        c.translate(210 + 60 * number, 700 if upwards else 770)
        c.rotate(90 if upwards else -90)
        c.drawString(0, 0, header)
        c.restoreState()
    for number, row in enumerate(ROLES):
        for x, value in zip((72, 200, 260, 320), row, strict=True):
            c.drawString(x, 680 - 16 * number, value)


@case("headers_upwards.pdf", **BY_ROLE)
def _() -> bytes:
    return drawn(lambda c: roles(c, upwards=True))


@case("headers_downwards.pdf", **BY_ROLE)
def _() -> bytes:
    return drawn(lambda c: roles(c, upwards=False))


@case(
    "list_then_sentence.pdf",
    quotable=["bikes on the quay", "Ask the office first.", "das Betreten der Molen bei Sturm und Hochwasser"],
    apart=[["Not allowed:", "Ask the office"], ["Nicht erlaubt sind:", "Besucher fragen"]],
)
def _() -> bytes:
    text = """Not allowed:
• fishing from crane
• open fires today
• bikes on the quay
Ask the office first.

Nicht erlaubt sind:
• das Anlegen von Booten ohne Wache
• das Betreten der Molen bei Sturm und
Hochwasser
• das Ablegen nach der Dunkelheit
Besucher fragen zuerst im Büro."""
    return drawn(lambda c: lines(c, text.split("\n")) and None)


@case(
    "watermark.pdf",
    quotable=["The period begins on the day on which the goods arrive at the gate of the northern yard."],
    never=["DRAFT The", "DRAFT at", "arrive DRAFT"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for texts in (
            ["Complaints are made within 8 days."] * 30 + ["The period begins on the day on which the goods arrive"],
            ["at the gate of the northern yard.", "Nothing else is agreed."],
        ):
            c.saveState()
            c.translate(200, 400)
            c.rotate(35)
            c.setFont("Helvetica", 60)
            c.setFillGray(0.9)
            c.drawString(0, 0, "DRAFT")
            c.restoreState()
            lines(c, texts)
            c.showPage()

    return drawn(draw)


@case(
    "cells_over_rows.pdf",
    shown=[
        ["Class | Term | Review", "A | 30 days | yearly"],
        ["Class | Term | Review", "B | 14 days | each quarter"],
        ["Class | Term | Review", "C | advance | each quarter"],
    ],
    apart=[["A | 30 days", "each quarter"]],
)
def _() -> bytes:
    rows = [
        ("Class", "Term", "Review"),
        ("A", "30 days", "yearly"),
        ("B", "14 days", "each quarter"),
        ("C", "advance", ""),
    ]
    grid = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
    return flowed(Table(rows, style=TableStyle([grid, ("SPAN", (2, 2), (2, 3)), ("VALIGN", (2, 2), (2, 3), "MIDDLE")])))


@case(
    "invoice.pdf",
    shown=[
        ["Pos | Article | Qty | Amount", "1 | Rye bread, 1 kg | 20 | 64.00"],
        ["Pos | Article | Qty | Amount", "Total | 79.00"],
        ["Holm Bakery", "Date: 3 March"],
    ],
    apart=[["Bergen", "Pos"], ["Due: 17 March", "Rye bread"]],
    quotable=["Payable within 14 days without deduction."],
)
def _() -> bytes:
    head = Table(
        [["Holm Bakery", "Date: 3 March"], ["Quay 4", "Customer: 4471"], ["5003 Bergen", "Due: 17 March"]], [260, 200]
    )
    rows = [
        ("Pos", "Article", "Qty", "Amount"),
        ("1", "Rye bread, 1 kg", "20", "64.00"),
        ("2", "Delivery", "1", "15.00"),
        ("", "", "Total", "79.00"),
    ]
    bold, line = ("FONT", (0, 0), (-1, 0), "Helvetica-Bold"), ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)
    items = Table(rows, [40, 220, 80, 120], style=TableStyle([bold, line, ("ALIGN", (2, 0), (-1, -1), "RIGHT")]))
    return flowed(head, items, Paragraph("Payable within 14 days without deduction. Interest is 8 % a year.", BODY))


@case(
    "striped_with_dark_header.pdf",
    shown=[
        ["Parameter | DT-9 | DT-9 Plus | Unit", "Heat pump | no | yes | |"],
        ["Parameter | DT-9 | DT-9 Plus | Unit", "Noise | 63 | ≤ 60 | dB"],
    ],
)
def _() -> bytes:
    rows = [
        ("Parameter", "DT-9", "DT-9 Plus", "Unit"),
        ("Capacity", "8", "9", "kg"),
        ("Noise", "63", "≤ 60", "dB"),
        ("Heat pump", "no", "yes", ""),
        ("Warranty", "2", "5", "years"),
    ]
    stripes = ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.whitesmoke, colors.white])
    dark, white = ("BACKGROUND", (0, 0), (-1, 0), colors.darkblue), ("TEXTCOLOR", (0, 0), (-1, 0), colors.white)
    return flowed(Table(rows, [140, 85, 85, 60], style=TableStyle([stripes, dark, white])))


@case("foot_below_list.pdf", quotable=["3. Do not touch machines."], apart=[["Do not touch machines", "Form V-7"]])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["1. Hold the handrail.", "2. Report accidents at once.", "3. Do not touch machines."])
        lines(c, ["Form V-7"], x=280, y=60, size=8)

    return drawn(draw)


@case(
    "statute.pdf",
    shown=[
        ["(2) Es ist verboten,", "3. ohne Erlaubnis zu tauchen."],
        ["(1) Die Gebühr beträgt je Tag", "b) für Boote über 8 m"],
    ],
    section={"ohne Erlaubnis zu tauchen": "§ 2 Liegeplätze", "für Boote über 8 m": "§ 3 Gebühren"},
    quotable=["(3) Ausnahmen bewilligt der Hafenmeister."],
    apart=[["Es ist verboten", "Ausnahmen"]],
)
def _() -> bytes:
    centred = ParagraphStyle("centred", parent=BODY, alignment=1, fontName="Helvetica-Bold")
    texts = [
        ("§ 1<br/>Geltung", ["Diese Satzung gilt für den Hafen der Gemeinde Lund."]),
        (
            "§ 2<br/>Liegeplätze",
            [
                "(1) Liegeplätze werden zugewiesen.",
                "(2) Es ist verboten,<br/>1. Feuer zu machen,<br/>2. Musik zu spielen,<br/>3. ohne Erlaubnis zu tauchen.",
                "(3) Ausnahmen bewilligt der Hafenmeister.",
            ],
        ),
        (
            "§ 3<br/>Gebühren",
            ["(1) Die Gebühr beträgt je Tag<br/>a) für Boote bis 8 m 12 Euro,<br/>b) für Boote über 8 m 20 Euro."],
        ),
    ]
    story = [[Paragraph(head, centred), *(Paragraph(text, BODY) for text in of)] for head, of in texts]
    return flowed(*(part for parts in story for part in parts))


@case(
    "warning_in_box.pdf",
    quotable=["WARNING Switch off the motor before opening the cover."],
    section={"To change the blade": "1 Blade", "Turn the bolt": "1 Blade", "Call the service": "1 Blade"},
)
def _() -> bytes:
    text = Paragraph("<b>WARNING</b><br/>Switch off the motor before opening the cover.", BODY)
    box = [("BOX", (0, 0), (-1, -1), 1, colors.red), ("BACKGROUND", (0, 0), (-1, -1), colors.mistyrose)]
    steps = [ListItem(Paragraph(f"Turn the bolt {n}.", BODY)) for n in range(1, 5)]
    rows = [
        ("Fault", "Cause", "Remedy"),
        ("Motor hums", "Blade is blocked", "Call the service"),
        ("No light", "Fuse", "Replace it"),
    ]
    return flowed(
        Paragraph("1 Blade", STYLES["Heading1"]),
        Paragraph("The blade is cleaned after every shift, by whoever worked with it.", BODY),
        Table([[text]], style=TableStyle(box)),
        Paragraph("To change the blade:", BODY),
        ListFlowable(steps, bulletType="1"),
        Table(rows, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.3, colors.grey)])),
        ListFlowable(steps, bulletType="1"),
    )


@case(
    "heads_with_chapters.pdf",
    quotable=["The mole is checked after every storm that comes from the northern quarter."],
    never=["Chapter 2: Moles", "Chapter 1: Quays"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for page, head in enumerate(["Quays", "Quays", "Moles", "Moles", "Moles"], 1):
            lines(c, [f"Chapter {1 + page // 3}: {head}"], y=800, size=9)
            c.drawRightString(520, 800, str(page))
            lines(
                c,
                [f"Rule {page} says that the gates are shut at night."] * 30
                + ["The mole is checked after every storm that"],
            )
            c.showPage()
        lines(c, ["Chapter 2: Moles"], y=800, size=9)
        c.drawRightString(520, 800, "6")
        lines(c, ["comes from the northern quarter."])

    return drawn(draw)


@case(
    "options_in_small_letters.pdf",
    shown=[["-b, --benchmark", "perform a benchmark on decoding"], ["-h, --help", "display this help and exit"]],
    apart=[["--benchmark", "use strict"], ["--help", "decoding"]],
)
def _() -> bytes:
    rows = [
        ("-b, --benchmark", "perform a benchmark on decoding"),
        ("-s, --strict", "use strict decoding"),
        ("-t, --no-time-strict", "use strict decoding but not in the fields of times"),
        ("-h, --help", "display this help and exit"),
        ("-v, --version", "output information on the version and exit"),
    ]
    return drawn(
        lambda c: (
            [c.drawString(x, 760 - 14 * n, row[k]) for n, row in enumerate(rows) for k, x in enumerate((72, 230))]
            and None
        )
    )


@case(
    "minutes.pdf",
    shown=[
        [
            "No. | Action | Who | Until",
            "1.1 | Repair the door of stair B, and test the closer afterwards | Ruiz | 1 April",
        ],
        ["No. | Action | Who | Until", "1.2 | Order megaphones | Holm | 15 March"],
    ],
    quotable=["The goal is 10."],
    never=["9 minutes"],
    apart=[["drill", "Action"], ["The goal", "Who"]],
)
def _() -> bytes:
    action = Paragraph("Repair the door of stair B, and test the closer afterwards", BODY)
    rows = [
        ("No.", "Action", "Who", "Until"),
        ("1.1", action, "Ruiz", "1 April"),
        ("1.2", "Order megaphones", "Holm", "15 March"),
    ]
    style = [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.grey), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    return flowed(
        Paragraph("The drill took 14 minutes. <strike>It took 9 minutes.</strike> The goal is 10.", BODY),
        Table(rows, [43, 227, 71, 85], style=TableStyle(style)),
        Paragraph("The next meeting is in May, as it was last year.", BODY),
    )


@case("boxes_in_one_line.pdf", shown=[["☐ summer"], ["☒ winter"]], apart=[["summer", "winter"]])
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["The berth is wanted for one season of the year."])
        for number, (text, ticked) in enumerate((("summer", False), ("winter", True))):
            x = 72 + 150 * number
            c.rect(x, 720, 10, 10)
            if ticked:
                c.lines([(x, 720, x + 10, 730), (x, 730, x + 10, 720)])
            c.drawString(x + 16, 722, text)
        lines(c, ["Applications are answered within two weeks."], y=690)

    return drawn(draw)


@case(
    "caption_above_header.pdf",
    shown=[["Property | Unit | P-240", "Voltage | V | 230"]],
    never=["data Property", "data | Unit"],
    quotable=["The P-240 is a pump for clean water."],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["The P-240 is a pump for clean water.", "", "Table 1: Electrical data"])
        for number, row in enumerate([("Property", "Unit", "P-240"), ("Voltage", "V", "230"), ("Current", "A", "7.1")]):
            c.setFont("Helvetica" if number else "Helvetica-Bold", 11)
            for x, value in zip((72, 150, 220), row, strict=True):
                c.drawString(x, 716 - 20 * number, value)

    return drawn(draw)
