"""Plain text in columns, in frames, with leading dots and with times: no sentence is woven out of two."""

import pytest

from rag_app.read.text_file import read_text
from rag_app.text.footnotes import whole_statements

_NEWS = """                 THE HARBOUR NEWS

Opening hours change. From 1      Parking is no longer free.
May the desk opens at 07:30       A day costs 4 euros, a month
and closes at 18:00. On           60 euros. Staff with a permit
Fridays it closes at 15:00.       pay nothing before 08:00.
                                  Visitors get a ticket at
                                  the desk.

Leave of more than three          Bicycles. The cellar has 40
weeks needs the consent of        places for them.
the master.

PRICES

Both columns end above.
"""


def shown(text: str) -> list[str]:
    """Each statement with what it depends on before it."""
    text = read_text(text.encode()).text
    return [
        " > ".join(" ".join(text[a:b].split()) for a, b in (*s.lead_in, s.span))
        for s in whole_statements(text, "plain")
    ]


def test_columns_of_text_are_read_one_after_the_other() -> None:
    """The left column first; what stands above and below both stays there."""
    assert shown(_NEWS) == [
        "Opening hours change.",
        "From 1 May the desk opens at 07:30 and closes at 18:00.",
        "On Fridays it closes at 15:00.",
        "Leave of more than three weeks needs the consent of the master.",
        "Parking is no longer free.",
        "A day costs 4 euros, a month 60 euros.",
        "Staff with a permit pay nothing before 08:00.",
        "Visitors get a ticket at the desk.",
        "Bicycles. The cellar has 40 places for them.",
        "Both columns end above.",
    ]


def test_blocks_under_labels_are_read_one_after_the_other() -> None:
    """Addresses of two parties are no rows of a table."""
    text = "Bill to:               Ship to:\nBrook House Clinic     Ward A\n12 Mill Lane           14 Mill Lane\n"
    assert shown(text) == ["Bill to: Brook House Clinic 12 Mill Lane", "Ship to: Ward A 14 Mill Lane"]


@pytest.mark.parametrize(
    "text",
    [
        "Berth    A place at the quay, with\n         water and power, let for\n         a year.\n"
        "Mooring  A place on a buoy, let\n         by the month.\n",
        "A1   the door is closed     only in summer and\n     at night by guards     never on holidays,\n"
        "B2   the lift is out of     when the gate is not\n     use on all sundays     open for visitors\n",
        "Rope 8 mm      per metre     1.20\nHook           each          4.00\nPulley         each          9.00\n",
        "The   fee   is   paid  in\nMay   and   the   deposit\nis  paid   back   in   June\nunless   it   was  lost\n",
    ],
)
def test_tables_and_justified_text_are_no_columns_of_text(text: str) -> None:
    """What does not go on in the line below, on both sides and without further cells, is left as it was."""
    assert read_text(text.encode()).text == text


def test_a_table_in_a_frame_of_box_characters_has_rows_and_a_header() -> None:
    """Whatever signs the frame is drawn with; a tree of folders is none."""
    assert shown(
        "┌──────┬───────┐\n│ Lamp │ Watts │\n├──────┼───────┤\n│ A    │ 40    │\n│ B    │ 60    │\n└──────┴───────┘\n"
    ) == [
        "| Lamp | Watts | > | A | 40 |",
        "| Lamp | Watts | > | B | 60 |",
    ]
    tree = "docs\n├── fees.md\n│   └── old.md\n└── rules.md\n"
    assert read_text(tree.encode()).text == tree


def test_dots_lead_from_a_name_to_its_value() -> None:
    """Each line stands for itself."""
    assert shown("Contact ......... Anna\nHotline ......... 0800\nFax ............. none\n") == [
        "Contact ......... Anna",
        "Hotline ......... 0800",
        "Fax ............. none",
    ]


def test_lines_of_a_chat_stand_for_themselves() -> None:
    """What one says is not joined with what the other says; a time within a wrapped sentence begins no line."""
    chat = "[10:02:11] Anna: It costs 40 euros\n[10:02:15] Tom: No, fifty.\nI looked.\n[10:02:30] Anna: Agreed\n"
    assert shown(chat) == [
        "[10:02:11] Anna: It costs 40 euros",
        "[10:02:15] Tom: No, fifty.",
        "I looked.",
        "[10:02:30] Anna: Agreed",
    ]
    prose = "The desk opens at\n10:00 and closes at\n12:00 on Fridays, at\n14:00 on all other days.\n"
    assert len(shown(prose)) == 1


def test_figures_in_the_name_of_a_column_do_not_make_it_a_row() -> None:
    """ "Size (m2)" names a column."""
    text = "Area        Size (m2)   Cleaned\nReception   45          daily\nWard        320         daily\n"
    assert shown(text)[1] == "Area Size (m2) Cleaned > Reception 45 daily"
