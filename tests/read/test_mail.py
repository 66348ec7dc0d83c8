"""E-mail: all parts of a message, and whose words they are."""

from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from rag_app.read.formats.mail import read_mail, read_saved_page
from rag_app.text.blocks import parse_blocks


def message(text: str = "", page: str = "") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Rosa <rosa@example.com>", "Keys"
    mail.set_content(text)
    if page:
        mail.add_alternative(page, subtype="html")
    return mail


def sections(mail: EmailMessage) -> list[tuple[str, str]]:
    """Each block with the heading it stands under."""
    text = read_mail(mail.as_bytes()).text
    return [(" ".join(text[b.start : b.end].split()), (b.section.path or ("",))[-1]) for b in parse_blocks(text)]


def test_all_texts_of_a_message_are_read() -> None:
    """Programs that attach in the middle of a text write what follows as a further part."""
    mail = message("Before the plan.")
    mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="plan.pdf")
    mail.add_attachment("After the plan.", disposition="inline")
    read = read_mail(mail.as_bytes())
    assert "Before the plan." in read.text
    assert "After the plan." in read.text
    assert read.notes == ("Attachments were not read (plan.pdf): save them into the folder.",)


def test_the_page_is_read_where_the_plain_text_says_less() -> None:
    """Plain text loses tables and what is struck out; else it is read, as it was written."""
    table = "<table><tr><td>Year</td><td>Days</td></tr><tr><td>2026</td><td>30</td></tr></table>"
    assert "| 2026 | 30 |" in read_mail(message("Year\nDays\n2026\n30", table).as_bytes()).text
    assert "5" not in read_mail(message("It costs 5 6 euros.", "<p>It costs <s>5</s> 6 euros.</p>").as_bytes()).text
    assert (
        "see the page" not in read_mail(message("see the page", "<p>We open at nine on each day.</p>").as_bytes()).text
    )
    assert "plain words" in read_mail(message("plain words", "<p>other words</p>").as_bytes()).text


def test_a_message_and_an_invitation_within_a_message_are_read_under_their_subjects() -> None:
    """What was forwarded as an attachment is text; an event has its time."""
    mail = message("See below.")
    inner = message("The bonus is 3 percent.")
    del inner["Subject"]
    inner["Subject"] = "Bonus"
    mail.add_attachment(inner)
    event = (
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Kickoff\r\nDTSTART:20260310T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR"
    )
    mail.add_attachment(event, subtype="calendar")
    found = sections(mail)
    assert ("The bonus is 3 percent.", "Attached message: Bonus") in found
    assert ("Start: 2026-03-10 09:00 UTC", "Kickoff") in found


@pytest.mark.parametrize(
    ("above", "heading"),
    [
        ("On Mon, 2 Mar 2026 at 17:40, Lars\n<lars@example.com> wrote:\n\n> It", "On Mon, 2 Mar 2026 at 17:40, Lars"),
        ("Am 02.03.26 um 17:40 schrieb Lars Holm:\n> It", "Am 02.03.26 um 17:40 schrieb Lars Holm"),
        ("-----Original Message-----\nFrom: Lars\nSent: Monday\n\nIt", "From: Lars"),
        ("---------- Forwarded message ---------\n\nIt", "Forwarded message"),
        ("________________________________\nVon: Lars\nGesendet: Montag\nBetreff: Tor\n\nIt", "Von: Lars"),
    ],
)
def test_an_older_message_stands_under_who_wrote_it(above: str, heading: str) -> None:
    """Its words are not those of the answer above it."""
    found = sections(message(f"It closes at nine.\n\n{above} closes at eight.\n"))
    assert ("It closes at nine.", "") in found
    [of_older] = [section for words, section in found if words == "It closes at eight."]
    assert of_older.startswith(heading)


def test_answers_between_the_lines_do_not_stand_under_who_is_answered() -> None:
    """Where words of the answer follow, what introduces the quotation is no heading."""
    found = sections(message("On Mon, 2 Mar 2026, Lars wrote:\n> When does it close?\n\nAt nine.\n"))
    assert ("At nine.", "") in found


def test_pages_within_a_saved_page_are_named() -> None:
    """A web archive holds the pages of its frames as parts; the first part is the page."""
    archive = MIMEMultipart("related")
    for name in ("page.html", "frame.html"):
        part = MIMEText(f"<p>Words of {name}.</p>", "html")
        part["Content-Location"] = f"https://calm.example/{name}"
        archive.attach(part)
    read = read_saved_page(archive.as_bytes())
    assert read.text == "Words of page.html.\n"
    assert "https://calm.example/frame.html" in " ".join(read.notes)
