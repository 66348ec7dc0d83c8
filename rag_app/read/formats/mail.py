"""E-mail (.eml, .mbox) and saved pages (.mht): who wrote to whom and when, the text, the names of what is attached."""

import email
import email.policy
import re
from dataclasses import dataclass, field
from email.message import EmailMessage, MIMEPart
from itertools import pairwise

from rag_app.errors import ReadError
from rag_app.read.access_signs import access_names
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted
from rag_app.read.formats.calendar_events import read_calendar
from rag_app.read.html.html_file import html_to_markdown, read_page
from rag_app.read.html.html_pieces import escape
from rag_app.read.title import property_title

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_PAGES = ("text/html", "application/xhtml+xml")
_MESSAGE = re.compile(rb"^From .*\d{4}.*$", re.MULTILINE)
_ORIGINAL = re.compile(
    r"^\\?-{3,} ?((?:original message|forwarded message|urspr\u00fcngliche nachricht|weitergeleitete nachricht"
    r"|message d'origine|message transf\u00e9r\u00e9)) ?-{3,}$",
    re.I | re.M,
)
_OLDER_HEAD = re.compile(
    r"(?:(?<=\n\n)|(?<=__\n))((?:From|Von|De)\u00a0?: \S[^\n]*)\n(?=(?:Sent|Gesendet|Envoy\u00e9|Date|Datum)\u00a0?: )",
    re.M,
)
_MORE_THAN_WORDS = re.compile(r"<(?:table|s|del|strike)\b|line-through", re.I)
_WROTE = re.compile(
    r"^\\?(?:On|Am|Le) [^\n]{8,150}(?:\n[^\n]{1,100})?\b(?:wrote|schrieb\b[^\n]{0,100}|a \u00e9crit) ?: *$", re.M
)
"""How programs introduce the older message below an answer."""
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
        pages = [part for part in archive.walk() if part.get_content_type() in _PAGES]
        page = pages[0] if pages else None
        frames = [str(part["Content-Location"] or part["Content-ID"] or "without a name") for part in pages[1:]]
        content = page.get_payload(decode=True) if page is not None else b""
        named = page.get_content_charset() if page is not None else None
        html = content.decode(named) if named and isinstance(content, bytes) else ""
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReadError("The web archive is broken and cannot be read: save the page again.", code="broken") from error
    if not html and isinstance(content, bytes):
        html = decode(content, html=True)  # which looks for the page's own statement of its encoding
    if not html:
        raise ReadError("The web archive holds no page: save it again as HTML.", code="broken")
    title, text, lost = read_page(html)
    notes = [f"An embedded page was not read ({frame}): save it as a page of its own." for frame in frames]
    return Extracted(text, title=title, notes=(*lost, *notes))


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
        body = _Body()
        body.add(message)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReadError("The e-mail is broken and cannot be read: save it again.", code="broken") from error
    parts = ["  \n".join(map(escape, head))]
    if body.attached:
        names = ", ".join(body.attached)
        parts.append(f"Attachments: {names}")
        body.notes.append(f"Attachments were not read ({names}): save them into the folder.")
    parts += [*map(with_older, body.texts), *body.inner]
    return "\n\n".join(filter(None, parts)) + "\n", subject, tuple(body.notes), (*signs, *body.signs)


@dataclass(slots=True)
class _Body:
    """What a message consists of."""

    texts: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    """Messages and invitations within the message, each under its heading."""
    attached: list[str] = field(default_factory=list)
    """Names of what was not read."""
    notes: list[str] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)

    def add(self, part: MIMEPart) -> None:
        """Takes in a part of a message, all parts of it in order; of alternatives the best that can be read."""
        kind = part.get_content_type()
        if kind == "multipart/alternative":
            self._add_best(list(part.iter_parts()))
        elif part.is_multipart() and kind != "message/rfc822":
            for inner in part.iter_parts():
                self.add(inner)
        elif kind == "message/rfc822":
            try:
                text, subject, lost, signs = _message(part.get_content().as_bytes())
            except ReadError:
                self.attached.append(part.get_filename() or kind)
                return
            self.inner += [f"## Attached message: {subject}".rstrip(": "), text.strip("\n")]
            self.notes += lost
            self.signs += signs
        elif kind == "text/calendar":
            try:
                self.inner.append(read_calendar(_bytes(part)).text.strip("\n"))
            except ReadError:
                self.attached.append(part.get_filename() or kind)
        elif kind in ("text/plain", "text/html") and not part.get_filename() and not part.is_attachment():
            self.texts.append(_content(part))
        elif not (part.get("Content-ID") and kind.startswith("image/")) and "pgp-signature" not in kind:
            self.attached.append(part.get_filename() or kind)

    def _add_best(self, parts: list[MIMEPart]) -> None:
        """The plain text, unless the page says more: a table or struck words, or twice as many words."""
        tried: dict[str, _Body] = {}
        for part in parts:
            kind = part.get_content_type()
            if kind == "text/calendar":
                self.add(part)
            else:
                tried[kind] = _Body()
                tried[kind].add(part)
        plain = tried.pop("text/plain", _Body())
        page = next((body for body in reversed(tried.values()) if any(map(str.strip, body.texts))), plain)
        words, more = (len(" ".join(body.texts).split()) for body in (plain, page))
        pages = [inner for part in parts for inner in part.walk() if inner.get_content_type() == "text/html"]
        source = "".join(inner.get_content() for inner in pages)
        best = page if more > 2 * words or _MORE_THAN_WORDS.search(source) else plain
        for name in ("texts", "inner", "attached", "notes", "signs"):
            getattr(self, name).extend(getattr(best, name))


def _bytes(part: MIMEPart) -> bytes:
    content = part.get_content()
    return content if isinstance(content, bytes) else str(content).encode()


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


def with_older(text: str) -> str:
    """A message's text with a heading above each older message that stands below it."""
    text = _ORIGINAL.sub(lambda found: f"\n### {found[1].strip(' -_')}\n", text)
    text = _OLDER_HEAD.sub(lambda found: f"\n### {found[1].strip()}\n\n{found[0]}", text)
    lines = re.finditer(r"[^\n]+", text)
    own = max(
        (line.end() for line in lines if line[0].strip() and not line[0].startswith((">", "###", "***"))), default=0
    )
    for found in _WROTE.finditer(text):
        if found.end() >= own:  # else words of the answer stand below it
            line = " ".join(found[0].lstrip("\\").split()).rstrip(": ")
            return f"{text[: found.start()]}\n### {line}\n\n{text[found.end() :].lstrip()}"
    return text
