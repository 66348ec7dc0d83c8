"""E-mail (.eml, .mbox) and saved pages (.mht): who wrote to whom and when, the text, the names of what is attached."""

import email
import email.policy
import re
from email.message import EmailMessage, MIMEPart
from itertools import pairwise

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.html.html_pieces import escape
from rag_app.read.title import property_title

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_PAGES = ("text/html", "application/xhtml+xml")
_MESSAGE = re.compile(rb"^From .*\d{4}.*$", re.MULTILINE)
_LIST_OR_QUOTE = re.compile(r"[>*+•-] |\d{1,3}[.)] |>")


def read_mail(data: bytes) -> Extracted:
    """A message as Markdown; its title is the subject. Raises ReadError."""
    text, subject, notes, signs = _message(data)
    return Extracted(text, title=property_title(subject), titled_by_heading=False, access_signs=signs, notes=notes)


def read_mailbox(data: bytes) -> Extracted:
    """All messages of a mailbox, each under its subject. Raises ReadError."""
    starts = [match.start() for match in _MESSAGE.finditer(data)]
    if not starts or data[: starts[0]].strip():
        raise ReadError("The file is no mailbox: export it again as mbox.", code="broken")
    parts: list[str] = []
    notes: list[str] = []
    signs: list[str] = []
    for number, (start, end) in enumerate(pairwise([*starts, len(data)]), start=1):
        message = re.sub(rb"(?m)^>(>*From )", rb"\1", data[start:end].partition(b"\n")[2])
        try:
            text, subject, lost, found = _message(message)
        except ReadError:
            notes.append(f"Message {number} is broken and was not read.")
            continue
        parts.append(f"## Message {number}: {subject}" if subject else f"## Message {number}")
        parts.append(text.strip("\n"))
        notes += [f"Message {number}: {note}" for note in lost]
        signs += found
    if not parts:
        raise ReadError("No message of the mailbox can be read: export it again as mbox.", code="broken")
    return Extracted(
        "\n\n".join(parts) + "\n",
        titled_by_heading=False,
        access_signs=tuple(dict.fromkeys(signs)),
        notes=tuple(notes),
    )


def read_saved_page(data: bytes) -> Extracted:
    """The page of a web archive (.mht). Raises ReadError."""
    try:
        archive = email.message_from_bytes(data, policy=email.policy.default)
        page = next((part for part in archive.walk() if part.get_content_type() in _PAGES), None)
        content = page.get_payload(decode=True) if page is not None else b""
        named = page.get_content_charset() if page is not None else None
        html = content.decode(named) if named and isinstance(content, bytes) else ""
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReadError("The web archive is broken and cannot be read: save the page again.", code="broken") from error
    if not html and isinstance(content, bytes):
        html = decode(content, html=True)  # which looks for the page's own statement of its encoding
    if not html:
        raise ReadError("The web archive holds no page: save it again as HTML.", code="broken")
    title, text = html_to_markdown(html)
    return Extracted(text, title=title)


def _message(data: bytes) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """A message as Markdown, its subject, what was not read, and headers that seem to say who may read it.

    Raises ReadError.
    """
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not isinstance(message, EmailMessage) or not message.keys():
            raise ReadError("The file is no e-mail message: it has no headers.", code="broken")
        head = [f"{name}: {' '.join(str(message[name]).split())}" for name in _HEADERS if message[name]]
        subject = " ".join(str(message["Subject"] or "").split())
        signs = access_names((name, str(value)) for name, value in message.items())
        body = message.get_body(("plain", "html"))
        text = "" if body is None else _content(body)
        attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReadError("The e-mail is broken and cannot be read: save it again.", code="broken") from error
    parts = ["  \n".join(map(escape, head)), text]
    notes: tuple[str, ...] = ()
    if attached:
        names = ", ".join(attached)
        parts.append(f"Attachments: {names}")
        notes = (f"Attachments were not read ({names}): save them into the folder.",)
    return "\n\n".join(filter(None, parts)) + "\n", subject, notes, signs


def _content(body: MIMEPart) -> str:
    text = body.get_content()
    if body.get_content_subtype() == "html":
        return html_to_markdown(text)[1].strip("\n")
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(_line(line) for line in lines).strip("\n")


def _line(line: str) -> str:
    stripped = line.strip()
    if stripped in ("--", "-- "):
        return "***"
    return stripped if _LIST_OR_QUOTE.match(stripped) else escape(stripped)
