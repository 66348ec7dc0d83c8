"""Listed pages are asked for, and each new version is taken, or kept aside until somebody accepts it.

What comes is first put aside. When every page was asked for, the new versions are judged together, since some trouble
shows only there: one text in place of many pages, or most pages of a host become others at once. A new version that is
doubted leaves the last good one in place and stays aside, with the reason, until it is accepted or the page comes back.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from rag_app.errors import DefinitionError, FetchUnsafe, ReadError, UsageError
from rag_app.index.build.document_source import Progress
from rag_app.index.definition import load_definition
from rag_app.index.store import Store
from rag_app.pages.fetching.addresses import check_url
from rag_app.pages.fetching.fetch import Reply, Validators, Web
from rag_app.pages.fetching.visit import Visitor
from rag_app.pages.likeness import SAME_PAGE, likeness, text_key
from rag_app.pages.page import PAGE_VERSION, Page, read_page
from rag_app.pages.page_store import Held, PageStore, StoredPage
from rag_app.pages.urls import UrlList, read_list
from rag_app.pages.walls import POSSIBLE, wall_points
from rag_app.pages.web_pages import FINE, Inspector, Verdict, Visit

_STILL_FRESH = timedelta(hours=1)
"""Age up to which a run that was stopped goes on where it was; later it begins again."""
_MANY = 3
"""Pages from which on one text for all of them, or a change of most pages of a host, is believed to be no accident."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A new version against the last good one."""

    kept: float
    """Share of pairs of words that it still has."""
    doubt: str


def fetch_pages(
    pages: UrlList,
    store: PageStore,
    web: Web,
    *,
    head_first: bool = False,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[Visit]:
    """Asks for every listed page and keeps what comes; returns the verdicts in the list's order.

    Pages that a stopped run has asked for already are not asked for again, and have no verdict here.
    """
    inspector = Inspector(Visitor(web))
    began = store.begin_run(_time(now()), _time(now() - _STILL_FRESH))
    known = {url: store.get(url) for url in pages.urls}
    wanted = [url for url in pages.urls if head_first or known[url].checked < began]
    visits: dict[str, Visit] = {}

    def visit(url: str) -> tuple[Visit, Held | None]:
        found = inspector.visit(url, _validators(known[url]), head_first=head_first)
        return found, _new_version(known[url], found, now())

    for done, (found, new) in enumerate(inspector.visitor.each(wanted, visit)):
        if progress:
            progress(done, len(wanted), "fetching")
        before = known[found.url]
        visits[found.url] = found
        if new is None:
            store.put(_stored(before, found, now()))
        else:
            store.hold(new, replace(before, checked=new.page.checked))
    settled = _settle(store, pages, began)
    store.end_run()
    return [
        replace(visits[url], verdict=settled[url].verdict, reason=settled[url].reason)
        if url in settled
        else visits[url]
        for url in wanted
    ]


def accept_pages(path: str | Path, urls: list[str], *, host: str = "") -> list[str]:
    """Takes the new versions that were kept aside, so that the next build indexes them; returns their URLs.

    Args:
        path: the folder of an index with a list of pages.
        urls: listed pages.
        host: take every page of this host too.

    Raises:
        DefinitionError: there is no list.
        UsageError: nothing is kept aside for one of the pages. Then none is accepted.
    """
    definition = load_definition(path)
    if definition.urls is None:
        raise DefinitionError(f'{path} has no list of pages: write urls = "urls.txt" under [documents].')
    listed = read_list(definition.urls).urls
    place = Store(definition.store_path).pages
    if not place.is_file():
        raise UsageError(f"No page of {path} was fetched yet: build the index.")
    with PageStore(place) as store:
        held = {new.page.url: new for new in store.held()}
        wanted = [_spelled(url) for url in urls] + [url for url in listed if host and urlsplit(url).netloc == host]
        chosen = [url for url in dict.fromkeys(wanted) if url in held or url in map(_spelled, urls)]
        for url in chosen:
            if url not in held or url not in listed:
                raise UsageError(f"There is no new version of {url} to accept: `rag-app urls check` lists the pages.")
        if not chosen:
            raise UsageError("There is no new version of any of these pages to accept: name pages of the list.")
        for url in chosen:
            store.put(replace(held[url].page, verdict="ok", reason="", since=held[url].page.fetched))
    return chosen


def _spelled(url: str) -> str:
    try:
        return check_url(url)
    except FetchUnsafe as error:
        raise UsageError(str(error)) from error


def _new_version(before: StoredPage, found: Visit, now: datetime) -> Held | None:
    """What a visit brought that is not the text that is known; None where it brought nothing new."""
    page = found.page or found.held
    if page is None or found.reply is None or (before.body and page.sha256 == before.sha256):
        return None
    change = _change(before, page)
    verdict, reason = found.verdict, found.reason
    if change and change.doubt:
        if verdict in FINE:
            verdict, reason = "replaced", f"What stands there now {change.doubt}."
    elif change and change.kept >= SAME_PAGE and found.held:
        verdict, reason = "ok", ""  # it looked so before, and was accepted
    stored = _filled(replace(before, checked=_time(now), verdict=verdict, reason=reason), found.reply, page, now)
    key = text_key(page, found.url) if change or wall_points(page) else ""
    return Held(stored, -1.0 if change is None else change.kept, key)


def _change(before: StoredPage, page: Page) -> _Change | None:
    """How a page changed; None where there was none."""
    if not before.body:
        return None
    try:
        old = read_page(Reply(before.url, before.final_url, 200, {"content-type": before.content_type}, before.body))
    except ReadError:
        return None
    like = likeness(old, page)
    doubt = like.doubt
    if not doubt and like.shingles < SAME_PAGE and wall_points(page) >= POSSIBLE:
        doubt = f"is short, asks its reader for something and has {like.shingles:.0%} of the page"
    return _Change(like.shingles, doubt)


def _settle(store: PageStore, pages: UrlList, began: str) -> dict[str, StoredPage]:
    """Takes the new versions of a run or leaves them aside; returns what is known of these pages now."""
    listed = set(pages.urls)
    new = {held.page.url: held for held in store.held() if held.page.checked >= began and held.page.url in listed}
    troubles = _of_one_text(new) | _of_hosts(new, store, pages)
    settled: dict[str, StoredPage] = {}
    for url, held in new.items():
        page = held.page
        if page.verdict in FINE and url in troubles:
            verdict, reason = troubles[url]
            page = replace(page, verdict=verdict, reason=reason)
        before = store.get(url)
        since = before.since if before.verdict == page.verdict else page.checked[:10]
        page = replace(page, since=since)
        settled[url] = page
        if page.verdict in FINE:
            store.put(page)
        else:
            store.put(
                replace(before, checked=page.checked, verdict=page.verdict, reason=page.reason, since=since),
                settles=False,
            )
    return settled


def _of_one_text(new: Mapping[str, Held]) -> dict[str, tuple[Verdict, str]]:
    """Pages that came as one and the same text, found at different addresses."""
    places: dict[str, set[str]] = {}
    for held in new.values():
        places.setdefault(held.text_key, set()).add(held.page.final_url)
    return {
        url: ("replaced", f"{len(places[held.text_key])} pages of the list have one and the same text now.")
        for url, held in new.items()
        if held.text_key and len(places[held.text_key]) >= _MANY
    }


def _of_hosts(new: Mapping[str, Held], store: PageStore, pages: UrlList) -> dict[str, tuple[Verdict, str]]:
    """Pages of hosts most of whose known pages became others at once."""
    had = store.final_urls()
    known = Counter(urlsplit(url).netloc for url in pages.urls if url in had)
    others = Counter(urlsplit(url).netloc for url, held in new.items() if held.is_known and held.kept < SAME_PAGE)
    stopped = {host for host, count in others.items() if count >= _MANY and count * 2 > known[host]}
    return {
        url: (
            "site changed",
            f"{others[host]} of the {known[host]} pages of {host} became other texts at once, so none of it is taken.",
        )
        for url, held in new.items()
        if held.is_known and (host := urlsplit(url).netloc) in stopped
    }


def _validators(page: StoredPage) -> Validators | None:
    """What to ask with, where the page as it would be read now is known."""
    if not page.body or page.reader != PAGE_VERSION:
        return None
    return Validators(page.final_url, page.etag, page.last_modified)


def _stored(before: StoredPage, visit: Visit, now: datetime) -> StoredPage:
    """What is known of a page after a visit that brought no new text."""
    page = visit.page or visit.held
    is_same = page is not None and bool(before.body) and page.sha256 == before.sha256
    verdict, reason = ("ok", "") if is_same and visit.held else (visit.verdict, visit.reason)
    since = before.since if before.verdict == verdict else now.date().isoformat()
    after = replace(before, checked=_time(now), verdict=verdict, reason=reason, since=since)
    if page is None or visit.reply is None:
        return after
    return replace(_filled(after, visit.reply, page, now), fetched=before.fetched)


def _filled(known: StoredPage, reply: Reply, page: Page, now: datetime) -> StoredPage:
    return replace(
        known,
        final_url=reply.final_url,
        content_type=reply.headers.get("content-type", ""),
        body=reply.body,
        etag=reply.headers.get("etag", ""),
        last_modified=reply.headers.get("last-modified", ""),
        fetched=now.date().isoformat(),
        sha256=page.sha256,
        reader=PAGE_VERSION,
    )


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
