"""More PDFs for make_pdfs.py: what Typst sets, with figures that the font itself raises and letters of formulas.

They are made where they are missing or with `--typst`, by the package of that name.
"""

import sys

from tests.read.files.make_pdfs import FOLDER, case


def typeset(name: str, source: str) -> bytes:
    kept = FOLDER / name
    if kept.exists() and "--typst" not in sys.argv:
        return kept.read_bytes()
    import typst  # pyright: ignore[reportMissingImports]

    return typst.compile(source.encode())


@case(
    "typeset_formulas.pdf",
    quotable=[
        "The torque is M = F ⋅ r and must not exceed 1.2 × 10³ Nm.",
        "The area is 12 m²",
        "It holds 10⁶ l of CO₂",
    ],
    noted=[["The main switch is locked", "Only the person who set a lock may remove it."]],
)
def _() -> bytes:
    return typeset(
        "typeset_formulas.pdf",
        "= Safety\nThe main switch is locked#footnote[Only the person who set a lock may remove it.] before any repair. "
        "The key stays with the fitter.\n\nThe torque is $M = F dot r$ and must not exceed $1.2 times 10^3$ Nm. "
        "The area is 12 m#super[2]. It holds 10#super[6] l of CO#sub[2].",
    )


@case(
    "typeset_lined_table.pdf",
    shown=[
        ["Berth | Summer Day | Summer Month | Winter Month", "up to 6 m | 12.00 | 240.00 | 110.00"],
        ["Berth | Summer Day", "6 to 8 m, with a pole and a ring on both sides | 16.50 | 330.00 | 150.00"],
        ["over 10 m | on request"],
    ],
    never=["nothing", "Power is free"],
    quotable=["Power is metered at 0.38 € per kWh."],
)
def _() -> bytes:
    return typeset(
        "typeset_lined_table.pdf",
        "= Price list\n#table(columns: (2fr, 1fr, 1fr, 1fr), stroke: (x: none, y: 0.5pt), align: (left, right, right, right),"
        "table.header([], table.cell(colspan: 2, align: center)[*Summer*], [*Winter*], [*Berth*], [*Day*], [*Month*],"
        "[*Month*]), [up to 6 m], [12.00], [240.00], [110.00], [6 to 8 m, with a pole and a ring on both sides], [16.50],"
        "[330.00], [150.00], [8 to 10 m], [22.00], [—], [200.00], [over 10 m], table.cell(colspan: 3, align: center)[on "
        "request])\nPower is metered at 0.38 € per kWh. #strike[Power is free.] Showers cost 1 €"
        "#text(fill: white)[ or nothing at all].",
    )


@case(
    "typeset_columns_german.pdf",
    quotable=[
        "Arbeiten sind an Sonn- und Feiertagen verboten.",
        "Musizieren ist höchstens zwei Stunden am Tag erlaubt.",
        "Im Treppenhaus abgestellte Räder werden nach einer Frist von 7 Tagen entfernt; die Kosten trägt der Eigentümer.",
    ],
    shown=[["Nicht gestattet sind:", "Tauben"], ["Wohnung | Tag | Zeit", "5–8 | Mittwoch | 8–12"]],
    apart=[["Nicht gestattet", "Kleintiere"]],
)
def _() -> bytes:
    return typeset(
        "typeset_columns_german.pdf",
        '#set page(columns: 2, height: 12cm)\n#set par(justify: true)\n#set text(size: 9pt, lang: "de", hyphenate: true)\n'
        "= 1. Ruhezeiten\nVon 22 bis 6 Uhr ist jede Störung zu vermeiden. Musizieren ist höchstens zwei Stunden am Tag "
        "erlaubt. Handwerkliche Arbeiten sind an Sonn- und Feiertagen verboten.\n= 2. Haustiere\nNicht gestattet sind:\n"
        "- Hunde über 40 cm Schulterhöhe\n- Schlangen und andere Reptilien\n- Tauben\nKleintiere wie Hamster bedürfen "
        "keiner Zustimmung.\n= 3. Waschküche\n#table(columns: 3, [*Wohnung*], [*Tag*], [*Zeit*], [1–4], [Montag], [8–12],"
        "[5–8], [Mittwoch], [8–12])\nDie Waschküche ist nach Benutzung zu reinigen. Das Trocknen von Wäsche auf dem Balkon "
        "ist nur unterhalb der Brüstung erlaubt.\n= 4. Fahrräder\nFahrräder gehören in den Keller. Im Treppenhaus "
        "abgestellte Räder werden nach einer Frist von 7 Tagen entfernt; die Kosten trägt der Eigentümer.",
    )
