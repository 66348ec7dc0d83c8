"""Which pages a site has: by its sitemaps (plain, indexes of others, packed), or by a page of contents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import lxml.etree

from rag_app.errors import FetchError, FetchUnreachable, FetchUnsafe, ReadError
from rag_app.pages.fetching.addresses import check_url
from rag_app.pages.fetching.bodies import unpack_gzip
from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.fetching.visit import Visitor
from rag_app.read.html.html_file import parse_html

_MOST_SITEMAPS = 50
_MOST_PAGES = 50_000
_NO_PAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|css|js|json|xml|gz|zip|tar|whl|pdf|mp4|woff2?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SitePages:
    """The pages of a site, as far as they could be found out."""

    urls: list[str]
    notes: tuple[str, ...] = ()
    """Why there may be more: sitemaps that could not be read, or were too many."""


def pages_of_site(visitor: Visitor, site: str, contents: str = "") -> SitePages:
    """The pages whose URL begins with `site`, sorted, in their one spelling.

    Args:
        contents: a page that links to all of them, for sites without a sitemap; "" looks for sitemaps.

    Raises FetchError where neither can be had, or holds no page of the site.
    """
    site = check_url(site)
    found = SitePages(_linked(visitor, check_url(contents))) if contents else _in_sitemaps(visitor, site)
    pages = {url for url in found.urls if url.startswith(site) and not _NO_PAGE.search(urlsplit(url).path)}
    if not pages:
        where = contents or "the sitemap"
        raise FetchUnreachable(
            f"{where} names no page under {site}: name the site with --site, or a page of contents with --contents.",
            site=site,
        )
    return SitePages(sorted(pages), found.notes)


def _in_sitemaps(visitor: Visitor, site: str) -> SitePages:
    host = urlsplit(site).netloc
    waiting = visitor.sitemaps(host) or [f"https://{host}/sitemap.xml"]
    seen: set[str] = set()
    pages: list[str] = []
    notes: list[str] = []
    troubles: list[FetchError] = []
    while waiting and len(seen) < _MOST_SITEMAPS and len(pages) < _MOST_PAGES:
        url = waiting.pop(0)
        if url in seen:
            continue
        seen.add(url)
        try:
            reply = visitor.ask(url)
            if reply.status != 200:
                raise FetchUnreachable(f"{url} answers {reply.status}: name a page of contents with --contents.")
            others, here = _read_sitemap(reply, visitor.web.max_bytes)
        except FetchError as error:
            troubles.append(error)
            notes.append(f"The sitemap {url} was left out: {error}")
            continue
        waiting += others
        pages += here
    if not pages and troubles:
        raise troubles[0]
    if len(pages) > _MOST_PAGES or set(waiting) - seen:
        notes.append(
            f"{host} names more than {_MOST_SITEMAPS} sitemaps or {_MOST_PAGES:,} pages: the rest was left out."
        )
    return SitePages(pages[:_MOST_PAGES], tuple(notes))


def _read_sitemap(reply: Reply, max_bytes: int) -> tuple[list[str], list[str]]:
    """The other sitemaps and the pages that a sitemap names."""
    data = unpack_gzip(reply.body, max_bytes) if reply.body.startswith(b"\x1f\x8b") else reply.body
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return [], list(_checked(data.decode("utf-8", "replace").split(), reply.final_url))
    # No entity is resolved and nothing is loaded, so that a sitemap can neither blow up nor reach out.
    parser = lxml.etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = lxml.etree.fromstring(data, parser)
    except lxml.etree.XMLSyntaxError as error:
        raise FetchUnreachable(f"{reply.url} is no sitemap that can be read ({error}).") from error
    others = [element.text or "" for element in root.iterfind("{*}sitemap/{*}loc")]
    pages = [element.text or "" for element in root.iterfind("{*}url/{*}loc")]
    return list(_checked(others, reply.final_url)), list(_checked(pages, reply.final_url))


def _linked(visitor: Visitor, url: str) -> list[str]:
    reply = visitor.ask(url)
    if reply.status != 200:
        raise FetchUnreachable(f"{url} answers {reply.status}: give another page of contents.", url=url)
    try:
        root = parse_html(reply.body.decode("utf-8", "replace"))
    except ReadError as error:
        raise FetchUnreachable(f"{url} cannot be read. {error}", url=url) from error
    links = [] if root is None else [link.get("href") or "" for link in root.iter("a")]
    return [url, *_checked((href for href in links if href and not href.startswith("#")), reply.final_url)]


def _checked(urls: "Iterator[str] | list[str]", base: str) -> Iterator[str]:
    """Those that may be fetched, in their one spelling."""
    for url in urls:
        try:
            yield check_url(url.strip().replace(" ", "%20"), base=base)
        except FetchUnsafe:
            continue
