"""The pages of an index: fetched into the page store, read from it into documents, compared with what is indexed.

A page that cannot be had at the moment, is gone, or turned into something that is no page keeps its last good version:
in the store, and so in the index, until its line is taken out of urls.txt. Every build and check names it until then.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path

from rag_app.document import Document
from rag_app.errors import ReadError, StoreError
from rag_app.index.build.document_source import Drift, Progress
from rag_app.index.records import StoredDocument
from rag_app.index.store import Store
from rag_app.pages.fetching.fetch import Reply, Web
from rag_app.pages.page import PAGE_VERSION, read_page
from rag_app.pages.page_store import PageStore, StoredPage
from rag_app.pages.updates import fetch_pages
from rag_app.pages.urls import UrlList, read_list
from rag_app.pages.web_pages import FINE, PAGE_TROUBLE
from rag_app.read.documents import Problem, Unchanged


class PageSource:
    """The listed pages as a source of documents for a build; see `DocumentSource`."""

    trouble = PAGE_TROUBLE

    def __init__(self, urls: Path, store: Path, web: Web | None = None) -> None:
        """`urls` is the list, `store` the folder of the index's store; without `web` nothing can be fetched."""
        self._urls = urls
        self._pages = Store(store).pages
        self._web = web

    @cached_property
    def _list(self) -> UrlList:
        """Read once, so that a build reads what it has fetched."""
        return read_list(self._urls)

    def fetch(self, progress: Progress | None) -> None:
        if self._web is None:
            raise ValueError("This source was made without a way to reach the web.")
        with PageStore(self._pages) as store:
            fetch_pages(self._list, store, self._web, progress=progress)

    def read(self, known: Mapping[tuple[str, str], str]) -> Iterator[Document | Problem | Unchanged]:
        with PageStore(self._pages) as store:
            yield from read_pages(self._list, store, known)

    def remove_unlisted(self) -> None:
        with PageStore(self._pages) as store:
            store.keep_only(self._list.urls)

    def changed(self, known: Mapping[str, str]) -> list[str]:
        if not self._urls.is_file() or not self._pages.is_file():
            return []
        with PageStore(self._pages, writable=False) as store:
            fetched = ((url, store.get(url).sha256) for url in self._list.urls)
            return [url for url, sha256 in fetched if url in known and sha256 not in ("", known[url])]

    def drift(self, documents: list[StoredDocument]) -> list[Drift]:
        with PageStore(self._pages) as store:
            return page_drift(self._list, store, documents)


def read_pages(
    pages: UrlList, store: PageStore, known: Mapping[tuple[str, str], str]
) -> Iterator[Document | Problem | Unchanged]:
    """Every listed page as a document, from the store alone.

    A page whose URL and SHA-256 are in `known` is not read again. What is wrong with a line or a page is a Problem; a
    page that has an earlier version is a document all the same.
    """
    held = {new.page.url for new in store.held()}
    listed = {final: url for url, final in store.final_urls().items()} | {url: url for url in pages.urls}
    for line in pages.lines:
        if line.verdict:
            yield Problem(path=pages.place(line), code=line.verdict, reason=line.problem)
            continue
        if (first := pages.first(line)) is not line:
            reason = f"{line.url} is listed in line {first.number} already: remove one of them."
            yield Problem(path=pages.place(line), code="duplicate", reason=reason)
            continue
        page = store.get(line.url)
        if page.verdict not in FINE:
            yield Problem(path=page.url, code=page.verdict or "unreachable", reason=_trouble(page, line.url in held))
        if page.body:
            yield from _read(page, listed, known)


def page_drift(pages: UrlList, store: PageStore, documents: list[StoredDocument]) -> list[Drift]:
    """What was found out about listed pages that the index does not say, in the list's order; asks nobody."""
    indexed = {document.path: document.sha256 for document in documents}
    found: list[Drift] = []
    for url in pages.urls:
        page = store.get(url)
        if page.verdict and page.verdict not in FINE:
            found.append(Drift(url, page.verdict, page.since, page.reason))
        elif page.sha256 and url not in indexed:
            found.append(Drift(url, "new", page.fetched, "It is not indexed yet: build the index."))
        elif page.sha256 and page.sha256 != indexed[url]:
            found.append(Drift(url, "changed", page.fetched, "It says something else than the index: build it."))
    listed = set(pages.urls)
    for path in indexed:
        if path.startswith("https://") and path not in listed:
            found.append(Drift(path, "unlisted", "", "It is indexed and not listed any more: build the index."))
    return found


def _read(
    page: StoredPage, listed: Mapping[str, str], known: Mapping[tuple[str, str], str]
) -> Iterator[Document | Problem | Unchanged]:
    if page.reader == PAGE_VERSION and (page.url, page.sha256) in known:
        yield Unchanged(page.url, page.url)
        return
    try:
        read = read_page(Reply(page.url, page.final_url, 200, {"content-type": page.content_type}, page.body))
    except ReadError as error:
        yield Problem(path=page.url, code="not a page", reason=str(error))
        return
    if page.reader == PAGE_VERSION and read.sha256 != page.sha256:
        raise StoreError(
            f"What was kept of {page.url} in pages.sqlite is damaged: remove that file, and build again, which fetches "
            "the pages.",
            url=page.url,
        )
    yield Document(
        document_id=page.url,
        title=read.title or page.final_url,
        text=read.text,
        path=page.url,
        source=page.final_url,
        sha256=read.sha256,
        markup=read.markup,
        body_start=read.body_start,
        page_starts=read.page_starts,
        retrieved=date.fromisoformat(page.fetched),
        links=tuple((place, listed.get(target, target)) for place, target in read.links),
    )


def _trouble(page: StoredPage, is_held: bool) -> str:
    reason = page.reason or "It was not fetched yet: build the index."
    if page.body:
        reason += f" The version of {page.fetched} still answers (first found on {page.since})."
    if is_held:
        reason += f" If it is the page that you want: rag-app urls accept INDEX {page.url}"
    return reason
