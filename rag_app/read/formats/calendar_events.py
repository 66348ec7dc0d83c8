"""Calendars (.ics): each event with its time, place, people and description under its title."""

import re
from datetime import date, timedelta

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.html.html_pieces import escape

_LINE = re.compile(r"([A-Za-z-]+)((?:;(?:\"[^\"]*\"|[^\":;])*)*):(.*)", re.DOTALL)
_PARAMETER = re.compile(r";([A-Za-z-]+)=(\"[^\"]*\"|[^;]*)")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?")
_KINDS = ("VEVENT", "VTODO", "VJOURNAL")
_MOMENTS = ("DTSTART", "DTEND", "DUE", "EXDATE", "RDATE", "RECURRENCE-ID")
_SHOWN = {
    "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration", "RRULE": "Repeats", "EXDATE": "Not on",
    "RDATE": "Also on", "RECURRENCE-ID": "Instead of", "LOCATION": "Place", "CATEGORIES": "Categories",
    "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendees",
}  # fmt: skip


def read_calendar(data: bytes) -> Extracted:
    """The entries in the order of the file as Markdown. Raises ReadError."""
    lines = re.sub(r"\r?\n[ \t]", "", decode(data)).splitlines()
    if not any(line.strip().upper() == "BEGIN:VCALENDAR" for line in lines):
        raise ReadError("The file is no calendar: export it again as iCalendar.", code="broken")
    parts: list[str] = []
    entry: dict[str, list[str]] = {}
    opened: list[str] = []
    signs: list[str] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN":
            opened.append(value.strip().upper())
            if opened[-1] in _KINDS:
                entry = {}
        elif name == "END":
            if opened and opened.pop() in _KINDS:
                parts += _written(entry)
        elif opened and opened[-1] in _KINDS:
            signs += access_names([(name, value)])
            entry.setdefault(name, []).append(_value(name, dict(_PARAMETER.findall(match[2])), value))
    return Extracted("\n\n".join(parts) + "\n", titled_by_heading=False, access_signs=tuple(dict.fromkeys(signs)))


def _value(name: str, parameters: dict[str, str], value: str) -> str:
    if name in _MOMENTS:
        moments = [_moment(name, parameters, one) for one in value.split(",")]
        if all(moments):
            return ", ".join(moments)
    if name in ("ORGANIZER", "ATTENDEE"):
        return parameters.get("CN", "").strip('"') or re.sub(r"(?i)^mailto:", "", value)
    return re.sub(r"\\([nN,;\\])", lambda found: "\n" if found[1] in "nN" else found[1], value).strip()


def _moment(name: str, parameters: dict[str, str], value: str) -> str:
    """A date or a time as a reader sees it; "" where it is neither. An end that is a date is the day after the last."""
    moment = _MOMENT.match(value)
    if moment is None:
        return ""
    if not moment[4]:
        try:
            day = date(*map(int, moment.group(1, 2, 3)))
        except ValueError:
            return ""
        return str(day - timedelta(days=name == "DTEND"))
    zone = "UTC" if moment[6] else parameters.get("TZID", "").strip('"')
    return f"{'-'.join(moment.group(1, 2, 3))} {moment[4]}:{moment[5]} {zone}".rstrip()


def _written(entry: dict[str, list[str]]) -> list[str]:
    title = " ".join(" ".join(entry.get("SUMMARY", [])).split())
    if any(status.upper() == "CANCELLED" for status in entry.get("STATUS", ())):
        title = f"{title} (CANCELLED)".lstrip()
    facts = [
        f"- {label}: {' '.join(', '.join(entry[name]).split())}" for name, label in _SHOWN.items() if name in entry
    ]
    described = [escape(line) for text in entry.get("DESCRIPTION", []) for line in map(str.strip, text.split("\n"))]
    if not described and (page := next(iter(entry.get("X-ALT-DESC", [])), "")):
        described = html_to_markdown(page)[1].strip("\n").split("\n")
    blocks = [f"## {title or 'Without a title'}"] if title or facts or described else []
    return [*blocks, *(["\n".join(facts)] if facts else []), *(["\n".join(described)] if any(described) else [])]
