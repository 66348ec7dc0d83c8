"""E-mail (.eml): who wrote to whom and when, the text, and the names of what is attached."""

import email
import email.policy
import re
from email.message import EmailMessage, MIMEPart

from rag_app.errors import ReadError
from rag_app.read.extracted import Extracted
from rag_app.read.html.html_file import html_to_markdown
from rag_app.read.html.html_pieces import escape
from rag_app.read.title import property_title

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_LIST_OR_QUOTE = re.compile(r"[>*+•-] |\d{1,3}[.)] |>")


def read_mail(data: bytes) -> Extracted:
    """A message as Markdown; its title is the subject. Raises ReadError."""
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not isinstance(message, EmailMessage) or not message.keys():
            raise ReadError("The file is no e-mail message: it has no headers.", code="broken")
        head = [f"{name}: {' '.join(str(message[name]).split())}" for name in _HEADERS if message[name]]
        subject = " ".join(str(message["Subject"] or "").split())
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
    whole = "\n\n".join(filter(None, parts)) + "\n"
    return Extracted(whole, title=property_title(subject), titled_by_heading=False, notes=notes)


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
