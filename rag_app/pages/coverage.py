"""Whether a list of pages covers a site: section by section, in numbers, and which listed pages became no document."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rag_app.errors import DefinitionError, UsageError
from rag_app.index.definition import load_definition
from rag_app.index.store import Store
from rag_app.pages.fetching.fetch import Web
from rag_app.pages.fetching.visit import Visitor
from rag_app.pages.page_store import PageStore
from rag_app.pages.sitemap import pages_of_site
from rag_app.pages.url_check import indexed_documents
from rag_app.pages.urls import read_list
from rag_app.pages.web_pages import FINE

SIZES: dict[str, tuple[int, int, int]] = {
    "library": (30, 45, 60),
    "framework": (50, 65, 80),
    "platform": (50, 70, 90),
}
"""Pages of an index by what it documents: at least, and recommended from and to. A focused library needs fewer."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SectionCoverage:
    """Pages below one folder of a site."""

    name: str
    """The folder below the site's URL; "" for pages that lie in none."""
    on_site: int
    listed: int
    missing: tuple[str, ...]
    """Pages of the site that are not listed."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """A list of pages against the sites that they are of."""

    listed: int
    """Pages, each once."""
    documents: int | None
    """Of the listed pages, those that are indexed; None where nothing is built."""
    sections: dict[str, tuple[SectionCoverage, ...]]
    """By site."""
    not_on_site: tuple[str, ...]
    """Listed pages that the sites do not name."""
    no_document: tuple[tuple[str, str], ...]
    """Listed pages that became no document, and why."""
    kind: str | None
    notes: tuple[str, ...] = ()
    """Why a site may have more pages than are reported."""

    @property
    def ok(self) -> bool:
        """Whether every listed page is indexed and there are as many as the kind needs at least."""
        pages = self.listed if self.documents is None else self.documents
        return not self.no_document and (self.kind is None or pages >= SIZES[self.kind][0])

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def __str__(self) -> str:
        built = "nothing is built yet" if self.documents is None else f"{self.documents} of them are indexed"
        lines = [f"{self.listed} pages are listed, {built}."]
        pages = self.listed if self.documents is None else self.documents
        lines += (_size(pages, kind) for kind in ([self.kind] if self.kind else SIZES))
        for site, sections in self.sections.items():
            lines.append(f"{site}: {sum(s.listed for s in sections)} of {sum(s.on_site for s in sections)} pages")
            for section in sections:
                lines.append(f"  {section.listed:>4} of {section.on_site:<4} {section.name or '(top)'}")
                lines += (f"       not listed: {url}" for url in section.missing[:_SHOWN])
                if len(section.missing) > _SHOWN:
                    lines.append(f"       and {len(section.missing) - _SHOWN} more")
        if self.not_on_site:
            lines.append("Listed, but not named by the site:")
            lines += (f"  {url}" for url in self.not_on_site)
        if self.no_document:
            lines.append("Became no document:")
            lines += (f"  {url}: {reason}" for url, reason in self.no_document)
        return "\n".join((*lines, *self.notes))


def measure_coverage(
    path: str | Path, web: Web, *, sites: Iterable[str] = (), contents: str = "", kind: str | None = None
) -> Coverage:
    """Compares the list of the index at `path` with the sites that its pages are of.

    Args:
        sites: URLs that the pages of a site begin with; none: what the listed pages of each host have in common.
        contents: a page that links to all pages of the one site; "" looks for sitemaps.
        kind: library, framework or platform; None compares the size with all of them.

    Raises:
        UsageError: an argument is wrong.
        DefinitionError: the index has no list.
        FetchError: a site does not say which pages it has.
    """
    if kind is not None and kind not in SIZES:
        raise UsageError(f"There is no kind {kind!r}: choose one of {', '.join(SIZES)}.", kind=kind)
    definition = load_definition(path)
    if definition.urls is None:
        raise DefinitionError(f'{path} has no list of pages: write urls = "urls.txt" under [documents].')
    pages = read_list(definition.urls)
    sites = list(sites) or _common_sites(pages.urls)
    if contents and len(sites) != 1:
        raise UsageError(f"A page of contents goes with one --site; the list has pages of {', '.join(sites)}.")
    place = Store(definition.store_path)
    place.create()
    with PageStore(place.pages) as store:
        stored = {url: store.get(url) for url in pages.urls}
    known = indexed_documents(place, definition.path)
    indexed = None if known is None else {document.path for document in known}
    addresses = {_key(address) for page in stored.values() for address in (page.url, page.final_url) if address}
    visitor = Visitor(web)
    on_site = {site: pages_of_site(visitor, site, contents) for site in sites}
    named = {_key(url) for found in on_site.values() for url in found.urls}
    missing = [
        (
            url,
            page.reason or ("It says the same as another page." if page.verdict in FINE else "It was not fetched yet."),
        )
        for url, page in stored.items()
        if indexed is not None and url not in indexed
    ]
    bad = [(pages.place(line), line.problem) for line in pages.lines if line.problem]
    return Coverage(
        listed=len(pages.urls),
        documents=None if indexed is None else sum(url in indexed for url in pages.urls),
        sections={site: _sections(site, found.urls, addresses) for site, found in on_site.items()},
        not_on_site=tuple(url for url, page in stored.items() if not {_key(url), _key(page.final_url or url)} & named),
        no_document=(*missing, *bad),
        kind=kind,
        notes=tuple(note for found in on_site.values() for note in found.notes),
    )


def _sections(site: str, urls: list[str], listed: set[str]) -> tuple[SectionCoverage, ...]:
    by_name: dict[str, list[str]] = {}
    for url in {_key(url): url for url in urls}.values():
        folder, slash, _ = url.removeprefix(site).lstrip("/").partition("/")
        by_name.setdefault(folder if slash else "", []).append(url)
    return tuple(
        SectionCoverage(
            name,
            len(of_section),
            sum(_key(url) in listed for url in of_section),
            tuple(sorted(url for url in of_section if _key(url) not in listed)),
        )
        for name, of_section in sorted(by_name.items())
    )


def _size(pages: int, kind: str) -> str:
    least, low, high = SIZES[kind]
    if pages < least:
        verdict = f"{least - pages} short of the least of {least}"
    elif pages < low:
        verdict = f"enough; {low} to {high} are recommended"
    else:
        verdict = "as many as recommended" if pages <= high else f"more than the recommended {low} to {high}"
    name = {"library": "a focused library"}.get(kind, f"a {kind}")
    return f"  for {name}: {pages} pages are {verdict}."


def _common_sites(urls: list[str]) -> list[str]:
    """For each host, the folder that all of its listed pages lie in."""
    by_host: dict[str, list[str]] = {}
    for url in urls:
        by_host.setdefault(urlsplit(url).netloc, []).append(url.partition("?")[0])
    return [_common_folder(of_host) for of_host in by_host.values()]


def _common_folder(urls: list[str]) -> str:
    folders = [url.split("/")[:-1] for url in urls]
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))
    return "/".join(names[0] for names in shared) + "/"


def _key(url: str) -> str:
    """The same for addresses that name the same page on nearly every site."""
    return url.removesuffix("/").removesuffix(".html").removesuffix("/index")
