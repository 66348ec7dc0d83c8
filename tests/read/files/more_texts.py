"""More texts and pages for make_others.py: drawn tables, printed pages, clauses without blank lines, styles that hide."""

_GRID = """Prices

+--------+---------+--------+
| Berth  | Price   | Power  |
+--------+---------+--------+
| A1     | 40 euro | yes    |
| B2     | 50 euro | no     |
| C3     | 60 euro | no     |
+--------+---------+--------+

Prices include tax.
"""
_GRID_WANTED = {
    "quotable": ["| B2 | 50 euro | no |"],
    "shown": [["Berth", "Price", "| A1 | 40 euro | yes |"]],
    "never": ["yes | | B2", "+---"],
}
_RFC = """Network Working Group                                       A. Writer
Request for Comments: 9999                                  May 2024


1.  Introduction

   The gate is closed at night.  A guest who comes late rings the bell
   and waits until the guard, who may be on his round through the yard,


Writer                       Informational                      [Page 1]
\f
RFC 9999                     The Yard Gate                      May 2024


   opens the gate.  Dogs are kept on a lead.

2.  Security

   The key is never lent to guests.


Writer                       Informational                      [Page 2]
\f
RFC 9999                     The Yard Gate                      May 2024


   It is kept in the office.
"""
_CLAUSES = """1. Berths
1.1 The berth is let for one year.
1.2 The tenant may not sublet the berth unless:
(a) the harbour master agrees; and
(b) the fee is paid.
2. Fees
2.1 The fee is 40 euros.
2.2 It is paid in May.
"""
_HIDING = """<html><head><style>.box > p.note{display:none} ul li + li.old{text-decoration:line-through} #a ~ .x{visibility:hidden}
div:not(.y) .z{display:none} p:first-child.q{display:none} .k:nth-child(2){display:none} table tr:last-child{display:none}
[data-old]{display:none} [class*="hid"]{display:none} @media print{.keep{display:none}} @media screen{.scr{display:none}}
@media all{.all{display:none}}</style></head><body>
<div class="box"><p class="note">Secret child.</p><p>First shown.</p></div><ul><li>Second shown</li><li class="old">Secret item</li></ul>
<div><p id="a">Third shown.</p><p>Fourth shown.</p><p class="x">Secret sibling.</p></div><div class="n"><p class="z">Secret not.</p></div>
<div><p class="q">Secret first.</p><p>Fifth shown.</p></div><div><p>Sixth shown.</p><p class="k">Secret second.</p></div>
<table><tr><td>Berth</td><td>Price</td></tr><tr><td>A1</td><td>40 euros</td></tr><tr><td>Secret row</td><td>1</td></tr></table>
<p data-old="1">Secret data.</p><p class="hidden-x">Secret class.</p><p class="keep">Seventh shown.</p><p class="scr">Secret screen.</p>
<p class="all">Secret all.</p></body></html>"""
FILES: dict[str, tuple[str, dict]] = {
    "text-drawn-table.txt": (_GRID, _GRID_WANTED),
    "md-drawn-table.md": (_GRID, _GRID_WANTED),
    "text-drawn-table-wrapped.txt": (
        "+---------+--------------+\n| Berth   | Price        |\n+=========+==============+\n| A1      | 40 euros in  |\n|         | summer       |\n"
        "+---------+--------------+\n| B2      | 50 euros     |\n+---------+--------------+\n",
        {"quotable": ["| B2 | 50 euros |"], "shown": [["Berth", "| A1 | 40 euros in |", "summer"]]}),
    "text-printed-pages.txt": (
        _RFC,
        {"quotable": ["A guest who comes late rings the bell and waits until the guard, who may be on his round through the yard, opens the gate.",
                      "The key is never lent to guests.", "It is kept in the office."],
         "never": ["[Page", "The Yard Gate", "Informational"], "sections": {"never lent": "2. Security"}}),
    "text-clauses-close.txt": (
        _CLAUSES,
        {"shown": [["sublet the berth unless:", "(b) the fee is paid."]], "never": ["unless: 2. Fees", "paid. 2. Fees"],
         "sections": {"2.1 The fee is 40 euros.": "2. Fees", "1.1 The berth": "1. Berths"}}),
    "text-clause-after-list.txt": (
        "4. Guests may not:\n(a) smoke\n(b) shout\n5. Termination\nThe contract ends in May.\n",
        {"shown": [["Guests may not:", "(b) shout"]], "never": ["shout 5.", "5. Termination The"], "sections": {"The contract ends in May.": "5. Termination"}}),
    "text-number-after-clause.txt": (
        "1.2 The tenant may not sublet the berth unless:\n(a) the harbour master agrees.\n\n2. Guests pay in May, and in full.\n",
        {"quotable": ["2. Guests pay in May, and in full."], "never": ["unless: 2."]}),
    "text-annexes.txt": (
        "ANNEX A\nThe fee is 40 euros.\n\n§ 1 Geltungsbereich\nDiese Regeln gelten für alle.\n\n§ 2\nHunde sind an der Leine zu führen.\n\n"
        "Article 5\nPayment is due in May.\n",
        {"sections": {"The fee is 40 euros.": "ANNEX A", "Diese Regeln": "§ 1 Geltungsbereich", "Hunde": "§ 2", "Payment": "Article 5"}}),
    "text-reference-in-prose.txt": (
        "The tenant pays the fee that is laid down in\nArticle 5\nof the contract, and no more.\n\nSection 4 of the Act\napplies to all boats.\n",
        {"quotable": ["The tenant pays the fee that is laid down in Article 5 of the contract, and no more.", "Section 4 of the Act applies to all boats."]}),
    "text-signs-as-bullets.txt": (
        "Dogs on the pontoon:\n✓ on a lead\n✗ without a lead\n\nBring:\n◆ a rope\n► two lamps\n",
        {"quotable": ["✓ on a lead", "✗ without a lead", "two lamps"], "shown": [["Bring:", "a rope"], ["Dogs on the pontoon:", "✗ without a lead"]],
         "never": ["lead ✗", "◆", "►"]}),
    "md-struck-in-table.md": (
        "| Berth | Price |\n| --- | --- |\n| A1 | ~~40~~ 45 |\n| ~~B2~~ | ~~50~~ |\n| C3 | 60 ~~(special)~~ |\n\nThe fee is ~~18~~ 22 euros.\n",
        {"quotable": ["| A1 | 45 |", "The fee is 22 euros."], "never": ["~~", "40", "B2", "special", "18"], "shown": [["Berth", "Price", "| C3 | 60 |"]]}),
    "html-styles-that-hide.html": (
        _HIDING,
        {"quotable": ["First shown.", "Second shown", "Third shown.", "Fourth shown.", "Fifth shown.", "Sixth shown.", "Seventh shown.", "| A1 | 40 euros |"],
         "never": ["Secret"]}),
    "html-raised-by-style.html": (
        "<style>.up{vertical-align:super}</style><p>The limit is 10<span class=up>6</span> a litre of H<span style='vertical-align:sub'>2</span>O.</p>",
        {"quotable": ["The limit is 10⁶ a litre of H₂O."], "never": ["106"]}),
    "html-two-header-rows.html": (
        "<table><tr><td rowspan=2>Berth<td colspan=2>Price per night<tr><td>Summer<td>Winter<tr><td>A1<td>40 euros<td>20 euros"
        "<tr><td>B2<td>50 euros<td>25 euros</table>",
        {"quotable": ["| A1 | 40 euros | 20 euros |"], "shown": [["Price per night Summer", "Price per night Winter", "| B2 |"]]}),
    "html-rows-as-titles.html": (
        "<table><tr><th>Item<th>Limit<tr><td colspan=2>Covered<tr><td>Storm<td>1000 euros<tr><td colspan=2>Not covered<tr><td>Rats<td>500 euros</table>",
        {"shown": [["Item", "Covered", "| Storm | 1000 euros |"], ["Item", "Not covered", "| Rats | 500 euros |"]]}),
    "adoc-spans.adoc": (
        '= Berths\n\n[cols="4*"]\n|===\n.2+|Berth 2+^|Price per night .2+|Power\n|Summer |Winter\n|A1 |40 euros |20 euros |yes\n'
        ".2+|B2 |50 euros |25 euros |no\n|51 euros |26 euros |yes\n|===\n",
        {"quotable": ["| B2 | 51 euros | 26 euros | yes |"], "shown": [["Price per night Summer", "Power", "| A1 | 40 euros | 20 euros | yes |"]]}),
    "csv-unit-row.csv": (
        "Part,Weight,Price\n,kg,EUR\nPump,12,400\nValve,3,80\n",
        {"quotable": ["| Pump | 12 | 400 |"], "shown": [["Weight kg", "Price EUR", "| Valve | 3 | 80 |"]]}),
}  # fmt: skip
