"""The door to the web: a page is asked for, read and judged; what can be indexed comes back with its text.

The same judgement serves `urls check` and building, so that what is called a page there becomes a document here.
"""

import hashlib
import re
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from rag_app.errors import FetchDisallowed, FetchError, FetchTimeout, FetchTooLarge, FetchUnsafe, ReadError
from rag_app.pages.fetching.fetch import Reply, Validators
from rag_app.pages.fetching.visit import Visitor
from rag_app.pages.page import Page, may_be_pdf, read_page
from rag_app.pages.walls import LIKELY, leads_to_door, wall_points

Verdict = Literal[
    "ok",
    "moved",
    "duplicate",
    "gone",
    "soft 404",
    "too thin",
    "not a page",
    "too large",
    "blocked",
    "replaced",
    "site changed",
    "timeout",
    "unreachable",
    "not a URL",
    "unsafe address",
    "unsafe redirect",
]
FINE: tuple[Verdict, ...] = ("ok", "moved", "duplicate")
"""Verdicts that leave nothing to do for the index to have the page's text; of a duplicate it has it already."""
PAGE_TROUBLE: tuple[Verdict, ...] = tuple(verdict for verdict in get_args(Verdict) if verdict not in FINE)
"""Verdicts that leave the index without the page's text as it is now."""
MIN_WORDS = 20
"""A page with fewer has nothing to say; often it is the shell of a program that runs in the browser."""
_SHORT = 200
"""Words from which on a page is no error message."""
_ALIKE = 0.8
_SAYS_NOT_FOUND = re.compile(
    r"(?:(?:error|http|status)\W*)*(?:404|410)\b"
    r"|(?:\w+\W+){0,4}?(?:not|cannot be|could ?n[o']t be|can ?n[o']t be) found\b"
    r"|(?:the |this )?page (?:is )?(?:missing|unavailable|gone|does ?n[o']t exist)"
    r"|.{0,40}\b(?:nicht gefunden|introuvable|no encontrad[ao]|non trovata|não encontrada|niet gevonden)\b",
    re.IGNORECASE,
)
"""How the heading of an error page begins."""
_HOME = re.compile(r"/(?:(?:index|default|home)(?:\.\w+)?|\w\w(?:[-_]\w\w)?/?)?", re.IGNORECASE)
"""Paths that may well lead to the home page: its other names, and languages."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of asking for a page."""

    url: str
    verdict: Verdict
    reason: str = ""
    """What is wrong and what to do, in a sentence; "" where nothing is."""
    reply: Reply | None = None
    """None where there was none."""
    page: Page | None = None
    """None where it cannot be indexed, or is as it was."""
    held: Page | None = None
    """What came and is not indexed until somebody accepts it (`rag-app urls accept`)."""
    is_unchanged: bool = False
    """Whether the site says that the page is as it was when it was fetched."""


class Inspector:
    """Asks for pages and judges them. Thread-safe."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self._nowhere: dict[str, Counter[str] | None] = {}
        self._lock = threading.Lock()

    def visit(self, url: str, validators: Validators | None = None, *, head_first: bool = False) -> Visit:
        """Asks for a page, with `head_first` for its head before its body, and says what it is."""
        try:
            if head_first and (visit := self._from_head(url)) is not None:
                return visit
            return self._judge(url, self.visitor.ask(url, validators=validators), validators)
        except FetchError as error:
            return _failed(url, error)

    def _from_head(self, url: str) -> Visit | None:
        """The verdict where the head of the page is enough. Many servers answer HEAD badly, so bad news needs a GET."""
        try:
            reply = self.visitor.ask(url, method="HEAD", attempts=1)
            if "xml" in reply.headers.get("content-type", "") or may_be_pdf(reply):
                return None  # what it is stands in its first bytes
            read_page(Reply(url, reply.final_url, 200, reply.headers, b"")) if reply.status == 200 else None
        except ReadError as error:
            return Visit(url, "not a page", str(error)) if error.details["code"] == "not_a_page" else None
        except FetchError as error:
            if error.transient or isinstance(error, FetchTooLarge):
                return None
            raise
        return None

    def _judge(self, url: str, reply: Reply, validators: Validators | None) -> Visit:
        status = reply.status
        if status == 304 and validators and validators.headers(reply.final_url):  # else nobody asked whether it changed
            verdict = "moved" if reply.is_moved else "ok"
            return Visit(url, verdict, _moved(reply), reply, is_unchanged=True)
        if status in (404, 410):
            return Visit(url, "gone", f"The site says that there is no such page ({status}).", reply)
        if status in (401, 402, 403, 407, 429, 451):
            return Visit(url, "blocked", f"The site does not show it ({status}).", reply)
        if status != 200:
            return Visit(url, "unreachable", f"The site answers {status}: try again later.", reply)
        try:
            page = read_page(reply)
        except ReadError as error:
            return Visit(url, "not a page", str(error), reply)
        if trouble := self._trouble(reply, page):
            held = page if trouble[0] == "blocked" and page.words >= MIN_WORDS else None
            return Visit(url, *trouble, reply, held=held)
        return Visit(url, "moved" if reply.is_moved else "ok", _moved(reply), reply, page)

    def _trouble(self, reply: Reply, page: Page) -> tuple[Verdict, str] | None:
        asked, got = urlsplit(reply.url), urlsplit(reply.final_url)
        if page.asks_password and page.words < _SHORT:
            return "blocked", "The site asks for a password."
        if door := leads_to_door(reply, page):
            return "blocked", door
        if page.words < _SHORT and _SAYS_NOT_FOUND.match(page.title):
            return "soft 404", f"The site answers 200, but the page says: {page.title!r}."
        if got.path == "/" and not got.query and not _HOME.fullmatch(asked.path):
            return "soft 404", f"It leads to the home page {reply.final_url}."
        if page.words < MIN_WORDS:
            where = f"It only leads on to {page.leads_on}: list that page." if page.leads_on else ""
            program = "Perhaps a program in the browser makes its text: list the pages or files behind it."
            return "too thin", f"It has {page.words} words of its own. {where or program}"
        if wall_points(page) >= LIKELY:
            return "blocked", f"The site shows something that stands before the page instead: {page.title!r}."
        if self._is_like_nowhere(got.netloc, page):
            return "soft 404", "The site answers 200 with the same words for an address that does not exist."
        return None

    def _is_like_nowhere(self, host: str, page: Page) -> bool:
        """Whether a page has the words of what the site shows for an address that cannot exist.

        Bar-Yossef, Broder, Kumar and Tomkins, "Sic transit gloria telae", WWW 2004.
        """
        with self._lock:
            if host not in self._nowhere:
                self._nowhere[host] = self._words_of_nowhere(host)
        nowhere = self._nowhere[host]
        if nowhere is None:
            return False
        words = _word_counts(page)
        adds_nothing = page.words < _SHORT or (words - nowhere).total() < MIN_WORDS
        return adds_nothing and (words & nowhere).total() >= _ALIKE * (words | nowhere).total()

    def _words_of_nowhere(self, host: str) -> Counter[str] | None:
        path = hashlib.sha256(host.encode()).hexdigest()[:20]
        try:
            reply = self.visitor.ask(f"https://{host}/{path}", attempts=1)
            return _word_counts(read_page(reply)) if reply.status == 200 else None
        except (FetchError, ReadError):
            return None  # then the site does say what does not exist


def _word_counts(page: Page) -> Counter[str]:
    return Counter(re.findall(r"\w+", page.text.lower()))


def _moved(reply: Reply) -> str:
    return f"It has moved to {reply.final_url} for good: list that address." if reply.is_moved else ""


def _failed(url: str, error: FetchError) -> Visit:
    """The verdict on a page that did not come."""
    redirected = error.details.get("hop", 0) > 0
    verdict: Verdict = "unreachable"
    if isinstance(error, FetchUnsafe):
        verdict = "unsafe redirect" if redirected else "unsafe address"
    elif isinstance(error, FetchTimeout):
        verdict = "timeout"
    elif isinstance(error, FetchTooLarge):
        verdict = "too large"
    elif isinstance(error, FetchDisallowed):
        verdict = "blocked"
    return Visit(url, verdict, str(error))
