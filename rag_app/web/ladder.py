"""The ladder of tries: what else is searched while the results are not clean. Bounded, and the same for everybody."""

from dataclasses import replace

from rag_app.answer import WebTopic
from rag_app.web.intent import Intent
from rag_app.web.judging.terms import fold, words_of
from rag_app.web.region import RegionProfile
from rag_app.web.search import LONGEST_QUERY, SearchRequest

Rung = tuple[str, SearchRequest]
_OTHER: dict[WebTopic, WebTopic] = {"news": "general", "general": "news"}


def ladder(intent: Intent, profile: RegionProfile, *, max_results: int = 10) -> list[Rung]:
    """The searches for an intent in the order in which they are tried, each with the name of its step, at most four.

    As composed; with the name quoted; among the region's news sites alone, for a local question; under the other topic,
    more thoroughly.
    """
    country = profile.country if intent.is_local else ""
    first = SearchRequest(intent.search_query, intent.topic, country=country, max_results=max_results)
    rungs = [("as composed", first)]
    if (quoted := _quoted(intent)) != intent.search_query and len(quoted) <= LONGEST_QUERY:
        rungs.append(("quoted name", replace(first, query=quoted)))
    if intent.is_local:
        rungs.append(("news sites", replace(first, include_domains=profile.news_sites)))
    rungs.append(("other topic", replace(first, topic=_OTHER[intent.topic], depth="advanced")))
    return rungs


def _quoted(intent: Intent) -> str:
    """The query with its first name in quotation marks: the longest run of words of names, as the query writes them."""
    colliding = {fold(part) for c in intent.collisions for name in c.names for part in words_of(name)}
    names = colliding or set(intent.names)
    written = intent.search_query.split(" ")
    first = next((n for n, word in enumerate(written) if fold(word) in names), None)
    if first is None:
        return intent.search_query
    last = first
    while last + 1 < len(written) and fold(written[last + 1]) in names:
        last += 1
    return " ".join([*written[:first], f'"{" ".join(written[first : last + 1])}"', *written[last + 1 :]])
