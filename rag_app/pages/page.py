"""A fetched page as text: an HTML page, Markdown, plain text or a source file, with its title and where it leads."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urljoin, urlsplit

from rag_app.errors import FetchUnsafe, ReadError
from rag_app.pages.fetching.addresses import check_url
from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.main_content import main_content
from rag_app.read.decode import decode
from rag_app.read.front_matter import split_front_matter
from rag_app.read.guard import read_guarded, run_guarded
from rag_app.read.html.html_blocks import markdown_blocks
from rag_app.read.html.html_file import line_of, parse_html
from rag_app.read.html.html_pieces import FIRST_MARK, LAST_MARK
from rag_app.read.kinds import kind_of
from rag_app.read.title import first_heading
from rag_app.text.sentences import count_words

PAGE_VERSION = "6"
"""Changed whenever a page may become another text than before."""
_LONGEST_TITLE = 200
_HTML = ("text/html", "application/xhtml+xml")
_NO_PAGES = ("text/css", "text/csv", "text/calendar", "text/vcard", "text/event-stream", "text/xml")
_SOURCE = frozenset(
    """py pyi rs go js mjs cjs ts tsx jsx java kt kts scala c h cc cpp cxx hpp hh cs rb php swift m mm lua pl pm r jl ex
    exs erl hs ml mli clj cljs dart zig nim v sh bash zsh fish ps1 sql toml yaml yml json ini cfg proto graphql tf nix
    el lisp scm f90 vue svelte css scss""".split()
)
_FEED_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE\s[^\[>]*(?:\[[^\]]*\]\s*)?>\s*)*"
    rb"<(rss|feed|rdf:rdf)\b",
    re.IGNORECASE | re.DOTALL,
)
_FEEDS = {"rss": "rss", "rdf:rdf": "rss", "feed": "atom"}
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_PDF_TYPES = ("application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream")
"""What servers call a PDF, which says itself what it is."""
_HEAD = 4096
"""Bytes within which a feed's first element stands."""
_MARGINS = ("header", "nav", "aside", "footer", "dialog")
"""Parts of a page in which a field for a password stands on every page of a site."""
_CHALLENGE = re.compile(r"captcha|challenge|turnstile|verify", re.IGNORECASE)
_MARK = re.compile(f"[{chr(FIRST_MARK)}-{chr(LAST_MARK)}]")


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read."""

    title: str
    text: str
    markup: Literal["markdown", "plain"]
    body_start: int
    words: int
    links: tuple[tuple[int, str], ...]
    """Where a link ends in `text`, and the page that it leads to, which may be anywhere on the web."""
    sha256: str
    """Of title and text: the bytes of a page may change with every visit although it says the same."""
    canonical: str = ""
    """The address that the page gives as its own; "" where it gives none, or none that may be fetched."""
    leads_on: str = ""
    """Where the page sends its readers at once, by a script-less `refresh`."""
    asks_password: bool = False
    asks_more: bool = False
    """Whether a form, a frame or a script of it belongs to a challenge, such as a captcha."""
    is_unlisted: bool = False
    """Whether it asks search engines not to list it."""
    reloads: bool = False
    """Whether it loads itself again after a while."""
    language: str = ""
    """The language that it says it is in, as two or three letters; "" where it says none."""
    page_starts: tuple[int, ...] = ()
    """Of a PDF, the offset at which each page begins."""


def may_be_pdf(reply: Reply) -> bool:
    """Whether a reply without its body may be that of a PDF."""
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower() in _PDF_TYPES


def read_page(reply: Reply) -> Page:
    """The text of a page.

    Raises ReadError: code "not_a_page" for what is no text to read, else as `read_file`.
    """
    kind, charset = _kind(reply)
    if kind == "pdf":
        return _pdf(reply)
    if kind == "html":
        return run_guarded(f"{__name__}:read_html_page", (reply.body, charset, reply.final_url))
    text = decode(reply.body, charset=charset)
    name = unquote(urlsplit(reply.final_url).path.rstrip("/").rpartition("/")[2]) or urlsplit(reply.final_url).netloc
    if kind == "source":
        return _page(name, _fenced(text, name.rpartition(".")[2].lower()), "markdown")
    if kind == "markdown":
        _, body_start = split_front_matter(text, always=True)
        return _page(first_heading(text[body_start:]) or name, text, "markdown", body_start=body_start)
    return _page(name, text, "plain")


def _kind(reply: Reply) -> tuple[str, str]:
    """html, pdf, markdown, source or plain; and the encoding that the server says."""
    media, _, parameters = reply.headers.get("content-type", "").partition(";")
    media = media.strip().lower()
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", parameters, re.I)
    suffix = urlsplit(reply.final_url).path.rpartition("/")[2].rpartition(".")[2].lower()
    if not media:
        media = "text/html" if reply.body.lstrip()[:1] == b"<" else "text/plain"
    if feed := _FEED_ROOT.match(reply.body[:_HEAD]):
        media = f"application/{_FEEDS[feed[1].decode().lower()]}+xml"
    if media in _FEED_TYPES:
        raise ReadError("It is a feed, not a page: list the pages that it links to.", code="not_a_page")
    if reply.body[:_HEAD].lstrip().startswith(b"%PDF-"):
        kind = "pdf"
    elif media in _HTML:
        kind = "html"
    elif not media.startswith("text/") or media in _NO_PAGES:
        raise ReadError(f"It is {media}, not a page: save it into the documents folder.", code="not_a_page")
    elif "markdown" in media or suffix in ("md", "markdown"):
        kind = "markdown"
    else:
        kind = "source" if suffix in _SOURCE or media.startswith("text/x-") else "plain"
    return kind, charset[1] if charset else ""


def _pdf(reply: Reply) -> Page:
    kind = kind_of(".pdf")
    assert kind is not None  # the list of readers has it
    found = read_guarded(kind, reply.body)
    if not found.text.strip():
        raise ReadError("The PDF has no text of its own: save a version with text.", code="not_a_page")
    name = unquote(urlsplit(reply.final_url).path.rpartition("/")[2])
    return _page(found.title or name, found.text, found.markup, page_starts=found.page_starts)


def read_html_page(page: tuple[bytes, str, str]) -> Page:
    """The text of an HTML page, of which its bytes, the server's encoding and its URL are given. Raises ReadError."""
    body, charset, url = page
    root = parse_html(_MARK.sub("", decode(body, html=True, charset=charset)))
    if root is None:
        return _page("", "", "markdown")
    base = urljoin(url, _attribute(root, "head/base", "href"))
    canonical = next((e.get("href", "") for e in root.iter("link") if "canonical" in e.get("rel", "").lower()), "")
    refresh = next(
        (e.get("content", "") for e in root.iter("meta") if e.get("http-equiv", "").lower() == "refresh"), ""
    )
    target = re.search(r"url\s*=\s*[\"']?([^\"'>\s]+)", refresh, re.I)
    asks_password = any(
        e.get("type", "").lower() == "password" and next(e.iterancestors(*_MARGINS), None) is None
        for e in root.iter("input")
    )
    gates = _gates(root)
    reloads = bool(refresh) and not target
    named = line_of(root.find("head/title"))
    main = main_content(root)
    marks = _Marks(base)
    text, links = marks.places("\n\n".join(markdown_blocks(main, marks)) + "\n")
    title = _MARK.sub("", line_of(next(main.iter("h1"), None))) or named
    return _page(
        title,
        text,
        "markdown",
        links=tuple(links),
        canonical=_absolute(canonical, base),
        leads_on=_absolute(target[1], base) if target else "",
        asks_password=asks_password,
        asks_more=gates,
        is_unlisted=any(
            e.get("name", "").lower() == "robots" and "noindex" in e.get("content", "").lower()
            for e in root.iter("meta")
        ),
        reloads=reloads,
        language=re.split("[-_]", (root.get("lang") or "").strip().lower())[0],
    )


def _gates(root: Any) -> bool:
    """Whether a form, a frame or a script of the page belongs to a challenge."""
    return any(
        _CHALLENGE.search(f"{e.get('src') or ''} {e.get('action') or ''} {e.get('name') or ''} {e.get('class') or ''}")
        for e in root.iter("form", "iframe", "input", "script", "div")
    )


class _Marks:
    """Marks links with characters that nobody uses, and finds them again in the finished text."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._targets: list[str] = []

    def __call__(self, link: Any) -> str:
        target = _absolute(link.get("href") or "", self._base)
        if not target or len(self._targets) > LAST_MARK - FIRST_MARK:
            return ""
        self._targets.append(target)
        return chr(FIRST_MARK + len(self._targets) - 1)

    def places(self, marked: str) -> tuple[str, list[tuple[int, str]]]:
        """The text without marks, and for each its place and target."""
        links = [
            (match.start() - before, self._targets[ord(match[0]) - FIRST_MARK])
            for before, match in enumerate(_MARK.finditer(marked))
            if ord(match[0]) - FIRST_MARK < len(self._targets)
        ]
        return _MARK.sub("", marked), links


def _absolute(href: str, base: str) -> str:
    """The page that a link leads to; "" for places within the page and what is no page of the open web."""
    if not href or href.startswith("#"):
        return ""
    try:
        return check_url(href.strip().replace(" ", "%20"), base=base)
    except FetchUnsafe:
        return ""


def _attribute(root: Any, path: str, name: str) -> str:
    found = root.find(path)
    return "" if found is None else (found.get(name) or "")


def _fenced(code: str, language: str) -> str:
    """A source file as one block of code, its lines as they are."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{code.rstrip()}\n{ticks}\n"


def _page(title: str, text: str, markup: Literal["markdown", "plain"], **facts: Any) -> Page:
    title = " ".join(title.split())[:_LONGEST_TITLE]
    body_start = facts.pop("body_start", 0)
    digest = hashlib.sha256(f"{title}\0{markup}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
    defaults: dict[str, Any] = {"links": (), **facts}
    return Page(title, text, markup, body_start, count_words(text[body_start:]), sha256=digest, **defaults)
