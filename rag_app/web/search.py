"""What is asked of a search service, and what it finds: the small protocol behind which any service stands."""

from dataclasses import dataclass
from typing import Literal, Protocol

from rag_app.answer import WebTopic

Depth = Literal["basic", "advanced"]
TimeRange = Literal["day", "week", "month", "year"]

LONGEST_QUERY = 400
"""Characters: what Tavily takes, and more than any query of words needs."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search."""

    query: str
    """At most `LONGEST_QUERY` characters; quotation marks around a phrase ask for just that phrase."""
    topic: WebTopic = "general"
    depth: Depth = "basic"
    """How thoroughly the service looks; "advanced" costs more."""
    time_range: TimeRange | None = None
    """How old a page may be; None: any age."""
    include_domains: tuple[str, ...] = ()
    """Only pages of these hosts; empty: of all."""
    exclude_domains: tuple[str, ...] = ()
    country: str = ""
    """The country whose pages are preferred, as the service names it; "" for none."""
    max_results: int = 10


@dataclass(frozen=True, slots=True)
class WebResult:
    """One page that a search found, as the service returned it: nothing is cleaned yet."""

    url: str
    title: str
    content: str
    """The service's excerpt."""
    raw_content: str | None = None
    """The page's whole text; None where the service has none."""
    published: str | None = None
    """Date of publication as the service writes it; None where it gives none."""
    score: float | None = None
    """The service's own, 0 to 1; says nothing about any region."""


class SearchBackend(Protocol):
    """A search service. Trouble is raised as a `rag_app.errors.SearchError`, never reported as an empty list."""

    name: str

    def search(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        """What is found, best first, in at most `seconds`."""
        ...

    async def asearch(self, request: SearchRequest, seconds: float) -> list[WebResult]:
        """As `search`, without holding up the event loop."""
        ...
