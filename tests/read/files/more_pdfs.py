"""More PDFs for make_pdfs.py: lists in columns and by flowables, fractions, cells that wrap, boxes beside text, notes."""

from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, ListItem, Paragraph, Table, TableStyle

from tests.read.files.make_pdfs import BODY, case, drawn, flowed, lines


def rows_at(c: Canvas, rows: list[tuple[str, ...]], places: tuple[int, ...], y: float = 760, step: float = 15) -> None:
    for number, row in enumerate(rows):
        for x, value in zip(places, row, strict=False):
            c.drawString(x, y - step * number, value)


@case(
    "lists_in_two_columns.pdf",
    shown=[
        ["Never do:", "smoke on the pontoon"],
        ["Visitors may:", "ring the bell"],
        ["Visitors may not:", "swim in the lock"],
    ],
    never=["people Visitors", "bell Visitors"],
    apart=[["Never do:", "use the showers"], ["Visitors may:", "fish from the crane"]],
)
def _() -> bytes:
    left = [
        "Always do:",
        "• wear a helmet",
        "• close the gate",
        "Never do:",
        "• smoke on the pontoon",
        "• lift a load over people",
    ]
    right = [
        "Visitors may:",
        "• use the showers",
        "• ring the bell",
        "Visitors may not:",
        "• swim in the lock",
        "• fish from the crane",
    ]
    return drawn(lambda c: (lines(c, left, 60), lines(c, right, 320)))


@case(
    "lists_of_flowables.pdf",
    quotable=["Open the valve.", "Wait two minutes.", "sublet the berth", "no fires", "wash sails"],
    shown=[["The tenant must not:", "(b) sublet the berth"], ["Winter rules:", "no fires"]],
    never=["valve. 2"],
    apart=[["The tenant must not:", "no fires"]],
)
def _() -> bytes:
    def made(*texts: str, **options: str) -> ListFlowable:
        return ListFlowable([Paragraph(text, BODY) for text in texts], **options)

    return flowed(
        made("Open the valve.", "Wait two minutes.", "Close the valve."),
        Paragraph("The tenant must not:", BODY),
        made("light fires", "sublet the berth", "wash sails", bulletType="a", bulletFormat="(%s)"),
        Paragraph("Winter rules:", BODY),
        made("no fires", "no drones", bulletType="bullet", start="diamond"),
    )


@case(
    "list_arrows.pdf",
    shown=[
        [
            "Guests may not:",
            "leave boats on the slipway over night, whatever the weather is and whoever has said that they may",
        ],
        ["Guests may not:", "fish"],
    ],
    never=["→"],
)
def _() -> bytes:
    texts = [
        "fish",
        "leave boats on the slipway over night, whatever the weather is and whoever has said that they may",
        "swim",
    ]
    items = [ListItem(Paragraph(text, BODY)) for text in texts]
    return flowed(Paragraph("Guests may not:", BODY), ListFlowable(items, bulletType="bullet", start="→"))


@case(
    "fractions_over_a_bar.pdf",
    quotable=[
        "Add 3/4 litre of oil to the tank each week.",
        "The mix takes 2 1/2 cups of water.",
        "It is cooked for one hour.",
    ],
    never=["Add 3 litre", "21", "2₂"],
)
def _() -> bytes:
    def over_bar(c: Canvas, x: float, y: float, above: str, below: str) -> None:
        c.setFont("Helvetica", 7)
        c.drawString(x + 1, y + 4, above)
        c.line(x, y + 2.5, x + 6, y + 2.5)
        c.drawString(x + 1, y - 4.5, below)
        c.setFont("Helvetica", 11)

    def draw(c: Canvas) -> None:
        lines(c, ["Add"])
        over_bar(c, 97, 760, "3", "4")
        c.drawString(106, 760, "litre of oil to the tank each week.")
        c.drawString(72, 735, "The mix takes 2")
        x = 72 + c.stringWidth("The mix takes 2", "Helvetica", 11)
        over_bar(c, x, 735, "1", "2")
        c.drawString(x + 9, 735, "cups of water.")
        c.drawString(72, 710, "It is cooked for one hour.")

    return drawn(draw)


@case(
    "table_cells_end_on_one_line.pdf",
    quotable=[
        "| Slipway with the help of the harbour master | 12 | 20 |",
        "| Shower in the new building behind the office | 1 | 2 |",
        "| Water | 0.50 | 0.80 |",
    ],
    shown=[["Price for members of the club in euros a day", "| Crane | 40 | 60 |"]],
)
def _() -> bytes:
    p = lambda text: Paragraph(text, BODY)  # noqa: E731
    made = Table(
        [["Service", p("Price for members of the club in euros a day"), p("Price for everybody else in euros")], ["Crane", "40", "60"],
         [p("Slipway with the help of the harbour master"), "12", "20"], [p("Shower in the new building behind the office"), "1", "2"],
         ["Water", "0.50", "0.80"]],
        colWidths=[120, 110, 110],
    )  # fmt: skip
    made.setStyle(TableStyle([("VALIGN", (0, 0), (-1, -1), "BOTTOM")]))
    return flowed(p("Prices of services"), made, p("Prices include tax."))


BESIDE = [
    "The harbour office is open from eight to noon.",
    "Guests who arrive later ring the bell at the door.",
    "The night guard then opens the gate for them.",
    "He writes down the name of the boat and its length.",
]
BOXED = dict(
    quotable=BESIDE,
    never=["noon. |", "| The harbour", "Phone: The"],
    apart=[["ring the bell", "555 0100"], ["opens the gate", "holidays"]],
)


@case("box_beside_sentences.pdf", **BOXED)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, BESIDE, 60)
        lines(c, ["Phone:", "555 0100", "Closed on", "holidays"], 420)
        c.rect(412, 710, 100, 66)

    return drawn(draw)


@case(
    "note_in_the_margin_of_two_lines.pdf",
    quotable=[
        "The crane lifts boats of up to nine tonnes and is worked only by the crew that the harbour master has named for "
        "the season that begins in April."
    ],
    never=["| The crane", "nine tonnes | ", "Crane by appointment has named", "season Crane"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        text = [
            "The crane lifts boats of up to nine tonnes and is worked only by the",
            "crew that the harbour master has named for the season that",
            "begins in April.",
        ]
        lines(c, text, 60)
        lines(c, ["Crane by", "appointment"], 470, size=8)

    return drawn(draw)


@case(
    "table_above_text_that_begins_further_out.pdf",
    quotable=["| Lamp | Use indoors only. Never cover it. |", "Total: 5 units."],
    shown=[["| Item | Note |", "| Lamp |"]],
    never=["Lamp Never", "Item Note", "it. Chair"],
)
def _() -> bytes:
    made = Table([["Item", "Note"], ["Lamp", "Use indoors only.\nNever cover it."], ["Chair", ""]])
    made.setStyle(TableStyle([("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)]))
    return flowed(
        Paragraph("The list of things follows.", BODY), made, Paragraph("Total: 5 <strike>6</strike> units.", BODY)
    )


@case(
    "contents_with_leaders.pdf",
    quotable=["Fire doors stay closed at all times."],
    never=["1 2 Safety", "3 2.1 Fire"],
)
def _() -> bytes:
    entries = [("1 Introduction", 1), ("2 Safety", 3), ("2.1 Fire", 4)]
    contents = [f"{name} {'.' * 60} {page}" for name, page in entries]
    return drawn(lambda c: (lines(c, contents, 72), lines(c, ["Fire doors stay closed at all times."], 72, 700)))


@case(
    "note_below_a_closed_text.pdf",
    order=["The deposit is 200 euros", "It is paid back", "Only if all keys"],
    noted=[["The deposit is 200 euros", "Only if all keys are returned."]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        text = c.beginText(72, 760)
        text.setFont("Helvetica", 11)
        text.textOut("The deposit is 200 euros.")
        text.setRise(4)
        text.setFont("Helvetica", 7)
        text.textOut("1")
        c.drawText(text)
        lines(c, ["It is paid back when the season ends."], 72, 730)
        c.line(72, 90, 200, 90)
        lines(c, ["1 Only if all keys are returned."], 72, 78, size=8)

    return drawn(draw)


@case("box_before_sentences.pdf", **BOXED)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.setFillColor(colors.lightgrey)
        c.rect(52, 710, 100, 66, stroke=0, fill=1)
        c.setFillColor(colors.black)
        lines(c, BESIDE, 200)
        lines(c, ["Phone:", "555 0100", "Closed on", "holidays"], 60)

    return drawn(draw)


@case(
    "table_last_column_nearly_empty.pdf",
    quotable=["| B1 | 12 m | 60 euros | only in summer |", "| C15 | 15 m | 75 euros | |"],
    shown=[["Berth", "Price | Note", "| B1 |"]],
    never=["60 euros only"],
)
def _() -> bytes:
    rows = [
        ("Berth", "Length", "Price", "Note"),
        ("A1", "8 m", "40 euros"),
        ("B1", "12 m", "60 euros", "only in summer"),
    ]
    rows += [(f"C{n}", f"{n} m", f"{60 + n} euros") for n in range(10, 22)]
    return drawn(lambda c: rows_at(c, rows, (60, 150, 230, 340)))


@case(
    "table_last_column_without_header.pdf",
    quotable=["| B1 | 12 m | 60 euros | no power |", "| D1 | 18 m | 99 euros | |"],
    never=["60 euros no power"],
)
def _() -> bytes:
    rows = [("Berth", "Length", "Price"), ("A1", "8 m", "40 euros"), ("A2", "9 m", "45 euros"), ("B1", "12 m", "60 euros", "no power"),
            ("B2", "12 m", "62 euros"), ("C1", "15 m", "80 euros"), ("C2", "15 m", "82 euros"), ("D1", "18 m", "99 euros")]  # fmt: skip
    return drawn(lambda c: rows_at(c, rows, (60, 150, 230, 420)))


@case(
    "notes_with_plain_numbers.pdf",
    noted=[
        [
            "Deposits of boat 1 are refunded within ten days",
            "Only if all keys of boat 1 are returned. This goes for spare keys too.",
        ],
        ["Deposits of boat 3 are refunded within ten days", "Only if all keys of boat 3 are returned."],
    ],
    quotable=["Keys are handed over at the office, and boats as well where the harbour master agrees to it."],
    never=["17", "- 18 -"],
    apart=[["Deposits of boat 1", "keys of boat 2"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for page in (1, 2, 3):
            text = f"Deposits of boat {page} are refunded within ten days"
            lines(c, [text], 60)
            x = 60 + c.stringWidth(text, "Helvetica", 11)
            c.setFont("Helvetica", 7)
            c.drawString(x, 764, str(page))
            c.setFont("Helvetica", 11)
            c.drawString(x + 5, 760, "and without interest.")
            lines(
                c,
                ["Keys are handed over at the office, and boats as well", "where the harbour master agrees to it."],
                60,
                735,
            )
            lines(
                c,
                [f"{page}. Only if all keys of boat {page} are returned.", "This goes for spare keys too."],
                60,
                98,
                10,
                8,
            )
            c.setFont("Helvetica", 9)
            c.drawString(290, 40, f"- {16 + page} -")
            c.showPage()

    return drawn(draw)


@case(
    "page_number_on_one_page.pdf",
    quotable=["The gate closes at ten.", "Dogs are kept on a lead."],
    noted=[["Dogs are kept on a lead.", "Not those of guides."]],
    never=["47"],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(c, ["The gate closes at ten.", "Dogs are kept on a lead."], step=30)
        c.setFont("Helvetica", 7)
        c.drawString(72 + c.stringWidth("Dogs are kept on a lead.", "Helvetica", 11), 734, "1")
        lines(c, ["1 Not those of guides."], y=98, size=8)
        c.setFont("Helvetica", 9)
        c.drawString(290, 40, "47")

    return drawn(draw)


@case(
    "table_headers_turned.pdf",
    quotable=["| B2 | 9 m | no | yes |"],
    shown=[["Berth", "Length of boat", "Power", "Water", "| C3 | 12 m | yes | yes |"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        c.drawString(62, 682, "Berth")
        for number, text in enumerate(("Length of boat", "Power", "Water")):
            c.saveState()
            c.translate(170 + 60 * number, 680)
            c.rotate(90)
            c.drawString(0, 0, text)
            c.restoreState()
        rows_at(
            c,
            [("A1", "8 m", "yes", "no"), ("B2", "9 m", "no", "yes"), ("C3", "12 m", "yes", "yes")],
            (62, 142, 202, 262),
            662,
            18,
        )
        c.grid([58, 138, 198, 258, 318], [770, 676, 658, 640, 622])

    return drawn(draw)


@case(
    "dashes_in_large_letters.pdf",
    quotable=["smoke on deck", "bring dogs"],
    shown=[["Guests must not:", "bring dogs"]],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        lines(
            c,
            [
                "All words of this text are set in small letters, of which there are many more",
                "than of the large ones that stand below, as on a slide.",
            ],
        )
        lines(c, ["Guests must not:", "– smoke on deck", "– bring dogs"], y=700, step=22, size=16)

    return drawn(draw)


@case(
    "forms_of_one_kind.pdf",
    quotable=[
        "The berth number 1 is let to boat 1 of the club.",
        "The berth number 2 is let to boat 2 of the club.",
        "Line 7 is read.",
    ],
)
def _() -> bytes:
    def draw(c: Canvas) -> None:
        for page in (1, 2, 3):
            texts = [f"The berth number {page} is let to boat {page} of the club."]
            lines(c, texts + [f"Line {n} is read." for n in range(2, 12)], y=800)
            c.showPage()

    return drawn(draw)


@case(
    "table_bold_names_of_rows.pdf",
    quotable=[
        "| Price | 40 euros | 60 euros |",
        "| Theft | Theft is not covered while the boat is unlocked or nobody watches it over night. |",
    ],
    never=["Theft is not covered while the boat is unlocked or nobody watches it over night. Flood"],
)
def _() -> bytes:
    p = lambda text: Paragraph(text, ParagraphStyle("cell", parent=BODY))  # noqa: E731
    bold = ("FONTNAME", (0, 0), (0, -1), "Helvetica-Bold")
    berths = Table(
        [["Berth", "A1", "B2"], ["Length", "8 m", "12 m"], ["Price", "40 euros", "60 euros"]], colWidths=[100, 80, 80]
    )
    berths.setStyle(TableStyle([bold]))
    covered = Table(
        [["Storm", p("Damage by storm is covered up to 1000 euros a year, if the boat was moored with two lines.")],
         ["Theft", p("Theft is not covered while the boat is unlocked or nobody watches it over night.")], ["Flood", p("Flood is covered.")]],
        colWidths=[100, 250],
    )  # fmt: skip
    covered.setStyle(TableStyle([bold, ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    return flowed(
        p("All berths are let by the year, and each has water."),
        berths,
        p("The cover of the insurance:"),
        covered,
        p("Ask for more."),
    )
