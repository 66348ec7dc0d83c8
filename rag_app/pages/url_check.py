"""One verdict per line of urls.txt, and the lines of pages that are truly gone made comments."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rag_app.errors import DefinitionError, IndexMissing
from rag_app.index.build.document_source import Drift, Progress
from rag_app.index.catalog import Catalog
from rag_app.index.definition import load_definition
from rag_app.index.records import StoredDocument
from rag_app.index.store import Store
from rag_app.pages.fetching.fetch import Web
from rag_app.pages.fetching.visit import Visitor
from rag_app.pages.page_source import page_drift
from rag_app.pages.page_store import PageStore
from rag_app.pages.updates import fetch_pages
from rag_app.pages.urls import UrlLine, UrlList, check_writable, comment_out, read_list
from rag_app.pages.web_pages import FINE, Inspector, Verdict
from rag_app.show.lines import counted

_FEW = 3
"""From so many pages of a host on, most of its pages being gone looks like a site that is being moved or is broken."""


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """What a line of the list is worth."""

    line: int
    """From 1."""
    url: str
    group: str
    verdict: Verdict
    reason: str
    """What is wrong and what to do; "" where nothing is."""
    is_commented_out: bool = False


@dataclass(frozen=True, slots=True)
class UrlCheck:
    """A checked list."""

    path: str
    lines: tuple[LineVerdict, ...]
    drift: tuple[Drift, ...] = ()
    """Listed pages that the index has otherwise, now or since an earlier check; empty where nothing is built."""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every line names a page that can be indexed, or a duplicate of one."""
        return all(line.verdict in FINE for line in self.lines)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def __str__(self) -> str:
        width = max((len(line.verdict) for line in self.lines), default=0)
        shown = [f"{line.verdict:<{width}}  {line.url}{_indented(line)}" for line in self.lines]
        counts = Counter(line.verdict for line in self.lines)
        shown.append(
            f"{self.path}: " + (", ".join(f"{count} {name}" for name, count in counts.most_common()) or "empty")
        )
        if self.drift:
            shown.append("These pages of the index are not as on the web, until you act on it:")
            shown += (f"  {page}" for page in self.drift)
        return "\n".join((*shown, *self.notes))


def check_urls(
    path: str | Path,
    web: Web,
    *,
    fix: bool = False,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> UrlCheck:
    """Asks for every page of a list, and judges every line.

    Args:
        path: the folder of an index, or a list of URLs. An index keeps what is found out; see `pages.py`.
        fix: make lines comments whose page is gone and is so when asked once more; nothing else is changed.

    Raises:
        DefinitionError: there is no list.
        UsageError: the list could not be changed.
    """
    path = Path(path)
    with ExitStack() as stack:
        if path.is_file() and path.name != "index.toml":
            pages, documents = read_list(path), None
            store = stack.enter_context(PageStore(None))
        else:
            definition = load_definition(path)
            if definition.urls is None:
                raise DefinitionError(f'{path} has no list of pages: write urls = "urls.txt" under [documents].')
            pages, place = read_list(definition.urls), Store(definition.store_path)
            place.create()
            store, documents = stack.enter_context(PageStore(place.pages)), indexed_documents(place, definition.path)
        if fix:
            check_writable(pages)  # now, not after an hour of asking
        fetch_pages(pages, store, web, head_first=True, progress=progress, now=now)
        lines = _verdicts(pages, store)
        drift = () if documents is None else tuple(page_drift(pages, store, documents))
        notes: tuple[str, ...] = ()
        if fix:
            lines, notes = _fix(pages, lines, web, now().date().isoformat())
    return UrlCheck(str(pages.path), tuple(lines), drift, notes)


def _verdicts(pages: UrlList, store: PageStore) -> list[LineVerdict]:
    found: list[LineVerdict] = []
    texts: dict[str, UrlLine] = {}
    for line in pages.lines:
        page = store.get(line.url)
        if line.verdict:
            verdict, reason = line.verdict, line.problem
        elif page.verdict in FINE and (first := pages.first(line)) is not line:
            verdict, reason = "duplicate", f"The same page stands in line {first.number}."
        elif page.verdict in FINE and (same := texts.setdefault(page.sha256, line)) is not line:
            verdict, reason = "duplicate", f"It says the same as the page in line {same.number}."
        else:
            verdict, reason = page.verdict, page.reason
        found.append(LineVerdict(line.number, line.url or line.written, line.group, verdict, reason))  # type: ignore[arg-type]
    return found


def _fix(pages: UrlList, lines: list[LineVerdict], web: Web, day: str) -> tuple[list[LineVerdict], tuple[str, ...]]:
    """Makes comments of the lines of pages that are gone, unless most of a site seems to be."""
    inspector = Inspector(Visitor(web))
    by_host = Counter(
        urlsplit(line.url).netloc for line in lines if line.verdict not in ("duplicate", "not a URL", "unsafe address")
    )
    gone_by_host = Counter(urlsplit(line.url).netloc for line in lines if line.verdict == "gone")
    broken = {host for host, count in gone_by_host.items() if count >= _FEW and count * 2 > by_host[host]}
    gone: dict[int, int] = {}
    for line in lines:
        if line.verdict == "gone" and urlsplit(line.url).netloc not in broken:
            again = inspector.visit(line.url)
            if again.verdict == "gone" and again.reply is not None:
                gone[line.line] = again.reply.status
    if gone:
        comment_out(pages, {number: f"gone {day} ({status})" for number, status in gone.items()})
    notes = [f"{counted(len(gone), 'line')} commented out in {pages.path.name}."] if gone else []
    notes += [
        f"{gone_by_host[host]} of the {by_host[host]} pages of {host} are gone, which looks like a site that moved or "
        "is broken: its lines were left alone. Make comments of them yourself if they are gone for good."
        for host in sorted(broken)
    ]
    return [replace(line, is_commented_out=line.line in gone) for line in lines], tuple(notes)


def indexed_documents(place: Store, index: Path) -> list[StoredDocument] | None:
    """What is indexed; None where nothing is built."""
    try:
        generation = place.opened(index)
    except IndexMissing:
        return None
    with Catalog(generation.catalog) as catalog:
        return catalog.stored()


def _indented(line: LineVerdict) -> str:
    if line.is_commented_out:
        return "\n    Its line is a comment now. " + line.reason
    return f"\n    {line.reason}" if line.reason else ""
