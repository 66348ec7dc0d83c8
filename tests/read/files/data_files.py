"""Tables in text files, records, notebooks, e-mail and books for make_others.py."""

import io
import json
import zipfile
from email.message import EmailMessage


def mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Ana <ana@example.com>", "mate@example.com"
    message["Subject"], message["Date"] = "Gate times", "Mon, 04 May 2026 10:00:00 +0000"
    message.set_content("Hello,\n\nthe gate closes at 21:30 from May on.\nBring the keys.\n\n-- \nAna\n")
    message.add_alternative("<p>Other words in HTML.</p>", subtype="html")
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="plan.pdf")
    return message.as_bytes()


def html_mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "ana@example.com", "Fees"
    message.set_content("<p>The fee is <s>9</s> 7 euros.</p><ul><li>No dogs</li></ul>", subtype="html")
    return message.as_bytes()


def book(**chapters: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
            'full-path="OEBPS/book.opf"/></rootfiles></container>',
        )
        items = "".join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters)
        spine = "".join(f'<itemref idref="{n}"/>' for n in reversed(chapters))
        archive.writestr(
            "OEBPS/book.opf",
            '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc='
            f'"http://purl.org/dc/elements/1.1/"><dc:title>Sea rules</dc:title></metadata><manifest>{items}</manifest>'
            f"<spine>{spine}</spine></package>",
        )
        for name, body in chapters.items():
            archive.writestr(
                f"OEBPS/{name}.xhtml", f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>"
            )
    return target.getvalue()


_NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "\n", "High water is at 6:12."]},
        {"cell_type": "code", "metadata": {}, "source": "print(2 + 40)", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["42 knots\n"]}]},
        {"cell_type": "code", "metadata": {}, "source": "frame", "outputs": [{"output_type": "execute_result", "metadata": {}, "data": {
            "text/plain": "  ship days", "text/html": "<table><tr><th>ship</th><th>days</th></tr><tr><td>Skua</td><td>12</td></tr></table>"}}]},
    ],
}  # fmt: skip
FILES: dict[str, tuple[str | bytes, dict]] = {
    "csv-comma.csv": (
        'Berth,Summer,Winter\nA,120,70\nB,,99\n"C, outer",250,110\n',
        {"quotable": ["| B | | 99 |", "| C, outer | 250 | 110 |"], "shown": [["Berth", "Summer", "| A | 120 | 70 |"]]},
    ),
    "csv-semicolon.csv": (
        "Liegeplatz;Preis\nA;1,50\nB;2,75\n",
        {"quotable": ["| B | 2,75 |"], "shown": [["Liegeplatz", "Preis", "| A | 1,50 |"]]},
    ),
    "tsv-empty-cell.tsv": ("Berth\tSummer\tWinter\nB\t\t99\n", {"quotable": ["| B | | 99 |"], "shown": [["Summer", "| B | | 99 |"]]}),
    "csv-no-header.csv": ("2024,17\n2025,19\n", {"quotable": ["| 2024 | 17 |", "| 2025 | 19 |"]}),
    "records.jsonl": (
        '{"title": "Gate", "text": "The gate closes at 9.", "floor": 3}\n{"title": "Dogs", "text": "Dogs wait outside."}\n',
        {"quotable": ["The gate closes at 9.", "Dogs wait outside.", "floor: 3"], "sections": {"Dogs wait outside.": "Dogs"}},
    ),
    "records.json": (
        json.dumps({"articles": [{"id": 7, "name": "Fees", "content": "The fee is 7 euros.\n\nIt is due in May."}]}),
        {"quotable": ["The fee is 7 euros.", "It is due in May.", "id: 7"]},
    ),
    "records-partly.json": (
        json.dumps([{"text": "Kept words."}, {"picture": "x.png"}]),
        {"quotable": ["Kept words."], "named": ["1 records without a text field"]},
    ),
    "notebook.ipynb": (
        json.dumps(_NOTEBOOK),
        {"quotable": ["High water is at 6:12.", "print(2 + 40)", "42 knots", "| Skua | 12 |"], "title": "Tides"},
    ),
    "mail.eml": (
        mail(),
        {"quotable": ["the gate closes at 21:30 from May on.", "plan.pdf"], "never": ["Other words"], "named": ["plan.pdf"],
         "title": "Gate times"},
    ),
    "mail-html.eml": (html_mail(), {"quotable": ["The fee is 7 euros.", "No dogs"], "never": ["9"], "title": "Fees"}),
    "mailbox.mbox": (
        "From ana@x Mon May  4 09:00:00 2026\nFrom: Ana <ana@x.example>\nSubject: Keys\n\nThe key hangs in room 4.\n"
        ">From here it is near.\n\nFrom ben@x Mon May  4 10:00:00 2026\nFrom: Ben <b@x.example>\nSubject: Re: Keys\n\n"
        "It is in room 5 now.\n",
        {"quotable": ["The key hangs in room 4.", "From here it is near."],
         "sections": {"It is in room 5 now.": "Message 2: Re: Keys"}},
    ),
    "page.mht": (
        "From: <Saved by Blink>\nSubject: Fees\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\n\n--b\nContent-Type: text/html\n'
        "Content-Transfer-Encoding: quoted-printable\n\n<html><head><meta charset=3D\"utf-8\"></head><body><h1>Fees</h1>"
        "<p>The fee is 7=E2=82=AC.</p><p hidden>Secret</p></body></html>\n--b\nContent-Type: text/css\n\np{}\n--b--\n",
        {"quotable": ["The fee is 7€."], "never": ["Secret", "p{}"], "title": "Fees"},
    ),
    "meeting.vtt": (
        "WEBVTT\n\nNOTE made by hand\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Ana Ruiz>The boiler must be off\n\n"
        "00:00:04.000 --> 00:00:06.000\n<v Ana Ruiz>before the hall is left.\n\n"
        "00:00:07.000 --> 00:00:09.000 align:start\n<v Ben>Who checks <b>that</b>?\n\nSTYLE\n::cue { color: lime }\n",
        {"quotable": ["Ana Ruiz: The boiler must be off before the hall is left.", "Ben: Who checks that?"],
         "never": ["00:00", "made by hand", "lime", "<b>"]},
    ),
    "film.srt": (
        "1\n00:00:01,000 --> 00:00:03,000\nANA: Doors close\n\n2\n00:00:03,000 --> 00:00:05,500\nat nine.\n\n"
        "3\n00:00:06,000 --> 00:00:07,000\n- Ben: Even on Sundays?\n",
        {"quotable": ["ANA: Doors close at nine.", "Ben: Even on Sundays?"], "never": ["-->"]},
    ),
    "calendar.ics": (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20260504T090000\r\n"
        "DTEND:20260504T100000Z\r\nSUMMARY:Fire drill\\, north wing\r\n"
        "DESCRIPTION:Leave by the east stairs.\\nDo not use the\r\n  lift.\r\nLOCATION:Hall 2\r\n"
        'ORGANIZER;CN="Ruiz, Ana":mailto:ana@x.example\r\nATTENDEE;CN=Ben:mailto:b@x.example\r\nBEGIN:VALARM\r\n'
        "DESCRIPTION:Alarm text\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        {"quotable": ["Start: 2026-05-04 09:00 Europe/Berlin", "End: 2026-05-04 10:00 UTC", "Place: Hall 2",
                      "Organizer: Ruiz, Ana", "Do not use the lift."],
         "never": ["Alarm text"], "sections": {"Leave by the east stairs.": "Fire drill, north wing"}},
    ),
    "server.log": (
        "2026-05-04 09:00:01 INFO gate opened\n2026-05-04 09:00:07 ERROR valve 3 stuck\n",
        {"quotable": ["2026-05-04 09:00:07 ERROR valve 3 stuck"]},
    ),
    "book.epub": (
        book(b="<h1>Moorings</h1><p>Moor at the pier.</p>", a="<h1>Anchors</h1><p>Drop <del>two</del> one anchor.</p>"),
        {"quotable": ["Moor at the pier.", "Drop one anchor."], "never": ["two"], "title": "Sea rules",
         "sections": {"Moor at the pier.": "Moorings"}},
    ),
    "book-notes.epub": (
        book(a="<h1>Fees</h1><p>Due in May.<a epub:type='noteref' href='#n1'><sup>1</sup></a></p>"
             "<aside id='n1'><p>Only for guests.</p></aside>"),
        {"quotable": ["Due in May.[^1]", "[^1]: Only for guests."]},
    ),
}  # fmt: skip
