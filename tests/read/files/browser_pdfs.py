"""More PDFs for make_pdfs.py: pages that a browser prints, which draws its bullets and the lines of its tables.

They are made anew where they are missing or with `--browser`, by Chromium, since each run writes other bytes.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.read.files.make_pdfs import FOLDER, case

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><style>body{{font:11pt sans-serif}}{}</style></head>"


def printed(name: str, body: str, style: str = "") -> bytes:
    program, kept = shutil.which("chromium"), FOLDER / name
    if kept.exists() and (program is None or "--browser" not in sys.argv):
        return kept.read_bytes()
    assert program, f"Chromium is needed to make {name}"
    with tempfile.TemporaryDirectory() as work:
        page, made = Path(work) / "page.html", Path(work) / "page.pdf"
        page.write_text(HEAD.format(style) + f"<body>{body}</body></html>", encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={made}"]
        subprocess.run([program, *options, page.as_uri()], check=True, capture_output=True, timeout=120)
        return made.read_bytes()


@case(
    "browser_lists.pdf",
    quotable=["Do not pump liquids over 60 °C.", "1. Fill the pump.", "2. Open the valve by ½ turn."],
    shown=[
        ["Do not pump liquids over 60 °C.", "With the HT kit: 90 °C"],
        ["The following is never reimbursed:", "Fines for parking"],
        ["2. The following is never paid:", "2.2 charges for a minibar"],
    ],
    apart=[["never reimbursed:", "Receipts are handed in"], ["60 °C", "run dry"]],
)
def _() -> bytes:
    return printed(
        "browser_lists.pdf",
        "<h1>Pump</h1><ul><li>Do not pump liquids over 60 °C.<ul><li>With the HT kit: 90 °C</ul>"
        "<li>Do not run dry for more than 10 s.</ul><ol><li>Fill the pump.<li>Open the valve by ½ turn.</ol>"
        "<p>The following is never reimbursed:<ul><li>Minibar charges<li>Fines for parking</ul>"
        "<p>Receipts are handed in within 30 days.<ol class=legal><li>Trips are booked in May.<li>The following is "
        "never paid:<ol><li>fines for speeding<li>charges for a minibar</ol></ol>",
        ".legal,.legal ol{counter-reset:n;list-style:none}.legal li{counter-increment:n}"
        ".legal>li:before{content:counter(n) '. '}.legal ol li:before{content:counters(n,'.') ' '}",
    )


@case(
    "browser_bordered_table.pdf",
    shown=[["Lot | Places | Fee", "North | 120 | 4 €"], ["Lot | Places | Fee", "West | 60 | 6 €"]],
    never=["120/60", "4/6"],
)
def _() -> bytes:
    return printed(
        "browser_bordered_table.pdf",
        "<h3>Parking</h3><p>The lots are open all year.<table border=1><tr><th>Lot<th>Places<th>Fee<tr><td>North<td>120"
        "<td>4 €<tr><td>West<td>60<td>6 €</table>",
        "td{padding:0}",
    )


@case(
    "browser_list_over_columns.pdf",
    order=["Passports are handed", "Food is thrown away", "Animals are brought"],
    section={"Food is thrown away": "Lost property", "Animals are brought": "Lost property"},
)
def _() -> bytes:
    prose = "Things that are found in trains are kept for ten days at the station and then sent to the depot. " * 2
    return printed(
        "browser_list_over_columns.pdf",
        f"<h1>Station Gazette</h1><div><h3>Opening</h3><p>{prose}{prose}<h3>Lost property</h3><p>{prose}"
        "<ul><li>Passports are handed to the police at once.<li>Food is thrown away on the same day."
        f"<li>Animals are brought to the shelter.</ul><h3>Parking</h3><p>{prose}{prose}</div>",
        "div{column-count:2}",
    )


@case(
    "browser_tables_side_by_side.pdf",
    shown=[["Flow", "40 l/min"], ["Voltage", "230 V"]],
    apart=[["Flow", "230 V"], ["Voltage", "40 l/min"]],
    section={"Max. pressure": "Hydraulic data", "Protection": "Electrical data"},
)
def _() -> bytes:
    tables = (
        "<table><tr><td>Flow<td>40 l/min<tr><td>Head<td>12 m<tr><td>Max. pressure<td>6 bar</table>",
        "<table><tr><td>Voltage<td>230 V<tr><td>Power<td>450 W<tr><td>Protection<td>IP 44</table>",
    )
    return printed(
        "browser_tables_side_by_side.pdf",
        "<h1>Pump PX-40</h1><div class=row>"
        f"<div><h3>Hydraulic data</h3>{tables[0]}</div><div><h3>Electrical data</h3>{tables[1]}</div></div>"
        "<p>The pump weighs 14 kg without its cable.",
        ".row{display:flex}.row div{width:50%}",
    )


@case(
    "browser_boxes_to_tick.pdf",
    quotable=["☒ The machine was cleaned", "☐ The filter was changed", "☒ The lid was closed"],
)
def _() -> bytes:
    box = "<svg width=12 height=12><rect x=1 y=1 width=10 height=10 fill=none stroke=black />{}</svg> "
    cross = "<path d='M3 3L9 9M9 3L3 9' fill=none stroke=black />"
    return printed(
        "browser_boxes_to_tick.pdf",
        f"<p>After the shift:<p>{box.format(cross)}The machine was cleaned<p>{box.format('')}The filter was changed<p>"
        f"{box.format(cross)}The lid was closed",
    )


@case("browser_lines_to_sign.pdf", quotable=["The lease begins on 1 May.", "Landlord"])
def _() -> bytes:
    line = "_" * 22
    return printed(
        "browser_lines_to_sign.pdf",
        f"<p>The lease begins on 1 May.<table width=100%><tr><td>{line}<br>Landlord<td>{line}<br>Tenant</table>",
    )


@case(
    "browser_lined_tables.pdf",
    shown=[
        ["Type | Days | Who decides | Notes", "Annual leave | 30 | Team lead | Must be taken by 31 March of the"],
        ["Type | Days | Who decides | Notes", "Unpaid leave | | Director | |"],
        ["Sites abroad", "Type | Days | Who decides | Notes", "Home leave | 10 | HR"],
        ["Item | Price | Stock", "Helmet, white | 12.50 | 40"],
        ["Pump | Flow (l/min) | Head (m)", "PX-80 | 80 | |"],
    ],
    quotable=["The office closes at noon on Fridays, which is why the phones are silent then."],
    apart=[["Sites abroad", "Unpaid leave"], ["Gloves", "Pump"]],
)
def _() -> bytes:
    return printed(
        "browser_lined_tables.pdf",
        "<h2>Leave types</h2><table><tr><th>Type<th>Days<th>Who decides<th>Notes<tr><td>Annual leave<td>30<td>Team lead"
        "<td>Must be taken by 31 March of the following year, otherwise it is lost unless illness prevented it."
        "<tr><td>Special leave<td>1–5<td>HR<td>Weddings, births and deaths in the family; proof is needed."
        "<tr><td>Unpaid leave<td><td>Director<td><tr><td colspan=4><b>Sites abroad</b>"
        "<tr><td>Home leave<td>10<td>HR<td>Flights are paid once a year.</table>"
        "<h2>Striped</h2><table class=striped><tr><th>Item<th>Price<th>Stock<tr><td>Helmet, white<td>12.50<td>40"
        "<tr><td>Helmet, yellow with visor and ear protection for work near machines<td>31.00<td>8"
        "<tr><td>Gloves<td>4.20<td></table>"
        "<h2>Three lines</h2><table class=book><thead><tr><th>Pump<th>Flow (l/min)<th>Head (m)</thead>"
        "<tr><td>PX-40<td>40<td>12<tr><td>PX-60<td>60<td>18<tr><td>PX-80<td>80<td></table><hr>"
        "<p>The office closes at noon on Fridays, which is why the phones are silent then.<hr>"
        "<p>The night desk answers them, and has the keys.<hr>",
        "body{font-size:10pt}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:4px 8px;"
        "text-align:left;vertical-align:top}th{background:#f4f4f4}.striped tr:nth-child(even){background:#f0f0f0}"
        ".striped *,.book *{border:0}.book{border-top:2px solid;border-bottom:2px solid}"
        ".book thead{border-bottom:1px solid}hr{border:0;border-top:1px solid}",
    )
