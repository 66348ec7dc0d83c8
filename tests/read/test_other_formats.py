"""reStructuredText, JSON, calendars and notebooks: what is shown, and what of them is named as not read."""

import json

import pytest

from rag_app.read.formats.calendar_events import read_calendar
from rag_app.read.formats.ipynb import read_notebook
from rag_app.read.formats.json_records import read_json
from rag_app.read.formats.rst import holds, read_rst


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("html", True),
        ("latex", False),
        ("internal", False),
        ("not latex", True),
        ("latex or html", True),
        ("html and internal", False),
        ("latex or not html", False),
        ("html and (internal or not draft)", True),
        ("(html", True),
        ("", False),
    ],
)
def test_a_condition_of_tags_is_decided_as_for_a_page(condition: str, shown: bool) -> None:
    """Only the tags of pages are set; what is no condition does not hold."""
    assert holds(condition) is shown


def test_what_is_not_for_pages_is_named_and_not_read() -> None:
    """`only` for another output, files that would be included and raw parts are no text."""
    source = b"Open at 9.\n\n.. only:: internal\n\n   At 8.\n\n.. include:: a.rst\n\n.. raw:: html\n\n   <p>At 7.</p>\n"
    read = read_rst(source)
    assert read.text == "Open at 9.\n"
    told = " ".join(read.notes)
    assert [name for name in ("internal", "a.rst", "raw:: html") if name not in told] == []


def test_a_tab_belongs_to_its_title() -> None:
    """What stands under a tab or in a dropdown is an item under its title."""
    source = (
        b".. tabs::\n\n   .. tab:: Rail\n\n      Book 7 days ahead.\n\n   .. tab:: Air\n\n      Book 21 days ahead.\n"
    )
    assert read_rst(source).text == "- Rail: Book 7 days ahead.\n\n- Air: Book 21 days ahead.\n"


def test_a_change_stands_apart_from_its_version() -> None:
    """The version is no part of the sentence behind it."""
    assert read_rst(b".. versionchanged:: 3\n   Meals count.\n").text == "Changed in 3: Meals count.\n"


def test_fields_beside_records_and_objects_within_them_are_read() -> None:
    """No value of the file vanishes: each stands behind the names that lead to it."""
    value = {
        "from": "2026-03-01",
        "rules": [{"text": "No trailers.", "sites": {"Lyon": {"open": "07:00"}}, "fees": [{"kind": "car", "fee": 4}]}],
    }
    text = read_json(json.dumps(value).encode()).text
    lines = ("- from: 2026-03-01", "No trailers.", "- sites: Lyon open: 07:00", "- fees: (kind: car, fee: 4)")
    assert [line for line in lines if line not in text.split("\n")] == []


def calendar(*lines: str) -> str:
    event = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:Stocktaking", *lines, "END:VEVENT", "END:VCALENDAR"]
    return read_calendar("\r\n".join(event).encode()).text


def test_whole_days_end_on_their_last_day() -> None:
    """A calendar writes the day after it; an end with a time is a time."""
    days = calendar("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20270101")
    assert "- End: 2026-12-31" in days
    assert "- End: 2026-12-24 18:00 UTC" in calendar("DTSTART:20261224T170000Z", "DTEND:20261224T180000Z")


def test_a_cancelled_event_says_so_in_its_title_and_a_series_where_it_does_not_take_place() -> None:
    """Each line of the event is cited under the title."""
    text = calendar("STATUS:CANCELLED", "RRULE:FREQ=YEARLY", "EXDATE;TZID=Europe/Paris:20270310T090000,20280310T090000")
    assert text.startswith("## Stocktaking (CANCELLED)\n")
    assert "- Not on: 2027-03-10 09:00 Europe/Paris, 2028-03-10 09:00 Europe/Paris" in text


def test_errors_of_cells_are_read_and_pictures_are_named() -> None:
    """An error is what a cell shows; a picture cannot be read, and the name of its object is no text."""
    outputs = [
        {"output_type": "error", "ename": "ValueError", "evalue": "no kiln", "traceback": []},
        {"output_type": "display_data", "data": {"image/png": "", "text/plain": "<Figure size 640x480>"}},
    ]
    cell = {"cell_type": "code", "source": "draw()", "outputs": outputs}
    read = read_notebook(json.dumps({"cells": [cell]}).encode())
    assert read.text == "```\ndraw()\n```\n\n```\nValueError: no kiln\n```\n"
    assert read.notes == ("Pictures that cells of the notebook have drawn were not read: 1.",)
